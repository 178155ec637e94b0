#!/usr/bin/env bash
# kc-sort: rows and facts in any order in, the result as it is kept out.
. "$(dirname "$0")/tap.sh"

cat >"$tmp/sorted" <<'END'
#config	cuda	batch=1
#device	cuda	H200
10	repeated	cuda	a/x	Mul | f32
10	repeated	cuda	a/x	Zip
3	repeated	cuda	a/x	Add\tB\\n
23	repeated	cuda	a/x
7	once	cuda-fusion	a/x
-	refused: no log\\x	cuda	b/x
>=3	bound: graph	cuda	b/y	K
1	bound: graph	cuda	b/y	L
>=4	bound: graph	cuda	b/y
0	confirmed	cuda	b/z
END
sed '1!G;h;$!d' "$tmp/sorted" >"$tmp/reversed"
run kc-sort "$tmp/sorted"
status 0 'sorted already'
stdout_is "$(cat "$tmp/sorted")"$'\n' 'sorted already: as it was'
run kc-sort "$tmp/reversed"
status 0 'reversed'
stdout_is "$(cat "$tmp/sorted")"$'\n' 'reversed: the same bytes'
for seed in 1 2 3 4 5; do
	awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$tmp/sorted" |
		sort | cut -f 2- >"$tmp/shuffled"
	run_in "$tmp/shuffled" kc-sort
	stdout_is "$(cat "$tmp/sorted")"$'\n' "shuffled $seed: the same bytes"
done
head -n 6 "$tmp/sorted" >"$tmp/1"
{ tail -n 4 "$tmp/sorted"; grep '^#' "$tmp/sorted"; } >"$tmp/2"
sed -n 7p "$tmp/sorted" >"$tmp/3"
tail -n +8 "$tmp/sorted" >"$tmp/4"
run kc-sort "$tmp/4" "$tmp/3" "$tmp/1"
stdout_is "$(cat "$tmp/sorted")"$'\n' 'several inputs are one result'
{ cat "$tmp/sorted"; grep '^#' "$tmp/sorted"; } >"$tmp/twice"
run kc-sort "$tmp/twice"
stdout_is "$(cat "$tmp/sorted")"$'\n' 'a fact that comes twice is there once'
run kc-sort "$tmp/1" "$tmp/2" "$tmp/4"
status 2 'a case that comes twice'
stderr_line ': a second row of '
stdout_is '' 'nothing is written then'
: >"$tmp/empty"
run kc-sort "$tmp/empty"
status 2 'an empty result'
stderr_line "kc-sort: $tmp/empty: no count row, expected"
done_testing
