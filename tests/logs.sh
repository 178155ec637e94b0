# logs.sh: composes logs as cubecl and criterion print them.
# shellcheck shell=bash
#
# Written from cubecl's runtime/src/logging/{profiling,server}.rs (0.6 to 0.11),
# not from the filters: widths count bytes, as there; padding counts characters.

logs_rule() {
	local line
	printf -v line '%*s' "$2" ''
	printf '|%s| \n' "${line// /$1}"
}

# launches NAME N ...: N launch lines of each kernel.
launches() {
	local i
	while [ $# -gt 0 ]; do
		for ((i = 0; i < $2; i++)); do
			printf '| 12.5µs     | %s\n' "$1"
		done
		shift 2
	done
}

# summary NAME N ...: the table that a sync prints for these launches.
summary() {
	local w=4 d=8 n=12 total=0 i name
	local -a all=("$@")
	for ((i = 0; i < $#; i += 2)); do
		name=${all[i]}
		[ ${#name} -le "$w" ] || w=${#name}
		total=$((total + all[i + 1]))
	done
	logs_rule ⎺ $((w + d + n + 5 + 11))
	printf "| %-${w}s | %-${d}s | %-${n}s | %-5s |\n" \
		Name Duration 'Num Computed' Ratio
	logs_rule ⎼ $((w + d + n + 5 + 11))
	for ((i = 0; i < $#; i += 2)); do
		printf "| %-${w}s | %-${d}s | %-${n}s | %-5s |\n" \
			"${all[i]}" 1.25ms "${all[i + 1]}" '33 %'
	done
	logs_rule ⎼ $((w + d + n + 5 + 11))
	printf "| %-${w}s | %-${d}s | %-${n}s | %-5s |\n" \
		Total 3.75ms "$total" '100 %'
	logs_rule ⎯ $((w + d + n + 5 + 11))
	printf '\n'
}

# synced NAME N ...: launches, then their table.
synced() {
	launches "$@"
	summary "$@"
}

testing() { printf 'Testing %s\n' "$1"; }
success() { printf 'Success\n\n'; }
whole() { printf 'kc: whole\n'; }
