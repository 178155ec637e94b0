#!/usr/bin/env bash
# make on the null driver: what is counted, what is refused, what the report says.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/null/lib.sh"
. "$(dirname "$0")/stub/graph.sh"
unset DRIVER PROFILE NVRTC KC_NULL KC_NULL_PROFILE KC_NULL_RECORD CUDA_PATH LD_LIBRARY_PATH

c bench
export STUB_EXE=$tmp/bench
new_crate
printf 'plain/a\t7\nplain/b\t8\n' >"$BENCH_CASES"

# This machine may have a GPU: the null driver is asked for.
CONFIGS=cuda kc DRIVER=null
status 0
is "$(grep refused "$tmp/err")" '' 'nothing is refused'
is "$(cell a)" 7 'a case is counted'
is "$(cell b)" 8 'and another'
is "$(awk -F '\t' 'NF == 4 && $2 == "confirmed"' "$logs/rows" | grep -c .)" 2 'two witnesses agree'
like "$(grep '^\*\*' "$crate/kernels.md")" 'null driver.*no kernel was executed' \
	'the report says so at its top'
like "$(grep '^| `cuda`' "$crate/kernels.md")" \
	'null driver, NVIDIA H200 profile: nothing executed, no kernel compiled' 'and with the device'

CONFIGS=cuda kc DRIVER=null
is "$(tests_run)" 0 'nothing is run again'
CONFIGS=cuda kc DRIVER=null PROFILE=a100
is "$(tests_run)" 4 'but on another profile'
like "$(grep '^| `cuda`' "$crate/kernels.md")" 'NVIDIA A100-SXM4-40GB profile' 'which is named'
cp "$root/filters/cuda/null/profiles/orin" "$tmp/mine"
CONFIGS=cuda kc DRIVER=null PROFILE="$tmp/mine"
status 0 'a profile of the user'"'"'s own'
like "$(grep '^| `cuda`' "$crate/kernels.md")" 'Orin profile' 'is used'
CONFIGS=cuda kc DRIVER=null PROFILE=nosuch
status 2 'a profile that is not there'
like "$(<"$tmp/err")" "no profile 'nosuch' for the null driver: expected .*h200" 'is named'
CONFIGS=cuda kc DRIVER=other
status 2 'a driver that is not there'
like "$(<"$tmp/err")" "unknown driver 'other'" 'is named too'

# A value that is read is zero here, and would not be on a GPU.
new_crate
printf '%s\t5\t%s\n' a reads b reads-last c reads-once d decides e graph f '' >"$BENCH_CASES"
CONFIGS=cuda kc DRIVER=null
status 2 'cases are refused'
why() { sed -n "s/^kernel-count: cuda: $1: refused: //p" "$tmp/err"; }
read='the iteration reads from the device (cuMemcpyDtoHAsync), and the null driver has only zeros'
is "$(why a)" "$read" 'a read within the iteration'
is "$(why b)" "$read" 'a read at its end'
is "$(why d)" "$read" 'a read that is decided on'
is "$(cell c)" 5 'a read when all is done is no matter'
is "$(cell f)" 5 'and the others are counted'
like "$(why e)" '5.*6|6.*5' 'a launch that the log does not have, by both numbers'

run make -C "$root" --no-print-directory list DRIVER=null
like "$(<"$tmp/out")" 'cuda  *can run here, on a driver that executes nothing .profile h200.' \
	'make list says on what'
like "$(<"$tmp/out")" 'cuda-fusion  *cannot run here: it is tuned' 'and why not'

# What is tuned needs time.
CONFIGS=cuda-fusion kc DRIVER=null
status 2 'a tuned configuration'
like "$(<"$tmp/err")" 'cuda-fusion cannot run here: .*tuned.*DRIVER=real' 'is refused by name'

new_crate
printf 'a\t5\ttunes\n' >"$BENCH_CASES"
CONFIGS=cuda kc DRIVER=null
status 2 'one that tunes and does not say so'
is "$(why a)" 'it tunes kernels, and a null driver takes no time to tune by; DRIVER=real' \
	'is refused by what it keeps'

# A process that ends early has no record.
new_crate
printf 'a\t5\tdies\n' >"$BENCH_CASES"
CONFIGS=cuda kc DRIVER=null
status 2 'a process that ends early'

# Nobody else finds the null driver: not a configuration that is not CUDA's, and
# not one whose driver is to be real.
new_crate
printf 'a\t5\n' >"$BENCH_CASES"
CONFIGS=cpu kc DRIVER=null
ok 'another configuration does not see it' [ "$code" -ne 0 ]
like "$(<"$tmp/err")" 'libcuda.so.1|cuInit' 'and finds no driver'
is "$(cat "$logs"/cpu/*/run.conf | grep -c null)" 0 'nothing of it is set'
if [ -e /dev/nvidiactl ]; then
	skip 'DRIVER=real' 'there is a GPU'
else
	CONFIGS=cuda kc DRIVER=real
	status 2 'DRIVER=real without a GPU'
	like "$(<"$tmp/err")" 'cuda cannot run here: no NVIDIA driver' 'has no driver'
fi

done_testing
