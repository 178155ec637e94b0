# tap.sh: what the tests share; each test sources it first.
# shellcheck shell=bash
#
#	. "$(dirname "$0")/tap.sh"
#	run kc-cases "$tmp/list"
#	status 0; stdout_is $'a\nb\n'; stderr_is ''
#	done_testing
#
# Each check is one line of TAP. A program that dies of a signal, or is not
# there, fails its test whatever status was expected.
set -u
export LC_ALL=C TZ=UTC
unset CDPATH KC_NOJIT SOURCE_DATE_EPOCH
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES GNUMAKEFLAGS MAKEFILES

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${KC_BUILD:-$root/build}
PATH=$build:$PATH
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kc-test.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT

tap_n=0
tap_failed=0

tap_note=

# ok NAME COMMAND...: passes when the command succeeds.
ok() {
	local name=$1
	shift
	if "$@"; then tap_pass "$name"; else tap_fail "$name" "$*"; fi
}

tap_pass() {
	tap_n=$((tap_n + 1))
	printf 'ok %d - %s\n' "$tap_n" "${1//#/\\#}"
}

# tap_fail NAME TEXT...: with each text as a comment under the line.
tap_fail() {
	tap_n=$((tap_n + 1))
	tap_failed=$((tap_failed + 1))
	printf 'not ok %d - %s\n' "$tap_n" "${1//#/\\#}"
	shift
	printf '%s\n' "$@" ${tap_note:+"$tap_note"} | sed 's/^/# /'
}

# skip NAME REASON: a check that cannot be made here, and why.
skip() {
	tap_n=$((tap_n + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_n" "${1//#/\\#}" "$2"
}

# skip_all REASON: the whole file.
skip_all() {
	printf '1..0 # SKIP %s\n' "$1"

	exit 0
}

# run COMMAND...: its status in $code, its output in $tmp/out and $tmp/err.
run() {
	tap_note="ran: $*"
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	code=$?
}

# run_in FILE COMMAND...: the same with standard input from FILE.
run_in() {
	local from=$1
	shift
	tap_note="ran: $* <$from"
	"$@" >"$tmp/out" 2>"$tmp/err" <"$from"
	code=$?
}

# status N [NAME]: how the last run ended.
status() {
	local name=${2:-"status $1"}
	if [ "$code" -eq "$1" ] && [ "$code" -lt 126 ]; then
		tap_pass "$name"
	else
		tap_fail "$name" "status $code, expected $1" \
			"$(head -c 2000 "$tmp/err")"
	fi
}

# is GOT EXPECTED NAME
is() {
	if [ "$1" = "$2" ]; then
		tap_pass "$3"
	else
		tap_fail "$3" "got:      $1" "expected: $2"
	fi
}

# like TEXT REGEX NAME: bash's extended regular expression.
like() {
	if [[ $1 =~ $2 ]]; then
		tap_pass "$3"
	else
		tap_fail "$3" "got:      $1" "expected: $2"
	fi
}

# file_is FILE TEXT NAME: byte for byte, so that a newline at the end counts.
file_is() {
	printf %s "$2" >"$tmp/expected"
	if cmp -s "$1" "$tmp/expected"; then
		tap_pass "$3"
	else
		tap_fail "$3" "$(diff -a "$tmp/expected" "$1" | head -n 40)"
	fi
}
stdout_is() { file_is "$tmp/out" "$1" "${2:-stdout}"; }
stderr_is() { file_is "$tmp/err" "$1" "${2:-stderr}"; }

# stderr_line TEXT [NAME]: one line, which holds this text.
stderr_line() {
	local text
	text=$(cat "$tmp/err")
	if [ "$(wc -l <"$tmp/err")" -eq 1 ] && [[ $text == *"$1"* ]]; then
		tap_pass "${2:-one line on stderr}"
	else
		tap_fail "${2:-one line on stderr}" "got:      $text" \
			"expected: one line with: $1"
	fi
}

# done_testing: the plan, last of all; without it prove fails the file.
done_testing() {
	printf '1..%d\n' "$tap_n"

	[ "$tap_failed" -eq 0 ]
	exit
}
