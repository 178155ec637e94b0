#!/usr/bin/env bash
# Every program has -h, -V and a page whose synopsis is its usage.
. "$(dirname "$0")/tap.sh"

# The page as plain text, in one line from SYNOPSIS to DESCRIPTION.
synopsis() {
	groff -mdoc -Tascii -P-c -P-b -P-o -P-u -rHY=0 "$1" 2>/dev/null |
		sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' | sed '1d;$d' |
		tr -s '\n ' ' ' | sed 's/^ //; s/ $//'
}

if ! command -v groff >/dev/null; then
	skip_all 'groff is not here'
fi
found=0
for page in "$root"/filters/kc-*.1 "$root"/filters/*/kc-*.1; do
	[ -e "$page" ] || continue
	name=$(basename "$page" .1)
	found=$((found + 1))
	run "$name" -h
	status 0 "$name -h"
	stderr_is '' "$name -h: nothing on stderr"
	usage=$(sed -n '/^usage: /p; /^       /p' "$tmp/out" |
		sed 's/^usage: //' | tr -s '\n ' ' ' | sed 's/^ //; s/ $//')
	is "$(synopsis "$page")" "$usage" "$name: the page's synopsis is its usage"
	ok "$name -h says what it does" [ "$(wc -l <"$tmp/out")" -ge 2 ]
	run "$name" -V
	status 0 "$name -V"
	like "$(cat "$tmp/out")" "^$name [0-9]+\.[0-9]+\.[0-9]+\$" "$name -V"
	run "$name" -~
	status 2 "$name: an unknown option"
	like "$(head -n 1 "$tmp/err")" "^$name: unknown option '-~'" \
		"$name: names it"
done
for source in "$root"/filters/kc-*.c; do
	ok "$(basename "$source" .c) has a page" [ -e "${source%.c}.1" ]
done
ok 'there are pages' [ "$found" -ge 4 ]
for page in "$root"/filters/*.[1-8] "$root"/filters/*/*.[1-8]; do
	[ -e "$page" ] || continue
	is "$(groff -mdoc -Tascii -ww -z "$page" 2>&1)" '' \
		"$(basename "$page") renders without a warning"
done
done_testing
