# shellcheck shell=bash
# mk/slots.sh: how many benches run side by side. As many as make starts, until
# one cannot run for want of the device's memory, or because the device takes one
# process only: then half as many as there were, for the rest of this make, and
# what failed runs again.
#
# In the folder `slots` of LOG_DIR, or KC_SLOTS:
#	run.PID   each process of mk/run whose bench runs
#	limit     how many may, once it is known
#	1, 2 ...  a lock for each of those

slots=${KC_SLOTS:-$PWD/slots}

# take_slot: returns when this process may run its bench; $running is its file.
take_slot() {
	local limit slot
	[ -d "$slots" ] || mkdir -p "$slots"
	while [ -e "$slots/limit" ]; do
		limit=$(<"$slots/limit")
		slot=$(($$ % limit + 1))
		exec 7>>"$slots/$slot"
		flock 7
		[ "$(<"$slots/limit")" != "$limit" ] || break
	done
	running=$slots/run.$$
	: >"$running"
}

# leave_slot: and how many others ran beside it, in $beside.
leave_slot() {
	local file
	beside=0
	for file in "$slots"/run.*; do
		[ "$file" = "$slots/run.$$" ] || [ ! -e "$file" ] || beside=$((beside + 1))
	done
	rm -f "$running"
	exec 7>&-
}

# fewer WHY: after leave_slot, that fewer may run from here on; returns when those
# that ran beside have ended. Status 1 where there was nobody beside.
fewer() {
	local limit file
	[ "$beside" -gt 0 ] || return 1
	exec 8>>"$slots/lock"
	flock 8
	limit=$(((beside + 1) / 2))
	if [ ! -e "$slots/limit" ] || [ "$limit" -lt "$(<"$slots/limit")" ]; then
		put "$slots/limit" "$limit"
		say "$1 with $((beside + 1)) processes side by side; $limit from here on"
	fi
	exec 8>&-
	for file in "$slots"/run.*; do
		tail --pid="${file##*.}" -s 0.1 -f /dev/null || :
	done
}
