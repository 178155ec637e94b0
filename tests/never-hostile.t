#!/usr/bin/env bash
# Input that means harm: no filter crashes, hangs, takes more than 64 MiB for any
# log, or makes a report larger than its input calls for.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/logs.sh"

# capped COMMAND...: run in 64 MiB of resident memory at most, $peak in KiB; 20
# seconds of processor time, which is a hang here.
capped() {
	tap_note="ran: $*"
	(
		[ -n "${KC_CHECKER-}" ] || ulimit -t 20
		/usr/bin/env -i PATH="$PATH" LC_ALL=C ASAN_OPTIONS="${ASAN_OPTIONS-}" \
			"$tmp/peak.exe" "$tmp/peak" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	)
	code=$?
	peak=$(cat "$tmp/peak")
}
small() {
	if [ -n "${KC_CHECKER-}" ]; then
		skip "$1" 'a checker needs memory of its own'
	elif [ "$peak" -le 65536 ]; then
		tap_pass "$1: $((peak / 1024)) MiB"
	else
		tap_fail "$1" "$peak KiB, expected at most 65536"
	fi
}

"${CC:-cc}" -O1 -Wall -Wextra -Werror -o "$tmp/peak.exe" "$root/tests/faults/peak.c" || exit 99

# --- lines ---
mib() { head -c "$1" /dev/zero | tr '\0' "$2"; }
{ printf 'Testing '; mib 16777000 x; echo; synced A 1; synced A 1; success; whole; } >"$tmp/id.log"
capped kc-totals "$tmp/id.log"
status 0 'an id of 16 MiB is read'
small 'an id of 16 MiB'
{ testing a; mib 17000000 x; echo; } >"$tmp/long.log"
capped kc-totals "$tmp/long.log"
status 2 'a line of 17 MB is refused'
stderr_is "kc-totals: $tmp/long.log:2: line too long, expected at most 16777216 bytes"$'\n' '... by line and limit'
small 'a line of 17 MB'
{ testing a; mib 60000000 '|'; } >"$tmp/long.log"
capped kc-totals "$tmp/long.log"
status 2 'a log of one line'
small 'a log of one line'
{ printf '| 1ms | '; mib 16000000 A; echo; summary A 1; } >"$tmp/launch.log"
capped kc-totals -k "$tmp/launch.log"
stdout_is $'1\tok\t\tA\n1\tok\t\n-\teof\t\n' 'a launch line of 16 MB counts'
small 'a launch line of 16 MB'

# --- tables ---
{
	summary A 1 | head -n 3
	awk 'BEGIN { for (i = 0; i < 900000; i++) print "|  | 1ms | 1 | 0 % |" }'
} >"$tmp/rows.log"
capped kc-totals -k "$tmp/rows.log"
status 0 'a table of 900,000 rows'
small 'a table of 900,000 rows'
like "$(head -n 1 "$tmp/out")" 'more kernels than can be kept' '... is no table'
{
	summary A 1 | head -n 3
	printf '| '
	mib 1000000 '|'
	echo
} >"$tmp/row.log"
for nojit in '' 1; do
	capped env ${nojit:+KC_NOJIT=1} kc-totals "$tmp/row.log"
	status 0 "a row of 1 MB that is none${nojit:+, no JIT}"
	small "a row of 1 MB that is none${nojit:+, no JIT}"
done
{
	summary A 1 | head -n 3
	awk 'BEGIN { printf "| "; for (i = 0; i < 80000; i++) printf "| 1ms | 1 "; print "" }'
} >"$tmp/row.log"
for nojit in '' 1; do
	capped env ${nojit:+KC_NOJIT=1} kc-totals "$tmp/row.log"
	status 0 "a row of 80,000 columns${nojit:+, no JIT}"
done

# --- rows into kc-pair and kc-md ---
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "%060d%08d\n", 0, i }' >"$tmp/cases"
capped kc-pair -l x "$tmp/cases" "$tmp/cases"
status 2 '200,000 ids with one beginning'
awk 'BEGIN { for (i = 0; i < 40000; i++) printf "1\tonce\tx\tg%d/a\n", i }' >"$tmp/rows"
capped kc-md "$tmp/rows"
status 0 '40,000 groups'
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "1\tonce\tx%d\tg/%d\n", i, i }' >"$tmp/rows"
capped kc-md "$tmp/rows"
status 2 '5,000 configurations of 5,000 cases'
stderr_is "kc-md: $tmp/rows:65: too many configurations, expected at most 64"$'\n' '... are too many'
{
	printf '1\tonce\tx\tg/'
	mib 1000000 y
	echo
	awk 'BEGIN { for (i = 0; i < 10000; i++) printf "1\tonce\tx\tg/%d\n", i }'
} >"$tmp/rows"
capped kc-md "$tmp/rows"
status 0 'an id of 1 MB among 10,000'
n=$(wc -c <"$tmp/out")
ok "... makes a report of $n bytes" [ "$n" -lt 4000000 ]
# --- what is kept: one gibibyte, whatever the system has ---
bounded() {
	capped "$@"
	status 2 "$1, more than it may keep"
	stderr_is "$1: out of memory, expected input that takes at most 1024 MiB"$'\n' '... says so'
	stdout_is '' '... and writes nothing'
	if [ -n "${KC_CHECKER-}" ]; then
		skip "... in 1 GiB" 'a checker needs memory of its own'
	else
		ok "... in 1 GiB ($((peak / 1024)) MiB)" [ "$peak" -le $((1100 * 1024)) ]
	fi
}
if [ -n "${KC_CHECKER-}" ]; then
	skip 'more than may be kept' 'a checker needs memory of its own'
else
	# Names of 8 MiB take what they are, and are quickly made.
	for ((i = 0; i < 150; i++)); do
		printf '1\tonce\tx\tg/%d' "$i"
		mib 8000000 z
		echo
	done >"$tmp/rows"
	for filter in kc-sort kc-json kc-law; do bounded $filter "$tmp/rows"; done
	bounded kc-diff "$tmp/rows" "$tmp/rows"
	sed 's/^1.once.x.//' "$tmp/rows" >"$tmp/cases"
	bounded kc-pair -l x "$tmp/cases" /dev/null
fi
done_testing
