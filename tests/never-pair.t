#!/usr/bin/env bash
# What two logs can prove, and what only looks like a proof.
. "$(dirname "$0")/tap.sh"

# rows N ...: the rows of one whole log of case f/a, with a table for each N;
# `T` is where it is announced.
rows() {
	local n
	for n; do
		case $n in
		T) printf -- '-\tbegin\tf/a\n' ;;
		*) printf '%s\tok\tf/a\n' "$n" ;;
		esac
	done
	printf -- '-\tend\tf/a\n-\twhole\tf/a\n'
}
echo f/a >"$tmp/cases"

# judged WANT NAME FIRST SECOND: the row of the two logs.
judged() {
	# shellcheck disable=SC2086 # the tables are words
	rows $3 >"$tmp/1"
	# shellcheck disable=SC2086
	rows $4 >"$tmp/2"
	run kc-pair -l x "$tmp/cases" "$tmp/1" "$tmp/2"
	is "$(cut -f 1,2 "$tmp/out")" "$1" "$2"
}
one_more=$'-\trefused: %s and %s tables for one and two warm-up iterations, expected one more: an iteration must sync once, at its end'
start=$'-\trefused: the tables before the warm-up\'s differ in two runs, expected the same: something synced in one of them only'

judged $'5\trepeated' 'a warm-up more, a table more' 'T 9 5' 'T 9 5 5'
judged $'5\trepeated' 'set-up that syncs' 'T 3 9 5' 'T 3 9 5 5'
judged $'5\trepeated' 'a first warm-up that tunes, in one run only' \
	'3 T 2 90 5' '3 T 2 9 5 5'
judged $'5\tonce' 'the bench warms up as it likes' 'T 9 5' 'T 9 5'
judged $'-\trefused: as many tables for one and two warm-up iterations, and more launches in the last than in the one before it: it may be the warm-up\'s, since an iteration that launches nothing prints none' \
	'an iteration that launches nothing, after set-up that syncs' 'T 4 7' 'T 4 7'
# shellcheck disable=SC2059
judged "$(printf -- "$one_more" 4 6)" 'a sync inside the iteration' \
	'T 3 5 3 5' 'T 3 5 3 5 3 5'

# One log: the same evidence, so the same rule.
alone() {
	# shellcheck disable=SC2086 # the tables are words
	rows $3 >"$tmp/1"
	run kc-pair -l x "$tmp/cases" "$tmp/1"
	is "$(cut -f 1,2 "$tmp/out")" "$1" "$2"
	status "$([[ $1 = -* ]] && echo 2 || echo 0)" '... and its status'
}
alone $'5\tonce' 'one log, a warm-up that initialises' 'T 9 5'
alone $'5\tonce' 'one log, a warm-up as large' 'T 3 5 5'
alone $'-\trefused: one log, and more launches in its last table than in the one before it: it may be the warm-up\'s, since an iteration that launches nothing prints none; expected a second log with one warm-up iteration more' \
	'one log of an iteration that launches nothing, after set-up that syncs' 'T 4 7'
alone $'-\trefused: one table in its log, expected the warm-up\'s and the measured iteration\'s: an iteration that launches nothing prints none' \
	'one log of an iteration that launches nothing' '4 T 7'

# Rows of a log that break off are not continued by another input's.
rows T 9 5 | head -n 2 >"$tmp/1"
rows T 9 5 | tail -n 3 >"$tmp/2"
run kc-pair -l x "$tmp/cases" "$tmp/1" "$tmp/2"
status 2 'a part of a log in each input: status'
stdout_is '' '... no row'
stderr_is "kc-pair: $tmp/1: the rows end in the middle of a log, expected 'whole' or 'eof' last"$'\n' '... and why'
{ rows T 9 5; printf '7\tok\tf/a\n'; } >"$tmp/1"
run kc-pair -l x -t 3 "$tmp/cases" "$tmp/1"
status 2 'with -t, rows after the end of the log: status'
is "$(cut -f 1,2 "$tmp/out")" $'-\trefused: rows of 1 logs and of a part of one, expected one log for -t' '... refused'

# A sync inside the iteration, and one table that only one process has: together
# a table more.
judged "$start" 'a sync inside, a tuner in the first process' \
	'T 70 3 5 3 5' 'T 3 5 3 5 3 5'
judged "$start" 'a sync inside, a tuner in the first set-up' \
	'9 T 70 3 5 3 5' '9 T 3 5 3 5 3 5'

# The logger may be behind: a table of the set-up comes after the announcement.
judged $'5\trepeated' 'a late table of the set-up in the first' \
	'T 3 9 5' '3 T 9 5 5'
judged $'5\trepeated' 'a late table of the set-up in the second' \
	'3 T 9 5' 'T 3 9 5 5'
# shellcheck disable=SC2059
{
	judged "$(printf -- "$one_more" 5 7)" \
		'a sync inside, a late table of the set-up in the first' \
		'T 5 5 5 5 5' '5 T 5 5 5 5 5 5'
	judged "$(printf -- "$one_more" 6 9)" \
		'a sync a token, late tables of the set-up in the first' \
		'T 5 5 5 5 5 5' '5 5 T 5 5 5 5 5 5 5'
}
# Set-up that only one process had to do, and synced before the announcement.
judged $'5\trepeated' 'another set-up in each process' '70 T 9 5' '7 8 T 9 5 5'

# Text of a row that reaches a terminal.
printf '#bad\tf/a\tx\\n\033[2Jy\302\233:3\tit was\001\n-\tbad\tf/a\n-\twhole\tf/a\n' >"$tmp/rows"
run kc-pair -l x "$tmp/cases" "$tmp/rows"
status 2 'a hostile reason: status'
stderr_is "kc-pair: x: 'f/a' refused: x??[2Jy?:3: a table is unfit: it was?"$'\n' \
	'a hostile reason stays on its line'

# A checker needs far more memory than its program.
[ -z "${KC_CHECKER-}" ] || { skip 'memory' 'it is not the program'\''s own here'; done_testing; }

# Memory that does not grow with the log: 200,000 tables and their kernels, as
# many announcements, in 64 MiB of address space.
awk 'BEGIN {
	for (i = 0; i < 200000; i++)
		printf "1\tok\tf/a\t%0100d\n1\tok\tf/a\n", i
	print "-\twhole\tf/a"
}' >"$tmp/rows"
run bash -c 'ulimit -v 65536; exec "$@"' - kc-pair -l x "$tmp/cases" "$tmp/rows"
stdout_is $'1\tonce\tx\tf/a\t'"$(printf %0100d 199999)"$'\n1\tonce\tx\tf/a\n' \
	'200,000 tables in 64 MiB'
awk 'BEGIN {
	for (i = 0; i < 200000; i++)
		printf "-\tbegin\t%0200d\n", i
	print "-\teof\tf/a"
}' >"$tmp/rows"
run bash -c 'ulimit -v 65536; exec "$@"' - kc-pair -l x "$tmp/cases" "$tmp/rows"
status 2 '200,000 announcements in 64 MiB'
like "$(cat "$tmp/out")" '^-.refused: its log is of case ' '... refused'
run bash -c 'ulimit -v 65536; exec "$@"' - kc-pair -l x -t 2 "$tmp/cases" "$tmp/rows"
status 2 '200,000 announcements in 64 MiB, -t'
like "$(cat "$tmp/out")" '^-.refused: case 1 of the log is ' '... refused'
done_testing
