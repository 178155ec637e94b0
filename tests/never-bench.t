#!/usr/bin/env bash
# Benches whose launches are known (tests/bench/synth.c), from their processes to
# the count: each is what is true of it, or refused for what is wrong with it.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"

"${CC:-cc}" -std=gnu11 -O1 -Wall -Wextra -Werror -pthread -o "$STUB_EXE" "$root/tests/bench/synth.c" || exit 99
new_crate

run env KC_TAIL_LIMIT=1500 make -C "$root" --no-print-directory -j4 CONFIGS=cpu \
	CARGO="$root/tests/stub/cargo" CRATE="$crate"
status 2 'make report ends with 2 for what it refused'
cp "$tmp/err" "$tmp/report.err"
rows=$(ls "$logs"/cpu/current/*.rows)
while IFS=$'\t' read -r id truth; do
	awk -F '\t' -v id="$id" 'NF == 4 && $4 == id { print $1 "\t" $2 }' "$rows" >"$tmp/row"
	case $id in
	count/*) is "$(tr '\t' ' ' <"$tmp/row")" "$truth" "$id" ;;
	*)
		if grep -q $'^-\trefused: ' "$tmp/row" && grep -qF -- "$truth" "$tmp/row"; then
			tap_pass "$id"
		else
			tap_fail "$id" "got:      $(cat "$tmp/row")" "expected: refused, $truth"
		fi
		;;
	esac
done < <("$STUB_EXE" --truths)
like "$(awk -F '\t' 'NF == 4 && $4 ~ "^count/"' "$rows" | grep -c '')" '^10$' 'ten cases are counted'

# The same without the graph and its exit handler: what the process prints before
# it ends is all there is, and no number comes of a part of it.
mkdir "$tmp/plain" && cd "$tmp/plain" || exit 99
echo 'level = "basic"' >cubecl.toml
export XDG_CACHE_HOME=$tmp/plain/cache
while IFS=$'\t' read -r id truth; do
	case $id in *'in turn' | *panic) continue ;; esac
	for warmups in 1 2; do
		BENCH_WARMUP_ITERS=$warmups "$STUB_EXE" --bench --test "^$id\$" >"$warmups.log" 2>/dev/null
		echo 'kc: whole' >>"$warmups.log"
	done
	printf '%s\n' "$id" >id
	row=$(kc-totals -k -c "$id" 1.log 2.log 2>/dev/null | kc-pair -l x id 2>/dev/null | tail -n 1 | cut -f 1,2 | tr '\t' ' ')
	case $row in
	"- refused: "*) tap_pass "$id, cut short: refused" ;;
	"${truth%% *} "*) tap_pass "$id, cut short: right all the same" ;;
	*) tap_fail "$id, cut short" "got:      $row" "expected: $truth, or refused" ;;
	esac
done < <("$STUB_EXE" --truths)
done_testing
