#!/usr/bin/env bash
# The graph as make runs it: side by side, interrupted, killed, twice at once;
# the jobserver; a make that is too old.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
CONFIGS=cpu
export KC_TAIL_LIMIT=1500
said() { ok "$1" grep -q -- "$2" "$tmp/err"; }
row() { awk -F '\t' -v id="$1" '!/^#/ && NF == 4 && $4 == id { print $1 "|" $2 }' "$logs/rows"; }

# await SECONDS COMMAND...: until it succeeds.
await() {
	local end=$((SECONDS + $1))
	shift
	until "$@" 2>/dev/null; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# --- A make that is too old.

run make -C "$root" .FEATURES=jobserver list
status 2 'a make without grouped targets'
said 'is named in one line' 'is too old: kernel-count needs 4.3 or newer'
is "$(wc -l <"$tmp/err")" 1 'one line'

# --- Side by side.

new_crate
for i in {1..20}; do printf 'many/%d\t%d\n' "$i" "$i"; done >"$BENCH_CASES"
kc -j4
status 0 '-j4'
is "$(tests_run)" 40 'all run'
is "$(awk -F '\t' '!/^#/ && NF == 4 && $1 == substr($4, 6)' "$logs/rows" | wc -l)" 20 'each with its own count'
ok 'progress ends at the last' grep -q '^\[40/40\] ' "$tmp/err"
is "$(grep -c '^\[[0-9]*/40\] ' "$tmp/err")" 40 'a line for each'

# --- The jobserver.

STUB_JOBS=$tmp/jobs kc -j3 CARGOFLAGS='--offline' OUT="$tmp/jobs.md"
like "$(cat "$tmp/jobs")" '^ ?-j3 --jobserver-(auth|fds)=[^ ]*$' "cargo has make's jobserver and none of its variables"
rm "$tmp/jobs"
STUB_JOBS=$tmp/jobs kc
is "$(cat "$tmp/jobs")" none 'and without -j nothing'
ok 'no warning about the jobserver' sh -c "! grep -qi 'jobserver' '$tmp/err'"

# --- On a terminal.

new_crate
if command -v script >/dev/null; then
	CONFIGS=cpu script -qec "make -C $root --no-print-directory CARGO=$root/tests/stub/cargo CRATE=$crate" /dev/null \
		</dev/null >"$tmp/out" 2>"$tmp/err"
	is "$(tr '\r' '\n' <"$tmp/out" | grep -c $'^\e\\[K\\[[1-6]/6\\] cpu: ')" 6 'one line that moves on a terminal'
	ok 'and is gone at the end' sh -c "tail -n 1 '$tmp/out' | grep -q '^wrote '"
else
	skip 'one line that moves on a terminal' 'script(1) is not here'
fi

# --- make -n.

new_crate
kc -n
status 0 'make -n'
is "$(cat "$tmp/trace.cargo" "$tmp/trace")" '' 'runs neither cargo nor the bench'

# --- Killed at any moment, then run again. The whole group is killed, as a
# machine that goes down would do it.

for i in {1..12}; do
	if ((i % 4 == 1)); then
		new_crate
		for k in {1..6}; do printf 'k/%d\t%d\n' "$k" $((k + 10)); done >"$BENCH_CASES"
	fi
	lines=$((i * 9 % 14))
	: >"$tmp/trace"
	CONFIGS=cpu setsid make -C "$root" -j2 CARGO="$root/tests/stub/cargo" CRATE="$crate" >/dev/null 2>&1 &
	pid=$!
	# Some are killed while the bench is built or listed, some while it runs.
	# shellcheck disable=SC2317 # called by await
	far() { [ "$(wc -l <"$tmp/trace")" -ge "$lines" ] || ! kill -0 "$pid"; }
	await 60 far
	kill -9 -- -"$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	if ((i % 4 == 0)); then
		kc
		status 0 "a make after ones that were killed ($i)"
		is "$(awk -F '\t' '!/^#/ && NF == 4 { print $1 - 10 "|" $2 "|" $4 }' "$logs/rows" | tr '\n' ' ')" \
			'1|repeated|k/1 2|repeated|k/2 3|repeated|k/3 4|repeated|k/4 5|repeated|k/5 6|repeated|k/6 ' 'is right'
		kc
		is "$(tests_run)" 0 'and leaves nothing to do'
		is "$(find "$crate" -name '*.tmp*' -o -name '.k+*' | wc -l)" 0 'nor anything half written'
	fi
done

# Only make itself is killed: what it started goes on alone, and the next make
# waits for it.
new_crate
printf 'slow/a\t3\thang\nslow/b\t4\n' >"$BENCH_CASES"
CONFIGS=cpu STUB_HANG=2000 make -C "$root" CARGO="$root/tests/stub/cargo" CRATE="$crate" >/dev/null 2>&1 &
pid=$!
await 60 grep -q -- --test "$tmp/trace"
kill -9 "$pid"
wait "$pid" 2>/dev/null
kc
status 0 'a make beside what is left of one'
said 'waits' "another make is counting in $logs; waiting for it"
is "$(row slow/a)" '3|repeated' 'and is right'

# --- Terminated (a shell's background job ignores interrupts): no half log, and the bench is gone.

new_crate
printf 'slow/a\t3\thang\n' >"$BENCH_CASES"
CONFIGS=cpu STUB_HANG=60000 setsid make -C "$root" CARGO="$root/tests/stub/cargo" CRATE="$crate" >"$tmp/out" 2>"$tmp/err" &
pid=$!
await 60 grep -q -- --test "$tmp/trace"
kill -TERM -- -"$pid"
wait "$pid"
ok 'an interrupted make fails' test $? -ne 0
# shellcheck disable=SC2317 # called by await
gone() { ! kill -0 -- "-$pid" 2>/dev/null; }
ok 'and leaves no process' await 10 gone
is "$(find "$logs" -name '*.log' -o -name '.slow*')" '' 'nor a log'
unset STUB_HANG
kc
status 0 'the next one works'

# --- An executable that changes while it is counted.

new_crate
printf 'a\t1\thang\nb\t1\n' >"$BENCH_CASES"
CONFIGS=cpu STUB_HANG=3000 make -C "$root" CARGO="$root/tests/stub/cargo" CRATE="$crate" >"$tmp/out" 2>"$tmp/err" &
pid=$!
await 60 grep -q -- --test "$tmp/trace"
exe=$crate/target/bench-cpu/release/deps/layer-0123456789abcdef
cp "$exe" "$tmp/other" && echo x >>"$tmp/other" && mv "$tmp/other" "$exe"
wait "$pid"
ok 'an executable that changes meanwhile stops it' test $? -ne 0
said 'and is named' 'has changed while it ran; run make again'
ok 'its log does not count' test -z "$(find "$logs" -name 'a.1.log')"

done_testing
