#!/usr/bin/env bash
# kc-law: counts at several sizes in, the law they follow out.
. "$(dirname "$0")/tap.sh"

# sweep CASE EXPRESSION SIZE...: the counts of a case that follow a law, where
# the expression is bash's arithmetic on n.
sweep() {
	local id=$1 expression=$2 n
	shift 2
	for n; do
		printf '%d\trepeated\tcuda BENCH_SEQ=%d\t%s\n' "$((expression))" "$n" "$id"
	done
}
# law NAME EXPRESSION SIZES EXPECTED: one case's law and evidence.
law() {
	local sizes
	read -ra sizes <<<"$3"
	sweep x "$2" "${sizes[@]}" >"$tmp/rows"
	run kc-law "$tmp/rows"
	status 0 "$1"
	stdout_is "cuda  x  $4"$'\n' "$1: the law"
}
sweep x 13 64 128 | sed '1s/repeated/once/' >"$tmp/rows"
run kc-law "$tmp/rows"
stdout_is $'cuda  x  13  from seq=64, predicts 128; counted once: 1 of 2\n' 'a count of one process is no plain one'
law 'constant' 13 '64 128' '13  from seq=64, predicts 128'
law 'nothing at all' 0 '1 2 3' '0  from seq=1, predicts 2 3'
law 'linear' '13+2*n' '3 5 9 20' '13 + 2*seq  from seq=3 5, predicts 9 20'
law 'linear, no constant' '2*n' '3 5 9' '2*seq  from seq=3 5, predicts 9'
law 'linear, one each' 'n' '3 5 9' 'seq  from seq=3 5, predicts 9'
law 'falling' '100-3*n' '3 5 9' '100 - 3*seq  from seq=3 5, predicts 9'
law 'falling, one each' '100-n' '3 5 9' '100 - seq  from seq=3 5, predicts 9'
# 1, 2, 3, 5 and 8 chunks. Chunks of 128 and more are ruled out at 65, linear
# too (8 more for 1 more, not for 127); log2 (6, 7, 8, 9) at 300.
law 'chunks' '13+8*((n+63)/64)' '64 65 192 300 512' \
	'13 + 8*ceil(seq/64)  from seq=64 65 192 300, predicts 512'
law 'chunks of no power of two' '7+2*((n+9)/10)' '1 10 11 15 20 21 25 30 31 55' \
	'7 + 2*ceil(seq/10)  from seq=1 10 11, predicts 15 20 21 25 30 31 55'
law 'log' '5+3*(n>1)+3*(n>2)+3*(n>4)+3*(n>8)' '2 4 5 7 8 9 16' \
	'5 + 3*ceil(log2(seq))  from seq=2 4, predicts 5 7 8 9 16'
law 'square' '5+n*n' '1 2 5 7' '5 + seq*seq  from seq=1 2 5, predicts 7'
law 'pairs of elements' '5+n*(n+1)/2' '1 2 5 7' \
	'5 + seq*(seq + 1)/2  from seq=1 2 5, predicts 7'
law 'pairs and elements' '5+3*n+n*(n+1)/2' '1 2 5 7' \
	'5 + 3*seq + seq*(seq + 1)/2  from seq=1 2 5, predicts 7'
m='((n+15)/16)'
law 'pairs of chunks' "5+$m*($m+1)/2" '16 17 33 48 49 65 100 128' \
	'5 + ceil(seq/16)*(ceil(seq/16) + 1)/2  from seq=16 17 33 48, predicts 49 65 100 128'
law 'no law' 'n*n*n' '1 2 3 4 5' \
	'none  counted at seq=1: 1, 2: 8, 3: 27, 4: 64, 5: 125'
law 'one count that is out of line' '13+8*((n+63)/64)+(n==300)' '64 96 192 300 512' \
	'none  counted at seq=64: 21, 96: 29, 192: 37, 300: 54, 512: 77'
law 'one size' 13 64 'none  counted at seq=64: 13; 13 fits, with no size left to check it'
law 'two sizes' 13+n '1 2' \
	'none  counted at seq=1: 14, 2: 15; 13 + seq fits, with no size left to check it'
# Multiples of 64 alone cannot tell 8 a chunk of 64 from 4 a chunk of 32; 65
# can: 29 of the first, 25 of the second.
law 'sizes that do not tell' '13+8*(n/64)' '64 128 256 512' \
	'13 + 8*ceil(seq/64)  from seq=64 128 256, predicts 512; 22 others fit too, one with seq/32: seq=65 would tell'

# Twice the law, by brute force: each law at random, found or said to be
# undetermined, never another one that differs at one of the sizes.
wrong=0 found=0
for i in $(seq 1 60); do
	RANDOM=$i
	a=$((RANDOM % 50)) b=$((RANDOM % 9 + 1)) c=$((RANDOM % 60 + 2))
	mapfile -t list < <(for _ in $(seq 8); do echo $((RANDOM % 400 + 1)); done | sort -n -u)
	sweep x "$a+$b*((n+$c-1)/$c)" "${list[@]}" >"$tmp/rows"
	run kc-law "$tmp/rows"
	text=$(sed 's/^cuda  x  //; s/  from .*//' "$tmp/out")
	[[ $text != none* ]] || continue
	found=$((found + 1))
	# As a gate on the same counts, the law that was found must be kept.
	run kc-law -g "= $text" "$tmp/rows"
	[ "$code" -eq 0 ] || wrong=$((wrong + 1))
done
is "$wrong" 0 'at random: a law that is found gives every count'
ok 'at random: most are found' [ "$found" -ge 40 ]

# Gates.
# gate NAME STATUS LINE EXPRESSION SIZES ARGUMENTS...
gate() {
	local sizes name=$1 expected=$2 line=$3 expression=$4
	read -ra sizes <<<"$5"
	shift 5
	sweep x "$expression" "${sizes[@]}" >"$tmp/rows"
	run kc-law "$@" "$tmp/rows"
	status "$expected" "$name: status $expected"
	is "$(tr -s ' ' <"$tmp/out")" "$line" "$name: says so"
}
gate 'no growth' 0 'ok cuda x 13 from seq=64, predicts 128; limit: constant' \
	13 '64 128' -g constant
gate 'growth' 1 'over cuda x none counted at seq=64: 13, 128: 14; 7 + ceil(log2(seq)) fits, with no size left to check it; limit: constant' \
	'12+n/64' '64 128' -g constant
gate 'what falls does not grow' 0 'ok cuda x 100 - seq from seq=1 2, predicts 3; limit: constant' \
	'100-n' '1 2 3' -g constant
gate 'growth without a law' 1 \
	'over cuda x none counted at seq=1: 1, 2: 8, 3: 27, 4: 64; limit: constant' \
	'n*n*n' '1 2 3 4' -g constant
gate 'linear, and is' 0 'ok cuda x seq from seq=1 2, predicts 3 9; limit: linear' \
	n '1 2 3 9' -g linear
gate 'log, and is linear' 1 'over cuda x seq from seq=1 2, predicts 3 9; limit: log' \
	n '1 2 3 9' -g log
gate 'linear, and is square' 1 'over cuda x seq*seq from seq=1 2 5, predicts 7; limit: linear' \
	'n*n' '1 2 5 7' -g linear
gate 'quadratic, and no law' 2 \
	'unknown cuda x none counted at seq=1: 1, 2: 8, 3: 27, 4: 64, 5: 125; limit: quadratic' \
	'n*n*n' '1 2 3 4 5' -g quadratic
gate 'one law, kept' 0 'ok cuda x 13 + 8*ceil(seq/64) from seq=64 65 192 300, predicts 512; limit: = 13 + 8*ceil(seq/64)' \
	'13+8*((n+63)/64)' '64 65 192 300 512' -g '= 13 + 8*ceil(seq/64)'
gate 'one law, not kept' 1 'over cuda x 13 + 8*ceil(seq/64) from seq=64 65 192 300, predicts 512; 21 at seq=64, not 17; limit: = 13 + 4*ceil(seq/64)' \
	'13+8*((n+63)/64)' '64 65 192 300 512' -g '= 13 + 4*ceil(seq/64)'
gate 'a law by the name n' 0 'ok cuda x seq*seq from seq=1 2 5, predicts 7; limit: = (n*n*6 - 2*n*n)/4' \
	'n*n' '1 2 5 7' -g '= (n*n*6 - 2*n*n)/4'
gate 'a law with log2' 0 'ok cuda x 1 + ceil(log2(seq)) from seq=1 2 4, predicts 8 16; limit: = ceil(log2(2*seq))' \
	'1+(n>1)+(n>2)+(n>4)+(n>8)' '1 2 4 8 16' -g '= ceil(log2(2*seq))'
printf '%s\n' '* any # whatever' 'x on cuda = 13 # measured' >"$tmp/rules"
gate 'a rule' 0 'ok cuda x 13 from seq=64, predicts 128; limit: = 13 (measured)' \
	13 '64 128' -a "$tmp/rules"
printf '%s\n' 'x constant # why' >"$tmp/rules"
gate 'a rule before -g' 1 'over cuda x seq from seq=1 2, predicts 3 9; limit: constant (why)' \
	n '1 2 3 9' -a "$tmp/rules" -g linear

# What cannot be said.
{ sweep x 13 64 128; printf -- '-\trefused: a panic\tcuda BENCH_SEQ=256\tx\n'; } >"$tmp/rows"
run kc-law "$tmp/rows"
status 2 'a count refused'
stdout_is $'cuda  x  unknown  refused at seq=256: a panic\n'
run kc-law -g constant "$tmp/rows"
status 2 'a count refused, as a gate'
{ sweep x 13 64 128; sweep y 13 64 128 256; } >"$tmp/rows"
run kc-law "$tmp/rows"
status 2 'a size that a case does not have'
stdout_is 'cuda  x  unknown  no count at seq=256
cuda  y  13       from seq=64, predicts 128 256
'
run kc-law -l 'cuda BENCH_SEQ=[!2]*' "$tmp/rows"
status 0 'a size left out'
{ sweep x 13 64 128; sweep x 14 256 512 | sed 's/cuda/cuda-fused/'; } >"$tmp/rows"
run kc-law -m "$tmp/rows"
status 0 'two configurations, each with its sizes, as Markdown'
stdout_is '| configuration | case | law  | evidence                   |
| ------------- | ---- | ---- | -------------------------- |
| `cuda`        | `x`  | `13` | from seq=64, predicts 128  |
| `cuda-fused`  | `x`  | `14` | from seq=256, predicts 512 |
'

# Bad input.
bad() {
	local name=$1 text=$2
	shift 2
	run kc-law "$@"
	status 2 "$name: status 2"
	stdout_is '' "$name: nothing on stdout"
	like "$(head -n 1 "$tmp/err")" "$text" "$name"
}
printf '1\tonce\tcuda\tx\n' >"$tmp/none"
bad 'no size' "^kc-law: $tmp/none: configuration 'cuda' has no size, expected one like" "$tmp/none"
printf '1\tonce\tcuda N=99999999999\tx\n' >"$tmp/large"
bad 'a size too large' "bad size of configuration 'cuda N=99999999999': too large for a law" "$tmp/large"
: >"$tmp/empty"
bad 'an empty sweep' "^kc-law: $tmp/empty: no count row" "$tmp/empty"
sweep x 13 64 128 >"$tmp/rows"
bad 'no such case' "no count matches" -c y "$tmp/rows"
bad 'an unknown limit' "bad limit 'cubic' for -g" -g cubic "$tmp/rows"
for expression in '13 +' '(13' 'ceil(seq' 'seq/0' 'depth' '13 13' 'log2(seq)' '1/2' \
	'seq - 1000' '9223372036854775807 + 1' '99999999999999999999' 'ceil(log2(0))'; do
	bad "= $expression" "^kc-law: bad law ' ${expression//[()+*]/.}' at seq=64: " \
		-g "= $expression" "$tmp/rows"
done
bad 'an expression of many parentheses' 'too many parentheses' -g "= $(printf '%0500d' 0 | tr 0 '(')" "$tmp/rows"
printf '# one\nx cubic # why\n' >"$tmp/rules"
bad 'a rule with a typo' "^kc-law: $tmp/rules:2: bad rule 'x cubic # why'" -a "$tmp/rules" "$tmp/rows"
printf 'y constant # why\n' >"$tmp/rules"
bad 'a rule for no case' "^kc-law: $tmp/rules:1: 'y' matches no count" -a "$tmp/rules" "$tmp/rows"
printf 'x = seq/5 # why\n' >"$tmp/rules"
bad 'a rule that cannot be computed' "^kc-law: $tmp/rules:1: bad law ' seq/5' at seq=64: not a whole number" \
	-a "$tmp/rules" "$tmp/rows"
done_testing
