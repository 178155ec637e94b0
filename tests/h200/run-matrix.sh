#!/usr/bin/env bash
# tests/h200/run-matrix.sh FOLDER RESULTS [SECTION...]: on a machine with an
# NVIDIA GPU, with what tests/h200/pack has put into FOLDER; no cargo, no
# network. What it finds goes to RESULTS, a handful of small files:
#
#	summary.txt   what ran, how long it took, how it ended; the ratios
#	device.txt    the machine, its GPU, driver, CUDA toolkit, C library
#	report.md     the report of all configurations, from empty caches
#	logs.tar.xz   its logs, with what they were made from; the older way's
#	repeat.txt    the counts of cases that were run again and again
#	verify.md     the report, with each count confirmed at libcuda
#	profile.txt   where the time of single processes goes
#	all.txt       what was printed
#
# Sections, each with a time limit of its own, or of LIMIT seconds, and BUDGET
# seconds (540) in all:
#	build older-cold ours-cold ours-warm older-warm repeat step verify profile cost busy
# A section that fails or runs out of time leaves what it had, and the next one
# starts.
set -u
export LC_ALL=C
self=$(realpath "${BASH_SOURCE[0]}")
pack=$(cd "$1" && pwd) || exit
mkdir -p "$2" && out=$(cd "$2" && pwd) || exit
shift 2
cd "${self%/*}/../.." || exit
sections=${*:-build older-cold ours-cold ours-warm older-warm repeat step verify profile cost busy}
budget=${BUDGET:-540}
work=${WORK:-/tmp/kernel-count-matrix}
jobs=${JOBS:-$(nproc)}
configs=
for config in cuda cuda-fused cuda-fusion vulkan vulkan-fused vulkan-fusion; do
	[ ! -d "$pack/bins/$config" ] || configs+=${configs:+ }$config
done
mkdir -p "$work"
note() { printf '%s\n' "$*" | tee -a "$out/summary.txt"; }

# What is missing here, and where CUDA is.
look() {
	for tool in make xz; do
		command -v "$tool" >/dev/null || { PATH=$PATH:$pack/tools && note "no $tool here: the one that was carried"; }
	done
	if ! command -v awk >/dev/null; then
		mkdir -p "$work/bin" && ln -sf "$pack/tools/mawk" "$work/bin/awk" && PATH=$PATH:$work/bin
		note "no awk here: the one that was carried"
	fi
	for tool in make xz awk gcc perl flock git python3 nvidia-smi sha256sum; do
		command -v "$tool" >/dev/null || note "missing here: $tool"
	done

	# CUDA: the toolkit's headers, NVRTC, the driver.
	if [ ! -e "${CUDA_PATH-}/include/cuda_fp16.h" ]; then
		nvcc=$(command -v nvcc || :)
		for dir in "${CUDA_HOME-}" /usr/local/cuda /usr/local/cuda-13* /opt/cuda \
			"$(dirname "$(dirname "$(readlink -f "${nvcc:-/x/x}")")")" \
			/opt/*/.venv/lib/python3*/site-packages/nvidia/cu13; do
			[ -e "$dir/include/cuda_fp16.h" ] && export CUDA_PATH=$dir && break
		done
	fi
	libs=
	for file in "${CUDA_PATH-}"/lib64/libnvrtc.so* "${CUDA_PATH-}"/targets/*/lib/libnvrtc.so* \
		"${CUDA_PATH-}"/lib/libnvrtc.so* /opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so*; do
		[ -e "$file" ] || continue
		mkdir -p "$work/lib" && ln -sf "$file" "$work/lib/libnvrtc.so"
		libs=${file%/*}:$work/lib
		break
	done
	ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1 ' ||
		for dir in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/x86_64-linux-gnu /usr/lib/wsl/lib; do
			[ -e "$dir/libcuda.so.1" ] && libs=$libs:$dir && break
		done
	export LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	note "CUDA_PATH=${CUDA_PATH-} LD_LIBRARY_PATH=$LD_LIBRARY_PATH jobs=$jobs"
	{
		uname -a
		nproc
		getconf GNU_LIBC_VERSION
		grep -m 1 'model name' /proc/cpuinfo
		free -m
		nvidia-smi || nvidia-smi -L
		nvcc --version
		cat /proc/driver/nvidia/version
		ls -l "${CUDA_PATH-}"/include/cuda.h "${CUDA_PATH-}"/lib64/libnvrtc* "$work/lib"
	} >"$out/device.txt" 2>&1
}
if [ -z "${SECTION-}" ]; then
	exec > >(tee -a "$out/all.txt") 2>&1
	look
fi

kc=(make --no-print-directory DRIVER=real BIN_DIR="$work/bins" CONFIGS="$configs" PKG_CONFIG="$pack/pcre2/pkg-config")
matrix=("${kc[@]}" bench-matrix MATRIX_DIR="$work/matrix" JOBS="$jobs")
logs=$work/matrix/ours/logs

build() {
	local config exe
	for config in $configs; do
		mkdir -p "$work/bins/$config"
		for exe in "$pack/bins/$config"/*.xz; do
			exe=${exe%.xz} && (
				xz -dc "$exe.xz" >"$work/bins/$config/${exe##*/}" &&
					chmod +x "$work/bins/$config/${exe##*/}" &&
					cp "$exe.record" "$work/bins/$config/"
			) &
		done
	done
	"${kc[@]}" -j"$jobs" filters
	local status=$?
	wait
	ls -l build "$work"/bins/*
	"${kc[@]}" list
	! command -v build/kc-device >/dev/null || build/kc-device
	return $status
}

older-cold() { "${matrix[@]}" PARTS=older-cold; }
older-warm() { "${matrix[@]}" PARTS=older-warm; }
ours-cold() {
	"${matrix[@]}" PARTS=ours-cold
	local status=$?
	cp "$work/matrix/ours-cold.md" "$out/report.md"
	cat "$work/matrix/ours-cold.err"
	keep_logs
	return $status
}
ours-warm() {
	"${matrix[@]}" PARTS=ours-warm
	local status=$?
	cat "$work/matrix/ours-warm.err"
	diff <(grep '^|' "$work/matrix/ours-cold.md") <(grep '^|' "$work/matrix/ours-warm.md") &&
		note 'cold and warm: the same counts'
	return $status
}

# The logs of the report, with their plans and facts, and the older way's.
keep_logs() {
	tar -C "$work/matrix" --format=pax --exclude=./plans --exclude='*/cache' --exclude=./older/cuda \
		-c . | xz -T0 -6 >"$out/logs.tar.xz"
}

# repeated CONFIG CASE TIMES JOBS: the case in so many processes, and what each
# counted.
repeated() {
	local dir=$logs/$1/current at log
	rm -rf "$work/again" && mkdir -p "$work/again"
	at=$(date +%s%N)
	seq "$3" | xargs -P "$4" -I N env KC_BUILT="$PWD/build" KC_LOG="$work/again/N.log" \
		KC_TAIL="$work/again/N.tail" mk/bench "$dir/run.conf" 1 --bench --test "^$2\$" ||
		echo 'not every process ended well'
	at=$((($(date +%s%N) - at) / 1000000 / $3))
	for log in "$work"/again/*.log; do
		if [ "$(cut -d ' ' -f 1 "${log%.log}.tail")" = drained ] && grep -q '^Success' "$log"; then
			build/kc-totals "$log" | awk -F '\t' '$2 == "ok" { n = $1; t++ } END { print n " (" t " tables)" }'
		else
			echo "not whole: $(tail -n 2 "$log.err" | head -c 300 | tr '\n' ' ')"
		fi
	done | sort | uniq -c | while read -r times what; do
		printf '%s\t%s\t%s at a time, %s ms each\t%s times: %s\n' "$1" "$2" "$4" "$at" "$times" "$what"
	done | tee -a "$out/repeat.txt"
}
repeat() {
	local config case
	for case in forward/mamba train/attention step/mlp; do
		for config in $configs; do
			repeated "$config" "$case" 20 8
		done
		# The tuned one, which comes last.
		repeated "$config" "$case" 20 1
	done
}

# After an edit: other executables, warm caches, one group of cases.
step() {
	local config exe sum
	for config in $configs; do
		mkdir -p "$work/edited/$config"
		exe=$work/edited/$config/layer
		cp "$work/bins/$config/layer" "$exe" && echo >>"$exe"
		sum=$(sha256sum <"$exe")
		awk -F '\t' -v OFS='\t' -v sum="${sum%% *}" '$1 == "sha256" { $2 = sum } { print }' \
			"$work/bins/$config/layer.record" >"$exe.record"
	done
	time XDG_CACHE_HOME=$work/matrix/ours/cache "${kc[@]}" -j"$jobs" report FILTER=step \
		CONFIGS="${configs/cuda-fused/}" BIN_DIR="$work/edited" LOG_DIR="$logs" OUT="$work/step.md"
	echo 'again, with another edit:'
	for config in $configs; do
		exe=$work/edited/$config/layer
		echo >>"$exe"
		sum=$(sha256sum <"$exe")
		awk -F '\t' -v OFS='\t' -v sum="${sum%% *}" '$1 == "sha256" { $2 = sum } { print }' \
			"$work/bins/$config/layer.record" >"$exe.record"
	done
	time XDG_CACHE_HOME=$work/matrix/ours/cache "${kc[@]}" -j"$jobs" report FILTER=step \
		CONFIGS="${configs/cuda-fused/}" BIN_DIR="$work/edited" LOG_DIR="$logs" OUT="$work/step.md" | tail -n 3
}

# Each case counted again at libcuda, with cubecl's profiling and without.
verify() {
	time XDG_CACHE_HOME=$work/matrix/ours/cache "${kc[@]}" -j"$jobs" verify LOG_DIR="$logs" OUT="$work/verify.md"
	local status=$?
	cp "$work/verify.md" "$out/"
	keep_logs
	return $status
}

# One process at a time, under a library that times what it asks of CUDA.
profile() {
	gcc -O2 -shared -fPIC -o "$work/when.so" tests/h200/when.c -ldl -lpthread || return
	local config case state
	for config in $configs; do
		for case in train/mamba step/mlp; do
			for state in cold warm; do
				[ "$state" = warm ] || rm -rf "$work/profile"
				mkdir -p "$work/profile/run"
				printf '== %s %s %s\n' "$config" "$case" "$state"
				profiled "$config" "$case"
			done
		done
	done | tee -a "$out/profile.txt"
}
# What a process costs that launches little, and what may make it cheaper; the
# times are those of five processes, one after the other, then side by side.
cost() {
	local exe='' scratch='' vars=() word k
	# shellcheck source=/dev/null
	. "$logs/cuda/current/run.conf"
	mkdir -p "$work/cost" && cp "$scratch/cubecl.toml" "$work/cost/" && cd "$work/cost" || return
	export XDG_CACHE_HOME=$work/cost/cache CUDA_CACHE_PATH=$work/cost/cuda BENCH_WARMUP_ITERS=1
	env "${vars[@]}" "$exe" --bench --test '^step/mlp$' >log 2>err
	for word in '' CUDA_DEVICE_MAX_CONNECTIONS=1 CUDA_DEVICE_MAX_COPY_CONNECTIONS=1 CUDA_SCALE_LAUNCH_QUEUES=0.25x; do
		vars+=(${word:+"$word"})
		echo "== ${word:+with }${word:-as it is}: one after the other, then five at once"
		time for k in 1 2 3 4 5; do env "${vars[@]}" "$exe" --bench --test '^step/mlp$' >log 2>err; done
		time (for k in 1 2 3 4 5; do env "${vars[@]}" "$exe" --bench --test '^step/mlp$' >log.$k 2>err.$k & done; wait)
	done
	echo '== the list alone, five times'
	time for k in 1 2 3 4 5; do env "${vars[@]}" "$exe" --bench --list >log 2>err; done
	echo '== train/mamba, five at once'
	time (for k in 1 2 3 4 5; do env "${vars[@]}" "$exe" --bench --test '^train/mamba$' >log.$k 2>err.$k & done; wait)
	time (for k in 1 2 3 4 5; do env "${vars[@]}" "$exe" --bench --test '^train/mamba$' >log.$k 2>err.$k & done; wait)
}
profiled() {
	local exe='' scratch='' vars=() at
	# shellcheck source=/dev/null
	. "$logs/$1/current/run.conf"
	cp "$scratch/cubecl.toml" "$work/profile/run/"
	cd "$work/profile/run" || return
	at=$(date +%s%N)
	env -u MAKEFLAGS "${vars[@]}" BENCH_WARMUP_ITERS=1 XDG_CACHE_HOME="$work/profile/cache" \
		CUDA_CACHE_PATH="$work/profile/cache/cuda" LD_PRELOAD="$work/when.so" WHEN="$work/profile/when" \
		"$exe" --bench --test "^$2\$" >"$work/profile/log" 2>"$work/profile/err" </dev/null
	echo "status $?, $((($(date +%s%N) - at) / 1000000)) ms in all, launches $(grep -c '^| [0-9]' "$work/profile/log")"
	cat "$work/profile/when"
	cd "$OLDPWD" || return
}

# The device's memory nearly all taken by somebody else.
busy() {
	python3 - <<'PY' &
import torch, time
free, total = torch.cuda.mem_get_info()
keep = torch.empty(free - (3 << 30), dtype=torch.uint8, device="cuda")
print("holding", keep.numel() >> 20, "MiB of", total >> 20, flush=True)
time.sleep(25)
PY
	local holder=$!
	sleep 8
	rm -f "$logs"/cuda/current/*.log
	XDG_CACHE_HOME=$work/matrix/ours/cache "${kc[@]}" -j8 report CONFIGS=cuda LOG_DIR="$logs" OUT="$work/busy.md" | tail -n 3
	local status=$?
	kill "$holder" 2>/dev/null
	wait "$holder"
	return $status
}

# Seconds that a section may take.
declare -A limit=([build]=60 [older-cold]=170 [ours-cold]=130 [ours-warm]=60
	[older-warm]=100 [repeat]=110 [step]=30 [verify]=60 [profile]=80 [cost]=60 [busy]=40)

# This script runs itself for each, under timeout(1).
if [ -n "${SECTION-}" ]; then
	"$SECTION"
	exit
fi
for section in $sections; do
	left=$((budget - SECONDS))
	limit[$section]=${LIMIT:-${limit[$section]}}
	[ "${limit[$section]}" -le "$left" ] || limit[$section]=$left
	[ "$left" -gt 5 ] || { note "$section: no time is left"; continue; }
	note "--- $section (at $SECONDS s)"
	at=$(date +%s%N)
	SECTION=$section timeout -k 5 "${limit[$section]}" "$self" "$pack" "$out" </dev/null
	note "$section: status $?, $((($(date +%s%N) - at) / 1000000)) ms"
done
[ -e "$out/logs.tar.xz" ] || keep_logs
[ ! -e "$work/matrix/times" ] || {
	cat "$work/matrix/times"
	"${matrix[@]}" PARTS=
} | tee -a "$out/summary.txt"
ls -l "$out"
