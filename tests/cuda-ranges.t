#!/usr/bin/env bash
# kc-run -n: launches by NVTX range.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/cuda/lib.sh"
cd "$tmp" || exit 1
ranges=$build/tests/cuda/ranges

# rows: the rows, CASE first, without the configuration.
rows() { awk -F '\t' '!/^#/ { print $4 ": " $1 " " $2 }' rows | sort; }

run kc-run -n -o rows -- "$ranges" steps
status 0
stderr_is ''
is "$(rows)" 'step/backward: 3 repeated
step/forward: 2 repeated
step: 5 repeated' 'ranges in ranges'
is "$(awk -F '\t' '/^#(times|total)/ && $4 == "step" { print $1, $3 }' rows)" \
	$'#times 3\n#total 15' 'how often, and how many in all'
run kc-run -n -k -o rows -- "$ranges" steps
is "$(awk -F '\t' 'NF == 5 && !/^#/ { print $4, $5, $1 }' rows | sort)" 'step first 5
step/backward first 3
step/forward first 2' 'by kernel'
run kc-md rows
status 0 'kc-md reads them'
run kc-run -n -e -o rows -- "$ranges" steps
is "$(rows | grep ^step:)" '' '-e'
is "$(rows | grep '^step #')" 'step #1: 5 once
step #2: 5 once
step #3: 5 once' 'each time'

run kc-run -n -o rows -- "$ranges" warm
status 2
is "$(rows)" 'step: - refused: 4 to 9 launches in 3 ranges, 4 in the last' \
	'times that differ'
stderr_is $'kc-run: \'step\': refused: 4 to 9 launches in 3 ranges, 4 in the last\n'
run kc-run -n -w 1 -o rows -- "$ranges" warm
status 0
is "$(rows)" 'step: 4 repeated' '-w leaves the first out'
run kc-run -n -w 2 -o rows -- "$ranges" warm
is "$(rows)" 'step: 4 once' 'one is left'
run kc-run -n -w 3 -o rows -- "$ranges" warm
status 2
is "$(rows)" 'step: - refused: the range ended 3 times, expected more than the 3 to leave out' \
	'none is left'

run kc-run -n -o rows -- "$ranges" domains
status 0
is "$(rows)" 'a\nb: 0 once
default: 1 once
model:layer/ünï\t: 2 once
model:layer: 3 once
outer: 3 once' 'domains, registered and wide texts, two libraries'

run kc-run -n -o rows -- "$ranges" threads
is "$(rows)" 'across: 8 once
mine: 1 once
overlapping: 2 once' 'start and end, of the whole process'
run kc-run -n -t -o rows -- "$ranges" threads
is "$(rows)" 'thread 1 ranges/across: 1 once
thread 1 ranges/mine: 1 once
thread 1 ranges/overlapping: 2 once' '-t: of the thread that began it'

run kc-run -n -o rows -- "$ranges" open
status 2
is "$(rows)" 'closed: 0 once
open: - refused: the range was never closed
started: - refused: the range was never closed' 'ranges that were not closed'
run kc-run -n -o rows -- "$ranges" alike
status 2
is "$(rows)" 'a/b: - refused: ranges nested differently have this name
a/b: - refused: ranges nested differently have this name
a: 2 once' 'two ranges of one name are not mixed'

run kc-run -n -o rows -- "$paths" dlsym direct
status 2
stderr_is $'kc-run: paths: refused: no NVTX range was seen\n'
NVTX_INJECTION64_PATH=/other/tool.so run kc-run -n -o rows -- "$ranges" steps
status 2
stderr_is $'kc-run: NVTX is taken by \'/other/tool.so\' (NVTX_INJECTION64_PATH), and serves one tool at a time\n'
is "$(ls -d ./*.part.* 2>/dev/null)" '' 'nothing is left behind'
NVTX_INJECTION64_PATH=/other/tool.so run kc-run -o rows -- "$paths" dlsym direct
status 0 'without -n NVTX is left alone'
done_testing
