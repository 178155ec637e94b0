# lib.sh: what the null driver's tests share; sourced after tap.sh.
# shellcheck shell=bash disable=SC2154

null=$build/null

# c NAME [FLAG...]: compile tests/null/NAME.c to $tmp/NAME, or give up.
c() {
	local name=$1
	shift
	"${CC:-cc}" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g "$@" \
		-o "$tmp/${name//\//-}" "$root/tests/null/$name.c" -ldl -pthread ||
		skip_all "tests/null/$name.c does not compile"
}

# null [VAR=VALUE...] COMMAND...: run it under the null driver, its record in
# $tmp/record.
null() {
	rm -f "$tmp/record"
	run env LD_LIBRARY_PATH="$null" KC_NULL_PROFILE=h200 \
		KC_NULL_RECORD="$tmp/record" "$@"
}

# record WORD FIELD: a field of the record's only line of that word.
record() {
	awk -F '\t' -v w="$1" -v f="$2" '$1 == w { print $f }' "$tmp/record"
}
