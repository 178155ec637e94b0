#!/usr/bin/env bash
# A second opinion (tests/second-opinion.pl) on generated logs, damaged ones among
# them, and on every recorded log of the tree.
. "$(dirname "$0")/tap.sh"
command -v perl >/dev/null || skip_all 'there is no perl'
second=$root/tests/second-opinion.pl

"$build/sandbox/exhaustive" -s "${KC_CHECKER:+9}5" -w 101 >"$tmp/records" || exit 99
run_in "$tmp/records" "$second" -r
status 0 "generated logs: $(sed -n 's/^ok 1 - //p' "$tmp/out")"

# A folder with NAME.cases holds logs NAME.1.log, NAME.2.log of one case, or
# NAME.log of many cases, two tables each.
n=0
while IFS= read -r cases; do
	stem=${cases%.cases}
	if [ -e "$stem.1.log" ]; then
		logs=("$stem".[0-9].log) many=()
	elif [ -e "$stem.log" ]; then
		logs=("$stem.log") many=(-t 2)
	else
		continue
	fi
	n=$((n + 1))
	"$second" "${many[@]}" "$cases" "${logs[@]}" | cut -f 1 >"$tmp/second"
	kc-totals "${logs[@]}" | kc-pair "${many[@]}" -l x "$cases" 2>"$tmp/err" | grep -v '^#' | cut -f 1 >"$tmp/first"
	is "$(cat "$tmp/first")" "$(cat "$tmp/second")" "recorded: ${cases#"$root"/}"
done < <(git -C "$root" ls-files -z -- '*.cases' 2>/dev/null | tr '\0' '\n' | sed "s|^|$root/|")
[ "$n" -gt 0 ] || skip 'recorded logs' 'there are none in the tree'
done_testing
