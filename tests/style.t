#!/usr/bin/env bash
# What every file keeps to, so that `make lint` passes and no compiler warns. The
# lists of files are in mk/test.mk.
. "$(dirname "$0")/tap.sh"

kc() { run make -C "$root" --no-print-directory "$@"; }
silent() { is "$(head -n 40 "$tmp/out" "$tmp/err")" "$(printf '==> %s <==\n\n==> %s <==' "$tmp/out" "$tmp/err")" "$1"; }

# checked TOOL GOAL WHAT
checked() {
	if ! command -v "$1" >/dev/null; then
		skip "$3" "no $1 here; make setup lint installs it"
		return
	fi
	kc "kc-lint-$2"
	status 0 "$3 pass $1"
	silent 'which says nothing'
}
checked shellcheck shell 'shell scripts'
checked clang-format c 'C files'
checked mandoc man 'man pages'

# The lists are not empty, and have a file of each kind that is easily missed.
kc kc-lint-shell kc-lint-c kc-lint-man -n
for file in .ci/run mk/lib.sh mk/run tests/tap.sh tests/stub/cargo tests/style.t \
	filters/lib/kc.h filters/cuda/count.c filters/tail/tail.c tests/stub/bench.c \
	filters/kc-rows.5 filters/cuda/null/kc-null.7; do
	ok "$file is among them" grep -qE "[ /]$file( |\$)" "$tmp/out"
done

# Every program and test program, with the flags that are ours.
flags=$(sed -n 's/^KC_CFLAGS = *//p' "$root/mk/filters.mk")
like "$flags" '-Wall -Wextra -Wpedantic -Werror' 'a warning is an error'
for cc in gcc clang; do
	if ! command -v $cc >/dev/null; then
		skip "$cc" "no $cc here; make setup test installs it"
		continue
	fi
	# gcc warns of more where it optimises, clang does not.
	flags=()
	[ $cc = gcc ] || flags=(CFLAGS=-O0)
	kc -j2 CC=$cc ${flags[@]+"${flags[@]}"} KC_BUILD="$tmp/$cc" kc-everything
	status 0 "$cc builds everything"
	is "$(cat "$tmp/err")" '' 'without a word'
	ok 'in its own folder' test -x "$tmp/$cc/kc-pair"
	rm -rf "${tmp:?}/$cc"
done

done_testing
