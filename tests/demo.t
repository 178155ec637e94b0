#!/usr/bin/env bash
# make demo: a report from recorded logs, with no Rust and no GPU.
. "$(dirname "$0")/tap.sh"

run make -C "$root" --no-print-directory CARGO=/nonexistent demo
status 0 'make demo'
stderr_is ''

# Counted by hand in the logs: the launch lines between a case's first bottom
# ruler and its second.
for config in vulkan vulkan-fused; do
	gzip -dc "$root/tests/data/demo/$config.log.gz" |
		awk '/^Testing / { id = substr($0, 9) }
			/^\| [0-9.]+(ns|µs|ms|s) +\| / { n++ }
			/^\|⎯/ { if (seen[id]++) print id "\t" n; n = 0 }' >"$tmp/$config"
	is "$(wc -l <"$tmp/$config")" 6 "$config: six cases by another reading"
done
while IFS=$'\t' read -r id plain; do
	fused=$(awk -F '\t' -v id="$id" '$1 == id { print $2 }' "$tmp/vulkan-fused")
	ok "$id" grep -q "^| \`${id#*/}\` *| *$plain (once) | *$fused (once) |\$" "$tmp/out"
done <"$tmp/vulkan"

done_testing
