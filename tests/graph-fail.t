#!/usr/bin/env bash
# What goes wrong: one clear line, a status, logs kept, an earlier report
# untouched; and a case that fails does not take the others with it.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
CONFIGS=cpu
export KC_TAIL_LIMIT=1500

said() { ok "$1" grep -q -- "$2" "$tmp/err"; }
builds() { grep -c '<bench>' "$tmp/trace.cargo"; }
row() { awk -F '\t' -v id="$1" '!/^#/ && NF == 4 && $4 == id { print $1 "|" $2 }' "$logs/rows"; }

# --- Cases.

new_crate
printf '%s\t9\t%s\n' g/good '' g/panic panic g/crash crash g/nosuccess nosuccess g/notable notable \
	g/inside inside g/unsteady unsteady g/logger logger g/_exit _exit g/late late g/unsynced unsynced \
	g/ignores ignores g/none none g/lost lost >"$BENCH_CASES"
kc
status 2 'cases that fail fail make'
is "$(row g/good)" '9|repeated' 'a good case is counted all the same'
is "$(row g/late)" '9|repeated' 'and one whose last table is late'
is "$(row g/unsynced)" '9|repeated' 'and one with launches after its last sync'
is "$(row g/ignores)" '9|once' 'a bench that ignores the warm-up: once'
while IFS='|' read -r id why; do
	like "$(row "$id")" "^-[|]refused: .*$why" "$id: $why"
	said 'said at the end' "^kernel-count: cpu: $id: refused: "
	ok 'and in the report' grep -q "^- \[[0-9]*\] \`$id\`, \`cpu\`: " "$crate/kernels.md"
done <<'END'
g/panic|the bench ended with status 101: thread 'main' panicked at benches/layer.rs:1:2: out of memory
g/crash|the bench died of signal SEGV
g/nosuccess|it announced a case and no Success
g/notable|no table
g/inside|expected one more
g/unsteady|launches in two runs, expected the same
g/logger|panicked at profiling.rs:9: attempt to divide by zero
g/_exit|it ended without passing by the exit handler
g/none|one table in its log
g/lost|14 and 9 launches in two runs
END
ok 'the log of a case that failed is kept' test -s "$logs/cpu/current/g+panic.1.failed.log"
ok 'and what it said on stderr' grep -q 'out of memory' "$logs/cpu/current/g+panic.1.err"
said 'it is said where' "g+panic.1.failed.log and .err in $logs"
is "$(grep -c '^| `.*— \[[0-9]*\] *|$' "$crate/kernels.md")" 10 'a dash and a note stand for each in the report'

kc
status 2 'again'
is "$(sort -u "$tmp/trace" | tr -d '\n')" \
	'<--bench><--test><^g/_exit$><--bench><--test><^g/crash$><--bench><--test><^g/logger$><--bench><--test><^g/nosuccess$><--bench><--test><^g/panic$>' \
	'only what did not end well is run again'

# A case that works now.
new_crate
printf 'g/a\t4\nflaky\t2\tcrash\n' >"$BENCH_CASES"
kc
status 2 'one case crashes'
printf 'g/a\t4\nflaky\t2\n' >"$BENCH_CASES"
kc
status 0 'it works now'
is "$(tests_run)" 2 'it alone is run'
is "$(row flaky)" '2|repeated' 'and counted'

# Nothing can be counted.
cp "$crate/kernels.md" "$tmp/earlier.md"
printf 'g/a\t4\tpanic\n' >"$BENCH_CASES"
echo '// broken' >"$crate/src/lib.rs"
kc
status 2 'nothing could be counted'
ok 'an earlier report is untouched' cmp -s "$crate/kernels.md" "$tmp/earlier.md"
said 'and it is said' 'nothing could be counted; .* is left as it was'

# --- Benches.

new_crate
echo earlier >"$crate/kernels.md"
STUB_BREAKS=1 kc
status 2 'a build that fails'
said "cargo's own words" 'error\[E0425\]'
said 'and ours' "^kernel-count: cpu: cargo could not build bench 'layer' in .* (exit status 101)"
is "$(cat "$tmp/trace")" '' 'nothing ran'

kc BENCH=nope
status 2 'a bench that does not exist'
said 'and what there is' '^    layer$'

STUB_PACKAGES='one two' kc
status 2 'two benches of one name'
said 'both are named' '2 benches match BENCH=layer, expected one: one (.*), two (.*); say PACKAGE='

STUB_RUNNER='' kc
status 2 'a runner that is not asked'
said 'is named' 'cargo ran no bench .* through our runner'

STUB_IGNORES_LIST=1 kc
status 2 'a binary that ignores --list'
said 'is named' "bench 'layer' listed no case for '--bench --list': see "

: >"$BENCH_CASES"
kc
status 2 'a bench without cases'
is "$(cat "$crate/kernels.md")" earlier 'an earlier report is untouched by all this'

# --- What is missing.

new_crate
kc CARGO="$tmp/nocargo"
status 2 'no cargo'
ok 'one line' test "$(grep -c '^kernel-count: ' "$tmp/err")" -eq 1
said 'which says what to do' 'nocargo: not found: install Rust with rustup'
STUB_VERSION=1.40.0 kc
status 2 'an old cargo'
said 'is named' 'cargo 1.40.0 is too old: 1.63 or newer is needed'
echo 'rust-version = "1.92"' >>"$crate/Cargo.toml"
STUB_VERSION=1.91.1 kc
status 2 'a cargo older than the crate asks for'
said 'is named' 'cargo 1.91.1 is too old: 1.92 or newer'
is "$(builds)" 0 'before anything is built'
STUB_VERSION=1.92.0-nightly kc
status 0 'one that is new enough'

new_crate
kc CRATE="$tmp/nowhere"
status 2 'no crate'
said 'is named' "$tmp/nowhere: no crate there"
kc KC_BUILD="$tmp/none" PKG_CONFIG=/nonexistent/pkg-config
status 2 'no libpcre2'
said 'is one line' '^kernel-count: libpcre2-8 is not found by /nonexistent/pkg-config: run .make setup., or install libpcre2-dev'
ok 'before anything is built' test ! -e "$tmp/none" -a "$(builds)" -eq 0
kc CONFIGS=vulkan VK_DRIVER_FILES="$tmp/none.json"
status 2 'no Vulkan device'
said 'is one line' '^kernel-count: vulkan cannot run here: no Vulkan .*make setup'
ok 'before anything is built' test "$(builds)" -eq 0
if [ -e /dev/kfd ]; then
	skip 'no ROCm' 'this machine has it'
else
	kc CONFIGS=rocm
	said 'no ROCm' '^kernel-count: rocm cannot run here: no AMD GPU driver'
fi
kc BENCH_WARMUP_ITERS=0
status 2 'no warm-up'
said 'is refused' "BENCH_WARMUP_ITERS='0': expected a number from 1 up"

sed -i 's/0\.11\.0/0.5.0/' "$crate/Cargo.lock"
kc
status 2 'a cubecl without files of settings'
said 'is refused by name' 'the crate has cubecl 0.5.0, which takes its settings from no file'

# --- Disks.

new_crate
if mkdir "$tmp/small" && mount -t tmpfs -o size=64k,nr_inodes=400 none "$tmp/small" 2>/dev/null; then
	printf 'big/one\t4000\n' >"$BENCH_CASES"
	kc LOG_DIR="$tmp/small/logs"
	status 2 'a disk that fills'
	ok 'has no report' test ! -e "$crate/kernels.md"
	ok 'nor a whole log' test -z "$(find "$tmp/small" -name '*.1.log' -size +0 -not -name '.*')"
	umount "$tmp/small"
else
	skip 'a disk that fills' 'no file system can be mounted here'
fi
kc OUT=/dev/full/kernels.md
status 2 'a report that cannot be written'
said 'is named' '/dev/full/kernels.md: cannot be written'

done_testing
