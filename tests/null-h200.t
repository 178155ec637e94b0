#!/usr/bin/env bash
# The null driver with the profile h200 answers as an H200's driver did
# (tests/data/h200/null), but for what tests/null/h200/explained explains.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/null/lib.sh"

compare=$root/tests/null/h200/compare
gzip -dc "$root/tests/data/h200/null/answers.gz" >"$tmp/real"

c h200/ask
null "$tmp/h200-ask"
status 0 'all is asked'
cp "$tmp/out" "$tmp/null"
run "$compare" "$tmp/real" "$tmp/null"
status 0 'and answered'
is "$(<"$tmp/out")" '' 'as the real driver did'
n=$(sed -n 's/^\([0-9]*\) questions, .*/\1/p' "$tmp/err")
ok 'thousands of times' [ "${n:-0}" -gt 3000 ]

# Another device's answers are not an H200's.
null KC_NULL_PROFILE=a100 "$tmp/h200-ask" device
cp "$tmp/out" "$tmp/a100"
run "$compare" "$tmp/real" "$tmp/a100"
status 1 'an A100 differs'
ok 'in the number of its multiprocessors' grep -q $'^device: multiprocessor_count\treal: 0 132\tnull: 0 108$' "$tmp/out"

# A reason that nothing needs is reported: the list does not rot.
run "$compare" "$tmp/null" "$tmp/null"
status 1 'answers compared with themselves'
is "$(grep -vc '^explained, but no difference: ' "$tmp/out")" 0 'leave all reasons unused'

run "$compare" "$tmp/real"
status 2 'one file is too few'

done_testing
