#!/usr/bin/env bash
# The log directory of the older script, as it is: CONFIG.cases has an id a line,
# CONFIG.log stdout and stderr of one process for all cases, two tables a case. No
# line says that a log is whole. The numbers are those written here by hand.
. "$(dirname "$0")/tap.sh"

logs=$tmp/kernel-logs
mkdir "$logs"

# launches N, table N: as cubecl writes them.
launches() {
	local i
	for ((i = 0; i < $1; i++)); do printf '| 12.5µs     | UnaryNumeric | f32\n'; done
}
table() {
	printf '|⎺⎺⎺⎺⎺⎺| \n| Name                | Duration | Num Computed | Ratio |\n|⎼⎼⎼⎼⎼⎼| \n'
	printf '| UnaryNumeric | f32  | 12.5µs   | %s            | 100 %% |\n' "$1"
	printf '|⎼⎼⎼⎼⎼⎼| \n| Total               | 12.5µs   | %s            | 100 %% |\n|⎯⎯⎯⎯⎯⎯| \n\n' "$1"
}
# tested ID WARM-UP MEASURED: what one case leaves, with the bench's own line from
# stderr.
tested() {
	printf 'Testing %s\nbench-config: batch=1 seq=64\n' "$1"
	launches "$2" && table "$2" && launches "$3" && table "$3"
	printf 'Success\n\n'
}
count() {
	run bash -o pipefail -c 'kc-totals "$1" | kc-pair -l cuda -t 2 "$2"' - "$logs/${1:-cuda}.log" "$logs/${2:-cuda}.cases"
}
# Nothing but what is refused.
all_refused() {
	status 2 "$1"
	is "$(grep -v '^#' "$tmp/out" | cut -f 1 | sort -u)" - "$1: no number for any case"
	like "$(cat "$tmp/err")" "$2" "$1: the reason"
}

printf 'forward/mamba\nforward/two words\nstep/mamba\n' >"$logs/cuda.cases"
{
	echo 'Gnuplot not found, using plotters backend'
	tested forward/mamba 9 7
	tested 'forward/two words' 5 4
	tested step/mamba 6 3
} >"$logs/cuda.log"
{
	tested forward/mamba 8 5
	tested 'forward/two words' 5 2
	tested step/mamba 6 1
} >"$logs/cuda-fusion.log"
cp "$logs/cuda.cases" "$logs/cuda-fusion.cases"

count
status 0 'a log as it is'
is "$(grep -v '^#' "$tmp/out")" "$(printf '%s\tonce\tcuda\t%s\n' 7 forward/mamba 4 'forward/two words' 3 step/mamba)" \
	'the second table of each case, at most once'
run bash -o pipefail -c 'cd "$1" && kc-totals cuda.log | kc-pair -l cuda -t 2 cuda.cases | kc-md' - "$logs"
status 0 'the pipe of the readme'
ok 'a case' grep -q '^| `two words` | *4 (once) |$' "$tmp/out"
ok 'the titles that it had' grep -q '^## `step` — one recurrent decode step$' "$tmp/out"
ok "the bench's own line" grep -q '^| `cuda` | `batch=1 seq=64` |$' "$tmp/out"
run bash -o pipefail -c 'cd "$1" && for c in cuda cuda-fusion; do
	printf "#heading\t%s\tmy %s\n" "$c" "$c"
	kc-totals "$c.log" | kc-pair -l "$c" -t 2 "$c.cases"
done | kc-md' - "$logs"
status 0 'all its configurations'
ok 'are one report' grep -q '^| `mamba` *| *7 (once) | *5 (once) |$' "$tmp/out"
ok 'with its headings' grep -q '^| case *| *my cuda *| *my cuda-fusion *|$' "$tmp/out"

# Its logger is behind: a case's tables come after the next one's announcement.
{
	printf 'Testing forward/mamba\n' && launches 9 && table 9
	printf 'Success\n\nTesting forward/two words\n' && launches 7 && table 7
	printf 'Success\n\nTesting step/mamba\nSuccess\n\n'
	for n in 5 4 6 3; do launches $n && table $n; done
} >"$logs/late.log"
count late
status 0 'tables that come late'
is "$(grep -v '^#' "$tmp/out" | cut -f 1 | tr '\n' ' ')" '7 4 3 ' 'are paired by their order'

# What it could not see, or read wrong.
{
	printf 'Testing forward/mamba\n'
	for n in 1 1 1 9 7; do launches $n && table $n; done
	printf 'Success\n\n'
	tested 'forward/two words' 5 4
	tested step/mamba 6 3
} >"$logs/cold.log"
count cold
all_refused 'a cold tuner, with a table a candidate' 'cuda: .forward/mamba. refused: 9 tables for 3 cases, expected 2 each'

{
	tested forward/mamba 9 7
	tested 'forward/two words' 5 4
	tested step/mamba 6 3 | sed '/Total/,$d'
} >"$logs/killed.log"
count killed
all_refused 'a process killed in its last table' 'killed.log:[0-9]+'

size=$(wc -c <"$logs/cuda.log")
wrong=
for ((i = size - 400; i < size - 2; i += 3)); do
	head -c "$i" "$logs/cuda.log" >"$logs/cut.log"
	count cut
	[ "$code" -eq 2 ] && [ "$(grep -v '^#' "$tmp/out" | cut -f 1 | sort -u)" = - ] || wrong+=" $i"
done
# Only the end of the last case proves that its tables are all there.
is "$wrong" '' 'a log that is cut in its last case is never counted'

{
	tested forward/mamba 9 7
	tested 'forward/two words' 5 4 | sed '11s/ | 12.5/\nbench-config: x\n | 12.5/'
	tested step/mamba 6 3
} >"$logs/inside.log"
count inside
all_refused 'stderr inside a table' 'inside.log:[0-9]+'

{
	tested forward/mamba 9 7
	printf 'Testing forward/two words\n' && launches 5 && table 5
	printf "thread 'main' panicked at benches/layer.rs:1:2:\nout of memory\n"
} >"$logs/panic.log"
count panic
all_refused 'a case that panicked' panic

printf 'forward/mamba\nstep/mamba\n' >"$logs/filtered.cases"
count cuda filtered
all_refused 'a list of another filter' "case 2 of the log is 'forward/two words', expected 'step/mamba'"
: >"$logs/empty.cases"
count cuda empty
status 2 'a list of nothing'
stderr_line 'empty.cases: no case in the list' 'is said in one line'
printf 'forward/mamba\nforward/mamba\n' >"$logs/twice.cases"
count cuda twice
status 2 'a case listed twice'
stderr_line "twice.cases:2: case 'forward/mamba' is listed twice" 'has its line named'
: >"$logs/nothing.log"
count nothing
all_refused 'an empty log' 'no log|rows of|announced|expected'

# The names that it had in the environment, through a crate's own Makefile.
. "$(dirname "$0")/stub/graph.sh"
new_crate
printf 'KC := %s\ninclude $(KC)/mk/use.mk\nKC_FLAGS := KC_BUILD=%s CARGO=%s CONFIGS=cpu,wgpu\n' \
	"$root" "$build" "$root/tests/stub/cargo" >"$crate/Makefile"
run env KERNELS_OUT=my.md KERNELS_LOG_DIR=my-logs KERNELS_SKIP=wgpu BENCH_SEQ=64 make -C "$crate" --no-print-directory kc-report FILTER=step
status 0 'KERNELS_OUT, KERNELS_LOG_DIR, KERNELS_SKIP, BENCH_SEQ'
is "$(cell c "$crate/my.md")" 3 'the report where it was asked for, with one column'
ok 'the logs too' test -d "$crate/my-logs/cpu/current"
ok 'and nowhere else' test ! -e "$logs"
ok 'the size reached the bench' grep -q 'seq=64' "$crate/my.md"

# Every variable it had is in the readme's table, beside what it is now.
for name in KERNELS_OUT KERNELS_LOG_DIR KERNELS_SKIP KERNELS_DRAIN_MS BENCH_BASELINE_CPU; do
	ok "$name is in the table" grep -q "^| .*\`$name" "$root/README.md"
done

done_testing
