#!/usr/bin/env bash
# Logs of every form, damaged in every way of a few kinds: the count stays right
# or is refused. `make test-exhaustive` does it at every byte and line.
. "$(dirname "$0")/tap.sh"
[ -x "$build/sandbox/exhaustive" ] || skip_all 'build/sandbox/exhaustive is not built: run make test'
rm -rf "$tmp"
# A checker makes it ten times as slow.
exec "$build/sandbox/exhaustive" -s "${KC_CHECKER:+9}5"
