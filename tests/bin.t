#!/usr/bin/env bash
# bin.t: make bin, and counting with what it stored.
. "$(dirname "$0")/tap.sh"
. "$root/tests/stub/graph.sh"

bins=$tmp/bins
stored=$bins/cpu/layer

# field KEY: of the record; set_field KEY TEXT changes it.
field() { awk -F '\t' -v key="$1" '$1 == key { print $2 }' "$stored.record"; }
set_field() {
	awk -F '\t' -v OFS='\t' -v key="$1" -v text="$2" '$1 == key { $2 = text } { print }' \
		"$stored.record" >"$tmp/record" && mv "$tmp/record" "$stored.record"
}
# The sum of the executable as it is now.
set_sum() { set_field sha256 "$(sha256sum <"$stored" | cut -d ' ' -f 1)"; }

# store: anew.
store() {
	rm -rf "$bins" "$logs"
	kc bin BIN_DIR="$bins"
}
# count ARG...: with what was stored, where there is no cargo.
count() { kc report BIN_DIR="$bins" CARGO="$tmp/no cargo" "$@"; }
# refused TEXT NAME: one line of our own, and no process of the bench.
refused() {
	is "$code" 2 "$2: status 2"
	grep '^kernel-count:' "$tmp/err" >"$tmp/said"
	mv "$tmp/said" "$tmp/err"
	stderr_line "$1" "$2: one line"
	is "$(tests_run) $(lists_run)" '0 0' "$2: nothing was run"
}

new_crate
git -c init.defaultBranch=main init -q "$crate"
git -C "$crate" add Cargo.toml src
git -C "$crate" -c user.name=t -c user.email=t@t commit -qm one
commit=$(git -C "$crate" rev-parse HEAD)

# --- What is stored.

store
status 0 'make bin'
ok 'the executable is an ordinary file that runs' test -x "$stored" -a -f "$stored"
like "$(cat "$tmp/out")" "wrote .*bins/cpu/layer \(0 MB\)" 'it says where'
is "$(field config) $(field bench) $(field package) $(field features)" 'cpu layer stub backend-cpu' 'the record names the build'
is "$(field versions)" 'burn 0.22.0, cubecl 0.11.0' 'the versions'
is "$(field machine)" "$(uname -m)" 'the machine'
like "$(field libc)" '^glibc-2\.[0-9]+$|^musl$' 'the C library'
is "$(field sha256)" "$(sha256sum <"$stored" | cut -d ' ' -f 1)" 'its checksum'
is "$(field size)" "$(stat -c %s "$stored")" 'its size'
like "$(field settings)" 'profiling.logger.*stdout = true' 'the settings'
like "${commit:0:7}-dirty" "^$(field revision | cut -c 1-7).*-dirty$" 'the revision, and that files differ from it'
git -C "$crate" add -A . && git -C "$crate" -c user.name=t -c user.email=t@t commit -qm two
store
is "$(field revision)" "$(git -C "$crate" rev-parse --short HEAD)" 'the revision of a clean tree'
is "$(tests_run)" 0 'no case was run'

kc bin BIN_DIR="$bins"
like "$(cat "$tmp/out")" 'bins/cpu/layer is up to date' 'the same again is up to date'
kc bin BIN_DIR="$bins" STRIP=1
ok 'STRIP=1 makes a smaller one' test "$(field size)" -gt "$(stat -c %s "$stored")" -o -z "$(nm "$stored" 2>/dev/null)"
is "$(field sha256)" "$(sha256sum <"$stored" | cut -d ' ' -f 1)" 'whose checksum the record has'
kc bin report BIN_DIR="$bins"
status 2 'bin beside another goal is refused'
stderr_line 'bin is a goal of its own' 'in one line'
rm -rf "$crate/target/kernel-bins"
kc bin
ok 'without BIN_DIR, in the crate' test -x "$crate/target/kernel-bins/cpu/layer"
# A machine to build on needs no GPU.
CONFIGS='cuda' kc bin BIN_DIR="$bins"
status 0 'for CUDA, where there is none'

# --- Counting with it.

store
count
status 0 'report without cargo'
is "$(cell a) $(cell b) $(cell c)" '7 8 3' 'the counts'
ok 'cargo was not asked' test ! -s "$tmp/trace.cargo"
like "$(cat "$crate/kernels.md")" "revision: $(field revision)" 'the revision of the record'
like "$(cat "$crate/kernels.md")" 'versions: burn 0.22.0, cubecl 0.11.0' 'the versions of the record'
count
is "$(tests_run) $(lists_run)" '0 0' 'the second time runs nothing'
like "$(cat "$tmp/out")" 'nothing to run' 'and says so'

# Nothing of the crate is needed but a place for the report.
mkdir "$tmp/away"
mv "$crate/Cargo.toml" "$crate/Cargo.lock" "$crate/src" "$crate/benches" "$tmp/away/"
rm -rf "$logs" "$crate/.git" "$crate/kernels.md"
count
status 0 'without the crate'
is "$(cell a) $(cell b) $(cell c)" '7 8 3' 'the same counts'
like "$(cat "$crate/kernels.md")" 'versions: burn 0.22.0, cubecl 0.11.0' 'and versions'
mv "$tmp/away"/* "$crate/"

# The configuration's key, in a tree of its own that has one file more.
mkdir "$tmp/tree" "$tmp/tree/configs"
for name in Makefile mk filters tests build; do ln -s "$root/$name" "$tmp/tree/$name"; done
{
	sed 's/^cpu/shelf/' "$root/configs/cpu.mk"
	echo 'shelf.bin := target/kernel-bins/shelf/layer'
} >"$tmp/tree/configs/shelf.mk"
run env CONFIGS=shelf make -C "$tmp/tree" --no-print-directory CARGO="$root/tests/stub/cargo" CRATE="$crate" bin
status 0 'make bin for a configuration with the key bin'
: >"$tmp/trace.cargo"
run env CONFIGS=shelf make -C "$tmp/tree" --no-print-directory CARGO="$tmp/none" CRATE="$crate" report
status 0 'the key bin alone makes report count with it'
ok 'without cargo' test ! -s "$tmp/trace.cargo"

# --- RUN wraps the runs of the bench and nothing else.

cat >"$tmp/prefix" <<-'SCRIPT'
	#!/bin/sh
	echo "$*" >>"$PREFIX_TRACE"
	[ ! -s "$PREFIX_TRACE.says" ] || { cat "$PREFIX_TRACE.says" >&2; exit 1; }
	[ "$1" = -n1 ] && shift
	exec "$@"
SCRIPT
chmod +x "$tmp/prefix"
export PREFIX_TRACE=$tmp/prefix.trace
rm -rf "$logs"
count RUN="$tmp/prefix -n1"
status 0 'a RUN prefix'
is "$(cell a) $(cell b) $(cell c)" '7 8 3' 'the counts are the same'
is "$(wc -l <"$tmp/prefix.trace")" "$(($(tests_run) + $(lists_run)))" 'each process of the bench went through it, and no other'
ok 'with its argument' grep -q '^-n1 .*bash' "$tmp/prefix.trace"
rm -rf "$logs"
count RUN="$tmp/prefix" >/dev/null
echo 'srun: error: no GPU is free' >"$tmp/prefix.trace.says"
count RUN="$tmp/prefix" FRESH=1
is "$code" 2 'a prefix that fails'
like "$(cat "$tmp/err")" 'never started: the command before it ended with status 1: srun: error: no GPU is free' 'is quoted'

BENCH_SEQ=9 count RUN="$tmp/prefix"
like "$(cat "$tmp/err")" 'srun: error: no GPU is free.*could not list its cases' 'also where the cases are listed'

# --- What does not match is refused.

store
echo >>"$stored"
count
refused 'is not the file that its record is about' 'another executable'

store
rm "$stored.record"
count
refused 'layer.record: no such file' 'no record'
echo 'garbage' >"$stored.record"
count
refused 'no record of format 1' 'a record that is none'

rm -rf "$bins" "$logs"
count
refused "bins/cpu/layer: no such file" 'no executable'

store
cp -r "$bins/cpu" "$bins/vulkan"
CONFIGS=cpu,vulkan CARGO=none kc report BIN_DIR="$bins" SKIP=cpu VK_DRIVER_FILES=/dev/null
case $(cat "$tmp/err") in
*'no Vulkan loader'*) skip 'another configuration' 'no Vulkan loader here' ;;
*) refused "was built with configuration 'cpu', expected 'vulkan'" 'another configuration' ;;
esac
store
set_field features backend-cpu,fusion
count
refused "was built with features 'backend-cpu,fusion', expected 'backend-cpu'" 'other features'
store
set_field rustflags '-C target-cpu=native'
count
refused "with rustflags '-C target-cpu=native', expected ''" 'other rustflags'
store
count PACKAGE=other
refused "with package 'stub', expected 'other'" 'another package'
store
cp "$stored" "$bins/cpu/model" && cp "$stored.record" "$bins/cpu/model.record"
count BENCH=model
refused "with bench 'layer', expected 'model'" 'another bench'

for file in src/lib.rs Cargo.toml Cargo.lock cubecl.toml benches/new.rs; do
	store
	cp -a "$crate" "$tmp/saved"
	echo '# changed' >>"$crate/$file"
	count
	refused 'was built from other sources' "$file differs"
	rm -rf "$crate" && mv "$tmp/saved" "$crate"
done
store
touch "$crate/src/lib.rs"
count
status 0 'the same sources with another time are the same'

store
echo 'text' >"$stored" && set_sum
count
refused 'is no executable for Linux' 'a file that is no executable'

# Bytes 18 and 19 of an ELF file name the machine; 243 is RISC-V.
store
printf '\xf3\x00' | dd of="$stored" bs=1 seek=18 conv=notrunc status=none && set_sum
count
refused "is for another architecture, riscv64; this machine is $(uname -m)" 'another architecture'

store
set_field libc glibc-2.999
count
refused 'needs the C library glibc 2.999 or newer; this machine has glibc' 'a newer C library'
store
set_field libc musl
count
refused 'needs the C library musl' 'another C library'
store
set_field libc glibc-2.2
count
status 0 'an older C library will do'

done_testing
