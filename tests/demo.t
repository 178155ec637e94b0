#!/usr/bin/env bash
# make demo: a report from recorded logs, with no Rust and no GPU.
. "$(dirname "$0")/tap.sh"

run make -C "$root" --no-print-directory CARGO=/nonexistent demo
status 0 'make demo'
stderr_is ''

# Counted another way: the launch lines between the last two bottom rulers of a log.
configs=(cuda cuda-fused cuda-fusion)
tar -xzf "$root/tests/data/h200/matrix/logs.tar.gz" -C "$tmp"
for config in "${configs[@]}"; do
	for log in "$tmp/$config"/*.[12].log; do
		awk '/^Testing / { id = substr($0, 9) }
			/^\| [0-9.]+(ns|µs|ms|s) +\| / { n++ }
			/^\|⎯/ { last = n; n = 0 }
			END { print id "\t" last }' "$log"
	done | sort -u >"$tmp/$config.counts"
	is "$(wc -l <"$tmp/$config.counts")" 9 "$config: nine cases by another reading, the same in both runs"
done
while IFS=$'\t' read -r id plain fused tuned; do
	ok "$id" grep -q "^| \`${id#*/}\` *| *$plain | *$fused | *$tuned |\$" "$tmp/out"
done < <(join -t $'\t' "$tmp/cuda.counts" "$tmp/cuda-fused.counts" | join -t $'\t' - "$tmp/cuda-fusion.counts")

done_testing
