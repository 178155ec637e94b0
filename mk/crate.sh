# shellcheck shell=bash
# mk/crate.sh: what is read from the crate's own folders. Folders are absolute.

# above DIR NAME: the nearest file of that name in DIR or above it.
above() {
	local dir=$1
	while [ -n "$dir" ]; do
		if [ -f "$dir/$2" ]; then
			printf '%s' "$dir/$2"
			return 0
		fi
		dir=${dir%/*}
	done
	return 1
}

# find_settings DIR: cubecl's settings for counting in $settings: the nearest
# file's, from the package in DIR upwards, as cubecl's loader looks for it
# (runtime/src/config), with the profiling logger set; and burn.toml in $burn.
# $settings_from names the files.
find_settings() {
	local dir=$1 file status
	settings='' burn='' settings_from=''
	while [ -n "$dir" ]; do
		for file in cubecl.toml CubeCL.toml; do
			if [ -z "$settings" ] && [ -f "$dir/$file" ]; then
				settings=$(awk -f "$KC_ROOT/mk/settings.awk" "$dir/$file") ||
					die "$dir/$file: cannot be read as TOML, see above"
				settings_from=$dir/$file
			fi
		done
		for file in burn.toml Burn.toml; do
			[ -f "$dir/$file" ] || continue
			if [ -z "$settings" ]; then
				status=0
				settings=$(awk -v table=cubecl -f "$KC_ROOT/mk/settings.awk" "$dir/$file") || status=$?
				[ "$status" -ne 2 ] || die "$dir/$file: cannot be read as TOML, see above"
			fi
			if [ -z "$burn" ]; then
				burn=$(<"$dir/$file")
				settings_from+=${settings_from:+ }$dir/$file
			fi
		done
		dir=${dir%/*}
	done
	[ -n "$settings" ] || settings=$(awk -f "$KC_ROOT/mk/settings.awk" /dev/null)
}

# versions_of DIR: burn 0.22.0, cubecl 0.11.0, as the lock file of the package
# in DIR has them; nothing without one. Status 1, with the reason as output,
# where its cubecl cannot be counted.
versions_of() {
	local lock
	lock=$(above "$1" Cargo.lock) || return 0
	awk -f "$KC_ROOT/mk/versions.awk" "$lock"
}

# keeps_kernels VERSIONS: whether each cubecl of that text is 0.11.0-pre.2 or
# newer: those take [compilation] cache = true, and their settings were read.
keeps_kernels() {
	local item items major minor found=1
	IFS=', ' read -ra items <<<"$1"
	for item in ${items[@]+"${items[@]}"}; do
		case $item in
		cubecl) found=0 ;;
		[0-9]*)
			[ "$found" = 0 ] || continue
			IFS=.- read -r major minor _ <<<"$item"
			if [ "$major" = 0 ] && { [ "$minor" -lt 11 ] || [[ $item == 0.11.0-pre.[01] ]]; }; then
				return 1
			fi
			found=2
			;;
		esac
	done
	[ "$found" = 2 ]
}

# revision_of DIR: by git, with -dirty where something differs from it; nothing
# where there is no git, or no revision.
revision_of() {
	git -C "$1" describe --always --dirty --exclude '*' 2>/dev/null || :
}

# sources_of DIR: a checksum of what the package in DIR is built from: its
# manifest, its sources, its lock file, its settings of cubecl and Burn. Not of
# its dependencies' sources, which the lock file names unless they are folders.
sources_of() {
	local lock file
	lock=$(above "$1" Cargo.lock) || lock=/dev/null
	(
		cd "$1" || exit
		sha256sum <"$lock"
		for file in Cargo.toml build.rs cubecl.toml CubeCL.toml burn.toml Burn.toml; do
			[ ! -f "$file" ] || sha256sum -- "$file"
		done
		for file in src benches; do
			[ ! -d "$file" ] || find "$file" -type f -print0
		done | sort -z | xargs -0 -r sha256sum --
	) | sha256sum | cut -d ' ' -f 1
}

# sum_of SAVED FILE: the file's sha256 in $sum, taken again only when it is
# another file than the one that SAVED remembers, by its inode, size and time,
# which are in $stat. The name is part of that, and a second line.
sum_of() {
	local saved=''
	sum=''
	stat=$(stat -L -c '%d:%i %s %y' -- "$2") || return 1
	[ ! -f "$1" ] || { read -r sum && IFS= read -r saved; } <"$1" || :
	if [ "$saved" != "$2 $stat" ]; then
		sum=$(sha256sum <"$2")
		sum=${sum%% *}
		put "$1" "$sum"$'\n'"$2 $stat"
	fi
}
