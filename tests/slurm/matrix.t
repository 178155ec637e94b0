#!/usr/bin/env bash
# A matrix of 100 cases, 50 on each of two kinds of GPU, while a node dies and the controller
# is stopped and started again; and what is cancelled, runs out of time, or has a
# tuner. Nothing is lost, nothing is counted twice. A minute or two: make test-slurm.
. "$(dirname "$0")/../tap.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${KC_BUILD:-$root/build}
PATH=$build:$PATH
. "$root/tests/stub/graph.sh"
. "$root/tests/slurm/cluster.sh"
CONFIGS=h100,a100

# Numbers for the rows: how many refusals match, how many counts are right.
refused() { grep -c "^kernel-count: $1: .*: refused: $2" "$tmp/err"; }
counts() { awk -F '\t' '!/^#/ && NF == 4 && $1 != "-"' "$logs/today.tsv" | wc -l; }
right() { awk -F '\t' '!/^#/ && NF == 4 && $2 == "repeated" && $4 == "g/" $1' "$logs/today.tsv" | sort -u | wc -l; }

start_cluster || bail
cluster_crate h100 a100
awk 'BEGIN { for (i = 1; i <= 50; i++) print "g/" i "\t" i (i > 20 ? "\thang" : "") }' >"$BENCH_CASES"
export STUB_HANG=1000

kc submit SUBMIT=--no-requeue
status 0 'make submit'
is "$(submitted h100) $(submitted a100)" '50 50 50 50' 'an array of 50 tasks for each kind'
begun=$SECONDS
# shellcheck disable=SC2317 # await calls it
many() { [ "$(good_logs "$1")" -ge "$2" ]; }
ok 'it runs' await 120 many h100 42
kill_node node2
ok 'and goes on without a node' await 120 many a100 50
stop_controller
kc submit
status 2 'make submit without the controller'
ok 'submits nothing' test -z "$(submitted h100)"
kc
status 2 'make report without the controller'
ok 'says what it cannot know' test "$(refused h100 'no log, and Slurm cannot be asked')" -gt 0
start_controller
ok 'all end' await 300 ended
echo "# 100 tasks, with a dead node and a dead controller: $((SECONDS - begun)) s"

kc
lost=$(refused '[ah]100' '')
grep refused "$tmp/err" | sed 's/^/# /'
is "$(tests_run)" 0 'make report runs nothing'
is "$(($(counts) + lost))" 100 'each case has a count or a reason'
is "$(right)" "$(counts)" 'each count is right and there once'
ok 'the node took some with it' test "$lost" -gt 0 -a "$lost" -le 4
is "$(refused h100 'job [0-9_]* left no log: NODE_FAIL')" "$lost" 'which is said of each'

start_node node2
await 30 up
kc submit
is "$(submitted h100)" "$lost $lost" 'the next make submits exactly those'
is "$(submitted a100)" '' 'and nothing of the other'
ok 'they end' await 300 ended
kc
status 0 'then the report is whole'
is "$(right)" 100 'with 100 counts, each right'
is "$(good_logs h100) $(good_logs a100)" '100 100' 'two logs each'

# --- A node dies, and Slurm starts its tasks again elsewhere.

cluster_crate h100
CONFIGS=h100
printf 'a\t7\thang\nb\t8\thang\nc\t9\n' >"$BENCH_CASES"
export STUB_HANG=4000
kc submit
# shellcheck disable=SC2317 # await calls it
on() { [ -n "$(squeue -h -t running -w "$1")" ]; }
await 20 on node1
kill_node node1
ok 'a requeued task ends on another node' await 300 ended
start_node node1
kc
status 0 'its count is there'
is "$(cell a) $(cell b) $(cell c)" '7 8 9' 'and the others'

# --- Cancelled, and submitted twice while it waits.

cluster_crate h100
printf 'a\t7\thang\nb\t8\thang\nc\t9\n' >"$BENCH_CASES"
export STUB_HANG=600000
kc submit SUBMIT=--exclusive
first=$(job h100)
await 20 on node1
kc submit
ok 'what is in the queue is not submitted again' grep -q 'h100: nothing to submit: [0-9] counted, [23] in the queue or running' "$tmp/err"
kc
ok 'and named' test "$(refused h100 "not counted yet: job ${first}_[0-9] is ")" -ge 2
scancel "$first"
ok 'cancelled' await 60 idle
kc
cancelled=$(refused h100 ".*CANCELLED")
ok 'is named' test "$cancelled" -ge 2
kc submit
is "$(submitted h100)" "$cancelled $cancelled" 'and exactly that submitted again'
scancel -u "$(id -u)"
ok 'they end' await 60 idle
unset STUB_HANG

# --- More cases than an array has room for: a task has several.

cluster_crate h100
awk 'BEGIN { for (i = 1; i <= 25; i++) print "g/" i "\t" i }' >"$BENCH_CASES"
kc submit
is "$(submitted h100)" '25 25' 'a task a case'
scancel -u "$(id -u)"
await 60 idle
kc submit BATCH=10
is "$(submitted h100 | cut -d ' ' -f 2)" 3 'BATCH=10: three tasks'
ok 'they end' await 60 idle
kc
status 0
is "$(right)" 25 'all counted'

# --- Two devices in one configuration.

cluster_crate h100
sed -i 's/--partition=h100 --constraint=h100/--partition=a100 --nodelist=node3/' "$crate/configs/h100.mk"
printf 'g/1\t1\n' >"$BENCH_CASES"
kc submit
await 60 idle
sed -i 's/--partition=a100 --nodelist=node3/--partition=h100 --nodelist=node1/' "$crate/configs/h100.mk"
printf 'g/1\t1\ng/2\t2\ng/3\t3\n' >"$BENCH_CASES"
rm -f "$logs"/h100/current/all.*
kc submit
await 60 idle
kc
status 2 'cases of two devices in one configuration'
is "$(refused h100 'it ran on .*A100.* (node3), and its configuration is counted on .*H200.* (node1)')" 1 'the fewer are refused'
is "$(right)" 2 'the others stand'
kc submit
is "$(submitted h100)" '1 1' 'and the next make submits those'

# --- A tuner settles first.

cluster_crate h100
echo 'h100.tuned := 1' >>"$crate/configs/h100.mk"
printf 'g/1\t1\ttunes\ng/2\t2\ttunes\n' >"$BENCH_CASES"
kc submit
ok 'they end' await 60 idle
kc
status 0 'a configuration with a tuner'
is "$(right)" 2 'is counted'
ok 'its choices were made before' grep -q '2 choices of the tuner, all made before the counts' "$crate/kernels.md"

done_testing
