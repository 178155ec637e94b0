#!/usr/bin/env bash
# run.sh: the counter on a real GPU, beside second sources. For a machine with an
# NVIDIA driver, nvcc and gcc; PyTorch, JAX, CuPy, Triton, CUPTI and ncu are used
# where they are. Each section stands alone and has a time limit, so one that
# fails costs no other.
#
#	run.sh OUT [SECTION...]
#
# OUT gets counts.tsv (a row a comparison), cost.tsv, machine.txt, log.txt and
# rows.tar.gz (what kc-run wrote). Sections: paths runtime torch libraries cost.
#
# The sections are called by name, which the linter does not see.
# shellcheck disable=SC2317
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=$(mkdir -p "${1:?an output folder is needed}" && cd "$1" && pwd) || exit 2
shift
[ $# -gt 0 ] || set -- paths runtime torch libraries cost
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
built=$work/build
mkdir -p "$built/tests/cuda" rows
exec 3>&1 >"$out/log.txt" 2>&1
log() { echo "== $(date +%T) $*" | tee /dev/fd/3; }
unset LD_LIBRARY_PATH_KC NVTX_INJECTION64_PATH CUDA_INJECTION64_PATH
PATH=$PATH:/usr/local/cuda/bin

# ---- build: gcc alone, so that nothing else has to be there
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -O2 -g -I$root/filters/lib"
build() {
	local c=$root/filters/cuda lib=$root/filters/lib t=$root/tests/cuda bad=0
	# shellcheck disable=SC2086 # several words
	{
		gcc $flags -fPIC -fvisibility=hidden -fno-plt -fno-builtin -c -o dl.o "$c/count-dl.c" &&
			gcc $flags -fPIC -fvisibility=hidden -fno-plt -shared \
				-Wl,--version-script="$c/count.map" -Wl,-z,now \
				-Wl,-soname,libkc-count.so -o "$built/libkc-count.so" \
				dl.o "$c"/count.c "$c"/count-[gln]*.c -lpthread -ldl || bad=1
		gcc $flags -o "$built/kc-run" "$c/kc-run.c" "$c"/run-*.c "$lib"/{kc,in,map,row}.c -ldl || bad=1
		gcc $flags -o "$built/kc-device" "$c/kc-device.c" "$lib"/{kc,in,map,row}.c -ldl || bad=1
		gcc $flags -o "$built/tests/cuda/paths" "$t/paths.c" "$t/cu.c" -lpthread -ldl || bad=1
		gcc $flags -o "$built/tests/cuda/cost" "$t/cost.c" "$t/cu.c" -ldl || bad=1
		gcc $flags -DLINKED -o "$built/tests/cuda/paths-linked" "$t/paths.c" "$t/cu.c" \
			-L/usr/local/cuda/lib64/stubs -L/usr/local/nvidia/lib64 -lcuda -lpthread -ldl || bad=1
	}
	return $bad
}
log build
build || log 'BUILD FAILED'
PATH=$built:$PATH

# The CUPTI tracer, where CUPTI is.
trace=
for inc in /usr/local/cuda/extras/CUPTI/include /usr/local/cuda/include \
	$(python3 -c 'import nvidia.cu13 as m; print(list(m.__path__)[0] + "/include")' 2>/dev/null) \
	/opt/*/.venv/lib/python3*/site-packages/nvidia/{cu13,cuda_cupti}/include; do
	[ -e "$inc/cupti.h" ] || continue
	lib=$(find "$inc/.." /usr/local/cuda/extras/CUPTI/lib64 /usr/local/cuda/lib64 -maxdepth 3 \
		-name 'libcupti.so*' 2>/dev/null | head -n 1)
	[ -n "$lib" ] || continue
	if gcc -std=c11 -D_GNU_SOURCE -shared -fPIC -I"$inc" -I/usr/local/cuda/include \
		-o "$work/trace.so" "$here/trace.c" "$lib" -Wl,-rpath,"$(dirname "$lib")"; then
		trace=$work/trace.so
		log "CUPTI: $lib"
		break
	fi
done
[ -n "$trace" ] || log 'no CUPTI: the second source is arithmetic and torch.profiler alone'

{
	kc-device
	uname -rm
	nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv
	nvcc --version | tail -n 2
	gcc --version | head -n 1
	ldd --version | head -n 1
	python3 -c 'import torch; print("torch", torch.__version__)'
	python3 -c 'import jax; print("jax", jax.__version__)'
	python3 -c 'import cupy; print("cupy", cupy.__version__)'
	python3 -c 'import triton; print("triton", triton.__version__)'
	ncu --version | tail -n 1
	[ -z "$trace" ] || ldd "$trace" | grep -i cupti
} >"$out/machine.txt" 2>&1

# ---- comparisons
# compare NAME WHAT COUNT SECOND SOURCE: a line of counts.tsv. The parts run side
# by side, so each line is one write.
printf 'what\tcount of\tkc-run\tsecond\tsource\tagree\n' >"$out/counts.tsv"
compare() {
	local agree=no
	[ "$3" != "$4" ] || agree=yes
	case $3 in
	'>='*) [ "${4:--}" = - ] || [ "${3#>=}" -gt "$4" ] || agree='yes (a bound)' ;;
	esac
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "${3:--}" "${4:--}" "$5" "$agree" >>"$out/counts.tsv"
}
count() { awk -F '\t' '!/^#/ && NF == 4 { print $1; exit }' "$1"; }
# range FILE NAME: the launches of a range, all times together.
range() { awk -F '\t' -v r="$2" '$1 == "#total" && $4 == r { print $3 }' "$1"; }
fact() { awk -F '\t' -v w="#$2" '$1 == w && ($4 == n || n == "") { print $3; exit }' n="${3:-}" "$1"; }

# both NAME OPTIONS -- COMMAND: under kc-run and the tracer at once; compares with
# the tracer, and with the line that the program printed, if it did.
both() {
	local name=$1 options=() file want
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	file=rows/${name//[^A-Za-z0-9_.-]/_}
	CUDA_INJECTION64_PATH=$trace KC_TRACE_OUT=$file.trace KC_TRACE_API=${api:-} timeout 120 \
		kc-run -v -k "${options[@]}" -o "$file.tsv" -- "$@" >"$file.out" 2>"$file.err"
	echo "$name: status $?" >>"$file.err"
	sed "s|^|$name: |" "$file.err"
	sed "s|^|$name: |" "$file.out" | head -n 20
	want=$(sed -n 's/^launches \([0-9]*\) memset \([0-9]*\) memcpy \([0-9]*\) captured \([0-9]*\).*/\1 \2 \3 \4/p' "$file.out" | tail -n 1)
	if [ -n "$want" ]; then
		# shellcheck disable=SC2086 # four numbers
		set -- $want
		compare "$name" kernels "$(count "$file.tsv")" "$1" arithmetic
		compare "$name" memsets "$(fact "$file.tsv" memset)" "$2" arithmetic
		compare "$name" copies "$(fact "$file.tsv" memcpy)" "$3" arithmetic
		compare "$name" captured "$(fact "$file.tsv" captured)" "$4" arithmetic
	fi
	if [ -s "$file.trace" ]; then
		# shellcheck disable=SC2046 # eight words
		set -- $(cat "$file.trace")
		compare "$name" kernels "$(count "$file.tsv")" "$2" "CUPTI, $8 dropped"
		compare "$name" memsets "$(fact "$file.tsv" memset)" "$4" CUPTI
		compare "$name" copies "$(fact "$file.tsv" memcpy)" "$6" CUPTI
	fi
}

section_paths() {
	local s w good=()
	for s in direct ex cooperative multi oldest library failed host capture replay nested tograph \
		ownstream graph disabled updated conditional updatable devicelaunch copies batch \
		threads reload late _exit fail kill; do
		both "driver API, $s" -- "$built/tests/cuda/paths" proc2 "$s"
		case $s in
		conditional | updatable | devicelaunch | _exit | fail | kill) continue ;;
		esac
		grep -q 'status 0' "rows/driver_API__$s.err" && good+=("$s")
	done
	both 'linked to libcuda' -- "$built/tests/cuda/paths-linked" linked "${good[@]}"
	for w in dlsym dlvsym plain local global next proc proc2; do
		both "found by $w" -- "$built/tests/cuda/paths" "$w" "${good[@]}"
		both "found by $w, per-thread stream" -- "$built/tests/cuda/paths" "$w+pt" "${good[@]}"
	done
}

section_runtime() {
	local nv="nvcc -std=c++17 -arch=sm_90 -lineinfo" s f kernels
	# shellcheck disable=SC2086 # several words
	{
		$nv -o rt "$here/rt.cu" &
		$nv -cudart shared -o rt-shared "$here/rt.cu" &
		$nv --default-stream per-thread -o rt-pt "$here/rt.cu" &
		$nv -rdc=true -o rt-rdc "$here/rt.cu" -lcudadevrt &
		$nv -rdc=true -o cdp "$here/cdp.cu" -lcudadevrt &
		wait
	}
	for s in direct cooperative failed copies capture replay graph conditional devicegraph threads; do
		both "runtime, $s" -- ./rt "$s"
	done
	for f in rt-shared rt-pt; do
		both "runtime, $f" -- "./$f" direct cooperative failed copies capture replay graph threads
	done
	# Linked with relocatable code, but no kernel launches kernels: no bound.
	both 'runtime, rt-rdc' -- ./rt-rdc direct cooperative replay
	both 'dynamic parallelism' -- ./cdp
	kc-run -n -o rows/ranges.tsv -- ./rt ranges
	compare 'NVTX, runtime' 'step, each' "$(awk -F '\t' '$4 == "step" && !/^#/ { print $1, $2 }' rows/ranges.tsv)" '5 repeated' arithmetic
	compare 'NVTX, runtime' 'step/inner, each' "$(awk -F '\t' '$4 == "step/inner" && !/^#/ { print $1, $2 }' rows/ranges.tsv)" '2 repeated' arithmetic
	compare 'NVTX, runtime' 'across' "$(awk -F '\t' '$4 == "across" && !/^#/ { print $1 }' rows/ranges.tsv)" 7 arithmetic
	compare 'NVTX, runtime' 'dom:reg' "$(awk -F '\t' '$4 == "dom:reg" && !/^#/ { print $1 }' rows/ranges.tsv)" 1 arithmetic
	for s in direct replay graph; do
		timeout 100 ncu --graph-profiling node --clock-control none --metrics gpu__time_duration.sum \
			--csv ./rt "$s" >"rows/ncu-$s.csv" 2>"rows/ncu-$s.err"
		kernels=$(grep -c gpu__time_duration "rows/ncu-$s.csv")
		compare "runtime, $s" kernels "$(count "rows/runtime__$s.tsv")" "$kernels" 'ncu, by node'
	done
}

torch_mode() {
	local mode=$1 f=rows/torch-$1 kernels sets copies
	both "PyTorch, $mode" -- python3 "$here/train.py" "$mode" --steps 20
	timeout 150 kc-run -n -v -o "$f-ranges.tsv" -- python3 "$here/train.py" "$mode" --steps 20 --profile \
		>"$f.out" 2>"$f.err"
	sed "s|^|torch $mode: |" "$f.out" "$f.err" | tail -n 20
	read -r kernels sets copies < <(sed -n 's/^profiler kernels \([0-9]*\) memset \([0-9]*\) memcpy \([0-9]*\).*/\1 \2 \3/p' "$f.out")
	compare "PyTorch, $mode" '20 steps, kernels' "$(range "$f-ranges.tsv" measured)" "${kernels:-}" torch.profiler
	compare "PyTorch, $mode" '20 steps, memsets' "$(fact "$f-ranges.tsv" memset measured)" "${sets:-}" torch.profiler
	compare "PyTorch, $mode" '20 steps, copies' "$(fact "$f-ranges.tsv" memcpy measured)" "${copies:-}" torch.profiler
	compare "PyTorch, $mode" 'a step' \
		"$(awk -F '\t' '$4 == "measured/step" && !/^#/ { print $1, $2 }' "$f-ranges.tsv")" \
		"$((${kernels:-0} / 20)) repeated" torch.profiler
}

section_torch() {
	local m
	for m in eager compile graph; do
		torch_mode "$m" &
	done
	wait
}

library() {
	local what=$1 n=$2 f=rows/$1 want
	timeout 150 kc-run -n -v -k -o "$f-ranges.tsv" -- python3 "$here/loops.py" "$what" "$n" >"$f.out" 2>"$f.err"
	sed "s|^|$what: |" "$f.out" "$f.err" | tail -n 20
	want=$(sed -n 's/^loop //p' "$f.out")
	[ -z "$want" ] || compare "$what" 'loop, kernels' "$(range "$f-ranges.tsv" loop)" "$want" arithmetic
	both "$what" -- python3 "$here/loops.py" "$what" "$n"
}

section_libraries() {
	local l a b
	for l in cupy:1000 cublas:100 cudnn:100 threads:1000 triton:500; do
		library "${l%:*}" "${l#*:}" &
	done
	# JAX runs a jitted function as command buffers, which are graphs; without
	# them, as launches. Both ways run the same kernels.
	# JAX copies nothing at times, which CUPTI has no record of: told of in the
	# log, by the calls' own arguments.
	local api=1
	both 'jax, command buffers' -- python3 "$here/loops.py" jax 100 &
	XLA_FLAGS=--xla_gpu_enable_command_buffer= both 'jax, launches' -- python3 "$here/loops.py" jax 100 &
	wait
	# By difference: 100 calls more.
	kc-run -o rows/jax-200.tsv -- python3 "$here/loops.py" jax 200 &
	XLA_FLAGS=--xla_gpu_enable_command_buffer= kc-run -o rows/jax-200-plain.tsv -- python3 "$here/loops.py" jax 200 &
	wait
	a=$(($(count rows/jax-200.tsv) - $(count rows/jax__command_buffers.tsv)))
	b=$(($(count rows/jax-200-plain.tsv) - $(count rows/jax__launches.tsv)))
	compare 'jax, 100 calls' kernels "$a" "$b" 'the same without command buffers'
}

section_cost() {
	KC_BUILT=$built KC_TRACE=$trace ROUNDS=2 STEPS=200 "$root/mk/bench-counter" >"$out/cost.tsv"
}

# Each in a process group of its own, so that a limit can end it with all that it
# started. Counting does not mind company, so those sections run side by side;
# times are taken alone, last.
export XLA_PYTHON_CLIENT_PREALLOCATE=false
pids=()
begin() {
	log "$1"
	set -m
	"section_$1" &
	pids+=("$!:$1")
	set +m
}
finish() {
	local limit=$1 i p alive
	for ((i = 0; i < limit * 5; i++)); do
		alive=
		for p in "${pids[@]}"; do
			kill -0 "${p%%:*}" 2>/dev/null && alive=1
		done
		[ -n "$alive" ] || break
		sleep 0.2
	done
	for p in "${pids[@]}"; do
		if kill -0 "${p%%:*}" 2>/dev/null; then
			log "${p#*:}: over its limit of $limit s"
			kill -KILL -- "-${p%%:*}"
		fi
		wait "${p%%:*}"
	done
	pids=()
	log "done after $SECONDS s"
}
cost=
for section; do
	if [ "$section" = cost ]; then cost=1; else begin "$section"; fi
done
finish 170
if [ -n "$cost" ]; then
	begin cost
	finish 270
fi
{
	head -n 1 "$out/counts.tsv"
	tail -n +2 "$out/counts.tsv" | sort
} >counts.tsv && mv counts.tsv "$out/counts.tsv"
tar -czf "$out/rows.tar.gz" rows
log "$(grep -c 'yes' "$out/counts.tsv") agree, $(awk -F '\t' 'NR > 1 && $6 == "no"' "$out/counts.tsv" | wc -l) do not"
cat "$out/counts.tsv" "$out/cost.tsv" >&3 2>/dev/null
exit 0
