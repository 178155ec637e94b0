# shellcheck shell=bash
# mk/machine.sh: what a configuration needs of the machine, and which device
# and driver its counts depend on.
#
#   missing NEED    why a configuration that needs it cannot run; nothing if it can
#   device_key NEED    a text that changes when the device or its driver does,
#                      found without starting a process where that can be
#   device_text NEED   the device for people
# NEED is a word of a configuration's `needs`: cuda nvrtc vulkan rocm metal; or
# `processor`, where a configuration needs nothing.

# find_library NAME...: the first that the dynamic linker would find, in
# $library; it looks where ld.so(8) does, and in ld.so's cache last, which
# takes a process.
find_library() {
	local dir name IFS=:
	for dir in ${LD_LIBRARY_PATH-} /usr/lib/wsl/lib /lib /usr/lib /usr/local/lib \
		"/usr/lib/$HOSTTYPE-linux-gnu" /usr/lib64 \
		${CUDA_PATH:+"$CUDA_PATH/lib64"} ${CUDA_HOME:+"$CUDA_HOME/lib64"} \
		/usr/local/cuda/lib64 /opt/cuda/lib64 /opt/rocm/lib; do
		for name; do
			for library in "$dir"/$name; do
				[ ! -e "$library" ] || return 0
			done
		done
	done
	[ -n "${ld_cache-}" ] || ld_cache=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null || :)
	for name; do
		while read -r library; do
			library=${library##* => }
			# shellcheck disable=SC2053 # NAME is a pattern
			[[ ${library##*/} != $name ]] || return 0
		done <<<"$ld_cache"
	done
	library=
	return 1
}

# The manifests of Vulkan drivers, as the loader looks for them (Vulkan-Loader's
# LoaderDriverInterface.md), in $manifests.
find_manifests() {
	local IFS=: dir file
	manifests=()
	for file in ${VK_DRIVER_FILES:-${VK_ICD_FILENAMES-}}; do
		[ ! -r "$file" ] || manifests+=("$file")
	done
	[ -z "${VK_DRIVER_FILES:-${VK_ICD_FILENAMES-}}" ] || return 0
	for file in ${VK_ADD_DRIVER_FILES-}; do
		[ ! -r "$file" ] || manifests+=("$file")
	done
	for dir in "${XDG_CONFIG_HOME:-${HOME-}/.config}" ${XDG_CONFIG_DIRS:-/etc/xdg} /etc \
		"${XDG_DATA_HOME:-${HOME-}/.local/share}" ${XDG_DATA_DIRS:-/usr/local/share:/usr/share}; do
		for file in "$dir"/vulkan/icd.d/*.json; do
			[ ! -r "$file" ] || manifests+=("$file")
		done
	done
}

# Whether the null driver's own NVRTC is used, which compiles nothing.
null_nvrtc() { [ -n "${KC_NULL-}" ] && [ "${KC_NVRTC-}" != real ]; }

# The file of the null driver's profile, in $profile; a name, or a path.
null_profile() {
	profile=$KC_ROOT/filters/cuda/null/profiles/$KC_NULL
	# An installation has no sources.
	[ -d "${profile%/*}" ] || profile=$KC_BUILT/null/profiles/$KC_NULL
	[[ $KC_NULL != */* ]] || profile=$KC_NULL
	[ -f "$profile" ]
}

missing() {
	case $1 in
	cuda)
		[ -n "${KC_NULL-}" ] || find_library libcuda.so.1 ||
			echo 'no NVIDIA driver (libcuda.so.1 is not found)'
		;;
	nvrtc)
		null_nvrtc || find_library libnvrtc.so 'libnvrtc.so.*' ||
			echo "no NVRTC (libnvrtc.so is not found; it comes with NVIDIA's CUDA toolkit)"
		;;
	timing)
		echo 'it is tuned, and a null driver takes no time to tune by; DRIVER=real'
		;;
	vulkan)
		find_manifests
		if ! find_library libvulkan.so.1; then
			echo "no Vulkan loader (libvulkan.so.1 is not found): run 'make setup', or install libvulkan1"
		elif [ ${#manifests[@]} -eq 0 ]; then
			echo "no Vulkan device (no driver is installed): run 'make setup', or install mesa-vulkan-drivers"
		fi
		;;
	rocm)
		if [ ! -e /dev/kfd ]; then
			echo 'no AMD GPU driver (/dev/kfd is not there)'
		elif ! find_library 'libamdhip64.so*'; then
			echo 'no ROCm (libamdhip64.so is not found)'
		fi
		;;
	metal)
		[[ $OSTYPE == darwin* ]] || echo 'Metal is there on macOS only'
		;;
	esac
}

# The first lines of files, where they can be read.
contents() {
	local file text
	for file; do
		[ ! -r "$file" ] || { IFS= read -r -d '' text <"$file" || :; printf '%s: %s\n' "$file" "$text"; }
	done
}

device_key() {
	local file text files=()
	case $1 in
	cuda)
		if [ -n "${KC_NULL-}" ]; then
			null_profile && contents "$profile"
			library=$KC_BUILT/null/libcuda.so.1
			[ ! -e "$library" ] || sha256sum <"$library"
			return 0
		fi
		contents /proc/driver/nvidia/version /proc/driver/nvidia/gpus/*/information
		find_library libcuda.so.1 && files+=("$library")
		;;
	nvrtc)
		if null_nvrtc; then
			library=$KC_BUILT/null/nvrtc/libnvrtc.so
			[ ! -e "$library" ] || sha256sum <"$library"
			return 0
		fi
		find_library libnvrtc.so 'libnvrtc.so.*' && files+=("$library")
		;;
	vulkan)
		contents /proc/driver/nvidia/version /sys/class/drm/renderD*/device/{vendor,device}
		find_manifests
		for file in ${manifests[@]+"${manifests[@]}"}; do
			IFS= read -r -d '' text <"$file" || :
			printf '%s: %s\n' "$file" "$text"
			[[ $text =~ \"library_path\"[[:space:]]*:[[:space:]]*\"([^\"]*)\" ]] || continue
			library=${BASH_REMATCH[1]}
			case $library in
			/*) ;;
			*/*) library=${file%/*}/$library ;;
			*) find_library "$library" || continue ;;
			esac
			files+=("$library")
		done
		find_library libvulkan.so.1 && files+=("$library")
		;;
	rocm)
		contents /sys/module/amdgpu/version /sys/class/drm/renderD*/device/{vendor,device}
		find_library 'libamdhip64.so*' && files+=("$library")
		;;
	processor)
		while IFS= read -r text; do
			[[ $text != 'model name'* ]] || { printf '%s\n' "$text" && break; }
		done </proc/cpuinfo
		;;
	esac
	[ ${#files[@]} -eq 0 ] || stat -L -c '%n %s %Y' -- "${files[@]}" 2>/dev/null || :
}

# Of several devices nobody but the bench knows which one it took, so all are
# named, those that are alike once.
several() {
	local line text="" n=0
	local -A seen=()
	while IFS= read -r line; do
		if [ -z "$line" ] || [ -n "${seen[$line]-}" ]; then continue; fi
		seen[$line]=1
		text+=${text:+; }$line
		n=$((n + 1))
	done
	[ "$n" -lt 2 ] || text="one of $n: $text"
	printf '%s' "$text"
}

vulkan_devices() {
	command -v vulkaninfo >/dev/null || {
		echo 'a Vulkan device (vulkaninfo is not installed)'
		return
	}
	XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR-/tmp} vulkaninfo --summary 2>/dev/null | awk '
		function put() {
			if (name != "")
				print name ", " (index(name, driver) ? "" : driver " ") info ", Vulkan " api
			name = ""
		}
		/^GPU[0-9]+:/ { put() }
		{ key = $1; sub(/^[^=]*= */, "") }
		key == "apiVersion" { api = $1 }
		key == "deviceName" { name = $0 }
		key == "driverName" { driver = $0 }
		key == "driverInfo" { info = $0 }
		END { put() }'
}

cuda_devices() {
	if [ -x "$KC_BUILT/kc-device" ]; then
		"$KC_BUILT/kc-device" 2>/dev/null | awk -F '\t' '/^#device/ { print $NF }'
	elif command -v nvidia-smi >/dev/null; then
		nvidia-smi --query-gpu=name,driver_version --format=csv,noheader |
			sed 's/, /, driver /'
	else
		sed -n 's/^Model:[[:space:]]*//p' /proc/driver/nvidia/gpus/*/information 2>/dev/null || :
	fi
}

device_text() {
	# A tool that fails names no device; that is no trouble here.
	set +o pipefail
	case $1 in
	cuda)
		if [ -z "${KC_NULL-}" ]; then
			cuda_devices | several
		elif null_profile; then
			printf 'null driver, %s profile: nothing executed' \
				"$(sed -n 's/^name *= *//p' "$profile")"
		fi
		;;
	nvrtc) ! null_nvrtc || printf 'no kernel compiled' ;;
	vulkan) vulkan_devices | several ;;
	rocm) contents /sys/module/amdgpu/version | sed 's/^[^:]*: */amdgpu /' | several ;;
	processor) sed -n 's/^model name[[:space:]]*: //p;T;q' /proc/cpuinfo | several ;;
	esac
}

# devices_text NEED...: those of all needs, in one line, in $devices.
devices_text() {
	local need text
	devices=''
	for need in "${@:-processor}"; do
		text=$(device_text "$need")
		devices+=${text:+${devices:+, }$text}
	done
	devices=${devices//[$'\t\n']/ }
}
