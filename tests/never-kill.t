#!/usr/bin/env bash
# make is killed at some moment, with all that it started or alone; the run after
# it gives the report that an undisturbed run gives. KC_KILLS moments for each way.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
kills=${KC_KILLS:-4}

# The whole of it once: the report, and how long it takes, in milliseconds.
new_crate
printf 'forward/a\t7\nforward/b\t8\tlate\nstep/a\t3\n' >"$BENCH_CASES"
now() { date +%s%3N; }
began=$(now)
run stub_make CONFIGS=cpu
took=$(($(now) - began))
status 0 'undisturbed'
cp "$crate/kernels.md" "$tmp/right"
is "$(cell a "$tmp/right")$(cell b "$tmp/right")" $'7\n38' 'undisturbed: the counts'

for way in group alone; do
	for ((i = 1; i <= kills; i++)); do
		at=$((took * i / (kills + 1)))
		rm -rf "$logs" "$crate/kernels.md" "$crate/target" "$XDG_CACHE_HOME"
		# In a session of its own, which is a process group as well.
		setsid make -C "$root" --no-print-directory CONFIGS=cpu \
			CARGO="$root/tests/stub/cargo" CRATE="$crate" >"$tmp/out" 2>"$tmp/err" </dev/null &
		victim=$!
		sleep "$((at / 1000)).$(printf %03d $((at % 1000)))"
		if [ $way = group ]; then
			kill -KILL -- "-$victim" 2>/dev/null
		else
			kill -KILL "$victim" 2>/dev/null
		fi
		wait "$victim" 2>/dev/null
		if [ -e "$crate/kernels.md" ] && ! cmp -s "$crate/kernels.md" "$tmp/right"; then
			tap_fail "killed ($way) after $at ms: a report that is there is right" "$(cat "$crate/kernels.md")"
		fi
		run stub_make CONFIGS=cpu
		if [ "$code" -eq 0 ] && cmp -s "$crate/kernels.md" "$tmp/right"; then
			tap_pass "killed ($way) after $at ms, then right"
		else
			tap_fail "killed ($way) after $at ms, then right" "status $code" \
				"$(tail -n 5 "$tmp/err")" "$(diff "$tmp/right" "$crate/kernels.md")"
		fi
		# What was left alone ends before the next moment.
		while kill -0 -- "-$victim" 2>/dev/null; do sleep 0.05; done
	done
done
done_testing
