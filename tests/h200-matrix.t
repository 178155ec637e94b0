#!/usr/bin/env bash
# The logs that an H200 wrote give the counts of the report that was made there.
. "$(dirname "$0")/tap.sh"

data=$root/tests/data/h200/matrix
tar -xzf "$data/logs.tar.gz" -C "$tmp"

# cells REPORT: group/case and its counts, a line a case.
cells() {
	awk -F '|' '/^## /{ split($0, w, "`"); g = w[2] }
		/^\| `/ && NF >= 4 && g != "" {
			gsub(/[` ]/, ""); print g "/" $2, $3, $4 }' "$1"
}

# witnesses CONFIG: #witness facts, of what was counted at libcuda.
witnesses() {
	local name id mode
	while read -r id; do
		name=${id/\//+}
		for mode in on off; do
			kc-witness -c "$id" -w "libcuda with profiling $mode" \
				"$tmp/$1/$name.witness.$mode".[12].tsv
		done
	done <"$tmp/$1/all.cases"
}

# count CONFIG VERDICT
count() {
	run bash -c 'kc-totals -k "$1"/*.[12].log | cat "$1/facts" "$3" - | kc-pair -l "$2" "$1/all.cases"' \
		- "$tmp/$1" "$1" "$tmp/witnesses"
	status 0 "$1: every case has a count"
	cp "$tmp/out" "$tmp/$1.rows"
	is "$(awk -F '\t' '!/^#/ && NF == 4 { print $2 }' "$tmp/out" | sort | uniq -c | tr -s ' ')" " 9 $2" \
		"$1: each is $2"
}

for config in cuda cuda-fused cuda-fusion; do
	: >"$tmp/witnesses"
	count "$config" repeated
done
for config in cuda cuda-fused; do
	witnesses "$config" >"$tmp/witnesses"
	is "$(grep -c '^#witness' "$tmp/witnesses")" 18 "$config: what libcuda was asked for"
	count "$config" confirmed
done
run kc-md "$tmp/cuda.rows" "$tmp/cuda-fused.rows"
status 0 'the report'
is "$(cells "$tmp/out")" "$(cells "$data/report.md")" 'the same counts as there'
run kc-md "$tmp/cuda-fusion.rows"
status 0 'the report of the tuned configuration'
is "$(cells "$tmp/out")" "$(cells "$data/fusion.md")" 'the same counts as there'
is "$(cells "$data/report.md" | wc -l) $(cells "$data/fusion.md" | wc -l)" '9 9' 'of nine cases'

# Again and again, side by side too: one number, the report's.
while IFS=$'\t' read -r config case how times; do
	want=$(awk -F '\t' -v id="$case" '!/^#/ && NF == 4 && $4 == id { print $1 }' "$tmp/$config.rows")
	is "$times" "20 times: $want (2 tables)" "$config: $case, $how"
done < <(grep -v '^#' "$data/repeat.txt")
done_testing
