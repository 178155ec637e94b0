# lib.sh: what the counter's tests share; sourced after tap.sh.
# shellcheck shell=bash disable=SC2154

null=$build/null
paths=$build/tests/cuda/paths
linked=$build/tests/cuda/paths-linked

# The environment of the null driver. The programs find it by its folder alone.
export LD_LIBRARY_PATH=$null KC_NULL_PROFILE=h200
unset LD_PRELOAD KC_COUNT_DIR NVTX_INJECTION64_PATH

# count FIELD: of the row without a kernel; fact WORD: a fact's number.
count() { awk -F '\t' -v f="$1" '!/^#/ && NF == 4 { print $f }' "$tmp/rows"; }
fact() { awk -F '\t' -v w="#$1" '$1 == w { print $3 }' "$tmp/rows"; }

# counted WAY SCENARIOS OPTION...: runs the scenarios under kc-run; the numbers that
# kc-run wrote must be those that the program worked out, and the kernels those
# that the null driver ran.
counted() {
	local way=$1 scenario=$2 program=$paths want got ran
	shift 2
	[ "$way" != linked ] || program=$linked
	rm -f "$tmp/rows" "$tmp/record"
	# shellcheck disable=SC2086 # several words
	KC_NULL_RECORD=$tmp/record run kc-run -v -o "$tmp/rows" "$@" -- \
		"$program" "$way" $scenario
	if [ "$code" -ne 0 ] || [ -s "$tmp/err" ]; then
		echo "$way $scenario: status $code: $(cat "$tmp/err")"
		return
	fi
	want=$(sed -n 's/^launches \([0-9]*\) memset \([0-9]*\) memcpy \([0-9]*\) captured \([0-9]*\)\( bound\)\{0,1\}$/\1 \2 \3 \4\5/p' "$tmp/out")
	got="$(count 1) $(fact memset) $(fact memcpy) $(fact captured)"
	case $got in
	'>='*) got="${got#>=} bound" ;;
	esac
	[ "$got" = "$want" ] || echo "$way $scenario $*: counted $got, ran $want"
	case $want in
	*bound) return ;;
	esac
	ran=$(awk -F '\t' '$1 == "whole" { print $3 }' "$tmp/record")
	[ "$ran" = "${want%% *}" ] ||
		echo "$way $scenario: the driver ran $ran, expected ${want%% *}"
}
