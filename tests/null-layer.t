#!/usr/bin/env bash
# The embedded crate on the null driver: in each case, each kernel as often as on
# an H200 (tests/data/h200/matrix); and a model that fills a large device.
#
# cargo's outputs are kept in the user's cache folder, so that only the first
# run on a machine builds Burn; BIN_DIR has stored benches in their place.
. "$(dirname "$0")/tap.sh"

builds=${XDG_CACHE_HOME:-$HOME/.cache}/kernel-count/layer
logs=$tmp/logs
layer() {
	run env KC_SCRATCH="$tmp/runs" make -C "$root" --no-print-directory DRIVER=null \
		TARGET_ROOT="$builds" BIN_DIR="${BIN_DIR-}" LOG_DIR="$logs" OUT="$tmp/kernels.md" "$@"
}

[ -n "${BIN_DIR-}" ] || command -v cargo >/dev/null ||
	skip_all 'cargo is not here; make setup says how to get it'
tar -xzf "$root/tests/data/h200/matrix/logs.tar.gz" -C "$tmp"

# kernels FOLDER CONFIG: a row for each kernel of each case of these logs.
kernels() {
	kc-totals -k "$1"/*.[12].log | cat "$1/facts" - | kc-pair -l "$2" "$tmp/$2/all.cases" |
		awk -F '\t' '!/^#/ && NF == 5' | LC_ALL=C sort
}

layer CONFIGS='cuda cuda-fused'
status 0 'the embedded crate is counted'
[ "$code" -eq 0 ] || sed 's/^/# /' "$tmp/err" "$tmp/out"
is "$(awk -F '\t' '!/^#/ && NF == 4 { print $2 }' "$logs/rows" | sort | uniq -c | tr -s ' ')" ' 18 confirmed' \
	'nine cases in two configurations, by two witnesses each'
for config in cuda cuda-fused; do
	kernels "$tmp/$config" "$config" >"$tmp/real"
	kernels "$logs/$config/current" "$config" >"$tmp/null"
	ok "$config: there are kernels" [ "$(wc -l <"$tmp/real")" -gt 100 ]
	is "$(diff "$tmp/real" "$tmp/null" | head -n 20)" '' "$config: each case's kernels are an H200's"
done
is "$(grep -c '^\*\*.*no kernel was executed' "$tmp/kernels.md")" 1 'the report says at its top that nothing ran'

# Its three matrices are 36 GiB each; the process may have 1 GiB.
layer CONFIGS=cuda FILTER=forward/mlp BENCH_DIM=49152 RUN="prlimit --data=$((1 << 30))"
status 0 'a model of 108 GiB'
like "$(cat "$tmp/kernels.md")" 'dim=49152' 'is counted at that size'
is "$(awk -F '\t' '!/^#/ && NF == 4 { print $1, $2 }' "$logs/rows")" '18 confirmed' 'with as many launches'
layer CONFIGS=cuda FILTER=forward/mlp BENCH_DIM=49152 PROFILE=rtx4090
status 2 'on a device of 24 GB'
like "$(<"$tmp/err")" 'refused: .*out of device memory' 'it is refused: out of memory'

done_testing
