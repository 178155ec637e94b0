#!/usr/bin/env bash
# kc-cases: a harness's list in, case ids out.
. "$(dirname "$0")/tap.sh"

cat >"$tmp/list" <<'L'
forward/mamba2: benchmark
forward/with space and: colon: benchmark

Gnuplot not found, using plotters backend
train/old: bench
twice: benchmark: benchmark
unit::test: test
ünï/κόσμε|x: benchmark
 2 tests, 1 benchmarks
: benchmark
benchmark
L
run kc-cases "$tmp/list"
status 0
stdout_is $'forward/mamba2\nforward/with space and: colon\ntrain/old\ntwice: benchmark\nünï/κόσμε|x\n' \
	'one final ending is taken off; other lines are not cases'
stderr_is ''

run_in "$tmp/list" kc-cases
status 0 'standard input'
is "$(wc -l <"$tmp/out")" 5 'standard input has the same five'
run_in "$tmp/list" kc-cases -
status 0 'a dash is standard input'

printf 'a\\b: benchmark\n#x: benchmark\na\tb: bench\nlast: bench' >"$tmp/odd"
run kc-cases "$tmp/odd"
stdout_is $'a\\\\b\n\\#x\na\\tb\nlast\n' 'backslash, tab and a leading # are escaped; no final newline'
printf 'a: benchmark\r\nb: bench\r\n' >"$tmp/crlf"
run kc-cases "$tmp/crlf"
stdout_is $'a\nb\n' 'carriage returns go'
run kc-cases "$tmp/crlf" "$tmp/odd"
is "$(wc -l <"$tmp/out")" 6 'several lists are one'

run kc-cases -m '^train|colon$' "$tmp/list"
stdout_is $'forward/with space and: colon\ntrain/old\n' '-m keeps what matches'
run kc-cases -m '\p{Greek}' "$tmp/list"
stdout_is $'ünï/κόσμε|x\n' '-m reads UTF-8'
printf 'a\xff: benchmark\n' >"$tmp/invalid"
run kc-cases -m '^a' "$tmp/invalid"
stdout_is $'a\xff\n' '-m on an id that is not UTF-8'
KC_NOJIT=1 run kc-cases -m '^train' "$tmp/list"
stdout_is $'train/old\n' '-m without JIT'

run kc-cases -m 'nothing' "$tmp/list"
status 2 'no match is trouble'
stderr_line 'no case matches: 5 listed'
run kc-cases -m 'a(' "$tmp/list"
status 2 'a pattern that does not parse'
stderr_line "bad regular expression 'a('"
run kc-cases /dev/null
status 2 'no case is trouble'
stderr_line 'no case in the list'
run kc-cases "$tmp/none"
status 2 'a list that is not there'
stderr_line "$tmp/none: cannot open: No such file"
run kc-cases "$tmp"
status 2 'a directory'
stderr_line "$tmp: read failed: Is a directory"
run bash -c 'kc-cases "$1" >/dev/full' - "$tmp/list"
status 2 'a full disk'
stderr_line 'write failed: No space left'
done_testing
