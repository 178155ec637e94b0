# shellcheck shell=bash
# mk/late.sh: files that another machine has written, on a file system that two
# machines share and that may show them late.

# await_files LOG: returns when the files of a process that mk/there ran are here,
# whole, or when KC_LATE seconds (60) have passed. $there is then its status, and
# $late_by, if they did not come, for how long they were waited for.
# shellcheck disable=SC2034 # for those who source this
await_files() {
	local late=${KC_LATE:-60} deadline
	there='' late_by=''
	deadline=$((SECONDS + late))
	until arrived "$1"; do
		if [ "$SECONDS" -ge "$deadline" ]; then
			late_by=$late
			return
		fi
		sleep 0.2
	done
}

# arrived LOG: whether they are, by what mk/there wrote last. Each is opened, which
# makes a client of NFS look again.
arrived() {
	local size file got
	[ -s "$1.end" ] || return 1
	while IFS=$'\t' read -r size file; do
		if [ "$size" = status ]; then
			there=$file
		else
			{ got=$(wc -c <"$file"); } 2>/dev/null || return 1
			[ "$got" -eq "$size" ] || return 1
		fi
	done <"$1.end"
}
