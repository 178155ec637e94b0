#!/usr/bin/env bash
# run.sh: ask a real driver what the null driver was asked, on a machine with a
# GPU and a C compiler; at most a minute. Writes to $OUT:
#
#	real.answers	what the driver said, a line a question
#	real.device	what nvidia-smi says the device is
#
# Then, anywhere: tests/null/h200/compare real.answers
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:?where to write to}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${CC:-cc}" -std=c11 -D_GNU_SOURCE -O1 -o "$tmp/ask" "$here/ask.c" -ldl -pthread
timeout 55 "$tmp/ask" >"$out/real.answers" 2>"$out/real.errors" || echo "ask: $?"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv \
	>"$out/real.device" 2>&1 || true
wc -l "$out/real.answers"
