#!/usr/bin/env bash
# Crates as other people have them (tests/crates), built by cargo and counted: a
# workspace, two benches of one name, a dash in a name, criterion 0.5 and 0.8, a
# bench that does not read BENCH_WARMUP_ITERS, features that are not there; from a
# submodule, and by make -C. What each launches is in its source.
. "$(dirname "$0")/tap.sh"
said() { ok "$1" grep -qF -- "$2" "$tmp/err"; }
command -v cargo >/dev/null || skip_all 'cargo is not here; make setup says how to get it'
unset CRATE PACKAGE BENCH CONFIGS SKIP FILTER
for name in "${!BENCH_@}"; do unset "$name"; done

# cargo's outputs are kept in the user's cache folder, like those of tests/layer.
builds=${XDG_CACHE_HOME:-$HOME/.cache}/kernel-count/crates
mkdir -p "$tmp/own"
cp -r "$root/tests/crates" "$tmp/own/crates"
crate=$tmp/own/crates
export KC_SCRATCH=$tmp/runs
kc() {
	run make -C "$root" --no-print-directory CRATE="$crate" TARGET_ROOT="$builds" CONFIGS=plain "$@"
}
# counts: LAUNCHES VERDICT CASE of the last report.
counts() { awk -F '\t' '!/^#/ && NF == 4 { print $1, $2, $4 }' "$crate/target/kernel-logs/rows" | tr '\n' ';'; }

kc report
status 2 'a workspace with two benches of one name'
ok 'both are named, and how to choose' grep -q 'plain: 2 benches match BENCH=layer, expected one: .*; say PACKAGE=' "$tmp/err"
kc report PACKAGE=blocks
status 0 'one package: criterion 0.8'
is "$(counts)" '24 repeated forward/attention;18 repeated forward/mlp;' 'its counts'
kc report PACKAGE=older
status 0 'the other: criterion 0.5, with ids that have a parameter'
is "$(counts)" '11 repeated step/decode/1;44 repeated step/decode/4;' 'its counts, and none of the set-up'
kc report BENCH=my-blocks
status 0 'a bench with a dash in its name, which is in one package'
is "$(counts)" '7 once block;' 'it does not read BENCH_WARMUP_ITERS: counted once'
ok 'the report says what to add' grep -qF 'warm-up iterations as `BENCH_WARMUP_ITERS` says' "$crate/kernels.md"
kc report PACKAGE=blocks CONFIGS=plain,double
status 0 'a configuration with a feature of the crate'
is "$(counts)" '24 repeated forward/attention;18 repeated forward/mlp;48 repeated forward/attention;36 repeated forward/mlp;' \
	'makes other counts, in a column of its own'
kc report PACKAGE=blocks CONFIGS=double,lacking TARGET_ROOT="$tmp/none" LOG_DIR="$tmp/lacking"
status 2 'a feature that the crate lacks'
stderr_is "kernel-count: $crate/configs/lacking.mk:1: lacking needs features that the crate in $crate lacks (the package 'blocks' does not contain this feature: no-such-feature): add them to [features] in its Cargo.toml, or say SKIP=lacking
make: *** [mk/report.mk:$(grep -n 'mk/check ' "$root/mk/report.mk" | cut -d : -f 1): report] Error 2
" 'is named in one line, with the file and the line'
ok 'before anything is built, in another configuration too' test ! -e "$tmp/none"
kc report CONFIGS=double,lacking TARGET_ROOT="$tmp/none" LOG_DIR="$tmp/lacking"
status 2 'in no package of a workspace'
said 'is named as well' 'none of the selected packages contains this feature: no-such-feature'
kc report PACKAGE=blocks BENCH=layer CONFIGS=plain,lacking SKIP=lacking
status 0 'SKIP leaves it out'

# One that syncs after every iteration and once more; one that syncs inside of it.
kc report BENCH=syncs
status 2 'a bench that syncs where it likes'
is "$(counts)" '4 repeated every;- refused: 4 and 6 tables for one and two warm-up iterations, expected one more: an iteration must sync once, at its end inside;' \
	'after every iteration: counted; inside of it, two tables an iteration: refused'

# As a submodule, and an include in the crate's Makefile.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
mkdir "$tmp/kc" && cp -r "$root"/{Makefile,mk,configs,filters} "$tmp/kc/"
git -C "$tmp/kc" init -q && git -C "$tmp/kc" add -A && git -C "$tmp/kc" commit -qm kc
git -C "$crate" init -q
git -C "$crate" -c protocol.file.allow=always submodule --quiet add "$tmp/kc" vendor/kernel-count
printf 'KC := vendor/kernel-count\ninclude $(KC)/mk/use.mk\nKC_FLAGS := PACKAGE=older CONFIGS=plain\n' >"$crate/Makefile"
run make -C "$crate" --no-print-directory kc-report TARGET_ROOT="$builds"
status 0 'from a submodule'
is "$(counts)" '11 repeated step/decode/1;44 repeated step/decode/4;' 'the same counts'
is "$(git -C "$crate/vendor/kernel-count" status --porcelain)" '' 'nothing is written to it'
done_testing
