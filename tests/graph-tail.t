#!/usr/bin/env bash
# kc-tail.so: what is written after main has returned is waited for.
. "$(dirname "$0")/tap.sh"

cc -std=gnu11 -Wall -Wextra -Werror -pthread -o "$tmp/exits" "$root/tests/stub/exits.c" ||
	exit 99
log=$tmp/log

# preloaded NAME=VALUE... MODE...: its output in $log, the outcome in $word,
# $size, $tables and $ms.
preloaded() {
	local env=() IFS=$' \t\n'
	while [[ $1 == *=* ]]; do
		env+=("$1")
		shift
	done
	rm -f "$tmp/outcome"
	run env LD_PRELOAD="$build/kc-tail.so" KC_TAIL="$tmp/outcome" \
		"${env[@]}" "$tmp/exits" "$@"
	cp "$tmp/out" "$log"
	{ read -r word size tables ms <"$tmp/outcome"; } 2>/dev/null || word=none
}

whole() {
	is "$word" drained "$1: drained"
	is "$size" "$(stat -c %s "$log")" "$1: nothing was written after the wait"
}

has() { ok "$1" grep -q -- "$2" "$log"; }

preloaded late
whole 'a table that the device holds up'
has 'and it is there' Total

preloaded KC_TAIL_TABLES=1 later
whole 'a queue whose reader sleeps, with a table expected'
has 'and it is there' Total

preloaded busy
whole 'a logger that works without printing'
has 'and it is there' Total

preloaded KC_TAIL_LIMIT=400 never
whole 'a launch that is never synced'
ok 'it cost the limit' test "$ms" -ge 400

preloaded KC_TAIL_LIMIT=400 ticker
whole 'a thread that only wakes and sleeps'

preloaded KC_TAIL_LIMIT=30000 poller
whole 'a thread that looks for work all the time'
ok 'it does not cost the limit' test "$ms" -lt 15000
preloaded KC_TAIL_LIMIT=30000 poller busy
whole 'a logger that works beside it'
is "$(grep -c Total "$log")" 2 'and its table is there'
preloaded KC_TAIL_LIMIT=30000 KC_TAIL_TABLES=2 poller later
whole 'a reader that sleeps beside it, with a table expected'
is "$(grep -c Total "$log")" 2 'and its table is there as well'

preloaded KC_TAIL_LIMIT=400 spinner
whole 'a thread that never rests, nothing missing'

preloaded KC_TAIL_LIMIT=300 stuck
is "$word" busy 'a thread that never rests, a table missing: given up'

preloaded KC_TAIL_TABLES=2 table testing table table
whole 'all that was expected'
is "$tables" 2 'tables before the announcement are not counted'

preloaded KC_TAIL_TABLES=2 table
whole 'fewer tables than expected'
ok 'which took a longer look' test "$ms" -ge 1000

preloaded handler late
has 'exit handlers run' handler
is "$(tail -n 1 "$log")" handler 'after the wait, not before'
is "$word" drained 'which ended well'
ok 'and what they wrote shows' test "$size" -lt "$(stat -c %s "$log")"

preloaded late exit
whole 'exit instead of a return'
has 'and the table is there' Total

preloaded late leaver wait
whole 'exit from another thread'
has 'and the table is there' Total

preloaded stdio
whole "what is in stdio's buffer"
has 'is written first' buffer

preloaded late fork
whole 'a child that ends before'
has 'which does not end the wait' Total

preloaded exec
ok 'a child inherits none of it' test -z "$(grep -E 'KC_TAIL|kc-tail' "$log")"

run env LD_PRELOAD="/nonexistent.so $build/kc-tail.so" "$tmp/exits" exec
has_other=$(grep -c '^LD_PRELOAD=/nonexistent.so$' "$tmp/out")
is "$has_other" 1 'but what else is preloaded stays'

preloaded late fail
is "$word" failed 'a failing process is not waited for'
is "$code" 3 'and keeps its status'

preloaded _exit
is "$word" none 'a process that takes another way out leaves no outcome'

rm -f "$tmp/outcome"
env LD_PRELOAD="$build/kc-tail.so" KC_TAIL="$tmp/outcome" "$tmp/exits" late | cat >"$log"
read -r word size tables ms <"$tmp/outcome"
is "$word" blind 'a pipe cannot be read back'

preloaded KC_TAIL=/dev/full table
is "$word" none 'an outcome that cannot be written is none'
is "$code" 0 'and does not change how the bench ends'

run env LD_PRELOAD="$build/kc-tail.so" "$tmp/exits" table fork
is "$code" 0 'without KC_TAIL it does nothing'

done_testing
