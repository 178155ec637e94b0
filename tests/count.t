#!/usr/bin/env bash
# count.t: benches side by side: a tuner that settles first, a device that is
# full, and what drivers and loaders say.
. "$(dirname "$0")/tap.sh"
. "$root/tests/stub/graph.sh"

# --- What is known of troubles. Each text is as its source prints it.

# shellcheck source=/dev/null
. "$root/mk/trouble.sh"

# known EXPECTED CROWDED TEXT
known() {
	printf '%s\n' 'bench-config: seq=8' "$3" 'note: run with `RUST_BACKTRACE=1`' >"$tmp/said"
	trouble "$tmp/said" "$tmp/not there"
	local name=${3##*$'\n'}
	# shellcheck disable=SC2154 # trouble.sh sets both
	like "$trouble" "$1" "${name:0:70}"
	# shellcheck disable=SC2154
	is "$crowded" "$2" '... and whether fewer would do'
}
panic=$'thread \'main\' panicked at /x/result.rs:1:2:\n'
result='called `Result::unwrap()` on an `Err` value: DriverError'
known "^out of the device's memory$" 1 "$panic$result(CUDA_ERROR_OUT_OF_MEMORY, \"out of memory\")"
known "^out of the device's memory$" 1 "${panic}out of device memory allocating 4096 bytes"
known '^the GPU is busy: .*nvidia-smi$' 1 "$panic$result(CUDA_ERROR_DEVICE_UNAVAILABLE, \"CUDA-capable device(s) is/are busy or unavailable\")"
known '^no CUDA device is visible' '' "$panic$result(CUDA_ERROR_NO_DEVICE, \"no CUDA-capable device is detected\")"
known 'driver is too old for this NVRTC' '' "${panic}Unable to load the PTX: DriverError(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, \"the provided PTX was compiled with an unsupported toolchain.\")"
known 'too old for this bench: it has no cuLibraryGetKernel; update' '' "${panic}Missing symbol cuLibraryGetKernel: /lib/libcuda.so.1: undefined symbol: cuLibraryGetKernel"
known 'different versions: reboot' '' "$panic$result(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, \"system has unsupported display driver / cuda driver combination\")"
known '^libcuda is the toolkit.s stub' '' "$panic$result(CUDA_ERROR_STUB_LIBRARY, \"CUDA driver is a stub library\")"
known '^NVRTC is missing' '' "${panic}Unable to dynamically load the \"nvrtc\" shared library - searched for library names: [\"libnvrtc.so\"]."
known '^no NVIDIA driver' '' "${panic}Unable to dynamically load the \"cuda\" shared library - searched for library names: [\"libcuda.so\"]."
known '^no CUDA toolkit.*CUDA_PATH$' '' "${panic}        CUDA installation not found."
known 'another C library, GLIBC_2.99: build it' '' "./layer: /lib/x86_64-linux-gnu/libc.so.6: version \`GLIBC_2.99' not found (required by ./layer)"
known '^a library is missing: libz.so.9' '' './layer: error while loading shared libraries: libz.so.9: cannot open shared object file: No such file or directory'
known 'for another architecture' '' "env: './layer': Exec format error"
known '^$' '' "${panic}index out of bounds: the len is 3"

# --- In a report: one line each, and the other cases are counted.

new_crate
printf 'forward/a\t7\nforward/b\t8\tsays\nstep/c\t3\n' >"$BENCH_CASES"
export STUB_SAYS='panicked at x.rs:1:2: Unable to dynamically load the "nvrtc" shared library'
kc
status 2 'a bench that cannot load NVRTC'
is "$(cell a) $(cell c)" '7 3' 'the others are counted'
like "$(cat "$crate/kernels.md")" 'forward/b.*NVRTC is missing \(libnvrtc.so' 'the reason is in the report'
ok 'one line on stderr says so, of the case' grep -q '^kernel-count: cpu: forward/b: refused: NVRTC is missing' "$tmp/err"

# --- A device that is full. The stub's mode `full` fails where more than
# STUB_ROOM processes of the bench run at once.

new_crate
printf 'forward/%s\t7\tfull\n' a b c d e f g h >"$BENCH_CASES"
export STUB_ROOM=3 STUB_ROOMS=$tmp/rooms
mkdir -p "$STUB_ROOMS"
kc -j8
status 0 'a device with room for three, eight at a time'
is "$(cell a) $(cell d) $(cell h)" '7 7 7' 'all are counted'
like "$(cat "$tmp/err")" 'out of the device.s memory with [4-8] processes side by side; [1-4] from here on' 'it says how many are used'
ok 'a failed try is run again' test "$(tests_run)" -gt 16
new_crate
printf 'forward/%s\t7\tfull\n' a b c >"$BENCH_CASES"
export STUB_ROOM=0
kc -j3
status 2 'a device with no room at all'
like "$(cat "$tmp/err")" "cpu: forward/a: refused: out of the device's memory \(the bench ended with status 101" 'is said of each case'
ok 'and every one was tried alone' grep -q '1 from here on' "$tmp/err"
export STUB_ROOM=1
kc -j1
status 0 'one at a time needs no limit'
ok 'and says nothing of one' test -z "$(grep 'side by side' "$tmp/err")"

# --- A tuner. The stub's mode `tunes` tells of a choice unless its cache has it.

unset STUB_ROOM STUB_ROOMS
tree=$tmp/tree
mkdir -p "$tree/configs"
ln -s "$root/Makefile" "$root/mk" "$root/filters" "$root/tests" "$tree/"
cp "$root"/configs/*.mk "$tree/configs/"
echo 'tuned.tuned := 1' >"$tree/configs/tuned.mk"
echo 'again.tuned := 1' >"$tree/configs/again.mk"
tree_kc() {
	: >"$tmp/trace"
	run make -C "$tree" --no-print-directory KC_BUILD="$build" CARGO="$root/tests/stub/cargo" CRATE="$crate" "$@"
}
scratch() { echo "$XDG_CACHE_HOME"/kernel-count/runs/*/"$1"; }

new_crate
printf 'forward/a\t7\ttunes\nforward/b\t8\ttunes\nstep/c\t3\ttunes\n' >"$BENCH_CASES"
tree_kc CONFIGS='tuned again cpu' -j4
status 0 'two tuned configurations and one that is not'
is "$(head -n 3 "$tmp/trace" | grep -c -- '--list')" 3 'after the lists'
is "$(sed -n '4,5p' "$tmp/trace" | sort -u)" '<--bench><--test><(^forward/a$|^forward/b$|^step/c$)>' \
	'each settles, all its cases in one process'
is "$(tests_run)" 20 'and then two runs of each of nine cases'
report=$(cat "$crate/kernels.md")
for config in tuned again; do
	like "$report" "- caches: $config: 3 choices of the tuner, all made before the counts, with nothing beside" \
		"the report names the choices of $config"
done
is "$(grep -c '^- caches' "$crate/kernels.md")" 2 'and of no other'
is "$(cell c | tr -d ' ')" '3|3|3' 'counts'
is "$(cat "$(scratch tuned)/cubecl.toml" "$(scratch cpu)/cubecl.toml" | grep -c stderr)" 1 \
	'the tuner is asked to tell only where there is one'
tree_kc CONFIGS='tuned again cpu' -j4
is "$(tests_run)" 0 'the second time nothing runs'

# What is settled stays settled: other sizes settle on top of it, with the choices
# that are new; a cache that is gone is settled anew, and counted anew.
tree_kc CONFIGS=tuned BENCH_SEQ=9
is "$(tests_run)" 7 'another context: one process to settle, six to count'
like "$(cat "$crate/kernels.md")" 'caches: tuned: 3 choices' 'no choice is new'
tree_kc CONFIGS=tuned
is "$(tests_run)" 0 'and back'
rm -rf "$(scratch tuned)"
tree_kc CONFIGS=tuned
is "$(tests_run)" 7 'without its cache nothing counts that was counted with it'
tree_kc CONFIGS=tuned FRESH=1
is "$(tests_run)" 7 'FRESH=1 is the same'
tree_kc CONFIGS=tuned FILTER=step
is "$(tests_run)" 0 'a part of it is there'

# A case that ends the process leaves the cases after it to another one.
new_crate
printf 'forward/a\t7\tcrash\nforward/b\t8\ttunes\nstep/c\t3\tcrash\nstep/d\t3\ttunes\n' >"$BENCH_CASES"
tree_kc CONFIGS=tuned -j4
status 2 'cases that crash'
is "$(sed -n '2,4p' "$tmp/trace")" '<--bench><--test><(^forward/a$|^forward/b$|^step/c$|^step/d$)>
<--bench><--test><(^forward/b$|^step/c$|^step/d$)>
<--bench><--test><(^step/d$)>' 'three processes settle the rest'
is "$(cell b) $(cell d)" '8 3' 'which is counted'

# A choice that is made while cases are counted is refused, since others ran
# beside; but not where the crate itself keeps no choices.
new_crate
printf 'forward/a\t7\tretunes\nforward/b\t8\ttunes\nstep/c\t3\n' >"$BENCH_CASES"
tree_kc CONFIGS=tuned -j4
status 2 'a tuner that is never settled'
like "$(cat "$tmp/err")" 'tuned: forward/a: refused: its tuner chose a kernel while other cases ran.*FRESH=1' \
	'is refused, with what to do'
is "$(cell b) $(cell c)" '8 3' 'the others are counted'
printf '[autotune]\ndisable_cache = true\n' >"$crate/cubecl.toml"
tree_kc CONFIGS=tuned -j4
status 0 'a crate that keeps no choices'
is "$(tests_run)" 6 'has nothing to settle'
like "$(cat "$crate/kernels.md")" "caches: tuned: the tuner's choices are not kept: each process makes its own" \
	'and the report says so'

# Two numbers of one case: never a lucky one.
new_crate
printf 'forward/a\t7\tunsteady\nforward/b\t8\ttunes\n' >"$BENCH_CASES"
tree_kc CONFIGS=tuned -j4
status 2 'a case that varies'
like "$(cat "$tmp/err")" 'tuned: forward/a: refused: .*[0-9]+.*[0-9]+' 'is refused with both numbers'

# Releases that tell of no choice settle all the same, and nothing else is asked
# of them.
new_crate
printf '[[package]]\nname = "cubecl"\nversion = "0.11.0-pre.1"\n' >"$crate/Cargo.lock"
tree_kc CONFIGS=tuned
status 0 'an older cubecl'
logger=$'[profiling.logger]\nlevel = "basic"\nstdout = true'
is "$(cat "$(scratch tuned)/cubecl.toml")" "$logger" 'is told of the logger only'
is "$(tests_run)" 7 'settles'
like "$(cat "$crate/kernels.md")" 'caches: tuned: each case ran once before the counts, with nothing beside' \
	'and the report says how'

# --- Kernels that were compiled are kept, unless somebody has a say in it.

new_crate
settings() { kc "$@" && cat "$(scratch cpu)/cubecl.toml"; }
is "$(settings)" $'[compilation]\ncache = true\n'"$logger" 'compiled kernels are kept'
is "$(settings KERNEL_CACHE=0)" "$logger" 'KERNEL_CACHE=0: not'
while IFS='@' read -r given expected; do
	printf '%b' "$given" >"$crate/cubecl.toml"
	is "$(settings)" "$(printf '%b' "$expected")"$'\n'"$logger" "$given"
done <<'END'
[compilation]\ncache = false\n@[compilation]\ncache = false
[compilation]\ncheck_mode = "enforce"\n@[compilation]\ncache = true\ncheck_mode = "enforce"
compilation.check_mode = "auto"\n[streaming]\nmax_streams = 2\n@compilation.check_mode = "auto"\ncompilation.cache = true\n[streaming]\nmax_streams = 2
compilation = { check_mode = "auto" }\n@compilation.check_mode = "auto" \ncompilation.cache = true
compilation = { cache = false }\n@compilation.cache = false\0040
[compilation.logger]\nlevel = "basic"\n@[compilation.logger]\nlevel = "basic"\n[compilation]\ncache = true
END

done_testing
