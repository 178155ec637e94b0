#!/usr/bin/env bash
# kc-diff: two results in, what changed out, judged.
. "$(dirname "$0")/tap.sh"

# The baseline: two configurations, five cases, kernels for one of them.
cat >"$tmp/base" <<'END'
#about	versions	burn 0.22.0, cubecl 0.11.0
#config	cuda	batch=1 seq=64
#config	cuda-fusion	batch=1 seq=64
#device	cuda	NVIDIA H200
#device	cuda-fusion	NVIDIA H200
#features	cuda	backend-cuda
#features	cuda-fusion	backend-cuda,fusion
#heading	cuda	cuda
10	repeated	cuda	forward/a	Add | f32
10	repeated	cuda	forward/a	Exp | f32
10	repeated	cuda	forward/a	Mul | f32
5	repeated	cuda	forward/a	Matmul | f32
35	repeated	cuda	forward/a
15	repeated	cuda-fusion	forward/a
99	repeated	cuda	forward/b
75	repeated	cuda-fusion	forward/b
>=7	bound: a conditional node	cuda	step/graph
>=7	bound: a conditional node	cuda-fusion	step/graph
4	once	cuda	step/x
4	once	cuda-fusion	step/x
200	confirmed	cuda	train/a
160	confirmed	cuda-fusion	train/a
61	repeated	cuda	train/b
47	repeated	cuda-fusion	train/b
END
# No bound, for what is asked to be equal.
grep -v 'bound' "$tmp/base" >"$tmp/old"

# The status of each mutation of the baseline, worked out by hand: what is
# done to it, by sed, the options, the status, and a line of the output.
mutations=(
	'nothing@@@0@10 equal'
	'a count one more@s/^99/100/@@1@more  cuda  forward/b  99  -> 100  +1 (+1.0%)'
	'a count one less@s/^99/98/@@0@less  cuda  forward/b  99  -> 98  -1 (-1.0%)'
	'a count one less, -x@s/^99/98/@-x@1@less  cuda  forward/b  99  -> 98  -1 (-1.0%)'
	'one more and one less@s/^99/100/; s/^160/100/@@1@1 more, 1 less, 8 equal'
	'a count from 0@s/^99/0/@@0@less  cuda  forward/b  99  -> 0  -99 (-100.0%)'
	'a case gone@/forward\/b/d@@2@gone  cuda         forward/b  99  -> none'
	'a case gone, -p@/forward\/b/d@-p@0@8 equal; left out, only in the old result: 2'
	'a case that was not there@$a 5\trepeated\tcuda\tstep/new@@2@new  cuda  step/new  none  -> 5'
	'a case under another name@s/forward\/b/forward\/c/@@2@2 gone, 2 new, 8 equal'
	'a configuration gone@/cuda-fusion/d@@2@5 gone, 5 equal'
	'a count refused@s/^99\trepeated/-\trefused: no log/@@2@unknown  cuda  forward/b  99  -> -    refused: no log'
	'a count refused, another more@s/^99\trepeated/-\trefused: no log/; s/^75/76/@@1@1 more, 1 unknown, 8 equal'
	'a count that is a bound@s/^99\trepeated/>=99\tbound: graph/@@2@unknown  cuda  forward/b  99  -> >=99    bound: graph'
	'a bound that is more@s/^99\trepeated/>=100\tbound: graph/@@1@more  cuda  forward/b  99  -> >=100    bound: graph'
	'a verdict weaker@s/^99\trepeated/99\tonce/@@0@verdict  cuda  forward/b  99  -> 99    repeated -> once'
	'a verdict stronger@s/^4\tonce/4\tconfirmed/@@0@2 equal with another verdict, 8 equal'
	'rows in another order@1!G;h;$!d@@0@10 equal'
	'another device@s/H200/A100/@@2@not comparable: device of cuda: '\''NVIDIA H200'\'' -> '\''NVIDIA A100'\'
	'another device of one@/^#device\tcuda\t/s/H200/A100/@@2@5 unknown, 5 equal'
	'another device, -f@s/H200/A100/@-f@0@compared in spite of: device of cuda: '\''NVIDIA H200'\'' -> '\''NVIDIA A100'\'
	'another device and more, -f@s/H200/A100/; s/^99/100/@-f@1@1 more, 9 equal'
	'another device of one, and the other more@/^#device\tcuda\t/s/H200/A100/; s/^75/76/@@1@1 more, 5 unknown, 4 equal'
	'no device@/^#device/d@@2@not comparable: device of cuda: '\''NVIDIA H200'\'' -> none'
	'other sizes@s/seq=64/seq=128/@@2@10 unknown'
	'other features@s/backend-cuda,fusion/&,dev-autotune/@@2@5 unknown, 5 equal'
	'other versions@s/cubecl 0.11.0/cubecl 0.12.0/@@2@10 unknown'
	'another heading@s/^#heading.*/#heading\tcuda\tCUDA/@@0@10 equal'
	'another revision@$a #about\trevision\tabc@@0@10 equal'
	'other kernels, as many@s/Exp/Log/@@0@10 equal'
	'other kernels, as many, -k@s/Exp/Log/@-k@0@1 equal with other kernels, 9 equal'
	'no kernels@/ | f32/d@@0@10 equal'
)
for mutation in "${mutations[@]}"; do
	IFS=@ read -r name change options expected line <<<"$mutation"
	sed "$change" "$tmp/old" >"$tmp/new"
	# shellcheck disable=SC2086
	run kc-diff $options "$tmp/old" "$tmp/new"
	status "$expected" "$name: status $expected"
	stderr_is '' "$name: nothing on stderr"
	got=$(grep -F -x -- "$line" "$tmp/out")
	is "$got" "$line" "$name: says so"
	[ "$got" = "$line" ] || sed 's/^/# /' "$tmp/out"
done

# The bounds: never equal, and what can be said of one is.
run kc-diff -c step/graph "$tmp/base" "$tmp/base"
status 2 'two bounds are not equal'
stdout_is "unknown  cuda         step/graph  >=7  -> >=7    before bound: a conditional node; bound: a conditional node
unknown  cuda-fusion  step/graph  >=7  -> >=7    before bound: a conditional node; bound: a conditional node
2 unknown
"
for counted in '6 0' '7 0' '8 2'; do
	read -r n expected <<<"$counted"
	sed "s/^>=7\tbound: a conditional node/$n\trepeated/" "$tmp/base" >"$tmp/new"
	run kc-diff -c step/graph "$tmp/base" "$tmp/new"
	status "$expected" ">=7, then $n: status $expected"
	ok ">=7, then $n: not called equal" eval '! grep -q equal "$tmp/out"'
done

# Kernels: what each difference is made of, replacements together.
sed 's/^35/16/; s/^10\(.*\)Add.*/10\1FuseElemwise/; /Exp/d; /Mul/d; s/^5\(.*Matmul\)/6\1/' \
	"$tmp/old" >"$tmp/new"
run kc-diff -k -l cuda "$tmp/old" "$tmp/new"
status 0 'three kernels fused into one'
stdout_is 'less  cuda  forward/a  35  -> 16  -19 (-54.3%)
        -10  10  -> 0   Add | f32
        -10  10  -> 0   Exp | f32
        -10  10  -> 0   Mul | f32
        +10   0  -> 10  FuseElemwise
        10 each: 3 kernels became 1
         +1   5  -> 6   Matmul | f32
        in all: -30 in 3 kernels, +11 in 2 kernels
1 less, 4 equal
'
run kc-diff -m -k -l cuda "$tmp/old" "$tmp/new"
status 0 'as Markdown'
stdout_is '### Kernel launches: 1 less, 4 equal

| case, configuration | before | after |       change | judged |
| ------------------- | -----: | ----: | -----------: | -----: |
| `forward/a`, `cuda` |     35 |    16 | -19 (-54.3%) |   less |

#### `forward/a`, `cuda`: 35 → 16

| kernel                         | before | after | change |
| ------------------------------ | -----: | ----: | -----: |
| <code>Add &#124; f32</code>    |     10 |     0 |    -10 |
| <code>Exp &#124; f32</code>    |     10 |     0 |    -10 |
| <code>Mul &#124; f32</code>    |     10 |     0 |    -10 |
| `FuseElemwise`                 |      0 |    10 |    +10 |
| <code>Matmul &#124; f32</code> |      5 |     6 |     +1 |

10 each: 3 kernels became 1; in all: -30 in 3 kernels, +11 in 2 kernels.
'
sed '/|/d; s/^35/36/' "$tmp/old" >"$tmp/new"
run kc-diff -k -l cuda -c forward/a "$tmp/old" "$tmp/new"
stdout_is 'more  cuda  forward/a  35  -> 36  +1 (+2.9%)
        the new result does not have the kernels of it
1 more
' 'kernels on one side only: said, not shown as gone'

# A real one: the embedded crate at two revisions that differ by one operation,
# which is one kernel, and another in its backward pass (tests/data/diff/README).
data=$root/tests/data/diff
run kc-diff -k "$data/before.tsv" "$data/after.tsv"
status 1 'one operation more'
stdout_is 'more  cuda        train/mlp    114  -> 116  +2 (+1.8%)
        +2  0  -> 2  FlipKernel | CudaRuntime
more  cuda-fused  train/mlp     53  -> 55   +2 (+3.8%)
        +2  0  -> 2  FlipKernel | CudaRuntime
more  cuda        forward/mlp   18  -> 19   +1 (+5.6%)
        +1  0  -> 1  FlipKernel | CudaRuntime
more  cuda-fused  forward/mlp   15  -> 16   +1 (+6.7%)
        +1  0  -> 1  FlipKernel | CudaRuntime
more  cuda        step/mlp      18  -> 19   +1 (+5.6%)
        +1  0  -> 1  FlipKernel | CudaRuntime
more  cuda-fused  step/mlp      15  -> 16   +1 (+6.7%)
        +1  0  -> 1  FlipKernel | CudaRuntime
6 more
' 'one operation more: its kernel is named'
run kc-diff -k -r cuda=cuda-fused -c forward/mlp "$data/before.tsv" "$data/before.tsv"
status 0 'what fusion replaced'
stdout_is 'less  cuda=cuda-fused  forward/mlp  18  -> 15  -3 (-16.7%)
        -1  4  -> 3  KernelBinop | MulOp | CudaRuntime
        -1  2  -> 1  KernelScalarBinop | AddOp | CudaRuntime
        -1  1  -> 0  ReduceKernel | TensorArgs | CudaRuntime
        -1  4  -> 3  UnaryFloat | BasicFloatUnary | CudaRuntime
        +1  0  -> 1  ReduceKernelFused | CudaRuntime
        1 each: 4 kernels became 1
        in all: -4 in 4 kernels, +1 in 1 kernel
1 less
' 'what fusion replaced: four kernels became one'

# The logs of an H200, fused and not: what fusion replaced in a training step.
if command -v gzip >/dev/null && [ -e "$root/tests/data/h200/matrix/logs.tar.gz" ]; then
	mkdir "$tmp/h200"
	tar -xzf "$root/tests/data/h200/matrix/logs.tar.gz" -C "$tmp/h200"
	for config in cuda cuda-fused; do
		cat "$tmp/h200/$config/facts" >"$tmp/$config.totals"
		kc-totals -k "$tmp/h200/$config"/*.log >>"$tmp/$config.totals"
		kc-pair -l $config "$tmp/h200/$config/all.cases" "$tmp/$config.totals"
	done >"$tmp/h200.tsv"
	run kc-diff -k -r cuda=cuda-fused -c train/mlp "$tmp/h200.tsv" "$tmp/h200.tsv"
	status 0 'an H200, fused and not'
	# 68 launches of nine kernels became 7 of one: 114 - 68 + 7 = 53.
	stdout_is 'less  cuda=cuda-fused  train/mlp  114  -> 53  -61 (-53.5%)
        -25  30  -> 5   KernelScalarBinop | MulOp | CudaRuntime
        -10  12  -> 2   KernelBinop | AddOp | CudaRuntime
         -8  19  -> 11  KernelBinop | MulOp | CudaRuntime
         -8   8  -> 0   KernelScalarBinop | DivOp | CudaRuntime
         +7   0  -> 7   ElemwiseFuse | CudaRuntime
         -4   5  -> 1   KernelBinop | DivOp | CudaRuntime
         -4   4  -> 0   KernelBinop | SubOp | CudaRuntime
         -4   8  -> 4   KernelScalarBinop | AddOp | CudaRuntime
         -4  11  -> 7   UnaryFloat | BasicFloatUnary | CudaRuntime
         -1   2  -> 1   FullKernel | CudaRuntime
        in all: -68 in 9 kernels, +7 in 1 kernel
1 less
' 'an H200, fused and not: the kernels that fusion replaced'
	# The same crate counted with no GPU (tests/data/diff): kernel by kernel the same.
	run kc-diff -fk -c '*/mlp' "$data/before.tsv" "$tmp/h200.tsv"
	status 0 'the null driver and an H200'
	is "$(tail -n 1 "$tmp/out")" '6 equal with another verdict' 'the null driver and an H200: the same counts'
	ok 'the null driver and an H200: the same kernels' eval '! grep -q "^ " "$tmp/out"'
else
	skip 'an H200, fused and not' 'its logs or gzip are not here'
fi

# Rules.
rules() {
	local name=$1 expected=$2 change=$3 line=$4
	shift 4
	printf '%s\n' "$@" >"$tmp/rules"
	sed "$change" "$tmp/old" >"$tmp/new"
	run kc-diff -a "$tmp/rules" "$tmp/old" "$tmp/new"
	status "$expected" "$name: status $expected"
	got=$(grep -F -x -- "$line" "$tmp/out")
	is "$got" "$line" "$name: says so"
	[ "$got" = "$line" ] || sed 's/^/# /' "$tmp/out" "$tmp/err"
}
rules 'under the ceiling' 0 's/^99/100/' \
	'within  cuda  forward/b  99  -> 100  +1 (+1.0%)  allowed: <= 100 (two blocks)' \
	'forward/* <= 100 # two blocks'
rules 'over the ceiling' 1 's/^99/101/' \
	'more  cuda  forward/b  99  -> 101  +2 (+2.0%)  limit: <= 100 (two blocks)' \
	'forward/* <= 100 # two blocks'
rules 'over a ceiling, and no more than before' 1 's/^99/98/' \
	'more  cuda  forward/b  99  -> 98  -1 (-1.0%)  limit: <= 90 (must shrink)' \
	'forward/b on cuda <= 90 # must shrink'
rules 'a ceiling needs no baseline' 0 '$a 5\trepeated\tcuda\tstep/new' \
	'within  cuda  step/new  none  -> 5    allowed: <= 5 (new ones are small)' \
	'step/* <= 5 # new ones are small'
rules 'a ceiling, and a count gone' 2 '/forward\/b/d' '2 gone, 8 equal' \
	'forward/* <= 100 # two blocks'
rules 'a ceiling, and a count refused' 2 's/^99\trepeated/-\trefused: no log/' \
	'1 unknown, 9 equal' 'forward/* <= 100 # two blocks'
rules 'a ceiling, and a bound under it' 2 's/^99\trepeated/>=99\tbound: graph/' \
	'1 unknown, 9 equal' 'forward/* <= 100 # two blocks'
rules 'a ceiling, and a bound over it' 1 's/^99\trepeated/>=101\tbound: graph/' \
	'1 more, 9 equal' 'forward/* <= 100 # two blocks'
rules 'a tolerance in percent, its last launch' 0 's/^200/202/' \
	'within  cuda  train/a  200  -> 202  +2 (+1.0%)  allowed: +1% (noise)' \
	'train/* +1% # noise'
rules 'one launch over it' 1 's/^200/203/' \
	'more  cuda  train/a  200  -> 203  +3 (+1.5%)  limit: +1% (noise)' \
	'train/* +1% # noise'
rules 'a tolerance rounds down' 1 's/^160/162/' \
	'more  cuda-fusion  train/a  160  -> 162  +2 (+1.2%)  limit: +1% (noise)' \
	'train/* +1% # noise'
rules 'hundredths of a percent' 0 's/^200/203/' '1 within, 9 equal' \
	'train/* +1.50% # noise'
rules 'tenths of a percent' 1 's/^200/204/' '1 more, 9 equal' \
	'train/* +1.5% # noise'
rules 'a tolerance in launches' 0 's/^99/101/' '1 within, 9 equal' \
	'* +2 # two'
rules 'one over it' 1 's/^99/102/' '1 more, 9 equal' '* +2 # two'
rules 'both: within' 0 's/^99/100/' '1 within, 9 equal' \
	'forward/b <= 100 +2 # both'
rules 'both: over the ceiling' 1 's/^99/101/' '1 more, 9 equal' \
	'forward/b <= 100 +2 # both'
rules 'both: over the tolerance' 1 's/^75/78/' '1 more, 9 equal' \
	'forward/b <= 100 +2 # both'
rules 'anything' 0 's/^99\trepeated/-\trefused: tuned/' \
	'ignored  cuda  forward/b  99  -> -    refused: tuned; allowed: any (its tuner wavers)' \
	'forward/b on cuda any # its tuner wavers'
rules 'anything, also gone' 0 '/forward\/b/d' '2 ignored, 8 equal' \
	'forward/b any # leaves'
rules 'one configuration only' 1 's/^99/100/; s/^75/76/' '1 more, 1 within, 8 equal' \
	'forward/* on *-fusion +1 # a copy'
rules 'the last rule that matches' 1 's/^99/100/' '1 more, 9 equal' \
	'* +5 # most' 'forward/b +0 # not this one'
rules 'comments, empty lines, carriage returns' 0 's/^99/100/' '1 within, 9 equal' \
	'# a comment' '' '   ' $'forward/b +1 # a reason\r'
rules 'another device, and a ceiling' 0 's/H200/A100/' '10 within' \
	'* <= 200 # whatever it runs on'
rules 'a ceiling of 64 bits' 0 's/^99/100/' '1 within, 9 equal' \
	'forward/b <= 18446744073709551615 # none'
rules 'a tolerance over 64 bits' 0 's/^99/18446744073709551615/' '1 within, 9 equal' \
	'forward/b +18446744073709551615 # none'
printf '%s\n' '"an odd # id <= 3" <= 7 # quoted' '"turn on light" +1 # has on' >"$tmp/rules"
printf '5\tonce\tcuda\tan odd # id <= 3\n5\tonce\tcuda\tturn on light\n' >"$tmp/a"
printf '7\tonce\tcuda\tan odd # id <= 3\n6\tonce\tcuda\tturn on light\n' >"$tmp/b"
run kc-diff -a "$tmp/rules" "$tmp/a" "$tmp/b"
status 0 'ids with spaces and the words of a rule, quoted'

# Numbers as large as they may be.
printf '18446744073709551614\tonce\tc\ta\n0\tonce\tc\tb\n' >"$tmp/a"
printf '18446744073709551615\tonce\tc\ta\n3\tonce\tc\tb\n' >"$tmp/b"
run kc-diff "$tmp/a" "$tmp/b"
status 1 '64 bits: one more is more'
stdout_is 'more  c  b                     0  -> 3                     +3           once
more  c  a  18446744073709551614  -> 18446744073709551615  +1 (+<0.1%)  once
2 more
'
printf 'a +1%% # percent of the largest\nb any # from 0\n' >"$tmp/rules"
run kc-diff -a "$tmp/rules" "$tmp/a" "$tmp/b"
status 0 '64 bits: a percentage does not overflow'

# Selection.
sed 's/^99/100/; s/^4\tonce\tcuda-/5\tonce\tcuda-/' "$tmp/old" >"$tmp/new"
run kc-diff -c 'step/*' "$tmp/old" "$tmp/new"
stdout_is 'more  cuda-fusion  step/x  4  -> 5  +1 (+25.0%)  once
1 more, 1 equal
' '-c'
run kc-diff -l cuda -c 'step/*' "$tmp/old" "$tmp/new"
status 0 '-l and -c'
run kc-diff -c nothing -c 'step/*' -l nothing -l cuda "$tmp/old" "$tmp/new"
status 0 'several patterns: one is enough'
run kc-diff -c 'forward' "$tmp/old" "$tmp/new"
status 2 '-c that matches nothing'
stderr_line 'no count matches'
run_in "$tmp/new" kc-diff "$tmp/old" -
status 1 'the new result on standard input'
run_in "$tmp/old" kc-diff - "$tmp/new"
status 1 'the old result on standard input'

# One configuration against another.
sed 's/^#features\(.*\),fusion/#features\1/' "$tmp/old" >"$tmp/new"
run kc-diff -k -r cuda=cuda-fusion -c '*/a' "$tmp/old" "$tmp/old"
status 0 '-r: fused against not'
stdout_is 'less  cuda=cuda-fusion  train/a    200  -> 160  -40 (-20.0%)
        the results do not have the kernels of it
less  cuda=cuda-fusion  forward/a   35  -> 15   -20 (-57.1%)
        the new result does not have the kernels of it
2 less
' '-r: of different features, and as it should'
sed '/^#device\tcuda-/s/H200/A100/' "$tmp/old" >"$tmp/new"
run kc-diff -r cuda=cuda-fusion "$tmp/old" "$tmp/new"
status 2 '-r: another device'
stdout_is "not comparable: device of cuda: 'NVIDIA H200' -> 'NVIDIA A100'
5 unknown
" '-r: another device is still not comparable'
run kc-diff -r cuda=cuda-fusion "$tmp/new" "$tmp/old"
status 0 '-r: the other configurations of either side do not matter'
run kc-diff -r cuda=cuda-fussion "$tmp/old" "$tmp/old"
status 2 '-r: a name with a typo'
stderr_line "kc-diff: $tmp/old: no count of configuration 'cuda-fussion'"
run kc-diff -r cuda "$tmp/old" "$tmp/old"
status 2 '-r: one name'
like "$(head -n 1 "$tmp/err")" "^kc-diff: bad value 'cuda' for -r" '-r: usage'

# A number that was counted once is not shown as a plain one.
printf '5\tonce\tc\ta\n5\trepeated\tc\tb\n5\tonce\tc\tc\n>=5\tbound: x\tc\td\n5\tonce\tc\te\n' >"$tmp/a"
printf '6\tonce\tc\ta\n6\tonce\tc\tb\n6\trepeated\tc\tc\n6\tonce\tc\td\n-\trefused: y\tc\te\n' >"$tmp/b"
run kc-diff "$tmp/a" "$tmp/b"
status 1 'counted once: status'
for note in 'a: once' 'b: repeated -> once' 'c: once -> repeated' 'd: once; before bound: x' 'e: once; refused: y'; do
	ok "counted once, ${note%%:*}: ${note#*: }" grep -q -- "^[a-z]*  *c  *${note%%:*} .*  ${note#*: }\$" "$tmp/out"
done
run kc-diff -m "$tmp/a" "$tmp/b"
ok '... in Markdown too' grep -qxF -- '- `a`, `c`: once' "$tmp/out"

# Texts are data: to a terminal and in Markdown.
printf '1\tonce\tcuda\t\033[2Jx|<b>\\n@me\n' >"$tmp/a"
printf '2\tonce\tcuda\t\033[2Jx|<b>\\n@me\n' >"$tmp/b"
run kc-diff "$tmp/a" "$tmp/b"
stdout_is 'more  cuda  \x1B[2Jx|<b>\n@me  1  -> 2  +1 (+100.0%)  once
1 more
' 'a terminal is not told what to do'
run kc-diff -m "$tmp/a" "$tmp/b"
ok 'nor is Markdown' eval '! grep -q "<b>\|@me\|$(printf "\033")" "$tmp/out"'

# -w: facts for the report.
sed 's/^99/100/; $a 5\trepeated\tcuda\tstep/new' "$tmp/base" |
	sed '/train/d' >"$tmp/new"
run kc-diff -w -l cuda "$tmp/base" "$tmp/new"
status 0 '-w does not judge'
is "$(sort "$tmp/out")" "$(printf '%s\n' "#baseline	$tmp/base" \
	'#was	cuda	forward/a	35' '#was	cuda	forward/b	99' \
	'#was	cuda	step/graph	>=7' '#was	cuda	step/new	new' \
	'#was	cuda	step/x	4')" '-w'
sed 's/H200/A100/' "$tmp/old" >"$tmp/new"
run kc-diff -w -l cuda -c forward/b "$tmp/old" "$tmp/new"
is "$(grep '^#was' "$tmp/out")" $'#was\tcuda\tforward/b\tother' '-w on another device'
ok '-w says which' grep -q $'^#about\tnot compared with the baseline\tdevice of cuda' "$tmp/out"

# Bad input: one line, where, what was expected, and status 2.
bad() {
	local name=$1 text=$2
	shift 2
	run kc-diff "$@"
	status 2 "$name: status 2"
	stdout_is '' "$name: nothing on stdout"
	stderr_line "$text" "$name"
}
bad 'no baseline' "kc-diff: $tmp/none: cannot open: No such file" "$tmp/none" "$tmp/old"
: >"$tmp/empty"
bad 'an empty baseline' "kc-diff: $tmp/empty: no count row, expected" "$tmp/empty" "$tmp/old"
grep '^#' "$tmp/old" >"$tmp/facts"
bad 'a baseline of facts' "kc-diff: $tmp/facts: no count row, expected" "$tmp/facts" "$tmp/old"
bad 'a folder' "kc-diff: $tmp: read failed" "$tmp" "$tmp/old"
wrong() {
	local name=$1 text=$2 rows=$3
	printf %b "$rows" >"$tmp/wrong"
	bad "$name, old" "kc-diff: $tmp/wrong:$text" "$tmp/wrong" "$tmp/old"
	bad "$name, new" "kc-diff: $tmp/wrong:$text" "$tmp/old" "$tmp/wrong"
}
wrong 'two rows of one case' "2: a second row of 'a' in 'c', the first is $tmp/wrong:1" \
	'1\tonce\tc\ta\n2\tonce\tc\ta\n'
wrong 'two equal rows of one case' "2: a second row of 'a' in 'c'" \
	'1\tonce\tc\ta\n1\tonce\tc\ta\n'
wrong 'too few fields' '1: 3 fields, expected' '1\tonce\tc\n'
wrong 'one field' '2: 1 fields, expected' '1\tonce\tc\ta\n7\n'
wrong 'an empty line' '2: 1 fields, expected' '1\tonce\tc\ta\n\n'
wrong 'too many fields' '1: too many fields' '1\tonce\tc\ta\tb\tc\n'
wrong 'a cut row' '2: the last row is cut' '1\tonce\tc\ta\n1\tonce\tc\tb'
wrong 'a number over 64 bits' "1: bad count '18446744073709551616' 'once': too large" \
	'18446744073709551616\tonce\tc\ta\n'
wrong 'no number' "1: bad count '12x' 'once': expected digits" '12x\tonce\tc\ta\n'
wrong 'a sign' "1: bad count '-1' 'once': expected digits" '-1\tonce\tc\ta\n'
wrong 'a number that is refused' "1: bad count '1' 'refused: x': expected '-'" '1\trefused: x\tc\ta\n'
wrong 'no number and not refused' "1: bad count '-' 'once': expected digits" '-\tonce\tc\ta\n'
wrong 'a bound without >=' "1: bad count '7' 'bound: x': expected '>='" '7\tbound: x\tc\ta\n'
wrong 'an unknown verdict' "1: bad count '7' 'sure': unknown verdict" '7\tsure\tc\ta\n'
wrong 'kernels that do not add up' "3: the kernels of 'a' in 'c' add up to 3, expected 4" \
	'1\tonce\tc\ta\tk\n2\tonce\tc\ta\tl\n4\tonce\tc\ta\n'
wrong 'kernels over 64 bits' "2: the kernels of 'a' in 'c' add up to more" \
	'18446744073709551615\tonce\tc\ta\tk\n1\tonce\tc\ta\tl\n4\tonce\tc\ta\n'
wrong 'kernels without their case' "1: a kernel of 'a' in 'c', expected a row" \
	'1\tonce\tc\ta\tk\n1\tonce\tc\tb\n'
wrong 'a kernel twice' "2: a second row of this kernel of 'a' in 'c'" \
	'1\tonce\tc\ta\tk\n2\tonce\tc\ta\tk\n3\tonce\tc\ta\n'
wrong "a kernel of another verdict" "1: a kernel's verdict is 'once', expected 'repeated'" \
	'1\tonce\tc\ta\tk\n1\trepeated\tc\ta\n'
wrong 'a kernel of a refused count' '1: a kernel of a refused count' \
	'-\trefused: x\tc\ta\tk\n-\trefused: x\tc\ta\n'

bad_rule() {
	printf '%s\n' '# one comment' "$2" >"$tmp/rules"
	bad "$1" "kc-diff: $tmp/rules:2: $3" -a "$tmp/rules" "$tmp/old" "$tmp/old"
}
bad_rule 'a pattern with a typo' 'foward/* <= 100 # why' "'foward/*' matches no count"
bad_rule 'a configuration with a typo' 'forward/* on cud <= 100 # why' "'forward/*' matches no count"
bad_rule 'no limit' 'forward/a # why' "bad rule 'forward/a # why': expected"
bad_rule 'no reason' 'forward/a <= 100' "no reason for 'forward/a'"
bad_rule 'an empty reason' 'forward/a <= 100 #' 'bad rule'
bad_rule 'another sign' 'forward/a < 100 # why' 'bad rule'
bad_rule 'no number' 'forward/a <= x # why' 'bad rule'
bad_rule 'a negative tolerance' 'forward/a -1 # why' 'bad rule'
bad_rule 'parts of a launch' 'forward/a +1.5 # why' 'bad rule'
bad_rule 'three decimals' 'forward/a +1.125% # why' 'bad rule'
bad_rule 'a ceiling over 64 bits' 'forward/a <= 18446744073709551616 # why' \
	"bad number '18446744073709551616': too large for 64 bits"
bad_rule 'a percentage too large' 'forward/a +1000001% # why' "bad tolerance '1000001%'"
bad_rule 'two limits of a kind' 'forward/a <= 100 <= 200 # why' "'forward/a <= 100' matches no count"
bad 'no rules' "kc-diff: $tmp/none: cannot open" -a "$tmp/none" "$tmp/old" "$tmp/old"
run kc-diff "$tmp/old"
status 2 'one file'
like "$(head -n 1 "$tmp/err")" '^kc-diff: 1 files, expected the old result and the new one' 'usage'
done_testing
