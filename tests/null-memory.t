#!/usr/bin/env bash
# The null driver's memory: a model of 80 GB costs a process as much as one of
# 1 GB, and fills a device as it would.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/null/lib.sh"

c memory
null "$tmp/memory" 1
status 0 '1 GiB'
small=$(<"$tmp/out")
null "$tmp/memory" 80
status 0 '80 GiB'
big=$(<"$tmp/out")
ok "80 GiB takes $big kB and 1 GiB $small kB: less than 1 MiB apart" \
	[ "$((big - small))" -lt 1024 ]
ok 'which is less than 8 MiB' [ "$big" -lt 8192 ]
used=$(grep -o '^[0-9]*' "$tmp/err")
ok 'and the device says that it is in use' [ "$used" -ge $((80 << 30)) ]
null KC_NULL_PROFILE=rtx4090 "$tmp/memory" 16
status 0 'a smaller device holds 16 GiB'
null KC_NULL_PROFILE=rtx4090 "$tmp/memory" 80
status 1 'and not 80'
like "$(<"$tmp/err")" '^cuMemAlloc.*: 2$' 'it is out of memory, by the driver'"'"'s code'

done_testing
