# cluster.sh: a Slurm of the tests' own, after tap.sh: munged, slurmctld and four
# slurmd on loopback, in $tmp/slurm, as whoever runs the tests. Nothing of the
# machine's own Slurm, if it has one, is used or touched.
#
# Of the nodes, node1 and node2 have the feature h100, node3 and node4 a100: what
# runs there finds a libcuda that answers as one (the null driver).
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # tap.sh sets root, build and tmp

PATH=$PATH:/usr/sbin
unset "${!SLURM_@}" "${!SBATCH_@}" "${!SQUEUE_@}" "${!SRUN_@}" "${!SALLOC_@}"
slurm=$tmp/slurm
export SLURM_CONF=$slurm/slurm.conf
declare -A daemon=() # process ids, by name

for program in munged slurmctld slurmd sbatch srun; do
	[ -n "$(command -v $program)" ] || skip_all "$program is not installed (Debian's munge, slurmctld, slurmd, slurm-client)"
done

# await SECONDS COMMAND...: until it succeeds.
await() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$deadline" ] || return 1
		sleep 0.1
	done
}

start_controller() {
	slurmctld -D -f "$SLURM_CONF" "$@" >>"$slurm/controller.out" 2>&1 &
	daemon[controller]=$!
	await 20 scontrol ping
}

start_node() {
	slurmd -D -N "$1" -f "$SLURM_CONF" >>"$slurm/$1.out" 2>&1 &
	daemon[$1]=$!
}

# of_node NODE: what runs on it: slurmd, what has its log open (each job's
# slurmstepd), and what these started.
of_node() {
	local file
	{
		find /proc/[0-9]*/fd -lname "$slurm/log/$1" 2>/dev/null
		grep -lzx "SLURMD_NODENAME=$1" /proc/[0-9]*/environ 2>/dev/null | while IFS= read -r file; do
			grep -lzx "SLURM_CONF=$SLURM_CONF" "$file" 2>/dev/null
		done
	} | sed -n 's|^/proc/\([0-9]*\)/.*|\1|p' | sort -u
}

# kill_node NODE: as by a cut of its power.
kill_node() {
	local pids
	while pids=$(of_node "$1") && [ -n "$pids" ]; do
		# shellcheck disable=SC2086 # several
		kill -KILL $pids 2>/dev/null
	done
	wait "${daemon[$1]}" 2>/dev/null
	unset "daemon[$1]"
}

# stop_controller: it saves what it knows. (One that is killed forgets the last five
# seconds, and takes what ended in them for running until the nodes are asked.)
stop_controller() {
	kill "${daemon[controller]}"
	wait "${daemon[controller]}" 2>/dev/null
	unset "daemon[controller]"
}

stop_cluster() {
	local name pid
	for pid in "${daemon[@]}"; do kill "$pid" 2>/dev/null; done
	for name in node1 node2 node3 node4; do [ -z "${daemon[$name]-}" ] || kill_node "$name"; done
	for pid in "${daemon[@]}"; do kill -KILL "$pid" 2>/dev/null; done
	wait 2>/dev/null
}
trap 'stop_cluster; rm -rf "$tmp"' EXIT

# ended: nothing waits or runs. idle: nor is it being cleared away, which on a node
# that died takes long.
ended() { [ -z "$(squeue -h -t pending,running,suspended)" ]; }
idle() { [ -z "$(squeue -h -t pending,running,completing,suspended)" ]; }
up() { [ "$(sinfo -h -N -o '%t' | grep -c -x idle)" -eq "${1:-4}" ]; }

start_cluster() {
	local n port
	mkdir -p "$slurm"/{munge,state,log} "$slurm"/spool/node{1,2,3,4}
	# munged wants its socket where others may reach it.
	chmod 711 "$tmp" "$slurm" "$slurm/munge"
	head -c 128 /dev/urandom >"$slurm/munge/key"
	chmod 600 "$slurm/munge/key"
	munged -F --force --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" \
		--pid-file="$slurm/munge/pid" --log-file="$slurm/munge/log" \
		--seed-file="$slurm/munge/seed" >"$slurm/munge/out" 2>&1 &
	daemon[munged]=$!
	await 10 test -S "$slurm/munge/socket" || return 1
	# Ports by our process id, so that two of these can run at a time.
	port=$((20000 + $$ % 4000 * 5))
	cat >"$SLURM_CONF" <<-END
		ClusterName=kc
		SlurmctldHost=$(hostname)(127.0.0.1)
		SlurmctldPort=$port
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/munge
		CredType=cred/munge
		AuthInfo=socket=$slurm/munge/socket,cred_expire=5
		StateSaveLocation=$slurm/state
		SlurmctldPidFile=$slurm/controller.pid
		SlurmctldLogFile=$slurm/log/controller
		SlurmdSpoolDir=$slurm/spool/%n
		SlurmdPidFile=$slurm/%n.pid
		SlurmdLogFile=$slurm/log/%n
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		TaskProlog=$slurm/prolog
		SwitchType=switch/none
		MpiDefault=none
		MailProg=/bin/true
		JobAcctGatherType=jobacct_gather/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SchedulerType=sched/backfill
		SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
		SlurmdParameters=config_overrides
		ReturnToService=2
		SlurmdTimeout=6
		KillWait=2
		MessageTimeout=4
		$(for n in 1 2 3 4; do
			echo "NodeName=node$n NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((port + n)) CPUs=2 RealMemory=1000 Features=$([ $n -le 2 ] && echo h100 || echo a100)"
		done)
		PartitionName=h100 Nodes=node[1-2] Default=YES State=UP
		PartitionName=a100 Nodes=node[3-4] State=UP
	END
	# The node's own device.
	cat >"$slurm/prolog" <<-END
		#!/bin/sh
		case \$SLURMD_NODENAME in
		node1 | node2) profile=h200 ;;
		*) profile=a100 ;;
		esac
		echo "export LD_LIBRARY_PATH=$build/null"
		echo "export KC_NULL_PROFILE=$root/filters/cuda/null/profiles/\$profile"
	END
	chmod +x "$slurm/prolog"
	start_controller -c || return 1
	for n in 1 2 3 4; do start_node "node$n"; done
	await 30 up
}

# A machine on which Slurm cannot run (no cgroups, say) is no fault of ours.
bail() {
	cat "$slurm"/log/* "$slurm"/*.out >&2
	stop_cluster 2>/dev/null || :
	skip_all "Slurm does not start here: $(cat "$slurm"/log/* "$slurm"/*.out | grep -a -m 1 -o 'error: .*' | tr -d '#')"
}

# cluster_crate KIND...: a crate as new_crate's, with a configuration for each kind
# of GPU, all of one build; nothing is counted or with Slurm.
cluster_crate() {
	local kind
	new_crate
	mkdir -p "$crate/configs"
	for kind; do
		cat >"$crate/configs/$kind.mk" <<-END
			$kind.heading    := $kind: cuda
			$kind.features   := backend-cuda
			$kind.device     := cuda
			$kind.target-dir := target/bench-cuda
			$kind.needs      := cuda nvrtc
			$kind.slurm      := --partition=$kind --constraint=$kind
		END
	done
}

# Of a configuration: how many whole logs there are; of the last make submit, how
# many cases and tasks it submitted, and as which job.
good_logs() { find "$logs/$1/current/" -name '*.[12].log' -not -name '.*' | wc -l; }
submitted() { sed -n "s/^kernel-count: $1: submitted \([0-9]*\) cases as job [0-9]* (\([0-9]*\) tasks).*/\1 \2/p" "$tmp/err"; }
job() { sed -n "s/^kernel-count: $1: submitted .* as job \([0-9]*\) .*/\1/p" "$tmp/err"; }
