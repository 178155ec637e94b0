#!/usr/bin/env bash
# kc-kernels: a result in, the kernels of each case out.
. "$(dirname "$0")/tap.sh"

cat >"$tmp/rows" <<'END'
#shared	cuda	forward/a	Mul: (	2
20	repeated	cuda	forward/a	Mul: (
1	repeated	cuda	forward/a	Gemm | f32
5	repeated	cuda	forward/a	Add
26	repeated	cuda	forward/a
10	repeated	fused	forward/a	Fuse[
5	repeated	fused	forward/a	Add
1	repeated	fused	forward/a	Gemm | f32
16	repeated	fused	forward/a
-	refused: a panic	wgpu	forward/a
4	once	cuda	step/x	Add
4	once	cuda	step/x
4	once	fused	step/x
>=2	bound: graph	wgpu	step/x	Add
1	bound: graph	wgpu	step/x	Mul
>=3	bound: graph	wgpu	step/x
0	repeated	cuda	step/zero
END
run kc-kernels "$tmp/rows"
status 0 'all cases'
stdout_is 'forward/a
cuda  fused  wgpu  kernel
  20      0     -  Mul: ( [1] [2]
   0     10     -  Fuse[ [2]
   5      5     -  Add
   1      1     -  Gemm | f32
  26     16     -  in all
wgpu: refused: a panic

step/x
cuda  fused  wgpu  kernel
   4      ?   >=2  Add
   0      ?     1  Mul
   4      4   >=3  in all
cuda: once: nothing confirms the count
fused: once: nothing confirms the count; the result does not have its kernels
wgpu: bound: graph

step/zero
cuda  kernel
   0  in all

[1] several kernels of one table have this name: it stands for all of them.
[2] the log cuts the name here: it may stand for several kernels.
'
stderr_is ''
sed '1!G;h;$!d' "$tmp/rows" >"$tmp/reversed"
cp "$tmp/out" "$tmp/first"
run_in "$tmp/reversed" kc-kernels
ok 'the order of the rows does not matter' cmp -s "$tmp/out" "$tmp/first"
run kc-kernels -m -c 'forward/*' -l '[cf]u*' "$tmp/rows"
status 0 'Markdown, some cases, some configurations'
stdout_is '### `forward/a`

| kernel                       | cuda | fused |
| ---------------------------- | ---: | ----: |
| `Mul: (` [1] [2]             |   20 |     0 |
| `Fuse[` [2]                  |    0 |    10 |
| `Add`                        |    5 |     5 |
| <code>Gemm &#124; f32</code> |    1 |     1 |
| in all                       |   26 |    16 |

- [1] several kernels of one table have this name: it stands for all of them.
- [2] the log cuts the name here: it may stand for several kernels.
'
# Wider than any screen: a sweep has a column a size.
for i in $(seq 1 70); do
	printf '%d\tonce\tcuda BENCH_SEQ=%02d\tx\tAdd\n%d\tonce\tcuda BENCH_SEQ=%02d\tx\n' "$i" "$i" "$i" "$i"
done >"$tmp/wide"
run kc-kernels "$tmp/wide"
status 0 '70 configurations'
like "$(sed -n 3p "$tmp/out")" '^ +1 .* +70  Add$' '70 configurations: a row'

run kc-kernels -c 'forward/b' "$tmp/rows"
status 2 'no such case'
stderr_line "kc-kernels: $tmp/rows: no count of such a case"
stdout_is ''
printf '4\tonce\tcuda\tstep/x\n' >"$tmp/none"
run kc-kernels "$tmp/none"
status 2 'no kernels at all'
stderr_line "kc-kernels: $tmp/none: no kernel in any row"
printf '4\tonce\tcuda\tx\tA\n5\tonce\tcuda\tx\n' >"$tmp/bad"
run kc-kernels "$tmp/bad"
status 2 'kernels that do not add up'
stderr_line "kc-kernels: $tmp/bad:2: the kernels of 'x' in 'cuda' add up to 4, expected 5"
: >"$tmp/empty"
run kc-kernels "$tmp/empty"
status 2 'an empty result'
stderr_line "kc-kernels: $tmp/empty: no count"
done_testing
