# graph.sh: what the graph's tests share, after tap.sh: a crate whose bench is
# the stub, and a make that knows it.
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # tap.sh sets root, build, tmp and code

unset KERNELS_OUT KERNELS_LOG_DIR KERNELS_SKIP OUT LOG_DIR CRATE PACKAGE BENCH \
	CONFIGS SKIP FILTER RUN RUNS FRESH V CARGO CARGOFLAGS TARGET_ROOT
for name in "${!BENCH_@}" "${!CUBECL_@}" "${!BURN_@}" "${!CARGO_@}"; do unset "$name"; done

export XDG_CACHE_HOME=$tmp/cache SOURCE_DATE_EPOCH=0
export KC_TAIL_QUIET=20 # the stub's logger is no thread that could be late, but for one mode
export STUB_EXE=$tmp/stub STUB_TRACE=$tmp/trace BENCH_CASES=$tmp/cases
crate=$tmp/crate
logs=$crate/target/kernel-logs

cc -std=gnu11 -O1 -Wall -Wextra -Werror -pthread -o "$STUB_EXE" "$root/tests/stub/bench.c" || exit 99

# new_crate: anew, with three cases and nothing counted.
new_crate() {
	rm -rf "$crate" "$tmp/trace" "$tmp/trace.cargo" "$XDG_CACHE_HOME"
	mkdir -p "$crate/src" "$crate/benches"
	cat >"$crate/Cargo.toml" <<-'END'
		[package]
		name = "stub"
		# bench layer
	END
	printf '[[package]]\nname = "burn"\nversion = "0.22.0"\n\n[[package]]\nname = "cubecl"\nversion = "0.11.0"\n' >"$crate/Cargo.lock"
	echo '// one' >"$crate/src/lib.rs"
	printf 'forward/a\t7\nforward/b\t8\nstep/c\t3\n' >"$BENCH_CASES"
}

# The configurations of the tests need nothing of the machine.
stub_make() {
	make -C "$root" --no-print-directory CARGO="$root/tests/stub/cargo" CRATE="$crate" "$@"
}

# kc ARG...: make with the arguments, one configuration unless they say more.
kc() {
	: >"$tmp/trace"
	: >"$tmp/trace.cargo"
	run env CONFIGS="${CONFIGS-cpu}" make -C "$root" --no-print-directory \
		CARGO="$root/tests/stub/cargo" CRATE="$crate" "$@"
}

# The processes of the last make that ran cases, and those that listed.
tests_run() { grep -c '<--test>' "$tmp/trace"; }
lists_run() { grep -c '<--list>' "$tmp/trace"; }

# cell CASE [FILE]: the case's cells in the report, without padding.
cell() {
	sed -n "s/^| \`$1\` *| *\(.*[^ ]\) *|\$/\1/p" "${2:-$crate/kernels.md}"
}
