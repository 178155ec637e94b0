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

for config in cuda cuda-fused; do
	run bash -c 'kc-totals -k "$1"/*.[12].log | kc-pair -l "$2" "$1/all.cases"' - "$tmp/$config" "$config"
	status 0 "$config: every case has a count"
	cp "$tmp/out" "$tmp/$config.rows"
	is "$(awk -F '\t' '!/^#/ && NF == 4 { print $2 }' "$tmp/out" | sort | uniq -c | tr -s ' ')" ' 9 repeated' \
		"$config: each in two processes that agree"
done
run kc-md "$tmp/cuda.rows" "$tmp/cuda-fused.rows"
status 0 'the report'
cp "$tmp/out" "$tmp/again.md"
is "$(cells "$tmp/again.md")" "$(cells "$data/report.md")" 'the same counts as there'
is "$(cells "$data/report.md" | wc -l)" 9 'of nine cases'
done_testing
