#!/usr/bin/env bash
# kc-reads: the null driver's records to facts.
. "$(dirname "$0")/tap.sh"

# record NAME KERNELS [AFTER TIMES ENTRY]...: a record as the null driver
# writes it.
record() {
	local name=$1 kernels=$2
	shift 2
	{
		printf 'kc-null\t1\t7\th200\n'
		while [ $# -gt 0 ]; do
			printf 'read\t7\t%s\t%s\t4\t%s\n' "$1" "$2" "$3"
			shift 3
		done
		printf 'whole\t7\t%s\t0\t0\t0\t0\n' "$kernels"
	} >"$tmp/$name"
}

void() { printf '#void\tcase\t%s\n' "$1"; }
reads_by() { void "the iteration reads from the device ($1), and the null driver has only zeros"; }
both() { run kc-reads -c case "$tmp/1" "$tmp/2"; }

# Set-up 3 kernels, each iteration 10: 2 iterations and 3 of them.
record 1 23
record 2 33
both
status 0
stdout_is $'#witness\tcase\t10\tthe null driver\n' 'no read: one iteration is the difference'
stderr_is ''

record 1 23 0 1 cuMemcpyDtoH
record 2 33 0 5 cuMemcpyDtoH
both
stdout_is $'#witness\tcase\t10\tthe null driver\n' 'reads before any kernel tell nothing'

record 1 23 3 1 cuMemcpyDtoH 23 2 cuMemcpyDtoH
record 2 33 3 1 cuMemcpyDtoH 33 2 cuMemcpyDtoH
both
stdout_is $'#witness\tcase\t10\tthe null driver\n' 'as many in both runs, around the iterations'

record 1 23 13 1 cuMemcpyDtoH 23 1 cuMemcpyDtoH
record 2 33 13 1 cuMemcpyDtoH 23 1 cuMemcpyDtoH 33 1 cuMemcpyDtoH
both
is "$(<"$tmp/out")" "$(reads_by cuMemcpyDtoH)" 'a read at each end is an iteration'"'"'s'

record 1 23 14 1 cuMemcpyDtoHAsync
record 2 33 24 1 cuMemcpyDtoHAsync
both
is "$(<"$tmp/out")" "$(reads_by cuMemcpyDtoHAsync)" 'after its first kernel'
record 1 23 22 1 cuMemcpyDtoHAsync
record 2 33 32 1 cuMemcpyDtoHAsync
both
is "$(<"$tmp/out")" "$(reads_by cuMemcpyDtoHAsync)" 'before its last kernel'
record 2 33
both
is "$(<"$tmp/out")" "$(reads_by cuMemcpyDtoHAsync)" 'in one of the runs'

# A run with only the set-up before it: the measured iteration is all there is.
record 1 10 5 1 x
record 2 20 15 1 x
both
is "$(<"$tmp/out")" "$(reads_by x)" 'an iteration as long as the run'
record 1 10
record 2 30 5 1 x
both
is "$(<"$tmp/out")" "$(reads_by x)" 'an iteration longer than the first run'

record 1 23
record 2 23
both
is "$(<"$tmp/out")" "$(void 'the null driver counted 23 kernels, and with one iteration more 23')" 'no difference'
record 2 20
both
is "$(<"$tmp/out")" "$(void 'the null driver counted 23 kernels, and with one iteration more 20')" 'fewer'

bad() {
	both
	is "$(<"$tmp/out")" "$(void "the null driver's record of run 2 $1")" "$2"
	status 0 "$2: status"
}
record 1 23
rm "$tmp/2"
bad 'is not there: the bench did not use the null driver' 'no record'
: >"$tmp/2"
bad 'is empty: the bench did not use the null driver' 'an empty record'
printf 'kc-null\t1\t7\th200\n' >"$tmp/2"
bad 'has no end, or no kernel' 'a record without an end'
record 2 33
printf 'kc-null\t1\t8\th200\nwhole\t8\t1\t0\t0\t0\t0\n' >>"$tmp/2"
bad 'has kernels of several processes' 'two processes'
record 2 33
printf 'kc-null\t1\t8\th200\nwhole\t8\t0\t0\t0\t0\t0\n' >>"$tmp/2"
both
stdout_is $'#witness\tcase\t10\tthe null driver\n' 'a process without kernels is no matter'
record 2 33
printf 'something else\n' >>"$tmp/2"
bad 'has a line that cannot be read' 'an unknown line'
record 2 33
printf 'read\t7\tx\t1\t4\tentry\n' >>"$tmp/2"
bad 'has a line that cannot be read' 'a count that is none'
printf 'kc-null\t1\t7\th200\nwhole\t7\t3' >"$tmp/2"
bad 'is cut' 'a record cut in its last line'
sed 's/h200/a100/' "$tmp/1" >"$tmp/2"
both
is "$(<"$tmp/out")" "$(void 'the two runs were on different profiles of the null driver')" 'other profiles'
printf 'kc-null\t2\t7\th200\nwhole\t7\t3\t0\t0\t0\t0\n' >"$tmp/2"
bad 'is of another version of the null driver' 'another version'

record 1 23
run kc-reads -c case "$tmp/1"
stdout_is '' 'one run without reads: nothing to say'
record 1 23 3 1 x
run kc-reads -c case "$tmp/1"
is "$(<"$tmp/out")" "$(void 'it reads from the device (x), the null driver has only zeros, and one run does not tell where')" 'one run with a read'

record 1 23
record 2 33
run kc-reads -c $'#a\tb\\c' "$tmp/1" "$tmp/2"
stdout_is $'#witness\t#a\\tb\\\\c\t10\tthe null driver\n' "the case's id is escaped"
run kc-reads "$tmp/1"
status 2 'no case'
run kc-reads -c case
status 2 'no record'
run kc-reads -c case "$tmp/1" "$tmp/1" "$tmp/1"
status 2 'three records'

done_testing
