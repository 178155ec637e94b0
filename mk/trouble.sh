# shellcheck shell=bash
# mk/trouble.sh: what a bench, its driver or the loader says when it cannot run,
# in one line that says what to do.

# trouble FILE...: the first thing known that these say, in $trouble, and in
# $crowded whether fewer processes at a time may do. Both empty for nothing
# known.
#
# The texts are those of cudarc's panics (src/lib.rs, src/driver/sys/mod.rs), of
# the names of CUDA's results (cuda.h, nvrtc.h) and Vulkan's, of cubecl's errors
# (runtime/src/server/base.rs), and of glibc's loader.
# shellcheck disable=SC2034 # for those who source this
trouble() {
	local text symbol
	trouble='' crowded=''
	text=$(grep -a -h -m 1 -E \
		-e 'CUDA_ERROR_[A-Z_]+|VK_ERROR_[A-Z_]+|NVRTC_ERROR_[A-Z_]+' \
		-e 'out of (device )?memory|Unable to dynamically load|Missing symbol' \
		-e "CUDA installation not found|version .GLIBC[A-Z]*_[0-9.]+' not found" \
		-e 'Exec format error|cannot execute: required file not found' \
		-e 'error while loading shared libraries' "$@" 2>/dev/null) || :
	[ -n "$text" ] || return 0
	text=${text%%$'\n'*}
	case $text in
	*OUT_OF_MEMORY* | *'out of memory'* | *'out of device memory'* | *OUT_OF_DEVICE_MEMORY*)
		crowded=1
		trouble="out of the device's memory"
		;;
	*CUDA_ERROR_DEVICE_UNAVAILABLE* | *CUDA_ERROR_DEVICES_UNAVAILABLE*)
		crowded=1
		trouble="the GPU is busy: another program has it for itself; see nvidia-smi"
		;;
	*CUDA_ERROR_NO_DEVICE*) trouble="no CUDA device is visible; see nvidia-smi and CUDA_VISIBLE_DEVICES" ;;
	*CUDA_ERROR_SYSTEM_DRIVER_MISMATCH* | *CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE*)
		trouble="libcuda and the kernel's NVIDIA driver are of different versions: reboot, or install one of them again"
		;;
	*CUDA_ERROR_UNSUPPORTED_PTX_VERSION*)
		trouble="the NVIDIA driver is too old for this NVRTC's kernels: update the driver, or set CUDA_PATH and LD_LIBRARY_PATH to an older CUDA toolkit"
		;;
	*CUDA_ERROR_STUB_LIBRARY*) trouble="libcuda is the toolkit's stub and no driver: take its folder stubs out of LD_LIBRARY_PATH" ;;
	*'Missing symbol'*)
		symbol=${text#*Missing symbol }
		symbol=${symbol%%:*}
		trouble="the NVIDIA driver or NVRTC is too old for this bench: it has no ${symbol:0:60}; update it"
		;;
	*'Unable to dynamically load "nvrtc"'* | *'load the "nvrtc"'* | *NVRTC_ERROR_BUILTIN_OPERATION_FAILURE*)
		trouble="NVRTC is missing (libnvrtc.so, and its builtins beside it): install NVIDIA's CUDA toolkit, or add its lib64 to LD_LIBRARY_PATH"
		;;
	*'load the "cuda"'*) trouble="no NVIDIA driver (libcuda.so) could be loaded" ;;
	*'CUDA installation not found'*) trouble="no CUDA toolkit, whose headers NVRTC needs: set CUDA_PATH" ;;
	*GLIBC*'not found'*)
		symbol=${text#*version ?}
		trouble="the bench needs another C library, ${symbol%%\'*}: build it where the C library is no newer than here"
		;;
	*'Exec format error'*) trouble="the bench is for another architecture than this machine" ;;
	*'required file not found'*) trouble="the bench is for another C library: its loader is not on this machine" ;;
	*'error while loading shared libraries'*) trouble="a library is missing: ${text#*shared libraries: }" ;;
	esac
}
