#!/usr/bin/env bash
# A second opinion (tests/second-opinion.pl) on generated logs, damaged ones among
# them, and on every recorded log of the tree.
. "$(dirname "$0")/tap.sh"
command -v perl >/dev/null || skip_all 'there is no perl'
second=$root/tests/second-opinion.pl

"$build/sandbox/exhaustive" -s "${KC_CHECKER:+9}5" -w 101 >"$tmp/records" || exit 99
run_in "$tmp/records" "$second" -r
status 0 "generated logs: $(sed -n 's/^ok 1 - //p' "$tmp/out")"

# recorded NAME CASES LOG...: both read a recorded log, or those of one case,
# and count it; with -t before CASES, a log of many cases.
counted=0
recorded() {
	local name=$1 many=()
	shift
	[ "$1" != -t ] || { many=(-t 2) && shift; }
	"$second" "${many[@]}" "$@" | cut -f 1 >"$tmp/second"
	kc-totals -k "${@:2}" | kc-pair "${many[@]}" -l x "$1" 2>"$tmp/err" |
		awk -F '\t' '!/^#/ && NF == 4 { print $1 }' >"$tmp/first"
	is "$(cat "$tmp/first")" "$(cat "$tmp/second")" "recorded: $name"
	counted=$((counted + $(grep -c '^[0-9]' "$tmp/second")))
}

# All there are: each folder of tests/data says in its README what they are.
seen=0 whole=0
for log in "$root"/tests/data/demo/*.log.gz; do
	stem=${log%.log.gz}
	gzip -dc "$log" >"$tmp/log" || exit 99
	recorded "demo, ${stem##*/}" -t "$stem.cases" "$tmp/log"
	seen=$((seen + 1))
done
mkdir "$tmp/matrix"
tar -xzf "$root/tests/data/h200/matrix/logs.tar.gz" -C "$tmp/matrix" || exit 99
for cases in "$tmp"/matrix/*/all.cases; do
	dir=${cases%/*}
	while IFS= read -r id; do
		printf '%s\n' "$id" >"$tmp/id"
		stem=$dir/${id//\//+}
		recorded "H200, ${dir##*/}, $id" "$tmp/id" "$stem".[12].log
		for log in "$stem".[12].log; do
			recorded "H200, ${dir##*/}, $id, ${log##*/}" "$tmp/id" "$log"
			whole=$((whole + 1))
		done
	done <"$cases"
done
is "$seen" "$(find "$root/tests/data" -name '*.log*' ! -name 'logs.tar.gz' | wc -l)" 'every log of the tree was read'
is "$whole" "$(find "$tmp/matrix" -name '*.log' | wc -l)" 'and every log of the H200'
ok "they count $counted times" [ "$counted" -ge 50 ]
done_testing
