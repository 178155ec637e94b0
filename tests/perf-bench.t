#!/usr/bin/env bash
# make bench, on little: it runs, all that count agree, and no peer is silent.
. "$(dirname "$0")/tap.sh"

export SOURCE_DATE_EPOCH=0
run make -C "$root" --no-print-directory bench KC_BUILD="$build" BYTES=300000 ROUNDS=1 CASES=2
status 0
out=$(<"$tmp/out")
like "$out" '`kc-totals`: all tables, checked' 'kc-totals is there'
like "$out" '`wc -l`' 'and the floor'
like "$out" 'up to date, 10 x 2 cases' 'and the graph'
for peer in rg grep mawk pcre2grep perl; do
	if command -v "$peer" >/dev/null; then
		like "$out" "\`$peer( -c)?\`: " "$peer is there"
	else
		like "$out" "Not installed here: .*$peer" "$peer is named as missing"
	fi
done
is "$(grep -v '^[|]' "$build/perf/bench.md" | grep -c .)" $((2 + $(grep -c '^Not installed here: ' "$build/perf/bench.md"))) \
	'besides the tables, two lines on the machine and one on who is missing'
rm -f "$build"/perf/*300000.log
done_testing
