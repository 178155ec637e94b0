#!/usr/bin/env bash
# Time is linear in the input, whatever is in it: for each filter and each shape
# of input that means harm, twice as much makes at most 2.2 times the
# instructions, counted by callgrind. What it takes to start is taken off.
# `make test` does one or two for each filter, `make test-exhaustive` (KC_ALL) all.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/logs.sh"
[ -z "${KC_CHECKER-}" ] || skip_all 'a checker makes instructions of its own'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'

instructions() {
	KC_NOJIT=1 valgrind --tool=callgrind --callgrind-out-file="$tmp/callgrind" "$@" 2>&1 >/dev/null </dev/null |
		sed -n 's/.*Collected : //p'
}
declare -A start
soon='
kc-totals, one line
kc-totals, one table of many kernels
kc-totals, a row of many columns
kc-cases, one deep id
kc-pair, kernels of one table
kc-pair, a log of all cases
kc-md, groups
kc-md, one long name
kc-sort, as many facts as counts
kc-json, as many facts as counts
kc-kernels, as many facts as counts
kc-diff, as many facts as counts
kc-law, configurations
'

# linear NAME COMMAND...: % in the command is 0, then N, then twice N, so many of
# what is in the file.
linear() {
	local name=$1 filter=$2 none one two
	shift
	[ -n "${KC_ALL-}" ] || [[ $soon == *$'\n'"$filter, $name"$'\n'* ]] || return 0
	tap_note="ran: $*"
	none=${start[$filter]-}
	[ -n "$none" ] || none=$(instructions "${@//%/0}")
	start[$filter]=$none
	one=$(($(instructions "${@//%/$n}") - none))
	two=$(($(instructions "${@//%/$((2 * n))}") - none))
	# Below this it is the start that was measured.
	if [ "$one" -lt 20000 ]; then
		tap_fail "$filter, $name" "too few instructions to tell: $one"
	elif [ $((two * 10)) -le $((one * 22)) ]; then
		tap_pass "$filter, $name: $((two * 100 / one))%"
	else
		tap_fail "$filter, $name" "$one, then $two: expected at most 2.2 times"
	fi
}

# made FILE N PROGRAM: FILE.0, FILE.N and FILE.2N, by awk's PROGRAM for n.
made() {
	local k
	n=$2
	for k in 0 "$n" $((2 * n)); do
		awk -v n="$k" "$3" >"$tmp/$1.$k"
	done
}
printf 'a\n' >"$tmp/ids"
sum=$(summary A 1 | sed -n '1,3p;5,7p')
export sum
table='BEGIN { split(ENVIRON["sum"], t, "\n") }'

# --- kc-totals: logs ---
log() {
	made log "$2" "$table $3"
	linear "$1" kc-totals -k "$tmp/log.%"
}
log 'one line' 300000 'BEGIN { for (i = 0; i < n; i++) printf "| n" }'
log 'lines of one byte' 4000 'BEGIN { for (i = 0; i < n; i++) print "|" }'
log 'a line that is nearly a panic, again and again' 4000 \
	'BEGIN { for (i = 0; i < n; i++) printf "thread \047 panicked a not measured " }'
log 'announcements' 3000 'BEGIN { for (i = 0; i < n; i++) print "Testing g/" i }'
log 'tables that are never closed' 1000 'BEGIN { for (i = 0; i < n; i++) print t[1] "\n" t[2] }'
log 'one table of many kernels' 1500 'BEGIN {
	print t[1] "\n" t[2] "\n" t[3]
	for (i = 0; i < n; i++) print "| k" i " | 1ms | 1 | 0 % |" }'
log 'a row of many columns' 3000 'BEGIN {
	printf "%s\n%s\n%s\n| ", t[1], t[2], t[3]
	for (i = 0; i < n; i++) printf "| 1ms | 1 "
	print "" }'
log 'a name of bars and blanks' 60000 'BEGIN {
	printf "%s\n%s\n%s\n| ", t[1], t[2], t[3]
	for (i = 0; i < n; i++) printf " |"
	print " | 1ms | 1 | 0 % |" }'

# --- kc-cases: lists ---
list() {
	made list "$2" "$3"
	linear "$1" kc-cases "$tmp/list.%"
}
list 'many cases' 3000 'BEGIN { print "x: bench"; for (i = 0; i < n; i++) print "g/" i ": benchmark" }'
list 'one case again and again' 3000 'BEGIN { print "x: bench"; for (i = 0; i < n; i++) print "g/a: benchmark" }'
list 'one deep id' 200000 'BEGIN { print "x: bench"; for (i = 0; i < n; i++) printf "/: bench"; print ": bench" }'

# --- kc-pair: rows and lists ---
rows() {
	made rows "$2" "$3"
	linear "$1" kc-pair -l x "${4:-$tmp/ids}" "$tmp/rows.%"
}
rows 'tables of one log' 3000 'BEGIN { for (i = 0; i < n; i++) print "5\tok\ta"; print "-\twhole\ta" }'
rows 'announcements' 3000 'BEGIN { for (i = 0; i < n; i++) print "-\tbegin\tb" i; print "-\teof\ta" }'
rows 'logs of one case' 2000 'BEGIN { for (i = 0; i < n; i++) print "5\tok\ta\n5\tok\ta\n-\twhole\ta" }'
rows 'kernels of one table' 2000 'BEGIN {
	print "1\tok\ta"
	for (i = 0; i < n; i++) print "1\tok\ta\tk" (i * 7919) % n
	print n "\tok\ta\n-\twhole\ta" }'
rows 'facts' 2000 'BEGIN { for (i = 0; i < n; i++) print "#witness\ta\t5\tw\n#bound\ta\tx\n#void\ta\ty\n#bad\ta\tl:1\tz" }'
made cases 1500 'BEGIN { print "a"; for (i = 0; i < n; i++) printf "%040d%d\n", 0, i }'
rows 'cases with one beginning' 1500 'BEGIN {
	for (i = 0; i < n; i++) printf "5\tok\t%040d%d\n5\tok\t%040d%d\n-\twhole\t%040d%d\n", 0, i, 0, i, 0, i }' "$tmp/cases.%"
rows 'a log of all cases' 1500 'BEGIN { for (i = 0; i < n; i++) printf "5\tok\t%040d%d\n", 0, i; print "-\teof\ta" }' "$tmp/cases.%"

# --- results: rows of counts ---
# result NAME N PROGRAM FILTER...: each filter on it.
result() {
	local name=$1 filter
	made result "$2" "$3"
	shift 3
	for filter; do
		case $filter in
		kc-diff) linear "$name" kc-diff -k "$tmp/result.%" "$tmp/result.%" ;;
		*) linear "$name" "$filter" "$tmp/result.%" ;;
		esac
	done
}
one='BEGIN { print "1\trepeated\tc S=1\ta\tk\n1\trepeated\tc S=1\ta" }'
result 'cases' 1200 "$one"'BEGIN { for (i = 0; i < n; i++) print "1\trepeated\tc S=1\tg/" i }' kc-md kc-sort kc-json kc-kernels kc-diff kc-law
result 'groups' 600 "$one"'BEGIN { for (i = 0; i < n; i++) print "1\trepeated\tc S=1\tg" i "/a" }' kc-md
result 'kernels of one case' 1200 "$one"'BEGIN {
	for (i = 0; i < n; i++) print "1\trepeated\tc S=1\tb\tk" (i * 7919) % n
	print n "\trepeated\tc S=1\tb" }' kc-md kc-sort kc-kernels kc-diff
result 'configurations' 800 "$one"'BEGIN { for (i = 0; i < n; i++) print "1\trepeated\tc S=" i + 2 "\ta" }' kc-sort kc-json kc-diff kc-law
result 'configurations and cases of one each' 800 "$one"'BEGIN { for (i = 0; i < n; i++) print "1\trepeated\tc S=" i + 2 "\tg" i }' \
	kc-sort kc-json kc-diff
result 'as many facts as counts' 800 "$one"'BEGIN {
	for (i = 0; i < n; i++) {
		print "#device\tc S=" i + 2 "\td"
		print "#config\tc S=" i + 2 "\tt"
		print "#config\tc S=1\tt" i
		print "#shared\tc S=1\tb\tk" i "\t2"
		print "1\trepeated\tc S=" i + 2 "\ta"
		print "1\trepeated\tc S=1\tb\tk" i
	}
	if (n > 0) print n "\trepeated\tc S=1\tb" }' kc-sort kc-json kc-kernels kc-diff
result 'one long name' 60000 "$one"'BEGIN {
	printf "1\trepeated\tc S=1\tg/"
	for (i = 0; i < n; i++) printf "|`\\<"
	print "" }' kc-md kc-sort kc-json kc-kernels kc-diff kc-law
result 'notes' 1200 "$one"'BEGIN { for (i = 0; i < n; i++) print "#note\tn" i "\n#about\ta\tb" i "\n#unknown" i }' kc-md kc-sort
result 'earlier counts' 800 "$one"'BEGIN { for (i = 0; i < n; i++) print "#was\tc S=1\tg/" i "\t1\n2\trepeated\tc S=1\tg/" i }' kc-md
[ -n "${KC_ALL-}" ] || is "$tap_n" "$(grep -c , <<<"$soon")" 'each that is to be done soon was'
done_testing
