#!/usr/bin/env bash
# make why: the logs, the tables in them, the rule that refused, the remedy, in a
# screenful.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"

new_crate
run stub_make CONFIGS=cpu CASE=forward/a why
status 2 'before anything was counted'
like "$(cat "$tmp/err")" 'nothing was counted there yet, run make report' '... says so'

printf 'forward/a\t7\nforward/b\t8\tinside\nstep/a\t3\tpanic\nstep/"a|b"\t3\tinside\n' >"$BENCH_CASES"
run stub_make CONFIGS=cpu
status 2 'a report with refusals'

run stub_make why
status 0 'all refusals'
is "$(grep -c '^[^ ].*, cpu$' "$tmp/out")" 3 'names each'

# one CASE: shown, within a screenful.
one() {
	run stub_make why CASE="$1"
	status 0 "$1"
	n=$(wc -l <"$tmp/out")
	ok "... in a screenful ($n lines)" [ "$n" -le 24 ]
	out=$(cat "$tmp/out")
}
one forward/a
like "$out" 'forward/a, cpu: 7 \(repeated\)' '... has its count'
like "$out" $'run 1    cpu/current/forward[+]a[.]1[.]log, .* bytes\n *Testing 12 7 Success whole' '... and its tables'
like "$out" 'Testing 12 7 7 Success whole' '... of both runs'
one forward/b
like "$out" 'forward/b, cpu: no count' '... has none'
like "$out" 'why      4 and 6 tables' '... says the rule'
like "$out" 'remedy   The bench must run BENCH_WARMUP_ITERS' '... and the remedy'
like "$out" 'alone    cd .*--bench --test' '... and how to run it by itself'
one step/a
like "$out" 'failed: .*out of memory' '... says how it failed'
like "$out" 'not whole' '... and what its log has'
one 'step/"a|b"'
like "$out" 'no count' 'an id with quotes and bars'

# Each reason there is has a remedy. They are taken from where they are written:
# string literals that are continued are joined, formats stay as they are.
reasons() {
	local file=$root/$1
	tr '\n' ' ' <"$file" | sed 's/"[ 	]*PRIu64[ 	]*"/N/g; s/" PRIu64/N"/g; s/"[ 	]*"//g' |
		grep -oE "$2"'[ 	]*"[^"]*"' | sed 's/^[^"]*"//; s/"$//'
}
# shellcheck source-path=SCRIPTDIR/..
. "$root/mk/remedy.sh"
{
	reasons filters/kc-pair.c '\bsay\(' | grep -v '^%s: %s%s$'
	reasons filters/lib/log.c '(return|why = |KC_TABLE_CUT,|break_table\(r,)' | sed 's/^/a.log:3: a table is unfit: /'
	reasons filters/kc-reads.c '(wrong = )' | sed "s/^/the null driver's record of run 1 /"
	reasons filters/kc-reads.c 'kc_str_puts\(&?why,'
	# shellcheck disable=SC2016 # of another script
	reasons mk/run 'why_not=' | grep -v '^\$trouble'
	reasons mk/plan 'why_not=' | grep -v '^\$'
	echo 'a.log:3: a panic'
} >"$tmp/reasons"
n=$(wc -l <"$tmp/reasons")
ok "the reasons of the sources ($n)" [ "$n" -ge 60 ]
while IFS= read -r reason; do
	text=$(remedy "$reason")
	if [[ $text == *'kc-pair(1) has the rules'* ]] || [ "$(wc -l <<<"$text")" -gt 5 ]; then
		tap_fail "a remedy for: $reason" "$text"
	else
		tap_pass "a remedy for: $reason"
	fi
done <"$tmp/reasons"

run stub_make why CASE='x$(touch y);`touch y`' CONFIGS=cpu
status 2 'a case that is not there'
like "$(cat "$tmp/err")" 'there are.forward/a' '... names those that are'
ok '... and what was typed is not run' [ ! -e "$root/y" ]
run stub_make why CASE=forward/a CONFIGS=cuda
status 2 'a configuration that was not counted'
done_testing
