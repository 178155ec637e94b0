#!/usr/bin/env bash
# What a count depends on, and how a bench is run: configurations, environment,
# settings, folders.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
CONFIGS=cpu
said() { ok "$1" grep -q -- "$2" "$tmp/err"; }
in_context() { ok "$1" grep -qF -- "$2" "$logs/cpu/current/context"; }

# --- A tree of its own, to have other configurations.

tree=$tmp/tree
mkdir -p "$tree/configs"
ln -s "$root/Makefile" "$root/mk" "$root/filters" "$root/tests" "$tree/"
cp "$root"/configs/*.mk "$tree/configs/"
config() { cat >"$tree/configs/$1.mk"; }
tree_kc() {
	: >"$tmp/trace"
	: >"$tmp/trace.cargo"
	run make -C "$tree" --no-print-directory KC_BUILD="$build" CARGO="$root/tests/stub/cargo" CRATE="$crate" "$@"
}

new_crate
config one <<'END'
one.features := some,more
one.device := thing
one.heading := one | of many
END
config two <<'END'
two.no-default-features := 1
two.rustflags := -C target-cpu=native
two.target-dir := target/other
END
tree_kc CONFIGS='one,two' CARGOFLAGS='--offline --locked' PACKAGE=stub
status 0 'configurations are files'
is "$(head -n 1 "$crate/kernels.md")" '# Kernel launch counts' 'one report of both'
ok 'headings' grep -q '^| case *| *one .*of many | *two |$' "$crate/kernels.md"
ok 'features, package and flags reach cargo' grep -qF \
	"<bench><--target-dir><$crate/target/bench-one><--bench><layer><--package><stub><--features><some,more><--offline><--locked>" "$tmp/trace.cargo"
ok 'so does no-default-features, and the target folder' grep -qF \
	"<--target-dir><$crate/target/other><--bench><layer><--package><stub><--no-default-features>" "$tmp/trace.cargo"
ok 'a device' grep -q 'BURN_DEVICE=thing' "$logs/one/current/context"
ok 'none where none is asked for' sh -c "! grep -q BURN_DEVICE '$logs/two/current/context'"
ok 'rustflags' sh -c "tail -c 100 '$crate'/target/other/release/deps/layer-* | grep -q -- '-C target-cpu=native'"
tree_kc CONFIGS='one two'
is "$(cat "$tmp/trace")" '' 'flags that make the same executable run nothing'
tree_kc CONFIGS='two one' SKIP=two
is "$(tail -n 1 "$tmp/out")" 'nothing to run' 'SKIP leaves one out'
ok 'of the report too' sh -c "! grep -q '^| .two' '$crate/kernels.md'"
KERNELS_SKIP=one tree_kc CONFIGS='one two'
ok 'KERNELS_SKIP as well' sh -c "grep -q '^| .two' '$crate/kernels.md' && ! grep -q '^| .one' '$crate/kernels.md'"
tree_kc CONFIGS=one TARGET_ROOT="$tmp/builds"
ok 'TARGET_ROOT keeps builds elsewhere' test -x "$tmp/builds/one/release/deps/layer-0123456789abcdef"

# Two copies of a crate that share a target folder: to cargo they are one package
# with one executable, fresh when its sources are older, whoever built it.
copy=$tmp/copy
cp -a "$crate" "$copy" && rm -rf "$copy/target"
echo '// the copy' >"$copy/src/lib.rs"
touch -d '2020-01-01' "$crate/src/lib.rs" "$copy/src/lib.rs"
shared() {
	: >"$tmp/trace"
	run env STUB_MTIME=1 make -C "$tree" --no-print-directory KC_BUILD="$build" \
		CARGO="$root/tests/stub/cargo" CONFIGS=one TARGET_ROOT="$tmp/shared" CRATE="$1"
	status 0 "a shared target folder: ${1##*/}"
}
counted() {
	local exe=''
	# shellcheck disable=SC1091
	. "$1/target/kernel-logs/one/exe"
	grep -ac "// $2\$" "$exe"
}
shared "$crate"
shared "$copy"
is "$(counted "$copy" 'the copy')" 1 'the copy is built anew'
is "$(counted "$crate" one)" 1 "the crate's own executable stays"
ok 'only what comes from a path is' test -d "$tmp/shared/one/release/.fingerprint/serde-1"
shared "$crate"
is "$(counted "$crate" one)" 1 'and back again'
like "$(tail -n 1 "$tmp/out")" "nothing to run\$" "to the same executable"
shared "$copy"
is "$(counted "$copy" 'the copy')" 1 'and once more'
like "$(tail -n 1 "$tmp/out")" "nothing to run\$" "with nothing counted again"

tree_kc CONFIGS='one three'
status 2 'an unknown name in CONFIGS'
said 'is named' "unknown configuration 'three' in CONFIGS: expected some of "
tree_kc SKIP='one,three'
said 'in SKIP' "unknown configuration 'three' in SKIP"
tree_kc CONFIGS=one SKIP=one
said 'none left' 'no configuration is left'
config bad <<<'bad.featrues := x'
tree_kc CONFIGS=bad
status 2 'an unknown key'
said 'is named' "configs/bad.mk:[0-9]*: unknown key 'bad.featrues'"
config bad <<<'FEATURES := x'
tree_kc CONFIGS=bad
said 'a key without its prefix' "configs/bad.mk:[0-9]*: unknown key 'FEATURES'"
tree_kc CONFIGS=one
status 0 'which does not matter to others'

# --- Variables.

new_crate
kc
for name in BENCH_SEQ CUBECL_AUTOTUNE_LEVEL BURN_THING CUDA_VISIBLE_DEVICES VK_LOADER_DEBUG MESA_VK_DEVICE_SELECT \
	LP_NUM_THREADS WGPU_BACKEND HIP_VISIBLE_DEVICES; do
	run env "$name=7" CONFIGS=cpu make -C "$root" CARGO="$root/tests/stub/cargo" CRATE="$crate"
	: >"$tmp/trace.$name"
	in_context "$name" "$name=7"
done
kc
is "$(tests_run)" 6 'after so many others the first is gone, and counted again'
kc BENCH_SEQ=7
kc
is "$(cat "$tmp/trace")" '' 'but not after one'
kc CUBECL_DEBUG_LOG=0 CUBECL_DEBUG_OPTION=profile
is "$(cat "$tmp/trace")" '' "cubecl's debug variables do not reach the bench"
kc BENCH_SEQ=64
ok 'BENCH_ variables do' grep -q 'seq=64' "$crate/kernels.md"
kc BENCH_SYNC_EVERY=3
ok 'BENCH_SYNC_EVERY is 0 unless it is given' grep -q 'sync=3' "$crate/kernels.md"
kc BENCH_WARMUP_ITERS=3
status 0 'BENCH_WARMUP_ITERS'
is "$(grep -c '⎯' "$logs"/cpu/current/forward+a.2.log)" 5 'is what the first process does, the second one more'

# A bench may read any variable: a count of another value of it is not this one's.
new_crate
cat >"$tmp/reader" <<-'SCRIPT'
	#!/bin/sh
	# Stands for a bench that reads MODEL_SIZE.
	printf 'forward/a\t%s\n' "$MODEL_SIZE" >"$BENCH_CASES.$$" && mv "$BENCH_CASES.$$" "$BENCH_CASES"
	exec "$@"
SCRIPT
chmod +x "$tmp/reader"
for size in 5 6 5; do
	MODEL_SIZE=$size kc RUN="$tmp/reader"
	is "$(cell a)" "$size" "a variable of another name, $size"
done
is "$(tests_run)" 0 'and back: its logs are still there'
MODEL_SIZE=5 TERM=other SSH_TTY=/dev/none COLUMNS=3 kc RUN="$tmp/reader"
is "$(cat "$tmp/trace")" '' 'but a terminal is nothing to a bench'
SOME_TOKEN=secret-1234 MODEL_SIZE=5 kc RUN="$tmp/reader"
is "$(grep -rl secret-1234 "$logs")" '' 'and a value of it is not written down'

# --- Where a bench runs.

new_crate
mkdir -p "$crate/.cargo"
kc
scratch=$(echo "$XDG_CACHE_HOME"/kernel-count/runs/*/cpu)
is "$(cat "$scratch/cubecl.toml")" $'[compilation]\ncache = true\n[profiling.logger]\nlevel = "basic"\nstdout = true' \
	'with no settings of its own, the logger is set, and kernels are kept'
ok 'a cache of its own' test -d "$scratch/cache"
ok 'no burn.toml' test ! -e "$scratch/burn.toml"
printf '[autotune]\nlevel = "minimal"\n[profiling]\nlogger = { level = "full", file = "x" }\n' >"$crate/cubecl.toml"
printf '[fusion]\nbeam = 3\n' >"$crate/burn.toml"
kc
is "$(tests_run)" 6 "the crate's settings are a dependency"
is "$(cat "$scratch/cubecl.toml")" $'[autotune]\nlevel = "minimal"\n[profiling]\n[compilation]\ncache = true\n[profiling.logger]\nlevel = "basic"\nstdout = true' \
	'and kept, but for that'
ok "burn.toml is there as well" cmp -s "$crate/burn.toml" "$scratch/burn.toml"
rm "$crate/cubecl.toml"
printf '[cubecl.autotune]\nlevel = "full"\n[fusion]\nbeam = 4\n' >"$crate/burn.toml"
kc
is "$(cat "$scratch/cubecl.toml")" $'[autotune]\nlevel = "full"\n[compilation]\ncache = true\n[profiling.logger]\nlevel = "basic"\nstdout = true' \
	"cubecl's part of burn.toml"
echo 'a = "' >"$crate/cubecl.toml"
kc
status 2 'settings that are no TOML'
said 'are named' "$crate/cubecl.toml:1: a string that does not end"
rm "$crate/cubecl.toml"

kc
touch "$scratch/cache/tuned"
kc
ok 'the cache is kept' test -e "$scratch/cache/tuned"
kc FRESH=1
is "$(tests_run)" 6 'FRESH=1 counts anew'
ok 'with an empty cache' test ! -e "$scratch/cache/tuned"

XDG_CACHE_HOME=$crate/cache kc
status 2 'a folder inside a cargo tree'
said 'is refused' "a place inside a cargo tree ($crate/Cargo.toml)"

# --- The device.

new_crate
printf '{"ICD": {"library_path": "%s/driver.so"}}\n' "$tmp" >"$tmp/icd.json"
echo 1 >"$tmp/driver.so"
VK_DRIVER_FILES=$tmp/icd.json kc CONFIGS=vulkan
status 0 'a driver'
is "$(tests_run)" 6 'counted'
VK_DRIVER_FILES=$tmp/icd.json kc CONFIGS=vulkan
is "$(tests_run)" 0 'once'
echo two >"$tmp/driver.so"
VK_DRIVER_FILES=$tmp/icd.json kc CONFIGS=vulkan
is "$(tests_run)" 6 'and again with another driver'

# --- A tuned configuration settles first (tests/count.t has more).

new_crate
config tuned <<<'tuned.tuned := 1'
config plain <<<'plain.heading := plain'
tree_kc -j4 CONFIGS='plain tuned'
status 0 'a tuned configuration'
is "$(grep -c settling "$tmp/err")" 1 'settles once'
like "$(grep '^\[1/13\]' "$tmp/err")" "tuned: settling the tuner's choices, 3 cases" 'before all others, of other configurations too'
is "$(grep -c '⎯' "$logs"/tuned/current/settle.log)" 9 'each case with the warm-ups of its longest run'
tree_kc CONFIGS='plain tuned'
is "$(tests_run)" 0 'once'

# --- Paths.

crate="$tmp/a crate's \$x #1"
logs=$crate/target/kernel-logs
new_crate
: >"$tmp/trace"
run env CRATE="$crate" CONFIGS=cpu CARGO="$root/tests/stub/cargo" make -C "$root"
status 0 "a path with spaces and more"
is "$(cell c)" 3 'works'
mkdir "$tmp/k c"
cp -r "$root/Makefile" "$root/mk" "$tmp/k c/"
run make -C "$tmp/k c" list
status 2 'but not ours'
said 'in one line' 'kernel-count cannot run from a folder with a space in its path'

done_testing
