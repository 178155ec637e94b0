#!/usr/bin/env bash
# mk/chart: pictures, by gnuplot.
. "$(dirname "$0")/tap.sh"
chart=$root/mk/chart

# Without gnuplot: one line.
mkdir "$tmp/bin"
for tool in bash awk mktemp rm env; do ln -s "$(command -v $tool)" "$tmp/bin/$tool"; done
run env PATH="$tmp/bin" "$chart" bars "$tmp/none" "$tmp/x.svg"
status 2 'without gnuplot'
stderr_line 'kernel-count: gnuplot is not found, and it draws the charts: install gnuplot-nox'
if ! command -v gnuplot >/dev/null; then
	skip 'the pictures' 'gnuplot is not here'
	done_testing
fi

# texts SVG: what is written in it.
texts() { sed -n 's/.*<text[^>]*>\(.*\)<\/text>.*/\1/p' "$1"; }
# xml SVG NAME
xml() {
	if command -v xmllint >/dev/null; then
		ok "$2: well-formed" xmllint --noout "$1"
	elif command -v python3 >/dev/null; then
		ok "$2: well-formed" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1"
	else
		skip "$2: well-formed" 'neither xmllint nor python3 is here'
	fi
}

cat >"$tmp/rows" <<'END'
#device	cuda	H200
99	repeated	cuda	forward/a
75	repeated	fused	forward/a
-	refused: a panic	wgpu	forward/a
0	repeated	cuda	step/<b>&
5	once	wgpu	step/<b>&
>=7	bound: graph	fused	step/<b>&
12	repeated	cuda	a'; system("touch pwned") `touch pwned` #"\\
3	repeated	cuda	forward/a	K
END
cd "$tmp" || exit 99
run "$chart" bars rows bars.svg
status 0 'bars'
stderr_line 'wrote bars.svg'
xml bars.svg 'bars'
for text in 'Kernel launches of one iteration' 'forward/a' '99  cuda' '75  fused' 'refused  wgpu' \
	'0  cuda' '≥7  fused' '5 (once)  wgpu' 'step/&lt;b>&amp;' "a'; system(\"touch pwned\") \`touch pwned\` #\"\\"; do
	is "$(texts bars.svg | sed 's/&quot;/"/g' | grep -c -F -x -- "$text")" 1 "bars: $text"
done
ok 'bars: names are data' [ ! -e pwned ]
is "$(grep -c "fill = 'rgb(  0, 114, 178)'" bars.svg)" 2 'bars: two of the first colour; a count of 0 has none'
ok 'bars: light and dark' grep -q 'prefers-color-scheme: dark' bars.svg
ok 'bars: linear' eval '! texts bars.svg | grep -q logarithmic'
printf '1\tonce\tc\ta\n51\tonce\tc\tb\n' >far
run "$chart" bars far far.svg
ok 'a wide spread: logarithmic, and it says so' grep -q '(logarithmic scale)' far.svg
run "$chart" bars rows bars2.svg
ok 'the same twice' cmp -s bars.svg bars2.svg

for n in 64 128 256; do
	printf '%d\tonce\tcuda BENCH_SEQ=%d\tforward/a\n7\tonce\tcuda BENCH_SEQ=%d\tstep\n' $((n / 8)) $n $n
	printf '9\tonce\tfused BENCH_SEQ=%d\tforward/a\n' $n
done >sweep
printf -- '-\trefused: x\tfused BENCH_SEQ=512\tforward/a\n' >>sweep
run "$chart" sweep sweep sweep.svg
status 0 'sweep'
xml sweep.svg 'sweep'
is "$(texts sweep.svg | grep -v '^[0-9]*$')" 'Kernel launches over a size
cuda, by BENCH_SEQ
forward/a  32
step  7
fused, by BENCH_SEQ
forward/a  9' 'sweep: a panel a configuration, a line a case'

# A history.
if command -v git >/dev/null; then
	export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z'
	mkdir repo
	git init -q repo
	for n in 10 12 11; do
		printf '%d\tonce\tcuda\ta\n' "$n" >repo/kernels.tsv
		git -C repo add kernels.tsv
		git -C repo -c user.name=x -c user.email=x commit -q -m "$n"
	done
	run "$chart" history repo/kernels.tsv history.svg
	status 0 'history'
	xml history.svg 'history'
	is "$(texts history.svg | grep -c -x "$(git -C repo log --format=%h | tr '\n' '|' | sed 's/|$//; s/|/\\|/g')")" 3 \
		'history: a tick a commit'
	is "$(texts history.svg | grep '^a  ')" 'a  11' 'history: the last count beside its line'
	printf '1\tonce\tc\ta\n' >repo/other.tsv
	run "$chart" history repo/other.tsv x.svg
	status 2 'history of a file that is not committed'
	stderr_line 'repo/other.tsv: not in a git repository'\''s history'
else
	skip 'history' 'git is not here'
fi

: >empty
for form in bars sweep; do
	run "$chart" $form empty x.svg
	status 2 "$form of nothing"
	stderr_line 'empty: no count' "$form of nothing: one line"
	ok "$form of nothing: no picture" [ ! -e x.svg ]
done
run "$chart" bars rows nowhere/x.svg
status 2 'a picture that cannot be written'
run "$chart" pie rows x.svg
status 2 'another form'
done_testing
