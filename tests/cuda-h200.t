#!/usr/bin/env bash
# What was counted on an H200 (tests/cuda/h200/run.sh): each count has a second
# source, and each difference an explanation.
. "$(dirname "$0")/tap.sh"
data=$root/tests/data/h200/counter

awk -F '\t' '
	FILENAME == ARGV[1] { why[$1 FS $2] = $3; next }
	FNR == 1 { next }
	# An exact count is equal, a bound not above the other.
	{ bound = sub(/^>=/, "", $3) }
	!bound && $3 == $4 { next }
	bound && $3 + 0 <= $4 + 0 && $3 == $4 { next }
	bound && $3 + 0 > $4 + 0 { print "a bound above: " $0; next }
	($1 FS $2) in why { next }
	{ print "not explained: " $0 }' "$data/differences.tsv" "$data/counts.tsv" >"$tmp/bad"
file_is "$tmp/bad" '' 'every difference is explained'
for what in 'driver API' 'runtime' 'linked to libcuda' 'found by proc2' 'PyTorch, eager' \
	'PyTorch, compile' 'PyTorch, graph' 'jax' 'cupy' 'cublas' 'cudnn' 'triton' 'NVTX'; do
	ok "there are counts of $what" grep -q "^$what" "$data/counts.tsv"
done
for source in arithmetic CUPTI torch.profiler ncu; do
	ok "and some beside $source" grep -q "	$source" "$data/counts.tsv"
done
ok 'as many as were made' [ "$(wc -l <"$data/counts.tsv")" -gt 400 ]
done_testing
