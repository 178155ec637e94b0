#!/usr/bin/env bash
# The fuzz targets run over the corpus in the tree, with whatever compiler this
# was built with; `make fuzz` looks for more with libFuzzer.
. "$(dirname "$0")/tap.sh"

for dir in "$root"/tests/fuzz/corpus/*/; do
	target=$(basename "$dir")
	run "$build/sandbox/$target" "$dir"
	status 0 "$target: the corpus passes"
	n=$(find "$dir" -type f | wc -l)
	stdout_is "$n inputs"$'\n' "$target: all $n inputs were run"
done
done_testing
