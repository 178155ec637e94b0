# shellcheck shell=bash
# shellcheck disable=SC2034 # for those who source this
# mk/jobs.sh: what was handed to Slurm for a folder of logs, and what became of it.
#
# FOLDER/jobs has a line for each array that may still matter: TOKEN, the job's
# number, and how many cases a task has. The line is written before sbatch is
# asked, with `?` for the number, and again when it has answered: so an array that
# Slurm took without being able to say so is found by its name, kc-TOKEN, and is
# not submitted twice. FOLDER/jobs.d/TOKEN.tasks has its cases' names, a line
# each; FOLDER/jobs.d/TOKEN.TASK.out what a task said.

declare -A job_of=() token_of=() task_of=() state_of=() live_of=()
jobs_blind='' jobs_live=0 jobs_kept=''

# jobs_read FOLDER: for each case that was submitted, by its name: its job in
# job_of (12_3), Slurm's word for its state in state_of (empty where Slurm no longer
# knows), and, in live_of, whether it waits or runs. $jobs_live says how many do;
# $jobs_blind why nothing of this is known: Slurm did not answer. $jobs_kept are the
# lines of arrays that are alive.
jobs_read() {
	local dir=$1 token id per lines='' names='' name key state reason task n alive
	local -A states=() numbers=()
	job_of=() token_of=() task_of=() state_of=() live_of=()
	jobs_blind='' jobs_live=0 jobs_kept=''
	[ -s "$dir/jobs" ] || return 0
	while read -r token id per; do
		names+=${names:+,}kc-$token
	done <"$dir/jobs"
	if ! lines=$(squeue -h -r -t all -u "$(id -u)" -n "$names" -o '%j|%F|%K|%T|%r' 2>&1); then
		jobs_blind=${lines%%$'\n'*}
		[ -n "$jobs_blind" ] || jobs_blind='squeue failed'
		lines=''
	fi
	while IFS='|' read -r name id task state reason; do
		[ -n "$name" ] || continue
		numbers[$name]=$id
		states[$name.$task]="$state $reason"
	done <<<"$lines"
	# A later array's word on a case is the one that counts.
	while read -r token id per; do
		[ -z "${numbers[kc-$token]-}" ] || id=${numbers[kc-$token]}
		[ "$id" != '?' ] || [ -n "$jobs_blind" ] || continue
		[ -f "$dir/jobs.d/$token.tasks" ] || continue
		n=0 alive=''
		while read -r name; do
			task=$((n / per))
			n=$((n + 1))
			key=kc-$token.$task
			job_of[$name]=${id}_$task token_of[$name]=$token task_of[$name]=$task
			state_of[$name]=${states[$key]-}
			unset "live_of[$name]"
			case ${state_of[$name]%% *} in
			# One that is completing has ended; on a node that died it may stay so.
			'' | COMPLETING | COMPLETED | CANCELLED | FAILED | TIMEOUT | NODE_FAIL | PREEMPTED | BOOT_FAIL | DEADLINE | OUT_OF_MEMORY | REVOKED)
				[ -z "$jobs_blind" ] || alive=1
				;;
			*) live_of[$name]=1 alive=1 ;;
			esac
		done <"$dir/jobs.d/$token.tasks"
		[ -z "$alive" ] || jobs_kept+="$token $id $per"$'\n'
	done <"$dir/jobs"
	jobs_live=${#live_of[@]}
}

# jobs_why FOLDER NAME: why there is no log of this case, in $why, after
# jobs_read.
jobs_why() {
	local dir=$1 name=$2 job=${job_of[$2]-} state reason said out
	read -r state reason <<<"${state_of[$name]-}" || :
	[ "$reason" != None ] || reason=
	if [ -z "$job" ]; then
		why="not counted yet, and not with Slurm: 'make submit' submits it"
	elif [ -n "${live_of[$name]-}" ]; then
		why="not counted yet: job $job is $state${reason:+ ($reason)}"
	elif [ -n "$jobs_blind" ]; then
		why="no log, and Slurm cannot be asked about job $job: $jobs_blind"
	else
		# What ended it, in the words of slurmd, which stay.
		out=$dir/jobs.d/${token_of[$name]}.${task_of[$name]}.out
		said=$(grep -a -h 'error: \|kernel-count: ' "$out" 2>/dev/null | tail -n 1) || :
		said=${said//[[:cntrl:]]/ }
		said=${said#slurmstepd*: error: }
		said=${said//\*/}
		[ -n "$state" ] || state=$(sacct -n -X -P -j "$job" -o State 2>/dev/null | tail -n 1) || :
		why="job $job left no log: ${state:-its end is no longer known to Slurm}${reason:+ ($reason)}"
		[ -z "$said" ] || why+=": ${said:0:200}"
		why+="; 'make submit' submits it again"
	fi
}
