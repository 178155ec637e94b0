#!/usr/bin/env bash
# What the counter declares of the driver, against a real cuda.h.
. "$(dirname "$0")/tap.sh"

found=
for dir in "${CUDA_PATH:-/usr/local/cuda}/include" /usr/include; do
	[ ! -e "$dir/cuda.h" ] || found=$dir
done
[ -n "$found" ] || skip_all 'no cuda.h is here'
run "${CC:-cc}" -std=c11 -fsyntax-only -I"$found" "$root/tests/cuda/header.c"
status 0 "like $found/cuda.h"

# Its entry points that launch, capture, change what graphs run, copy or wait are
# in the counter's list: a later driver's that are not show up here.
grep -oE 'CUDAAPI cu[A-Za-z0-9_]+' "$found/cuda.h" | sed 's/.* //' | sort -u |
	grep -E 'Launch|Begin(Re)?Capture|SetEnabled|GraphInstantiate|GraphExecUpdate|^cuMem(cpy|set)|Synchronize|CpyBatch' |
	grep -vE 'HostFunc|Memcpy[A-Za-z]*Node|Memset[A-Za-z]*Node' |
	while IFS= read -r name; do
		grep -qE "\\(${name}[,)]" "$root/filters/cuda/count-entries.def" || echo "$name"
	done >"$tmp/missing"
file_is "$tmp/missing" '' 'no entry point is missing'
done_testing
