#!/usr/bin/env bash
# FILTER: data to the bench as it was typed; a report of some cases never takes
# the place of a fuller one.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
CONFIGS=cpu
out() { tail -n 1 "$tmp/out"; }

# With no report yet, the filtered one is written.
new_crate
kc FILTER=step
status 0 'FILTER'
is "$(out)" "wrote $crate/kernels.md (1 counts)" 'with no report there it is written'
is "$(tests_run)" 2 'only what matches runs'
ok 'the report says what it has' grep -qF 'Only cases that match step.' "$crate/kernels.md"
kc FILTER=step
is "$(out)" "$crate/kernels.md is up to date (1 counts): nothing to run" 'the same again: nothing'

# Another part does not replace it, one that has all of it does.
kc FILTER=forward
is "$(out)" "$crate/kernels.md is left as it was: it may have more than these 2 counts (OUT=FILE writes them)" \
	'a part with other cases is only shown'
ok 'on the terminal' grep -q '^| `b` *| *8 |$' "$tmp/out"
is "$(cell c)" 3 'what was there stays'
kc FILTER='forward|step'
ok 'a part that has all of it is written' grep -qxF "wrote $crate/kernels.md (3 counts)" "$tmp/out"
rm "$logs"/cpu/current/*.log

# The full report takes the place of a part, and a part never of it.
kc
is "$(out)" "wrote $crate/kernels.md (3 counts)" 'a full report is written'
cp "$crate/kernels.md" "$tmp/full.md"
kc FILTER=step
ok 'a part does not replace it' cmp -s "$crate/kernels.md" "$tmp/full.md"
ok 'it is said' grep -qF 'is left as it was' "$tmp/out"
is "$(out)" 'nothing to run' 'and so is that nothing ran'
kc FILTER=step OUT="$tmp/part.md"
ok 'OUT writes a part' grep -q '^| `c` *| *3 |$' "$tmp/part.md"
ok 'the full one is as before' cmp -s "$crate/kernels.md" "$tmp/full.md"
kc FILTER=step OUT="$crate/kernels.md"
is "$(grep -c '^| `[abc]`' "$crate/kernels.md")" 1 'also over the full one, when it is named'
cp "$tmp/full.md" "$crate/kernels.md"
kc FILTER=step
ok 'a report that is not as we wrote it counts as full' cmp -s "$crate/kernels.md" "$tmp/full.md"
kc FILTER=step KERNELS_OUT="$tmp/old.md"
ok 'KERNELS_OUT names it as well' grep -q '^| `c`' "$tmp/old.md"

# Nothing matches, or it is no regex.
kc FILTER=nothing
status 2 'a filter that matches nothing'
ok 'is named' grep -qx "kernel-count: cpu: no case matches FILTER='nothing'" "$tmp/err"
kc FILTER='('
status 2 'a filter that does not parse'
ok 'is named, with the bench'"'"'s own words' sh -c "grep -q \"Unable to parse\" '$tmp/err' &&
	grep -q \"could not list its cases for FILTER='('\" '$tmp/err'"
ok 'an earlier report is untouched' cmp -s "$crate/kernels.md" "$tmp/full.md"

# One argument, byte for byte. What is listed for it is the trace's first line.
printf 'a\t1\nc d\t2\n' >"$BENCH_CASES"
sq=\'
for filter in 'a$b|c d' 'a|$(touch '"$tmp"'/pwned)' 'a|`touch '"$tmp"'/pwned`' 'a|;x' "a|it${sq}s" 'a|"q"' \
	'a|#x' 'a|\\x' 'a|%' 'a| x ' '|a  b' 'a|$$' 'a|:=' 'a|$(CRATE)' 'a|a*' 'a|ü' '^a$' 'a||' \
	"a|$(printf 'x%.0s' {1..600})"; do
	kc FILTER="$filter"
	line=$(head -n 1 "$tmp/trace")
	is "$line" "<--bench><--list><$filter>" "from the command line: ${filter:0:40}"
	is "$code" 0 'and it was counted'
	rm -rf "$logs"
	: >"$tmp/trace"
	run env FILTER="$filter" CONFIGS=cpu make -C "$root" CARGO="$root/tests/stub/cargo" CRATE="$crate"
	is "$(head -n 1 "$tmp/trace")" "<--bench><--list><$filter>" "from the environment: ${filter:0:40}"
	rm -rf "$logs"
done
ok 'none of it was run by a shell or by make' test ! -e "$tmp/pwned"
kc FILTER='-a|a'
is "$(head -n 1 "$tmp/trace")" '<--bench><--list><--><-a|a>' 'a leading dash is no option'
status 0 'and works'
: >"$tmp/trace"
FILTER=' a|a' kc
is "$(head -n 1 "$tmp/trace")" '<--bench><--list>< a|a>' 'a leading space stays, from the environment'

# Other words that the user types.
kc BENCH_TEXT='a$b $(touch '"$tmp"'/pwned)'
status 0 'BENCH_ variables'
ok 'as they are' grep -rqF 'BENCH_TEXT=a\$b\ \$\(touch' "$logs/cpu/current/context"
ok 'not run by anyone' test ! -e "$tmp/pwned"

done_testing
