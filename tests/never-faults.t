#!/usr/bin/env bash
# The Nth allocation, open, read, write or close of every filter fails, for each
# N until there is none: the right output with the right status, or one error
# line with status 2; never a part of the output with status 0.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/logs.sh"

"${CC:-cc}" -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC -o "$tmp/fault.so" \
	"$root/tests/faults/fault.c" -ldl || exit 99
: >"$tmp/empty"
# A checker brings an allocator of its own, which no other can be put before.
FAULT='malloc 1' LD_PRELOAD=$tmp/fault.so kc-cases "$tmp/empty" >/dev/null 2>"$tmp/err" 9>"$tmp/hit"
[ -s "$tmp/hit" ] || skip_all 'the filters do not take a preloaded library here'

printf 'forward/a: benchmark\nforward/b: benchmark\nstep/a: benchmark\n' >"$tmp/list"
printf 'forward/a\nforward/b\n' >"$tmp/cases"
for id in forward/a forward/b; do
	for run in 1 2; do
		{
			testing "$id"
			synced Gemm 4 Cast 1
			[ $run = 1 ] || synced Gemm 2
			synced Gemm 2
			success
			whole
		} >"$tmp/${id#*/}.$run.log"
	done
done
kc-totals -k "$tmp"/[ab].[12].log >"$tmp/rows"
kc-pair -l cuda "$tmp/cases" "$tmp/rows" >"$tmp/counts"
kc-pair -l cuda-fusion "$tmp/cases" "$tmp/rows" | sed s/once/repeated/ >"$tmp/counts2"
sed 's/^2/3/' "$tmp/counts" >"$tmp/more"
cat "$tmp/counts" "$tmp/counts2" >"$tmp/both"
sed 's/\tcuda\t/\tcuda BENCH_SEQ=64\t/; s/\tcuda-fusion\t/\tcuda BENCH_SEQ=128\t/' "$tmp/both" >"$tmp/sweep"
printf '\tgemm\tGemm\n' >"$tmp/rules"
printf 'kc-null\t1\t7\th200\nwhole\t7\t4\t0\t0\t0\t0\n' >"$tmp/1.record"
printf 'kc-null\t1\t7\th200\nwhole\t7\t6\t0\t0\t0\t0\n' >"$tmp/2.record"
printf '5\tonce\tcuda\ta\n#whole\tcuda\ta\n' >"$tmp/one"
printf '9\tonce\tcuda\ta\n#whole\tcuda\ta\n' >"$tmp/two"

# A command for each filter, and more than one where it has ways of its own; a
# filter that is not here is given a result.
commands=(
	"kc-cases list"
	"kc-cases -m ^forward list"
	"kc-totals -k a.1.log a.2.log b.1.log"
	"kc-totals -c forward/a -"
	"kc-pair -l cuda cases rows"
	"kc-pair -l cuda cases -"
	"kc-md both"
	"kc-diff counts more"
	"kc-diff counts counts"
	"kc-sort both"
	"kc-kernels both"
	"kc-law sweep"
	"kc-json both"
	"kc-reads -c forward/a 1.record 2.record"
	"kc-witness -c a one two"
)
declare -A input=([kc-totals]=a.1.log [kc-pair]=rows)
cd "$tmp" || exit 99

# The right output and status; `one` is what else may be on stderr.
golden() {
	local in=${input[${1%% *}]-empty}
	# shellcheck disable=SC2086 # words of a command of ours
	$1 <"$in" >right 2>right.err
	right=$?
}

# The same again with a fault: in $code, got, got.err and hit.
again() {
	local in=${input[${1%% *}]-empty}
	# stderr goes through a pipe, where a file's size does not matter.
	# shellcheck disable=SC2086
	{ "${@:2}" $1 <"$in" 2>&1 >got 9>hit | cat >got.err; code=${PIPESTATUS[0]}; } 9>&-
}

# Whether what came of it is allowed. A difference is 1 for kc-diff.
allowed() {
	if [ "$code" -eq "$right" ] && cmp -s got right && cmp -s got.err right.err; then
		return
	fi
	[ "$code" -eq 2 ] && [ "$(wc -l <got.err)" -eq 1 ]
}

for program in "$build"/kc-*; do
	name=${program##*/}
	case $name in *.* | kc-run | kc-device) continue ;; esac
	[ -x "$program" ] || continue
	printf '%s\n' "${commands[@]}" | grep -q "^$name " ||
		commands+=("$name both")
done

for command in "${commands[@]}"; do
	[ -x "$build/${command%% *}" ] || continue
	golden "$command"
	for fault in malloc open read close; do
		for on in '' ' on'; do
			bad=
			for ((n = 1; n < 5000; n++)); do
				again "$command" env FAULT="$fault $n$on" LD_PRELOAD="$tmp/fault.so"
				[ -s hit ] || break
				allowed || bad+=" $n: status $code, $(head -c 200 got.err);"
			done
			is "$bad" '' "$command: $((n - 1)) faults of $fault$on"
			[ "$n" -gt 1 ] || [ "$fault" = open ] || tap_fail "... at least one"
		done
	done

	# The output ends at each byte, as on a disk that is full.
	size=$(wc -c <right)
	bad=
	trap '' XFSZ
	for ((n = 0; n < size; n += size / 20 + 1)); do
		again "$command" prlimit --fsize=$n
		[ "$code" -eq 2 ] && [ "$(tail -n 1 got.err | grep -c 'write failed')" -eq 1 ] ||
			bad+=" $n: status $code, $(head -c 200 got.err);"
	done
	trap - XFSZ
	is "$bad" '' "$command: the output ends early"

	# shellcheck disable=SC2086
	{
		$command <"${input[${command%% *}]-empty}" >/dev/full 2>got.err
		code=$?
		status 2 "$command: a full device"
		like "$(tail -n 1 got.err)" 'write failed: No space left' '... says so'
		$command <"${input[${command%% *}]-empty}" >&- 2>got.err
		code=$?
		status 2 "$command: no stdout"
		(trap '' PIPE; $command <"${input[${command%% *}]-empty}" 2>got.err; echo $? >code) | :
		case $(cat code) in
		"$right") tap_pass "$command: written before the reader went" ;;
		2) like "$(tail -n 1 got.err)" 'write failed: Broken pipe' "$command: the reader is gone" ;;
		*) tap_fail "$command: the reader is gone" "status $(cat code)" ;;
		esac
	}
done

# A reader that dies takes the writer along, by SIGPIPE, and not to status 0.
for ((i = 0; i < 20000; i++)); do printf 'forward/case-%d: benchmark\n' $i; done >long
kc-cases long | head -n 1 >/dev/null
is "${PIPESTATUS[0]}" 141 'a reader that is killed'
done_testing
