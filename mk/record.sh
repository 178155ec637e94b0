# shellcheck shell=bash
# mk/record.sh: the record that lies beside a stored bench, NAME.record.
#
# Lines of KEY, a tab and TEXT, in which a tab, newline or backslash is written
# \t, \n, \\. It is data: nothing in it is ever run.
#
#	kernel-count bench   1, the version of this format
#	config, bench, package, features, rustflags   as in the build
#	default-features     yes or no
#	crate                the package's folder, relative to the crate's: . for CRATE
#	revision             the crate's, by git, with -dirty where it was
#	sources              a checksum of the package's sources (sources_of)
#	versions             burn 0.22.0, cubecl 0.11.0
#	settings, burn       cubecl's settings for counting, and burn.toml, whole
#	settings-from        the files that they came from, relative to the package
#	machine, libc        what it runs on: x86_64, and glibc-2.34 or newer
#	cargo                NAME=VALUE of cargo's to the bench, a line each
#	sha256, size         of the executable

# shellcheck disable=SC2034 # for those who source this
record_format=1
declare -A record=()
record_cargo=()

# record_line KEY TEXT
record_line() {
	local text=${2//\\/\\\\}
	text=${text//$'\t'/\\t}
	printf '%s\t%s\n' "$1" "${text//$'\n'/\\n}"
}

# read_record FILE: into the array `record`, and record_cargo.
read_record() {
	local key text
	record=() record_cargo=()
	[ -f "$1" ] || return 1
	while IFS=$'\t' read -r key text; do
		text=${text//\\\\/$'\001'}
		text=${text//\\t/$'\t'}
		text=${text//\\n/$'\n'}
		text=${text//$'\001'/\\}
		case $key in
		cargo) record_cargo+=("$text") ;;
		*) record[$key]=$text ;;
		esac
	done <"$1"
}

# machine_of FILE: the machine that an executable is for, as uname -m names it;
# nothing where it is no executable for Linux.
machine_of() {
	local bytes machine
	read -ra bytes < <(od -An -v -tu1 -N 20 -- "$1" | tr '\n' ' ') || :
	[ "${bytes[*]:0:4}" = '127 69 76 70' ] || return 0
	# e_machine, in the file's own byte order (elf(5)).
	machine=${bytes[18]}
	[ "${bytes[5]}" != 2 ] || machine=${bytes[19]}
	case $machine in
	62) machine=x86_64 ;;
	183) machine=aarch64 ;;
	243) machine=riscv64 ;;
	21) machine=ppc64le ;;
	3) machine=i686 ;;
	*) machine=machine-$machine ;;
	esac
	printf '%s' "$machine"
}

# libc_of FILE: the C library that an executable needs: `glibc-2.34`, by the
# newest of its versions that is asked for, `musl`, or `static`.
libc_of() {
	local libc
	if grep -a -q '/ld-musl-' < <(head -c 65536 -- "$1"); then
		printf musl
		return
	fi
	libc=$(grep -a -o 'GLIBC_2\.[0-9.]*[0-9]' -- "$1" | sort -u -V | tail -n 1 || :)
	[ -z "$libc" ] || libc=glibc-${libc#GLIBC_}
	printf '%s' "${libc:-static}"
}

# libc_here: this machine's, in the same words.
libc_here() {
	local text
	text=$(getconf GNU_LIBC_VERSION 2>/dev/null) || text=
	if [ -n "$text" ]; then
		printf '%s' "${text/ /-}"
	elif compgen -G '/lib/ld-musl-*' >/dev/null; then
		printf musl
	fi
}

# libc_runs NEEDED HERE: whether a program for the one runs on the other.
libc_runs() {
	[ "$1" != static ] || return 0
	[ -n "$2" ] || return 0
	[ "${1%%-*}" = "${2%%-*}" ] || return 1
	[[ $1 == *-* ]] || return 0
	[ "$(printf '%s\n' "${1#*-}" "${2#*-}" | sort -V | tail -n 1)" = "${2#*-}" ]
}
