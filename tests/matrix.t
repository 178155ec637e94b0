#!/usr/bin/env bash
# matrix.t: make bench-matrix, both ways of it, and the order of runs.
. "$(dirname "$0")/tap.sh"
. "$root/tests/stub/graph.sh"

dir=$tmp/matrix
matrix() { CONFIGS='cpu vulkan-fused' kc bench-matrix MATRIX_DIR="$dir" DRIVER=null JOBS=4 VK_DRIVER_FILES="$tmp/icd.json" "$@"; }

new_crate
echo '{"ICD": {"library_path": "libvulkan.so.1"}}' >"$tmp/icd.json"
matrix
case $(cat "$tmp/err") in
*'cannot run here'*) skip_all 'no Vulkan loader, and the test needs a second configuration' ;;
esac
status 0 'bench-matrix'
times=$(sed 's/[0-9.]* s/N s/g; s/[0-9.]*$/R/' "$tmp/out" | tail -n 3 | tr -s ' ')
is "$times" 'caches older way ours ratioR
cold N s N s R
warm N s N s R' 'both times and the ratio, cold and warm'
is "$(cut -f 1,2 "$dir/times")" "older-cold	cpu
older-cold	vulkan-fused
older-cold	all
older-warm	cpu
older-warm	vulkan-fused
older-warm	all
ours-cold	all
ours-warm	all" 'a line for each part'

# One process for all the cases of a configuration, after one that lists; ours
# counts each case twice, in processes of its own, each time.
is "$(grep -c '^<--bench><--test>$' "$tmp/trace")" 4 'the older way: a process a configuration, twice'
is "$(grep -c '^<--bench><--test><^' "$tmp/trace")" 24 'ours: two a case, in two configurations, twice'
for part in older-cold older-warm; do
	like "$(tr -s ' ' <"$dir/$part.md")" '[|] `c` [|] 3 \(once\) [|] 3 \(once\) [|]' "$part counted"
done
for part in ours-cold ours-warm; do
	like "$(tr -s ' ' <"$dir/$part.md")" '[|] `c` [|] 3 [|] 3 [|]' "$part counted twice"
done
like "$(head -n 1 "$dir/ours-cold.err")" '^[0-9]+\.[0-9]{3}	' 'and tells when each process started'
ok 'the report of the crate is untouched' test ! -e "$crate/kernels.md"

matrix PARTS='ours-warm older-warm' FILTER=step
is "$(tests_run)" 6 'some parts, of some cases'
matrix PARTS=lukewarm
status 2 'an unknown part'
ok 'is named' grep -q "unknown part 'lukewarm' in PARTS, expected some of older-cold" "$tmp/err"

# --- The order of runs: what is not known, then the longest.

mkdir -p "$tmp/logs/a" "$tmp/logs/b" && cd "$tmp/logs" || exit 99
printf 'x.1 5\ny.1 40\nx.1 70\n' >a/times
printf 'x.1 50\nx.2 1000\n' >b/times
printf 'a/k/x.1.log a/k/new+case.1.log b/k/x.1.log a/k/y.1.log b/k/x.2.log b/k/z.1.log\n' >targets
run "$root/mk/order" targets a b c
stdout_is 'a/k/new+case.1.log
b/k/z.1.log
b/k/x.2.log
a/k/x.1.log
b/k/x.1.log
a/k/y.1.log
' 'unknown ones first, then the longest'
run "$root/mk/order" targets c
stdout_is "$(tr ' ' '\n' <targets)"$'\n' 'with nothing known, as they are given'

done_testing
