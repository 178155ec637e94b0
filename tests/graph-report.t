#!/usr/bin/env bash
# make report: what it counts, what it says, and that it does nothing twice.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"

new_crate
CONFIGS=cpu

# The first time: everything.
kc
status 0 'a report'
is "$(cell c)" 3 'a count of the last group'
is "$(cell b)" 8 'a count of the first group'
is "$(tests_run)" 6 'two processes for each of three cases'
is "$(lists_run)" 1 'one to list them'
is "$(grep -c '^<--bench><--test><^[a-z]*/[a-z]\$>$' "$tmp/trace")" 6 \
	'each one case, by an anchored regex, --bench first'
ok 'the report is on the terminal too' grep -q '^| `b`  *|  *8 |$' "$tmp/out"
is "$(tail -n 1 "$tmp/out")" "wrote $crate/kernels.md (3 counts)" 'its last word'
ok 'progress is n of m, a line each where there is no terminal' \
	grep -qx '\[6/6\] cpu: step/c (run 2)' "$tmp/err"
ok "cargo's own messages are seen" grep -q Compiling "$tmp/err"
ok 'a first build says how long and how large' grep -q 'first build.*minutes.*GB' "$tmp/err"
ok 'the configuration as the bench says it' grep -q '`cpu` *| `seq=8 sync=0 device=cpu`' "$crate/kernels.md"
ok 'versions are in the report' grep -q 'burn 0.22.0, cubecl 0.11.0' "$crate/kernels.md"
is "$(head -n 1 "$logs"/cpu/current/forward+a.1.log)" 'Testing forward/a' 'a log is what the bench printed'
is "$(tail -n 1 "$logs"/cpu/current/forward+a.1.log)" 'kc: whole' 'and ends whole'
is "$(grep -c '⎯' "$logs"/cpu/current/forward+a.1.log)" 2 'one warm-up and the measured iteration'
is "$(grep -c '⎯' "$logs"/cpu/current/forward+a.2.log)" 3 'the second process warms up twice'

# Again: nothing.
before=$(stat -c '%i %y' "$crate/kernels.md")
kc
status 0 'again'
is "$(cat "$tmp/trace")" '' 'runs no process of the bench'
is "$(tail -n 1 "$tmp/out")" "$crate/kernels.md is up to date (3 counts): nothing to run" 'and says so'
is "$(stat -c '%i %y' "$crate/kernels.md")" "$before" 'nor writes the report'
ok 'but shows it' grep -q '^| `b`  *|  *8 |$' "$tmp/out"

# One log away: one process.
rm "$logs"/cpu/current/forward+b.2.log
kc
is "$(cat "$tmp/trace")" '<--bench><--test><^forward/b$>' 'a missing log alone is made again'

# A source that changes nothing in the executable's content.
touch "$crate/src/lib.rs"
touch "$crate"/target/bench-cpu/release/deps/layer-*
kc
is "$(cat "$tmp/trace")" '' 'an executable that is only touched runs nothing'

echo '// two' >"$crate/src/lib.rs"
kc V=1
is "$(tests_run)" 6 'another executable runs everything'
ok 'and V=1 says why' grep -q '^> executable' "$tmp/err"
echo '// one' >"$crate/src/lib.rs"
kc
is "$(cat "$tmp/trace")" '' 'and back again nothing: its logs are still there'

# Kept folders are few.
for i in 1 2 3 4 5 6; do kc BENCH_SEQ="$i" FILTER=step; done
is "$(find "$logs/cpu" -mindepth 1 -maxdepth 1 -type d | wc -l)" 4 'old folders go'
kc
status 0 'and are made again'
is "$(tests_run)" 6 'when asked for'

# A report that was edited, or is gone, is written again without a run.
echo x >>"$crate/kernels.md"
kc
is "$(tail -n 2 "$tmp/out" | head -n 1)" "wrote $crate/kernels.md (3 counts)" 'an edited report is written again'
is "$(tail -n 1 "$tmp/out")" 'nothing to run' 'which runs nothing'
rm "$crate/kernels.md"
kc
ok 'a report that is gone as well' test -s "$crate/kernels.md"

# RUNS=1.
new_crate
kc RUNS=1
status 0 'RUNS=1'
is "$(tests_run)" 3 'one process a case'
is "$(cell c)" '3 (once)' 'and a verdict that says so'
kc
is "$(tests_run)" 3 'then the second ones alone'
is "$(cell c)" 3 'and a plain count'
kc RUNS=3
status 2 'RUNS=3'
ok 'is refused' grep -q "RUNS=3: expected 1 or 2" "$tmp/err"

# Two configurations, side by side.
cp "$root/configs/cpu.mk" "$tmp/"
new_crate
kc CONFIGS=cpu,cpu
is "$(tests_run)" 6 'a configuration that is named twice is counted once'

# Goals.
run stub_make -n CONFIGS=cpu
status 0 'make -n'
run stub_make help
status 0 'make help'
for word in report list help clean setup install uninstall demo CRATE PACKAGE BENCH CONFIGS SKIP FILTER \
	OUT LOG_DIR CARGO CARGOFLAGS KERNELS_OUT KERNELS_LOG_DIR KERNELS_SKIP RUNS FRESH cuda-fusion; do
	ok "help has $word" grep -q -w -- "$word" "$tmp/out"
done
ok 'work on the project itself stands apart' sh -c \
	'sed -n "/^FOR WORK/,\$p" "$1" | grep -q "^  filters"' - "$tmp/out"

run stub_make list CONFIGS=cpu
status 0 'make list'
ok 'has each configuration' sh -c '[ $(grep -c "run here" "$1") -eq '"$(find "$root/configs" -name '*.mk' | wc -l)"' ]' - "$tmp/out"
ok 'says why not' grep -q 'metal  *cannot run here: Metal is there on macOS only' "$tmp/out"
ok 'and marks what is counted' grep -q '^\* cpu  *can run here$' "$tmp/out"

kc clean KC_BUILD="$tmp/build"
status 0 'make clean'
ok 'removes the logs' test ! -e "$logs"
ok 'and where the benches ran' sh -c '[ -z "$(ls -A "$1"/kernel-count/runs)" ]' - "$XDG_CACHE_HOME"
ok 'not the report' test -s "$crate/kernels.md"
ok "nor cargo's builds" test -d "$crate/target/bench-cpu"

done_testing
