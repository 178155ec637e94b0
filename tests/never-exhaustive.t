#!/usr/bin/env bash
# Logs of every form, damaged in every way of a few kinds: the count stays right
# or is refused. `make test-exhaustive` does it at every byte and line.
. "$(dirname "$0")/tap.sh"
[ -x "$build/sandbox/exhaustive" ] || skip_all 'build/sandbox/exhaustive is not built: run make test'
rm -rf "$tmp"
exec "$build/sandbox/exhaustive" -s 5
