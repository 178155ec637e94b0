#!/usr/bin/env bash
# kc-run: options, cuts, processes, ends, and what it cannot count.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/cuda/lib.sh"
cd "$tmp" || exit 1

# ---- output
run kc-run -- "$paths" dlsym direct
status 0
stderr_is ''
stdout_is $'launches 4 memset 0 memcpy 0 captured 0\n' "the program's output alone"
file_is launches.tsv "#memset	cuda	0	paths
#memcpy	cuda	0	paths
4	once	cuda	paths
#whole	cuda	paths
" 'launches.tsv is the default'
run kc-run -o - -l mine -c 'a	b' -- "$paths" dlsym direct
stdout_is "launches 4 memset 0 memcpy 0 captured 0
#memset	mine	0	a\\tb
#memcpy	mine	0	a\\tb
4	once	mine	a\\tb
#whole	mine	a\\tb
" '-o -, -l, -c: after the output; a tab is escaped'
kc-run -f 7 -- "$paths" dlsym direct 7>fd7 >/dev/null
is "$(grep -c once fd7)" 1 '-f writes to a descriptor'
run kc-run -k -o rows -- "$paths" dlsym direct
is "$(grep -v '^#' rows)" "2	once	cuda	paths	_Z6secondv
2	once	cuda	paths	first
4	once	cuda	paths" '-k: kernels before their sum'
run kc-md rows
status 0 'kc-md reads the rows'
like "$(cat out)" '`paths` *\| *4 ' 'and reports them'

# ---- tables
run kc-run -s -o log -- "$paths" proc2 direct sync graph sync copies sync direct late
status 0
run kc-totals -c x log
# 4 of direct, 18 of graph, none of copies, 4 of direct; then 1 at exit that
# nothing waited for.
stdout_is $'4\tok\tx\n18\tok\tx\n4\tok\tx\n-\twhole\tx\n' 'kc-totals reads the tables'
is "$(grep -c '^| 0ns' log)" 27 'a line for each launch'
run kc-totals -k -c x log
is "$(grep '	first$' out | head -n 1)" '2	ok	x	first' 'by kernel too'
run kc-run -s -o log -- "$paths" dlsym direct sync conditional sync direct sync
is "$(kc-totals -c x log 2>/dev/null | grep -v '^#' | cut -f 1,2 | tr '\t\n' ' ,')" \
	'4 ok,- bad,4 ok,- whole,' 'a table that is only a bound is none'

# ---- threads, processes
run kc-run -t -o rows -- "$paths" dlsym direct threads
is "$(grep -v '^#' rows | cut -f 1 | sort -n | uniq -c | tr -s ' \n' ' ')" \
	' 1 4 8 1000 ' '-t: nine threads'
run kc-run -o rows -- "$paths" dlsym fork direct ex
status 0
is "$(count 1)" 7 'the parent of a fork'
is "$(cut -f 1,2,3 rows.* | grep -v '^#')" '7	once	cuda' 'the child has a file'
like "$(grep once rows.*)" 'paths \[[0-9]+\]$' 'and a case of its own'
rm -f rows.*
run kc-run -o - -- sh -c "$paths dlsym direct; $paths dlsym ex"
is "$(grep -c once out)" 2 'programs that a shell starts'
like "$(cat out)" $'-\trefused: no CUDA used\tcuda\tsh\n' 'the shell itself used none'
stderr_is ''
run kc-run -o rows -- sh -c "exec $paths dlsym direct"
is "$(cut -f 1 rows | grep -v '^#')" 4 'a program in place of a shell'
run kc-run -k -o rows -- "$paths" dlsym direct exec
is "$(grep -v '^#' rows | cut -f 1 | tr '\n' ' ')" '4 4 8 ' \
	'one program after another in one process'
for scenario in forks close 'direct sync close direct sync'; do
	# shellcheck disable=SC2086 # several words
	run kc-run -k -o rows -- "$paths" dlsym $scenario
	status 0 "$scenario"
	is "$(count 1)" "$(sed -n 's/^launches \([0-9]*\).*/\1/p' out)" "$scenario: counted"
done
is "$(ls -d ./*.part.* 2>/dev/null)" '' 'nothing is left behind'

# ---- ends
run kc-run -o rows -- "$paths" dlsym direct fail
is "$code" 17 "the program's status"
is "$(count 1)" 4 'and its count'
run kc-run -o rows -- "$paths" dlsym direct _exit
status 0
is "$(count 1)$(count 2)" 4once 'an end without handlers of exit'
# 4 launches, a wait that writes them; 3 more that no wait followed.
run kc-run -o rows -- "$paths" dlsym direct sync ex kill
is "$code" 137 'killed'
stderr_is $'kc-run: paths: not whole: killed by signal 9 (Killed)\n'
is "$(count 1)$(count 2)" '>=4bound: not whole: killed by signal 9 (Killed)' \
	'what was there at the last wait, as a bound'
like "$(cat rows)" $'#not-whole\tcuda\tpaths' 'marked'
run kc-run -o rows -- "$paths" dlsym direct abort
is "$code" 134 'aborted'
is "$(count 1)" '>=0' 'nothing had been waited for'
ulimit -c 0
sleeper() { exec kc-run -o rows -- sh -c 'echo up >up; while :; do sleep 0.02; done'; }
sleeper 2>/dev/null &
until [ -s up ] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
kill -TERM $!
wait $! 2>/dev/null
is $? 143 'a signal is handed on'

# ---- what is not there to be counted
run kc-run -o rows -- true
status 0
stderr_is $'kc-run: true: no CUDA used\n'
is "$(count 1)$(count 2)" '-refused: no CUDA used' 'not 0'
KC_NULL_PROFILE='' run kc-run -o rows -- "$paths" dlsym direct
is "$code" 3 'no device'
is "$(count 2)" 'refused: cuInit failed with error 100' 'is said so'
run kc-run -o rows -- env -u LD_PRELOAD "$paths" dlsym direct
status 2 'LD_PRELOAD is cleared'
like "$(cat err)" "^kc-run: '[^']*paths' was started without the counter" 'it is named'
is "$(count 2)" 'refused: no CUDA seen, but programs were started without the counter' \
	'and there is no number'
run kc-run -o rows -- "$paths" dlsym direct fail
[ "$code" -eq 17 ] || tap_fail 'status'

"${CC:-cc}" -static -o static -x c - <<<'int main(void){return 0;}' 2>/dev/null ||
	cp "$(command -v ldconfig || echo /sbin/ldconfig)" static
run kc-run -o rows2 -- ./static
status 2
stderr_is $'kc-run: ./static: is statically linked: nothing can be loaded into it\n'
ok 'nothing was run or written' [ ! -e rows2 ]
if [ "$(id -u)" -eq 0 ]; then
	cp "$(type -P true)" setuid
	chown 12345 setuid
	chmod 4755 setuid
	run kc-run -- ./setuid
	status 2
	stderr_is $'kc-run: ./setuid: is set-user-ID: nothing may be loaded into it\n'
else
	skip 'set-user-ID' 'making such a program needs root'
fi
printf '#!/nowhere/sh\n' >script
chmod +x script
run kc-run -- ./script
stderr_is $'kc-run: ./script: needs the interpreter \'/nowhere/sh\', which is not there\n'
printf '#!%s\n' "$PWD/static" >script
run kc-run -- ./script
stderr_is $'kc-run: ./script: is statically linked: nothing can be loaded into it\n' \
	"a script's interpreter"
for bad in './nothing:not found' 'nothing-here:not found in PATH' \
	'/:is a directory' './rows:cannot be executed: permission denied'; do
	run kc-run -- "${bad%%:*}"
	status 2
	stderr_is "kc-run: ${bad%%:*}: ${bad#*:}"$'\n'
done
printf '\177ELF\2\1\1' >cut.elf
head -c 100 /dev/zero >>cut.elf
chmod +x cut.elf
run kc-run -- ./cut.elf
status 2
stderr_line 'for another architecture'
run kc-run -o nowhere/rows -- true
status 2
stderr_is $'kc-run: nowhere/rows: No such file or directory\n' 'an output that cannot be'
run kc-run -o . -- true
status 2
stderr_line 'is a directory'
run kc-run -f 9 -- true
status 2
stderr_line 'descriptor 9: not open'
run kc-run -o /dev/full -- "$paths" dlsym direct
status 2
stderr_line 'No space left on device' 'a full disk'
run kc-run -n -w
status 2
run kc-run -e -- true
status 2
stderr_line_1=$(head -n 1 err)
like "$stderr_line_1" '-e and -w are for ranges' '-e without -n'
run kc-run
status 2

# ---- the counter's own path
mkdir 'with space'
cp "$build/kc-run" "$build/libkc-count.so" 'with space/'
run './with space/kc-run' -o rows -- "$paths" dlsym direct
status 0
is "$(count 1)" 4 'a path that LD_PRELOAD cannot hold'

# ---- what else is preloaded
"${CC:-cc}" -shared -fPIC -o between.so "$root/tests/cuda/between.c" -ldl
for scenario in direct ex graph; do
	for program in "$paths dlsym" "$paths global" "$paths next" "$linked linked"; do
		for order in ":$PWD/between.so" "$PWD/between.so:"; do
			# shellcheck disable=SC2086 # two words
			LD_PRELOAD=$order run kc-run -o rows -- $program $scenario
			[ "$(sed -n 's/^launches \([0-9]*\).*/\1/p' out)" = "$(count 1)" ] ||
				echo "$program $scenario $order: $(count 1) of $(cat out)"
		done
	done
done >bad
file_is bad '' 'another library that hooks launches: each is counted once'
LD_PRELOAD=$PWD/between.so run kc-run -o rows -- "$linked" linked direct
like "$(cat err)" 'between: 4' 'and it still sees them'

# ---- libraries that go around
"${CC:-cc}" -shared -fPIC -o deep.so "$root/tests/cuda/deep.c" -ldl
"${CC:-cc}" -o deep -DMAIN "$root/tests/cuda/deep.c" -ldl
run kc-run -o rows -- ./deep ./deep.so
status 0
like "$(count 2)" 'bound: the driver was reached around the counter' 'RTLD_DEEPBIND'

# ---- a driver of the future
"${CC:-cc}" -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so.1 \
	"$root/tests/cuda/future.c"
"${CC:-cc}" -DMAIN -o future "$root/tests/cuda/future.c" -ldl
LD_LIBRARY_PATH=$PWD run kc-run -o rows -- ./future ask
is "$(count 1)$(count 2)" '1once' 'asking for an unknown launch changes nothing'
LD_LIBRARY_PATH=$PWD run kc-run -o rows -- ./future call
is "$(count 1)$(count 2)" \
	'>=1bound: an entry point that the counter does not know was called: cuLaunchTomorrow' \
	'calling it does'
LD_LIBRARY_PATH=$PWD run kc-run -o rows -- ./future capture
is "$(count 1)" 1 'an unknown capture: what it records is not counted'
LD_LIBRARY_PATH=$PWD run kc-run -o rows -- ./future enable
is "$(count 2)" \
	'refused: a graph was changed by a way the counter cannot follow: cuGraphNodeSetEnabled_v2' \
	'an unknown change of a graph'

# ---- probes
cat >probe.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *all = dlopen(NULL, RTLD_NOW);
	printf("%d %d %d\n", dlsym(RTLD_DEFAULT, "cuLaunchKernel") != NULL,
	       dlsym(all, "cuInit") != NULL, dlsym(RTLD_NEXT, "cuGraphLaunch") != NULL);
	return dlerror() == NULL;
}
C
"${CC:-cc}" -o probe probe.c -ldl
run kc-run -o rows -- ./probe
status 0
stdout_is $'0 0 0\n' 'without a driver, nothing looks like one'
done_testing
