/* cdp: a kernel that launches kernels: 3 by the host, 2 more by the first. */
#include <cstdio>

__global__ void child() {}
__global__ void parent()
{
	child<<<1, 1>>>();
	child<<<1, 1>>>();
}
__global__ void plain() {}

int main()
{
	parent<<<1, 1>>>();
	plain<<<1, 1>>>();
	plain<<<1, 1>>>();
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 3;
	puts("launches 3 memset 0 memcpy 0 captured 0 bound");
	return 0;
}
