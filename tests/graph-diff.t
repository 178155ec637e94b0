#!/usr/bin/env bash
# make diff, accept, kernels and sweep: other views of today's counts.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
unset BASELINE RULES CASE SWEEP LAWS

new_crate
CONFIGS=cpu
base=$crate/kernels.tsv

# says TEXT NAME: one line on stderr has it, besides what make itself says.
says() {
	is "$(grep -v '^make' "$tmp/err" | grep -c -v -F -- "$1")" 0 "$2: says so, and nothing else"
	ok "$2: says so" grep -q -F -- "$1" "$tmp/err"
}

# another CASE...: the crate at another revision, with these cases.
another() {
	printf '%s\n' "$@" >"$BENCH_CASES"
	printf '// %s\n' "$*" >"$crate/src/lib.rs"
}

kc diff
status 2 'diff without a baseline'
says "kernels.tsv: no baseline there; 'make accept'" 'diff without a baseline'
is "$(tests_run)" 0 'diff without a baseline counts nothing'

kc accept
status 0 'accept'
is "$(cat "$tmp/out")" "$base now has these 3 counts" 'accept says what it did, and no more'
is "$(cut -f 1-4 "$base")" "#about	versions	burn 0.22.0, cubecl 0.11.0
#config	cpu	seq=8 sync=0 device=cpu
#device	cpu	$(sed -n 's/^#device\tcpu\t//p' "$base")
#features	cpu	backend-cpu
#heading	cpu	cpu
7	repeated	cpu	forward/a
7	repeated	cpu	forward/a
8	repeated	cpu	forward/b
8	repeated	cpu	forward/b
3	repeated	cpu	step/c
3	repeated	cpu	step/c" 'the baseline: facts, kernels and counts, sorted'
ok 'the report is written all the same' test -s "$crate/kernels.md"

kc diff
status 0 'nothing changed'
is "$(cat "$tmp/out")" '3 equal
status 0: no count grew by more than is allowed' 'nothing changed: says so'
is "$(tests_run)" 0 'nothing changed: nothing runs'
kc
is "$(cell b)" 8 'a report: a count as in the baseline is plain'
ok 'a report: says since when' grep -q 'the change since `kernels.tsv`' "$crate/kernels.md"

another 'forward/a	9' 'forward/b	8' 'step/c	2'
kc
status 0 'a report of changed counts'
is "$(cell a)" '9 (+2)' 'a report: more'
is "$(cell c)" '2 (-1)' 'a report: less'
kc diff
status 2 'a count grew: make fails'
is "$(cat "$tmp/out")" 'more  cpu  forward/a  7  -> 9  +2 (+28.6%)
        +2  7  -> 9  Kernel | f32
less  cpu  step/c     3  -> 2  -1 (-33.3%)
        -1  3  -> 2  Kernel | f32
1 more, 1 less, 1 equal
status 1: a count grew' 'a count grew: which, and the status of the gate'
printf 'forward/a <= 9 # two more\n' >"$crate/kernels.rules"
kc diff
status 0 'a rule of the crate allows it'
printf 'forward/a <= 8 # one more\n' >"$tmp/rules"
kc diff RULES="$tmp/rules"
status 2 'RULES names another file'
rm "$crate/kernels.rules"

# Parts.
kc diff FILTER=step
status 0 'some cases: the others are left out'
is "$(tail -n 2 "$tmp/out" | head -n 1)" '1 less; left out, only in the old result: 2' 'some cases: says so'
kc accept FILTER=step
status 2 'accept of some cases'
says 'accept takes whole reports: leave out FILTER' 'accept of some cases'
before=$(cat "$base")
another 'forward/a	9' 'forward/b	8	panic'
kc diff
status 2 'a count refused, another grew, one gone'
is "$(tail -n 2 "$tmp/out")" '1 more, 1 gone, 1 unknown
status 1: a count grew' 'is compared all the same'
kc accept
status 0 'accept with a case that has no count'
is "$(cat "$tmp/out")" "$base now has these 1 counts and 1 cases that have none" 'says so'
ok 'the baseline has its reason' grep -q '^-	refused: .*	cpu	forward/b$' "$base"
echo "$before" >"$base"
another 'forward/a	7' 'forward/b	8' 'step/c	3'
kc diff
status 0 'and back'

# Other configurations of the baseline are kept, if they are of the same versions.
printf '%s\n' '#device	other	X' '5	once	other	forward/a' >>"$base"
kc diff
status 0 'configurations that were not asked for are not compared'
another 'forward/a	6' 'forward/b	8' 'step/c	3'
kc accept
status 0 'accept of one configuration of two'
is "$(grep -v '#' "$base" | awk -F '\t' 'NF == 4 { print $1, $3, $4 }')" '6 cpu forward/a
5 other forward/a
8 cpu forward/b
3 cpu step/c' 'the other one is kept'
ok 'with its facts' grep -qx '#device	other	X' "$base"
before=$(cat "$base")
sed -i 's/cubecl 0.11.0/cubecl 0.10.0/' "$base"
kc accept
status 2 'accept beside counts of other versions'
ok 'says so' grep -q 'has counts of other configurations and versions' "$tmp/err"
ok 'and leaves the baseline as it was' grep -q '5	once	other' "$base"
another 'forward/a	7' 'forward/b	8' 'step/c	3'

# A build that fails shows nothing that is older.
echo 'broken' >"$crate/src/lib.rs"
kc diff CARGO=false
status 2 'a build that fails'
is "$(cat "$tmp/out")" '' 'a build that fails: no older counts are shown'
another 'forward/a	7' 'forward/b	8' 'step/c	3'

rm "$base"
kc kernels
status 0 'kernels'
is "$(cat "$tmp/out")" 'forward/a
cpu  kernel
  7  Kernel | f32
  7  in all

forward/b
cpu  kernel
  8  Kernel | f32
  8  in all

step/c
cpu  kernel
  3  Kernel | f32
  3  in all' 'kernels of all cases'
kc kernels CASE='forward/*'
is "$(grep -c kernel "$tmp/out")" 2 'kernels of some cases'
kc kernels CASE='a$b;`c`'
status 2 'kernels of a case that is not there'
ok 'says so' grep -q 'no count of such a case' "$tmp/err"

# A bad baseline keeps no report from being one.
printf 'x\n' >"$base"
kc
status 0 'a report beside a bad baseline'
ok 'says what is wrong with it' grep -q 'kernels.tsv:1: 1 fields' "$tmp/err"
kc diff
status 2 'diff with a bad baseline'
printf '1\tonce\tcpu\tforward/a\n' >"$tmp/other"
kc diff BASELINE="$tmp/other"
status 2 'BASELINE names another file'
ok 'which was taken elsewhere' grep -q '^not comparable: device of cpu: none' "$tmp/out"
rm "$base"

# git bisect run: skips what cannot be said, finds the commit.
new_crate
export GIT_CONFIG_GLOBAL=/dev/null
git init -q "$crate" 2>/dev/null
# commit NAME CASE...: a revision with these cases.
commit() {
	another "${@:2}"
	git -C "$crate" add src cases Cargo.toml Cargo.lock
	git -C "$crate" -c user.name=x -c user.email=x commit -q -m "$1"
}
BENCH_CASES=$crate/cases
commit one 'forward/a	7' 'step/c	3'
commit two 'forward/a	7' 'step/c	4'
commit broken 'forward/a	7	panic' 'step/c	4'
commit culprit 'forward/a	8' 'step/c	3'
commit five 'forward/a	9' 'step/c	3'
git -C "$crate" checkout -q HEAD~4
kc accept
cp "$base" "$tmp/good.tsv"
git -C "$crate" checkout -q -
# shellcheck disable=SC2317 # run calls it
bisect() { (cd "$crate" && "$root/mk/bisect" "$tmp/good.tsv" "$1" CARGO="$root/tests/stub/cargo" CONFIGS=cpu); }
run bisect forward/a
status 1 'bisect: more launches are bad'
run bisect step/c
status 0 'bisect: no more are good, whatever other cases do'
git -C "$crate" checkout -q HEAD~2
run bisect forward/a
status 125 'bisect: what cannot be said is skipped'
git -C "$crate" checkout -q -
run bisect step/d
status 125 'bisect: a case that is not there is skipped'
(
	cd "$crate" || exit
	git bisect start HEAD HEAD~4
	git bisect run "$root/mk/bisect" "$tmp/good.tsv" forward/a CARGO="$root/tests/stub/cargo" CONFIGS=cpu
) >"$tmp/out" 2>&1
tap_note=$(cat "$tmp/out")
# The one before it panics: it may be either, which git says.
culprit=$(git -C "$crate" log --all --format=%H --grep=culprit) broken=$(git -C "$crate" log --all --format=%H --grep=broken)
ok 'git bisect run names the commit' grep -q "^$culprit" "$tmp/out"
ok 'and the one that it had to skip' grep -q "^$broken" "$tmp/out"
ok 'and no other' [ "$(grep -c -E '^[0-9a-f]{40}$' "$tmp/out")" -eq 2 ]
BENCH_CASES=$tmp/cases
new_crate

# From the crate's own Makefile.
printf 'KC := %s\ninclude $(KC)/mk/use.mk\nKC_FLAGS := CONFIGS=cpu CARGO=%s\n' "$root" "$root/tests/stub/cargo" >"$crate/Makefile"
in_crate() { run make -C "$crate" --no-print-directory "$@"; }
in_crate kc-accept
status 0 'kc-accept in a Makefile of the crate'
in_crate kc-diff
status 0 'kc-diff'
is "$(head -n 1 "$tmp/out")" '3 equal' 'kc-diff: says so'
in_crate kc-kernels CASE=step/c
is "$(head -n 1 "$tmp/out")" 'step/c' 'kc-kernels'
in_crate kc-diff BASELINE=none.tsv
ok 'a relative name is one in the crate' grep -q "$crate/none.tsv: no baseline there" "$tmp/err"
new_crate

# A sweep.
another 'forward/a	8	chunks' 'step/c	3'
kc sweep SWEEP='BENCH_SEQ=64 65 128 200 320 512'
status 0 'sweep'
is "$(cat "$tmp/out")" 'cpu  forward/a  8*ceil(seq/64)  from seq=64 65 128 200, predicts 320 512
cpu  step/c     3               from seq=64, predicts 65 128 200 320 512' 'sweep: the laws'
is "$(tests_run)" 24 'sweep: two processes for each of two cases at six sizes'
ok 'sweep: the result' grep -q $'^64\trepeated\tcpu BENCH_SEQ=512\tforward/a$' "$logs/sweep.tsv"
kc sweep SWEEP='BENCH_SEQ=64 65 128 200 320 512'
is "$(tests_run)" 0 'a second time nothing runs'
kc sweep SWEEP='BENCH_SEQ=64 128' TARGET_ROOT="$tmp/shared" LOG_DIR="$tmp/a=b/logs"
status 0 'sweep: where the bench is kept beside the logs, in a folder with a = in its name'
ok 'sweep: and its laws' grep -q '^cpu  step/c     3     from seq=64, predicts 128$' "$tmp/out"
printf 'step/* constant # no sequence\nforward/a = 8*ceil(seq/64) # a chunk\n' >"$crate/kernels.laws"
kc sweep SWEEP='BENCH_SEQ=64 128'
status 0 'laws of the crate, kept'
printf '* constant # no growth\n' >"$tmp/laws"
kc sweep SWEEP='BENCH_SEQ=64 128' LAWS="$tmp/laws"
status 2 'LAWS names another file'
ok 'a law that is not kept is named' grep -q '^over *cpu *forward/a ' "$tmp/out"
for bad in '' 'BENCH_SEQ' 'BENCH_SEQ=' 'BENCH_SEQ=64' 'BENCH_SEQ=64 x' 'BENCH_SEQ=64 64' \
	'1=64 128' 'A B=64 128' 'BENCH_SEQ=64 -1' 'BENCH_SEQ=64 $(touch /tmp/x)'; do
	kc sweep SWEEP="$bad"
	status 2 "SWEEP='$bad'"
	says 'SWEEP=' "SWEEP='$bad'"
done
done_testing
