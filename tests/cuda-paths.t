#!/usr/bin/env bash
# kc-run: every entry point, found in every way, is counted once. What must be
# counted is worked out by the test program, and the null driver, which keeps a
# record of its own, ran as many.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/cuda/lib.sh"

scenarios='direct ex cooperative multi oldest library failed host capture replay
	nested tograph ownstream graph disabled updated copies batch threads reload noexec
	late'
bounds='conditional updatable devicelaunch'
for way in linked dlsym dlvsym plain local global next proc proc2 \
	dlsym+pt dlvsym+pt plain+pt local+pt global+pt next+pt proc+pt proc2+pt; do
	{
		# shellcheck disable=SC2086 # several words
		counted "$way" "$scenarios"
		for scenario in $bounds; do
			counted "$way" "$scenario"
		done
	} >"$tmp/bad"
	file_is "$tmp/bad" '' "all scenarios, $way"
done
# One by one, with names, which take each launch another road through the counter.
for way in linked proc2+pt; do
	for scenario in $scenarios $bounds; do
		counted "$way" "$scenario" -k
		awk -F '\t' '!/^#/ { sub(/^>=/, "", $1) }
			!/^#/ && NF == 5 { sum += $1 }
			!/^#/ && NF == 4 && $1 != sum {
				print "kernels add up to " sum ", not " $1 }' \
			"$tmp/rows"
	done >"$tmp/bad"
	file_is "$tmp/bad" '' "each scenario by kernel, $way"
done

# By name: launches of each kernel, worked out at s_updated and s_reload.
kernels() { awk -F '\t' 'NF == 5 && !/^#/ { print $5, $1 }' "$tmp/rows" | sort; }
counted dlsym updated -k
is "$(kernels)" $'_Z6secondv 14\nfirst 10' 'kernels of an updated graph'
counted dlsym reload -k
is "$(kernels)" $'first 5\nthird 5' 'a handle that is used anew'
counted dlsym replay -k
# 3 of the first run directly; of 4 captured, 2 are the first and 2 the second;
# replayed 5 times.
is "$(kernels)" $'_Z6secondv 10\nfirst 13' 'kernels of a captured graph'
counted dlsym library -k
is "$(kernels)" '_Z6secondv 2' 'a kernel in place of a function'
counted dlsym library -d
is "$(kernels)" 'second() 2' '-d demangles'

# A driver before 12.3 has no cuFuncGetName: the names are those that the program
# asked for. A name that is spelt otherwise is not found.
mkdir "$tmp/old"
ln -s "$null/profiles" "$tmp/old/profiles"
sed 's/cuFuncGetName/cuFuncGetNaXX/g; s/cuKernelGetName/cuKernelGetNaXX/g' \
	"$null/libcuda.so.1" >"$tmp/old/libcuda.so.1"
for scenario in updated reload library; do
	LD_LIBRARY_PATH=$tmp/old run kc-run -k -o "$tmp/rows" -- "$paths" dlsym \
		"$scenario"
	kernels
done >"$tmp/got"
file_is "$tmp/got" $'_Z6secondv 14\nfirst 10\nfirst 5\nthird 5\n_Z6secondv 2\n' \
	'names without the driver'"'"'s help'
done_testing
