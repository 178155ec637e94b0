#!/usr/bin/env bash
# kc-pair: the rows of logs in, a count for each case or why there is none.
. "$(dirname "$0")/tap.sh"

printf 'forward/a\n' >"$tmp/cases"

# log TABLE...: the rows of one whole log of forward/a with these tables.
log() {
	printf -- '-\tbegin\tforward/a\n'
	[ $# -eq 0 ] || printf '%s\tok\tforward/a\n' "$@"
	printf -- '-\tend\tforward/a\n-\twhole\tforward/a\n'
}

# counts NAME STATUS EXPECTED: judges $tmp/rows; a refused row is compared as
# far as the expected text goes.
counts() {
	run kc-pair -l cuda "$tmp/cases" "$tmp/rows"
	status "$2" "$1: status $2"
	local got
	got=$(grep -v '^#' "$tmp/out")
	is "${got:0:${#3}}" "$3" "$1"
}
refused=$'-\trefused: '
tail_of=$'\tcuda\tforward/a'

{ log 7 5; log 7 7 5; } >"$tmp/rows"
counts 'two logs, one table more, the same last' 0 $'5\trepeated'"$tail_of"
stderr_is ''
{ log 7 9 5; log 7 9 9 5; } >"$tmp/rows"
counts 'set-up that syncs' 0 $'5\trepeated'"$tail_of"
{ log 7 5; log 7 7 7 5; } >"$tmp/rows"
counts 'two tables more' 2 "${refused}2 and 4 tables for one and two warm-up iterations"
stderr_line "cuda: 'forward/a' refused: 2 and 4 tables"
{ log 7 5; log 7 7 6; } >"$tmp/rows"
counts 'another last table' 2 "${refused}5 and 6 launches in two runs"
{ log 7 7 5; log 7 5; } >"$tmp/rows"
counts 'one table fewer' 2 "${refused}3 and 2 tables"
{ log 7 5; log 7 5; } >"$tmp/rows"
counts 'a bench that ignores the warm-up' 0 $'5\tonce'"$tail_of"
{ log 7 5; log 7 6; } >"$tmp/rows"
counts 'the same, and another count' 2 "${refused}5 and 6 launches in two runs"
log 7 5 >"$tmp/rows"
counts 'one log' 0 $'5\tonce'"$tail_of"
{ log 7 5; log 7 7 5; log 7 7 7 5; } >"$tmp/rows"
counts 'three logs, each a table more' 0 $'5\trepeated'"$tail_of"
{ log 7 5; log 7 7 5; log 7 7 5; } >"$tmp/rows"
counts 'three logs, the last no more' 2 "$refused"

# An iteration that launches nothing prints no table: 7 is the warm-up's.
{ log 7; log 7; } >"$tmp/rows"
counts 'one table, twice' 2 "${refused}one table in its log"
{ log 7; log 7 7; } >"$tmp/rows"
counts 'one table, then two' 2 "${refused}one table in its log"
log 7 >"$tmp/rows"
counts 'one table, one log' 2 "${refused}one table in its log"
{ log; log; } >"$tmp/rows"
counts 'no table' 2 "${refused}no table in its log"
# Before 0.6 it prints a table of nothing, and that is a proven zero.
{ log 7 0; log 7 7 0; } >"$tmp/rows"
counts 'a table of no launches' 0 $'0\trepeated'"$tail_of"

# Tables before the announcement are not the case's.
{ printf '3\tok\t\n'; log 7; printf '3\tok\t\n'; log 7 7; } >"$tmp/rows"
counts 'a table before the announcement' 2 "${refused}one table in its log"
{ printf '3\tok\t\n'; log 7 5; printf '3\tok\tforward/a\n'; log 7 7 5; } >"$tmp/rows"
counts 'with -c it has the case already' 0 $'5\trepeated'"$tail_of"

# What makes one log unfit makes the case refused, wherever it stands.
for state in bad cut panic; do
	{ log 7 5; printf -- '-\t%s\tforward/a\n' "$state"; log 7 7 5; } >"$tmp/rows"
	counts "a row of state $state" 2 "$refused"
done
{
	log 7 5
	printf '#bad\tforward/a\tx.log:12\tits rows do not add up to its total\n'
	printf -- '-\tbad\tforward/a\n'
	log 7 7 5
} >"$tmp/rows"
counts 'the reason is handed on' 2 "${refused}x.log:12: a table is unfit: its rows do not add up to its total$tail_of"
{ log 7 5; log 7 7 5 | sed 's/whole/eof/'; } >"$tmp/rows"
counts 'a log that is not whole' 2 "${refused}its log is not whole"
{ log 7 5; log 7 7 5 | sed '/end/d'; } >"$tmp/rows"
counts 'a case that did not end' 2 "${refused}announced 1 times and ended 0 times"
{ log 7 5; log 7 7 5 | sed '/begin/d'; } >"$tmp/rows"
counts 'a case that was not announced' 2 "${refused}announced 0 times and ended 1 times"
{ log 7 5; log 7 7 5 | sed 's/\(.*begin.*\)/\1\n\1/'; } >"$tmp/rows"
counts 'a case announced twice' 2 "${refused}announced 2 times"
# Without announcements, as of a harness that is not criterion.
{ log 7 5; log 7 7 5; } | sed '/begin/d; /end/d' >"$tmp/rows"
counts 'no announcement at all' 0 $'5\trepeated'"$tail_of"

{ log 7 5; log 7 7 5 | sed '1s/forward.a/forward\/b/'; } >"$tmp/rows"
counts 'the log announces another case' 2 "${refused}its log is of case 'forward/b' too"
: >"$tmp/rows"
counts 'no log' 2 "${refused}no log of it"
log 7 5 | sed 's,forward/a,forward/b,' >"$tmp/rows"
counts 'a log of a case that is not listed' 2 "${refused}no log of it"
like "$(cat "$tmp/err")" "rows of case 'forward/b'" 'it is named'
log 7 5 | sed '/whole/d' >"$tmp/rows"
run kc-pair -l cuda "$tmp/cases" "$tmp/rows"
status 2 'rows that end in the middle of a log'
stderr_line 'the rows end in the middle of a log'
stdout_is '' 'and no count is written'

# The rest of the cases is not lost, and their order is the list's.
printf 'forward/b\nforward/a\nforward/c\n' >"$tmp/three"
{ log 7 5; log 7 7 5; log 2 1 | sed 's,/a,/c,'; log 2 2 1 | sed 's,/a,/c,'; } >"$tmp/rows"
run kc-pair -l cuda "$tmp/three" "$tmp/rows"
status 2
stdout_is $'-\trefused: no log of it\tcuda\tforward/b\n5\trepeated\tcuda\tforward/a\n1\trepeated\tcuda\tforward/c\n' 'in the order of the list'

# Kernels: compared one by one, the measured table's handed on.
klog() {
	local t
	printf -- '-\tbegin\tforward/a\n'
	for t; do
		printf '%d\tok\tforward/a\tx | f32\n%d\tok\tforward/a\ty\n' \
			"${t%,*}" "${t#*,}"
		printf '%d\tok\tforward/a\n' $((${t%,*} + ${t#*,}))
	done
	printf -- '-\tend\tforward/a\n-\twhole\tforward/a\n'
}
{ klog 9,9 2,3; klog 9,9 9,9 2,3; } >"$tmp/rows"
run kc-pair -l cuda "$tmp/cases" "$tmp/rows"
stdout_is $'3\trepeated\tcuda\tforward/a\ty\n2\trepeated\tcuda\tforward/a\tx | f32\n5\trepeated\tcuda\tforward/a\n' 'kernels before their case, most first'
{ klog 9,9 2,3; klog 9,9 9,9 3,2; } >"$tmp/rows"
counts 'the same sum of other kernels' 2 "${refused}kernel 'x | f32': 2 and 3 launches in two runs"
{ klog 9,9 2,3 | sed 's/^3\(.*y\)$/4\1/'; } >"$tmp/rows"
run kc-pair -l cuda "$tmp/cases" "$tmp/rows"
status 2 'kernels that do not add up'
stderr_line ':7: kernels do not add up to the table after them'

# Facts pass; the bench's line gets the configuration's name, once.
{ printf '#device\tcuda\tH200\n#bench-config\tseq=1\n'; log 7 5; printf '#bench-config\tseq=2\n'; log 7 7 5; } >"$tmp/rows"
run kc-pair -l cuda "$tmp/cases" "$tmp/rows"
stdout_is $'#device\tcuda\tH200\n#config\tcuda\tseq=1\n5\trepeated\tcuda\tforward/a\n' 'facts'

# What somebody else says of a case.
said() {
	{ log 7 5; log 7 7 5; printf '%b\n' "$1"; } >"$tmp/rows"
}
said '#witness\tforward/a\t5\tlibcuda'
counts 'a witness that agrees' 0 $'5\tconfirmed'"$tail_of"
is "$(wc -l <"$tmp/out")" 1 'the fact stays with the judge'
said '#witness\tforward/a\t6\tlibcuda'
counts 'a witness that disagrees' 2 "${refused}5 launches in its table, libcuda counts 6"
said '#witness\tforward/a\t5\tlibcuda\n#witness\tforward/a\t6\tx'
counts 'two witnesses that disagree' 2 "${refused}libcuda counts 5 and x 6 launches"
{ log 7 5; printf '#witness\tforward/a\t5\tx\n'; } >"$tmp/rows"
counts 'a witness of a count taken once' 0 $'5\tonce'"$tail_of"
said '#void\tforward/a\tit died'
counts 'a case that is void' 2 "${refused}it died$tail_of"
said '#bound\tforward/a\ta read-back'
counts 'a lower bound' 0 $'>=5\tbound: a read-back'"$tail_of"
{ klog 9,9 2,3; klog 9,9 9,9 2,3; printf '#bound\tforward/a\tx\n'; } >"$tmp/rows"
counts 'a lower bound, by kernel' 0 $'>=3\tbound: x'"$tail_of"$'\ty\n'
said '#void\tforward/b\tit died'
run kc-pair -l cuda "$tmp/cases" "$tmp/rows"
status 2 'a fact about a case that is not listed'
stderr_line ":12: a fact about case 'forward/b'"
said '#void\tforward/a'
run kc-pair -l cuda "$tmp/cases" "$tmp/rows"
status 2 'a fact without its reason'
stderr_line ':12: bad fact: expected #void, CASE and a reason'

# -t: a log of many cases. Tables may lag behind the announcements.
printf 'a\nb\n' >"$tmp/ab"
many() { tr ' ' '\n' <<<"$1" | awk '
	/^b:/ { id = substr($0, 3); print "-\tbegin\t" id; next }
	/^e$/ { print "-\tend\t" id; next }
	/^[a-z]+$/ { print "-\t" $0 "\t" id; next }
	{ print $0 "\tok\t" id }'; }
# pairs NAME STATUS LOG FIELD: column 1 and 2 of all rows in one line.
pairs() {
	many "$3" >"$tmp/rows"
	run kc-pair -l cuda -t 2 "$tmp/ab" "$tmp/rows"
	status "$2" "-t: $1: status $2"
	is "$(cut -f1,2 "$tmp/out" | cut -c1-12 | tr '\n\t' '; ')" "$4" "-t: $1"
}
pairs 'in order' 0 'b:a 9 5 e b:b 8 4 e eof' '5 once;4 once;'
pairs 'tables lag' 0 'b:a 9 e b:b 5 8 e 4 eof' '5 once;4 once;'
pairs 'whole logs are fine too' 0 'b:a 9 5 e b:b 8 4 e whole' '5 once;4 once;'
pairs 'set-up before the first case' 0 '3 b:a 9 5 e b:b 8 4 e eof' '5 once;4 once;'
is_refused() {
	many "$2" >"$tmp/rows"
	run kc-pair -l cuda -t 2 "$tmp/ab" "$tmp/rows"
	status 2 "-t: $1: status 2"
	is "$(grep -c -- $'^-\trefused: ' "$tmp/out")" 2 "-t: $1: both refused"
}
is_refused 'a table too few' 'b:a 9 5 e b:b 8 e eof'
is_refused 'a table too many' 'b:a 9 5 e b:b 8 4 4 e eof'
is_refused 'three and one' 'b:a 9 9 5 e b:b 4 e eof'
is_refused 'out of order' 'b:b 9 5 e b:a 8 4 e eof'
is_refused 'one not ended' 'b:a 9 5 b:b 8 4 e eof'
is_refused 'one announced twice' 'b:a 9 5 e b:a e b:b 8 4 e eof'
is_refused 'a bad table' 'b:a 9 bad 5 e b:b 8 4 e eof'
is_refused 'a panic' 'b:a 9 5 e b:b 8 4 panic e eof'
is_refused 'one more case than listed' 'b:a 9 5 e b:b 8 4 e b:c 1 1 e eof'
is_refused 'two logs' 'b:a 9 5 e eof b:b 8 4 e eof'
is_refused 'a log that stops early' 'b:a 9 5 e'

# Usage and bad rows.
log 7 5 >"$tmp/rows"
# trouble NAME TEXT ARGUMENT...
trouble() {
	local name=$1 text=$2
	shift 2
	run kc-pair "$@"
	status 2 "$name"
	like "$(head -n 1 "$tmp/err")" "$text" "$name: says so"
	stdout_is '' "$name: writes nothing"
}
trouble 'no configuration' 'no configuration, expected -l' "$tmp/cases" "$tmp/rows"
trouble 'no cases' 'no list of cases' -l cuda
trouble 'an empty list' 'no case in the list' -l cuda /dev/null "$tmp/rows"
trouble '-t 0' "bad number '0' for -t" -l cuda -t 0 "$tmp/cases" "$tmp/rows"
trouble '-t x' "bad number 'x' for -t" -l cuda -t x "$tmp/cases" "$tmp/rows"
trouble 'an unknown option' "unknown option '-q'" -q
trouble 'an option without its value' "option '-l' needs a value" -l
# bad_row NAME TEXT ROW
bad_row() {
	printf '%s' "$3" >"$tmp/row"
	trouble "$1" "$tmp/row:1: $2" -l cuda "$tmp/cases" "$tmp/row"
}
bad_row 'a row of two fields' 'expected LAUNCHES, STATE, CASE' $'5\tok\n'
bad_row 'a row of six fields' 'too many fields' $'5\tok\ta\tb\tc\td\n'
bad_row 'a word for a number' "bad number 'x': expected digits" $'x\tok\tforward/a\n'
bad_row 'a sign' "bad number '-5': expected digits" $'-5\tok\tforward/a\n'
bad_row 'a number over 64 bits' "bad number '18446744073709551616': too large for 64 bits" $'18446744073709551616\tok\tforward/a\n'
bad_row 'an unknown state' "unknown state 'fine'" $'-\tfine\tforward/a\n'
bad_row 'a number where none belongs' "expected '-'" $'5\twhole\tforward/a\n'
bad_row 'a cut row' 'the last row is cut' $'5\tok\tforward/a'
printf 'a\na\n' >"$tmp/twice"
trouble 'a case listed twice' "$tmp/twice:2: case 'a' is listed twice" -l cuda "$tmp/twice" "$tmp/rows"

# Rows of one name are as many kernels; they are one row here, and it is said.
{
	printf -- '-\tbegin\tforward/a\n9\tok\tforward/a\n'
	printf '3\tok\tforward/a\tMul: (\n1\tok\tforward/a\tAdd\n2\tok\tforward/a\tMul: (\n'
	printf '6\tok\tforward/a\n-\tend\tforward/a\n-\twhole\tforward/a\n'
} >"$tmp/rows"
run kc-pair -l cuda "$tmp/cases" "$tmp/rows"
status 0 'kernels that share a name'
stdout_is "$(printf '%s\n' '#shared	cuda	forward/a	Mul: (	2' \
	'5	once	cuda	forward/a	Mul: (' '1	once	cuda	forward/a	Add' \
	'6	once	cuda	forward/a')"$'\n' 'kernels that share a name: a fact says so'
# Who ran the bench says its setting; then the log's own line is not another.
printf 'a\n' >"$tmp/one"
printf '#config\tx\tseq=8\n#config\ty\tseq=9\n#bench-config\tseq=8 on stdout\n5\tok\ta\n5\tok\ta\n-\twhole\ta\n' >"$tmp/rows"
run kc-pair -l x "$tmp/one" "$tmp/rows"
is "$(grep '^#' "$tmp/out")" $'#config\tx\tseq=8\n#config\ty\tseq=9' 'a setting that is known already'
run kc-pair -l z "$tmp/one" "$tmp/rows"
is "$(grep -c $'^#config\tz\tseq=8 on stdout$' "$tmp/out")" 1 'but not that of another configuration'
done_testing
