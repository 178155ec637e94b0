#!/usr/bin/env bash
# A matrix on a real Slurm: four nodes of two kinds. What is counted is what one
# machine counts; what is lost with a node, cancelled or out of time is named, and
# the next make runs exactly that; nothing is counted twice.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
. "$(dirname "$0")/slurm/cluster.sh"

said() { ok "$1" grep -q -- "$2" "$tmp/err"; }

start_cluster || bail
CONFIGS=h100,a100

# --- make report RUN=srun: a job a run.

cluster_crate h100 a100
kc RUN='srun -n1' -j4
status 0 "make report RUN='srun -n1'"
is "$(cell a | tr -d ' ')" '7|7' 'a count of each kind of GPU'
is "$(tests_run)" 12 'three cases, two kinds, two runs'
ok 'the device of one' grep -q '^| .h100. .*NVIDIA H200' "$crate/kernels.md"
ok 'and of the other' grep -q '^| .a100. .*NVIDIA A100' "$crate/kernels.md"
is "$(sort -u "$logs"/h100/current/*.device | grep -c '^node[12]$')" "$(sort -u "$logs"/h100/current/*.device | grep -c node)" 'its runs were on its nodes'
kc RUN='srun -n1'
is "$(tests_run)" 0 'again: nothing runs'

BENCH_SEQ=9 kc RUN='srun --export=NONE -n1' -j4
status 0 'a site that hands over no environment'
ok 'the bench has its own' grep -q 'seq=9' "$crate/kernels.md"

# --- make submit: an array a configuration.

rm -rf "$logs"
kc submit
status 0 'make submit'
is "$(submitted h100) $(submitted a100)" '3 3 3 3' 'an array of three tasks for each kind'
ok 'all end' await 60 idle
kc
status 0 'make report collects them'
is "$(tests_run)" 0 'and runs nothing'
is "$(cell a | tr -d ' ')" '7|7' 'the counts are there'
is "$(good_logs h100) $(good_logs a100)" '6 6' 'from two runs of each case'
kc submit
status 0 'make submit again'
said 'has nothing to submit' 'h100: nothing to submit: 3 counted, 0 in the queue'

done_testing
