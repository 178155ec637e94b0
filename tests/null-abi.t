#!/usr/bin/env bash
# The interface as the null driver writes it down, against a real cuda.h where
# there is one: in CUDA_PATH, or where a toolkit is put.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/null/lib.sh"

c abi
run "$tmp/abi"
status 0 'the interface is written down'
mv "$tmp/out" "$tmp/ours"

header=
for dir in ${CUDA_PATH:+"$CUDA_PATH"} /usr/local/cuda /opt/cuda /usr; do
	[ -z "$header" ] && [ -e "$dir/include/cuda.h" ] && header=$dir/include
done
if [ -z "$header" ]; then
	skip 'it is what cuda.h says' 'no cuda.h in CUDA_PATH, /usr/local/cuda, /opt/cuda or /usr'
	done_testing
fi
if ! "${CC:-cc}" -std=c11 -DREAL -isystem "$header" -o "$tmp/real" "$root/tests/null/abi.c" 2>"$tmp/why"; then
	skip 'it is what cuda.h says' "$header/cuda.h is too old: $(grep -m 1 error "$tmp/why")"
	done_testing
fi
run "$tmp/real"
is "$(diff "$tmp/ours" "$tmp/out")" '' "it is what $header/cuda.h says"

done_testing
