# shellcheck shell=bash
# mk/lib.sh: what the scripts share; each sources it first.

set -eu -o pipefail
export LC_ALL=C

# die TEXT...: one line, and out.
die() {
	say "$@"
	exit 2
}

# say TEXT...: one line on stderr, over a progress line that stands there.
say() {
	printf '%skernel-count: %s\n' "$(clear_line)" "$*" >&2
}

# why TEXT...: with V=1, the reason for what comes.
why() {
	[ "${KC_V:-0}" = 0 ] || say "$@"
}

clear_line() {
	[ ! -t 2 ] || printf '\r\033[K'
}

# shown TEXT: untrusted text fit for a message: in quotes, its control
# characters gone, at most 200 bytes.
shown() {
	local text=${1//[[:cntrl:]]/?}
	[ ${#text} -le 200 ] || text=${text:0:197}...
	printf "'%s'" "$text"
}

# put FILE TEXT: FILE holds TEXT and a newline, written whole, then renamed;
# left alone where it does already.
put() {
	local old
	if [ -f "$1" ]; then
		# What $(<FILE) gives, without a process.
		IFS= read -r -d '' old <"$1" || :
		[ "$old" != "$2"$'\n' ] || return 0
	fi
	if ! { printf '%s\n' "$2" >"$1.tmp.$$" && mv -f "$1.tmp.$$" "$1"; }; then
		rm -f "$1.tmp.$$"
		die "$1: cannot be written, is the disk full?"
	fi
}

# quoted NAME=VALUE...: words that bash reads back as they are.
quoted() {
	local word line=
	for word; do
		printf -v word '%q' "$word"
		line+=" $word"
	done
	printf '%s' "${line# }"
}

# case_words REGEX ID: the arguments that make the bench run one case, in words=():
# criterion's, or the configuration's own, case_args of its run.conf. The ID is as
# in the table of cases (kc-rows(5)).
# shellcheck disable=SC2154 # case_args is the caller's
case_words() {
	local word id=${2/#\\#/#} named=''
	if [ ${#case_args[@]} -eq 0 ]; then
		words=(--bench --test "$1")
		return
	fi
	printf -v id '%b' "$id"
	words=()
	for word in "${case_args[@]}"; do
		[[ $word != *'{}'* ]] || named=1
		words+=("${word//'{}'/"$id"}")
	done
	[ -n "$named" ] || words+=("$1")
}

# progress TEXT: that another process starts, n of m: a byte in KC_PROGRESS for
# each that did. One line that moves on a terminal, else a line each.
progress() {
	local n
	[ -n "${KC_TODO-}" ] || return 0
	printf . >>"$KC_PROGRESS"
	n=$(<"$KC_PROGRESS")
	n=${#n}
	if [ -t 2 ]; then
		printf '\r\033[K[%d/%d] %s' "$n" "$KC_TODO" "$1" >&2
	else
		printf '[%d/%d] %s\n' "$n" "$KC_TODO" "$1" >&2
	fi
}
