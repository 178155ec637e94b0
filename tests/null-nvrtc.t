#!/usr/bin/env bash
# The compiler that compiles nothing: which kernels a source has.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/null/lib.sh"

c compile
cat >"$tmp/a.cu" <<'C'
#include <cuda_fp16.h>
#define __global__fake __global__
// extern "C" __global__ void commented(int a) {}
/* extern "C" __global__ void commented2(int a) {} */
const char *text = "__global__ void quoted(int a) {}";
const char quote = '"';
typedef unsigned int uint32;
extern "C" __global__ void plain(float *a, const uint32 b) { if (b) { a[0] = 1; } }
extern "C" __global__ void no_parameters() {}
extern "C" __global__ void void_parameter(void) {}
extern "C" __global__ void __launch_bounds__(256) bounded(int a) {}
extern "C" __launch_bounds__(128, 2) __global__ void bounded_before(int a) {}
extern "C" __global__ __launch_bounds__(8 * 4) void bounded_product(int a) {}
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered() {}
extern "C" __global__ void declared(int a);
extern "C" __global__ void
split_in_lines(
	pair<int, float> a,
	int (*callback)(int, int))
{
	for (;;) {
	}
}
extern "C" {
	__device__ int helper(int a) { return a; }
	__global__ void in_block(int a) {}
	__global__ void in_block_too() {}
}
__global__ void cpp(float *a) {}
namespace deep { namespace er { __global__ void inner(int a) {} } }
template <typename T, int N> __global__ void generic(T *a) {}
static __global__ void quiet(int a) {}
__device__ void no_kernel(int a) {}
C
null env LD_LIBRARY_PATH="$null:$null/nvrtc" "$tmp/compile" "$tmp/a.cu" \
	plain no_parameters void_parameter bounded bounded_before clustered \
	split_in_lines in_block in_block_too \
	_Z3cppPf _ZN4deep2er5innerEi _Z7genericIfLi4EEvPT_ _Z5quieti \
	commented commented2 quoted helper no_kernel declared \
	cpp inner generic _Z3cp _Z4cppPf _Z5outeri _ZN4deep5outerEi plain2 plai
status 0
# A name, the driver's code (500: no such kernel), the most threads of a block,
# and what a launch without parameters gives (1: invalid, parameters are missing).
# One block is no cluster of two (912).
is "$(<"$tmp/out")" 'plain 0 1024 1
no_parameters 0 1024 0
void_parameter 0 1024 0
bounded 0 256 1
bounded_before 0 128 1
clustered 0 1024 912
split_in_lines 0 1024 1
in_block 0 1024 1
in_block_too 0 1024 0
_Z3cppPf 0 1024 1
_ZN4deep2er5innerEi 0 1024 1
_Z7genericIfLi4EEvPT_ 0 1024 1
_Z5quieti 0 1024 1
commented 500 -1 -1
commented2 500 -1 -1
quoted 500 -1 -1
helper 500 -1 -1
no_kernel 500 -1 -1
declared 500 -1 -1
cpp 500 -1 -1
inner 500 -1 -1
generic 500 -1 -1
_Z3cp 500 -1 -1
_Z4cppPf 500 -1 -1
_Z5outeri 500 -1 -1
_ZN4deep5outerEi 500 -1 -1
plain2 500 -1 -1
plai 500 -1 -1' 'each kernel, and only those'

# A bound that is no plain number is not known, and not taken for its first part.
null env LD_LIBRARY_PATH="$null:$null/nvrtc" "$tmp/compile" "$tmp/a.cu" bounded_product
is "$(<"$tmp/out")" 'bounded_product 0 1024 1' 'a bound that has to be computed'

printf 'no kernel at all' >"$tmp/b.cu"
null env LD_LIBRARY_PATH="$null:$null/nvrtc" "$tmp/compile" "$tmp/b.cu" x
is "$(<"$tmp/out")" 'x 500 -1 -1' 'a source without kernels'

done_testing
