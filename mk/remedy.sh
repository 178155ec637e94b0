# shellcheck shell=bash
# mk/remedy.sh: what to do about a count that was refused.

# remedy REASON: one sentence or two, in lines of at most 70 characters. The words
# of the reasons are those of kc-pair, kc-totals, kc-reads, mk/run and mk/plan;
# tests/never-why.t takes each of them from there.
remedy() {
	case $1 in
	*'one table in its log'* | *'more launches in the last'* | *'more launches in its last'*)
		echo "A sync after the warm-up and one after the measured iteration must each find launches. An iteration that launches nothing has no count in this release of cubecl. With RUNS=1, count in two runs."
		;;
	*'no table in its log'*)
		echo "Is BURN_DEVICE one of cubecl's (not flex, ndarray or tch)? Does the bench sync? Does it set cubecl's configuration itself, so that cubecl.toml is not read?"
		;;
	*'expected one more'* | *'one table more than the one before'*)
		echo "The bench must run BENCH_WARMUP_ITERS iterations and the measured one, with one sync after each and none inside: look for into_data, sync or device.sync() in the iteration, and for a second device."
		;;
	*'before the warm-up'*)
		echo "Something synced in one process and not in the other, a tuner's probes for instance. Run it again; if that does not settle it, move the sync out of the case."
		;;
	*'launches in its table'* | *'the null driver counted'* | *' counts '*)
		echo "Two ways of counting disagree. Launches of another thread or another device, or ones that are not cubecl's, are in one and not in the other: make verify shows what libcuda was asked for."
		;;
	*'launches in two runs'*)
		echo "The count is not steady. With a tuner, its choice may depend on timing: FRESH=1 tunes anew, a configuration without it does not tune. Else look for launches that depend on data, on time, or on another thread."
		;;
	*'not measured'* | *'not of a form'* | *'begins as a launch line'*)
		echo "cubecl 0.12 leaves launches that it could not measure out of its tables: count with a release before it. Else something else wrote into the line."
		;;
	*'tunes kernels'* | *tuner*)
		echo "A tuner's choice depends on time: FRESH=1 settles it anew with nothing beside; on the null driver, which takes no time, count a configuration that does not tune, or DRIVER=real."
		;;
	*'reads from the device'* | *'has only zeros'*)
		echo "What the null driver gives back is zero, so what the bench decides on it is not what a GPU would: count on a GPU with DRIVER=real, or take the read out of the iteration."
		;;
	*'record of run'* | *'profiles of the null driver'*)
		echo "The bench must run on the null driver alone, in one process: is LD_LIBRARY_PATH set by the bench, or does it start others? FRESH=1 counts anew."
		;;
	*'add up'* | *'launch lines'* | *'no top ruler'* | *'never closed'* | *ruler* | *'a table is'* | *'a table that is'* | \
		*'a line that is not a row'* | *'no header'* | *'no total'* | *'a row '* | *'a row'"'"'s'* | *'more kernels than'* | *'more than '*' tables'*)
		echo "Something else wrote into the table, or two devices' loggers did: keep stderr and other output out of the bench's stdout, and use one device."
		;;
	*'not whole'* | *'incomplete'* | *'exit handler'* | *'log grew'* | *'could not be watched'*)
		echo "The process ended before its logger had written all, or something went on writing. Run it again on a quieter machine; does the bench leave by _exit, is it linked statically, or does it start a process that outlives it?"
		;;
	*panic* | *status* | *signal* | *'device is full'* | *'cubecl config: Ignoring'*)
		echo "The bench itself failed: its stderr, in the .err file, says how. The case can be run by itself as shown above."
		;;
	*'announced no case'* | *'and no Success'*)
		echo "It must be a criterion bench that takes '--bench --test REGEX', as criterion_main! does, and say how it went: no output format of its own."
		;;
	*'is of case'* | *announced* | *' tables for '* | *'case '*' of the log'* | *'did not end'* | *'logs'*'expected one log'* | \
		*'cases of the bench are'* | *'no regex selects'*)
		echo "The bench printed 'Testing' or 'Success' itself, or its pattern took in another case: give the case an id that no other begins with or repeats."
		;;
	*'file system shows them late'*)
		echo "The node that ran it shares LOG_DIR with this machine: is it the same folder there? KC_LATE=SECONDS waits longer; make counts it anew."
		;;
	*'device that it ran on is not known'* | *'ran on two devices'* | *'counted on'*'devices'*)
		echo "kc-device could not be asked on the machine that ran it: does it see the build folder? Else make list there says what is missing."
		;;
	*'no log of it'*)
		echo "It was not run, or its log is gone: run make report again."
		;;
	*)
		echo "kc-pair(1) has the rules."
		;;
	esac | fold -s -w 70 | sed 's/ *$//; s/^/           /; 1s/^ *//'
}
