#!/usr/bin/env bash
# The null driver: one of everything, and where it is not found.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/null/lib.sh"

c basic
null "$tmp/basic"
status 0
stderr_is ''
# The driver's codes: 3 not initialised, 500 no such kernel, 1 a bad launch,
# 400 a handle that is no more, 709 a context that is no more.
is "$(grep -v ': 0$' "$tmp/out")" "cuCtxGetCurrent(&ctx): 3
name: kernel-count null driver (NVIDIA H200 profile)
cuModuleGetFunction(&none, mod, \"nothing\"): 500
cuLaunchKernel(none, 1, 1, 1, 257, 1, 1, 0, NULL, NULL, NULL): 1
cuLaunchKernel(none, 0, 1, 1, 256, 1, 1, 0, NULL, NULL, NULL): 1
cuStreamDestroy_v2(s): 400
cuCtxSynchronize(): 709" 'what fails, fails with the code of the driver'
is "$(grep -c . "$tmp/out")" 37 'and nothing is left out'

# Two launches, and a graph of two kernels launched twice; two reads of 4 bytes,
# one before any launch and one after all six.
is "$(record whole 3)" 6 'kernels launched'
is "$(record whole 5)" 4 'of which in graphs'
is "$(record whole 4)" 2 'reads'
is "$(awk '$1 == "read" { print $3, $4, $5, $6 }' "$tmp/record")" \
	$'0 1 4 cuMemcpyDtoH\n6 1 4 cuMemcpyDtoHAsync' 'where they were'

# Found by accident, it is a machine without a GPU.
run env -u KC_NULL_PROFILE LD_LIBRARY_PATH="$null" "$tmp/basic"
is "$(grep '^cuInit' "$tmp/out")" 'cuInit(0): 100' \
	'no profile is asked for: no device'
stderr_is $'kc-null: KC_NULL_PROFILE is not set: no device\n'
null KC_NULL_PROFILE=nosuch "$tmp/basic"
is "$(grep '^cuInit' "$tmp/out")" 'cuInit(0): 100' 'an unknown profile: no device'
like "$(cat "$tmp/err")" '^kc-null: .*/profiles/nosuch: No such file' 'named'
null KC_NULL_RECORD="$tmp/no/record" "$tmp/basic"
is "$(grep '^cuInit' "$tmp/out")" 'cuInit(0): 304' 'a record that cannot be kept'
like "$(cat "$tmp/err")" '^kc-null: .*/no/record: No such file' 'is named'

done_testing
