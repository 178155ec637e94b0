#!/usr/bin/env bash
# Counting on another machine, without one: a prefix (RUN) that stands for it. Its
# files come late; its device is its own, and never two in one configuration.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
CONFIGS=far

said() { ok "$1" grep -q -- "$2" "$tmp/err"; }

far_crate() {
	new_crate
	mkdir -p "$crate/configs"
	printf 'far.%s\n' 'features := backend-cuda' 'device := cuda' 'needs := cuda nvrtc' >"$crate/configs/far.mk"
}

# A machine with another GPU than this one's: as $tmp/profile says.
cat >"$tmp/machine" <<END
#!/bin/sh
export LD_LIBRARY_PATH=$build/null
export KC_NULL_PROFILE=$root/filters/cuda/null/profiles/\$(cat "$tmp/profile")
exec "\$@"
END
# The same, whose files come later than its word that all is done.
cat >"$tmp/slow" <<END
#!/bin/sh
( sleep 1; exec "$tmp/machine" "\$@" ) >/dev/null 2>&1 &
END
# One whose word is always that all is well.
cat >"$tmp/liar" <<END
#!/bin/sh
"$tmp/machine" "\$@"
exit 0
END
chmod +x "$tmp/machine" "$tmp/slow" "$tmp/liar"

far_crate
echo h200 >"$tmp/profile"
kc RUN="$tmp/machine"
status 0 'a machine with a GPU, from one that has none'
ok 'its own device is named' grep -q '^| .far. .*NVIDIA H200 profile' "$crate/kernels.md"
is "$(cell a)" 7 'and its counts are there'

# --- Two devices.

printf 'forward/a\t7\nforward/b\t8\nstep/c\t3\nstep/d\t4\n' >"$BENCH_CASES"
rm -f "$logs"/far/current/all.*
echo a100 >"$tmp/profile"
kc RUN="$tmp/machine"
status 2 'a case that ran on another device'
is "$(tests_run)" 2 'it alone was run'
said 'is refused, with both' 'far: step/d: refused: it ran on .*A100.*, and its configuration is counted on .*H200'
is "$(cell d)" '— [1]' 'and has no count'
is "$(cell a)" 7 'the others have'
ok 'one device in the report' grep -q '^| .far. .*NVIDIA H200 profile' "$crate/kernels.md"
echo h200 >"$tmp/profile"
kc RUN="$tmp/machine"
status 0 'on the right one'
is "$(tests_run)" 2 'it alone is run again'
is "$(cell d)" 4 'and counted'

# --- Files that come late.

far_crate
kc RUN="$tmp/slow" -j8
status 0 'files that are late are waited for'
is "$(cell a)" 7 'and counted'
rm "$logs"/far/current/*.log
KC_LATE=0 kc RUN="$tmp/slow" -j8
status 2 'but not for ever'
said 'which is said' 'its files were not all here 0 seconds later: the file system shows them late'

far_crate
printf 'g/good\t9\ng/crash\t9\tcrash\n' >"$BENCH_CASES"
kc RUN="$tmp/liar"
status 2 'a command that ends well whatever it ran'
said 'the bench still fails' 'far: g/crash: refused: the bench died of signal SEGV'
is "$(cell good)" 9 'and the other is counted'

# --- Not here, and no way there.

far_crate
echo 'far.slurm := --constraint=h100' >>"$crate/configs/far.mk"
kc
status 2 'a configuration for a cluster, without RUN or submit'
is "$(tests_run)" 0 'runs nothing here'
said 'and is told how' "far: forward/a: refused: not counted yet, and not with Slurm: 'make submit' submits it"
kc submit BATCH=0
status 2 'BATCH=0'
said 'is refused' "BATCH='0': expected how many cases a task has"

done_testing
