#!/usr/bin/env bash
# make verify: the counts of a log against those of libcuda; kc-witness.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

total() { printf '%s\t%s\tcuda\t%s\n' "$@"; }
{ total 12 once a/b && total 9 once c && printf '5\tonce\tcuda\ta/b\tkernel\n#memset\tcuda\t1\ta/b\n'; } >one
{ total 19 once a/b && total 9 once c; } >two
run kc-witness -c a/b one two
status 0
stdout_is $'#witness\ta/b\t7\tlibcuda\n' 'the difference'
run kc-witness -c c -w someone one two
stdout_is $'#witness\tc\t0\tsomeone\n' 'nothing launched is a number'
run kc-witness -c a/b two one
status 2
stderr_is $'kc-witness: one: 12 launches with more iterations than the 19 of \'two\'\n'
total '>=20' 'bound: a graph has conditional nodes' a/b >bound
run kc-witness -c a/b one bound
status 0
stdout_is $'#bound\ta/b\ta graph has conditional nodes\n' 'a bound'
total - 'refused: no CUDA used' a/b >none
run kc-witness -c a/b one none
status 2
stderr_is $'kc-witness: none: refused: no CUDA used\n'
run kc-witness -c a/b none two
stderr_is $'kc-witness: none: refused: no CUDA used\n'
run kc-witness -c x one two
status 2
stderr_is $'kc-witness: one: no row of the case, expected one\n'
run kc-witness one two
status 2
stderr_line 'a second row of the case' 'without -c there is one case'
printf '5\tonce\n' >short
run kc-witness short two
stderr_line "short:1: not a row of kc-run's"
total 1x once a/b >bad
run kc-witness bad two
stderr_line 'bad:1: bad count: expected digits'
run kc-witness one
status 2

# The graph, on the null driver, with a bench whose truth is known.
. "$root/tests/stub/graph.sh"
export STUB_EXE=$build/tests/cuda/bench DRIVER=null
verify() {
	: >"$tmp/trace.cargo"
	run env CONFIGS=cuda make -C "$root" --no-print-directory \
		CARGO="$root/tests/stub/cargo" CRATE="$crate" "$@"
}
new_crate
printf 'forward/a\t7\nforward/b c\t3\n' >"$BENCH_CASES"
verify verify
status 0 'make verify'
is "$(grep -c '^verify: ' "$tmp/err")" 8 'four processes a case'
rows=$logs/cuda/current/all.2.rows
verdict() { awk -F '\t' -v c="$1" '$4 == c && NF == 4 && !/^#/ { print $1, $2 }' "$rows"; }
is "$(verdict forward/a)" '7 confirmed' 'a count that libcuda confirms'
is "$(verdict 'forward/b c')" '3 confirmed' 'and another'
like "$(cat "$logs/cuda/current/forward+a.witness.off.2.tsv")" $'\n21\tonce\tcuda\tforward/a\n' \
	'three iterations, with no log'
verify verify
is "$(grep -c '^verify: ' "$tmp/err")" 0 'nothing is done twice'

# Another library launches two kernels that cubecl's logger does not see.
BENCH_CASES=$tmp/cases2
printf 'forward/a\t7\t2\nforward/b c\t3\nstep/on\t5\t1\ton\n' >"$BENCH_CASES"
verify verify
status 2 'a disagreement'
like "$(verdict forward/a)" '^- refused: 7 launches in its table, .* counts 9$' 'is refused with both numbers'
is "$(verdict 'forward/b c')" '3 confirmed' 'the others stay'
like "$(verdict step/on)" 'libcuda with profiling off 5 launches$' 'launches that come with profiling alone'
done_testing
