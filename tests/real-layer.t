#!/usr/bin/env bash
# The embedded crate, built and counted on this machine's Vulkan device.
#
# cargo's outputs are kept in the user's cache folder, so that only the first
# run on a machine builds Burn.
. "$(dirname "$0")/tap.sh"

builds=${XDG_CACHE_HOME:-$HOME/.cache}/kernel-count/layer
logs=$tmp/logs
layer() {
	run env KC_SCRATCH="$tmp/runs" make -C "$root" --no-print-directory CONFIGS='vulkan vulkan-fused' \
		TARGET_ROOT="$builds" LOG_DIR="$logs" OUT="$tmp/kernels.md" FILTER='^(forward|step)/|train/mlp' "$@"
}

command -v cargo >/dev/null || skip_all 'cargo is not here; make setup says how to get it'
"$root/mk/list" can vulkan || skip_all "no Vulkan device; make setup installs a software one"

layer
status 0 'the embedded crate is counted'
[ "$code" -eq 0 ] || sed 's/^/# /' "$tmp/err" "$tmp/out"
like "$(tail -n 1 "$tmp/out")" '^wrote .*/kernels.md \(14 counts\)$' 'seven cases in two configurations'
is "$(awk -F '\t' '!/^#/ && NF == 4 { print $2 }' "$logs/rows" | sort | uniq -c | tr -s ' ')" ' 14 repeated' \
	'each in two processes that agree'

# The same logs read by other means: what stands between the last two tables.
while IFS=$'\t' read -r launches _ config id; do
	log=$logs/$config/current/${id//\//+}
	for run in 1 2; do
		is "$(awk '/^\|⎯/ { last = n; n = 0 } /^\| [0-9.]+(ns|µs|ms|s) +\| / { n++ } END { print last }' "$log.$run.log")" \
			"$launches" "$config $id, run $run: launch lines before the last table's end"
		is "$(grep -c '^|⎯' "$log.$run.log")" $((run + 1)) "$config $id, run $run: a table an iteration"
	done
done < <(awk -F '\t' '!/^#/ && NF == 4' "$logs/rows")

# Fusing operations can only make fewer launches of these.
is "$(awk -F '\t' '!/^#/ && NF == 4 { n[$4] += $3 == "vulkan" ? $1 : -$1 } END { for (id in n) if (n[id] <= 0) print id }' "$logs/rows")" '' \
	'fused, every case launches less'
like "$(cat "$tmp/kernels.md")" 'Vulkan [0-9.]+ *\|' 'the report names the device'
like "$(cat "$tmp/kernels.md")" 'burn [0-9.a-z-]+, cubecl [0-9.a-z-]+' 'and the versions'
like "$(cat "$tmp/kernels.md")" '`batch=[0-9]+ seq=[0-9]+' 'and what the bench was set to'

layer
is "$(tail -n 1 "$tmp/out")" "$tmp/kernels.md is up to date (14 counts): nothing to run" 'a second time nothing runs'

layer FILTER=step/mlp BENCH_SEQ=16
ok 'another size is counted anew' grep -q '^\[4/4\]' "$tmp/err"
like "$(cat "$tmp/kernels.md")" 'seq=16' 'and named'

done_testing
