#!/usr/bin/env bash
# The counter under valgrind: no bad access, in the library or in kc-run.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/cuda/lib.sh"
command -v valgrind >/dev/null || skip_all 'valgrind is not here'
cd "$tmp" || exit 1

# checked NAME OPTION... -- COMMAND...
checked() {
	local name=$1
	shift
	run valgrind -q --trace-children=yes --error-exitcode=99 kc-run -o rows "$@"
	status 0 "$name"
	stderr_is '' "$name: valgrind has nothing to say"
}
checked 'every entry point, by kernel' -k -- "$paths" proc2 direct ex cooperative multi \
	oldest library failed host capture replay nested tograph ownstream graph disabled updated \
	conditional updatable devicelaunch copies batch threads reload noexec sync late
checked 'linked' -- "$linked" linked direct graph replay
checked 'waits' -s -- "$paths" dlsym direct sync graph sync
checked 'threads' -t -- "$paths" dlsym+pt direct threads
checked 'a fork' -- "$paths" dlsym fork direct graph
checked 'ranges' -n -k -- "$build/tests/cuda/ranges" domains
checked 'ranges in threads' -n -t -- "$build/tests/cuda/ranges" threads
done_testing
