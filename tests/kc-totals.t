#!/usr/bin/env bash
# kc-totals: a log in, what it says of each case out.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/logs.sh"

# Two kernels: 4 + 3 launches in the warm-up, 2 + 3 in the measured iteration.
{
	testing forward/a
	synced 'Matmul | f32' 4 Unary 3
	synced 'Matmul | f32' 2 Unary 3
	success
	whole
} >"$tmp/a"
run kc-totals "$tmp/a"
status 0
stdout_is $'-\tbegin\tforward/a
7\tok\tforward/a
5\tok\tforward/a
-\tend\tforward/a
-\twhole\tforward/a
'
stderr_is ''
run kc-totals -k "$tmp/a"
stdout_is $'-\tbegin\tforward/a
4\tok\tforward/a\tMatmul | f32
3\tok\tforward/a\tUnary
7\tok\tforward/a
2\tok\tforward/a\tMatmul | f32
3\tok\tforward/a\tUnary
5\tok\tforward/a
-\tend\tforward/a
-\twhole\tforward/a
' '-k: a row per kernel before its table'
run_in "$tmp/a" kc-totals -c 'x	y'
stdout_is $'-\tbegin\tforward/a
7\tok\tx\\ty
5\tok\tx\\ty
-\tend\tx\\ty
-\twhole\tx\\ty
' '-c gives the case, and what was announced stays'
KC_NOJIT=1 run kc-totals "$tmp/a"
is "$(grep -c ok "$tmp/out")" 2 'without JIT'

# rows NAME LOG EXPECTED: STATE or LAUNCHES of each row, in one line.
rows() {
	run kc-totals "$2"
	tap_note="of: $2"
	is "$(grep -v '^#' "$tmp/out" | awk -F'\t' '
		{ printf "%s%s", sep, $2 == "ok" ? $1 : $2; sep = " " }')" "$3" "$1"
}

{ testing a; success; testing b; synced k 2; success; } >"$tmp/l"
rows 'no table, no row; a log without kc: whole ends in eof' "$tmp/l" \
	'begin end begin 2 end eof'
run kc-totals "$tmp/l"
is "$(awk -F'\t' '$1 == 2 { print $3 }' "$tmp/out")" b \
	'a table is of the case last announced'

{ synced k 1; testing a; synced k 2; success; } >"$tmp/l"
run kc-totals "$tmp/l"
is "$(awk -F'\t' '$1 == 1 { print "<" $3 ">" }' "$tmp/out")" '<>' \
	'a table before any announcement is of no case'

# What cubecl before 0.6 prints: no launch lines, and a table for an empty sync.
{ testing a; summary k 3; summary; success; } >"$tmp/l"
rows 'no launch lines at all: the releases before 0.6' "$tmp/l" \
	'begin 3 0 end eof'
{ testing a; summary k 3; synced k 3; success; } >"$tmp/l"
rows 'launch lines for one table and not for another' "$tmp/l" \
	'begin 3 bad end eof'
{ testing a; launches k 2; summary k 3; success; } >"$tmp/l"
rows 'too few launch lines' "$tmp/l" 'begin bad end eof'
run kc-totals "$tmp/l"
like "$(cat "$tmp/out")" "#bad	a	$tmp/l:4	its total is not the number of launch lines before it" \
	'the reason names the log, the line and the rule'
{ testing a; launches k 4; summary k 3; success; } >"$tmp/l"
rows 'too many launch lines' "$tmp/l" 'begin bad end eof'
{ testing a; synced k 3; launches k 2; success; whole; } >"$tmp/l"
rows 'launches that were never synced' "$tmp/l" 'begin 3 end whole'
{ testing a; printf '| not measured | k\n'; synced k 3; success; } >"$tmp/l"
rows 'a launch that was not measured (cubecl 0.12)' "$tmp/l" 'begin bad end eof'

# Each line of a table, lost: never a count, and one row for the table.
synced Total 2 'Name | x' 1 >"$tmp/t"
n=$(wc -l <"$tmp/t")
for ((i = 4; i < n; i++)); do
	sed "${i}d" "$tmp/t" >"$tmp/l"
	run kc-totals "$tmp/l"
	is "$(grep -v '^#' "$tmp/out" | cut -f1,2)" $'-\tbad\n-\teof' \
		"without its line $i, a table is bad once"
done
head -n $((n - 2)) "$tmp/t" >"$tmp/l"
rows 'never closed' "$tmp/l" 'cut eof'
{ head -n $((n - 3)) "$tmp/t"; synced k 1; } >"$tmp/l"
rows 'never closed, and another comes' "$tmp/l" 'bad bad eof'
{ head -n $((n - 3)) "$tmp/t"; testing b; synced k 1; } >"$tmp/l"
rows 'never closed, and a case comes' "$tmp/l" 'cut begin 1 eof'
rows 'kernels called Total and Name | x' "$tmp/t" '3 eof'
sed 's/ 1 / 7 /' "$tmp/t" >"$tmp/l"
rows 'rows that do not add up' "$tmp/l" 'bad eof'
synced "⎺⎼⎯|⎺| 5 | 100 % |" 2 "$(printf '%10000s' '' | tr ' ' x)" 1 >"$tmp/l"
rows 'names with rulers in them, and of 10 kB' "$tmp/l" '3 eof'
summary k 1 | sed 's/| 1  /| 18446744073709551616/' >"$tmp/l"
rows 'a number that 64 bits do not hold' "$tmp/l" 'bad eof'

# Bytes.
sed 's/$/\r/' "$tmp/a" >"$tmp/l"
rows 'carriage returns' "$tmp/l" 'begin 7 5 end whole'
{ printf '\xef\xbb\xbf'; cat "$tmp/a"; } >"$tmp/l"
rows 'a byte-order mark' "$tmp/l" 'begin 7 5 end whole'
head -c -1 "$tmp/a" >"$tmp/l"
rows 'no final newline' "$tmp/l" 'begin 7 5 end whole'
{ cat "$tmp/a"; printf 'late\n'; } >"$tmp/l"
rows 'kc: whole is not the last line' "$tmp/l" 'begin 7 5 end eof'
{ printf 'a\0b\xff\x1b[0m\n'; cat "$tmp/a"; } >"$tmp/l"
rows 'NUL, invalid UTF-8, colours' "$tmp/l" 'begin 7 5 end whole'
{ head -c 12000000 /dev/zero | tr '\0' y; printf '\n'; cat "$tmp/a"; } >"$tmp/l"
rows 'a line of 12 MB' "$tmp/l" 'begin 7 5 end whole'
{ testing 'Testing forward/a'; synced k 1; success; testing Success; synced k 2; success; } >"$tmp/l"
rows 'ids called Testing and Success' "$tmp/l" 'begin 1 end begin 2 end eof'
rows 'an empty log' /dev/null 'eof'
head -c 17000000 /dev/zero | tr '\0' y >"$tmp/l"
run kc-totals "$tmp/l"
status 2 'a line of 17 MB is over the limit'
stderr_line "$tmp/l:1: line too long, expected at most 16777216 bytes"

# The fast path takes blocks of 4096 bytes: a foreign line at every place in
# two blocks must give what the line-by-line path gives, the same number.
for shift in 0 1 2 3 1000 2047 4090 4095 4096; do
	{
		printf '%*s\n' "$shift" ''
		testing big
		synced 'Some kernel | f32' 400 Other 300
		success
		whole
	} >"$tmp/l"
	rows "700 launches at an offset of $shift bytes" "$tmp/l" \
		'begin 700 end whole'
done

printf 'thread '\''main'\'' (12) panicked at src/x.rs:1:2:\nno\n' >"$tmp/l"
rows 'a panic' "$tmp/l" 'panic eof'
printf 'warming up... thread '\''main'\'' (12) panicked at src/x.rs:1:2:\nno\n' >"$tmp/l"
rows 'a panic after a print without a newline' "$tmp/l" 'panic eof'
printf 'bench-config: seq=1\nbench-config: seq=2\n' >"$tmp/l"
run kc-totals "$tmp/l"
stdout_is $'#bench-config\tseq=1\n-\teof\t\n' "the bench's own line, the first"

run kc-totals "$tmp/a" "$tmp/none"
status 2 'a log that is not there'
stderr_line "$tmp/none: cannot open"
run bash -c 'kc-totals "$1" >/dev/full' - "$tmp/a"
status 2 'a full disk'
stderr_line 'write failed: No space left'
done_testing
