#!/usr/bin/env bash
# A release: the same bytes whoever makes it, built offline and without git; what
# install puts somewhere, uninstall takes away.
. "$(dirname "$0")/tap.sh"
command -v git >/dev/null || skip_all 'no git here'
said() { ok "$1" grep -qF -- "$2" "$tmp/err"; }
git() { command git -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main "$@"; }

# This tree as it is, in a clone with one commit.
source=$tmp/source
mkdir "$source"
if [ -e "$root/.git" ]; then
	(cd "$root" && git ls-files -z)
elif [ -e "$root/mk/manifest" ]; then
	cut -c 67- "$root/mk/manifest" | tr '\n' '\0'
else
	skip_all 'neither a clone nor a release: nothing says what belongs to it'
fi >"$tmp/files"
# A file that is deleted and not yet committed is none of this tree.
(cd "$root" && xargs -0 ls -d -- <"$tmp/files" 2>/dev/null | tar -cf - --verbatim-files-from -T -) | tar -C "$source" -xf -
(cd "$source" && git init -q && git add -A && git commit -q -m one)

version=$(sed -n 's/^#define KC_VERSION "\(.*\)"$/\1/p' "$root/filters/lib/kc.h")
name=kernel-count-$version
is "$(kc-totals -V)" "kc-totals $version" 'the programs and the header agree on the version'
dist() { run make -C "$1" --no-print-directory dist "${@:2}"; }

dist "$source"
status 0 'make dist'
is "$(cut -d '(' -f 1 "$tmp/out")" "wrote build/$name.tar.gz " 'says what it wrote'
tarball=$source/build/$name.tar.gz
cp "$tarball" "$tmp/first.tar.gz"
is "$(cd "$source" && git status --porcelain)" '' 'and leaves the clone as it was'

# Another clone, at another path, by somebody with another umask and time zone.
(umask 077 && git clone -q "$source" "$tmp/another clone")
mkdir "$tmp/elsewhere"
mv "$tmp/another clone" "$tmp/elsewhere/clone"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 make -C "$tmp/elsewhere/clone" --no-print-directory dist >/dev/null)
ok 'the same bytes from a clone elsewhere' cmp "$tmp/first.tar.gz" "$tmp/elsewhere/clone/build/$name.tar.gz"
rm -rf "$tmp/elsewhere"

# What is in it.
tar -tvzf "$tarball" >"$tmp/listed"
is "$(awk '{ print $1, $2 }' "$tmp/listed" | sort -u)" $'-rw-r--r-- 0/0\n-rwxr-xr-x 0/0' 'plain files of nobody'
is "$(awk '{ print $4, $5 }' "$tmp/listed" | sort -u | wc -l)" 1 'of one time'
date=$(sed -n '/^## /{s/.*(\(.*\)).*/\1/p;q}' "$root/mk/changes.md")
is "$(awk 'NR == 1 { print $4, $5 }' "$tmp/listed")" "$date 00:00" 'the one of the changelog'
is "$(awk '{ print $6 }' "$tmp/listed" | grep -v "^$name/")" '' 'in one folder'
is "$(awk '{ print $6 }' "$tmp/listed" | sed "s,^$name/,," | grep -v '^mk/manifest$' | sort)" \
	"$(cd "$source" && git ls-files | sort)" 'what git has, and the manifest'
run env SOURCE_DATE_EPOCH=86400 make -C "$source" --no-print-directory dist
is "$(tar -tvzf "$tarball" | awk 'NR == 1 { print $4, $5 }')" '1970-01-02 00:00' 'SOURCE_DATE_EPOCH is honoured'

# A release makes itself again, with no git, and says so if it is not as it was.
mkdir "$tmp/unpacked"
tar -C "$tmp/unpacked" -xzf "$tmp/first.tar.gz"
release=$tmp/unpacked/$name
ok 'its manifest is right' sh -c 'cd "$1" && sha256sum --quiet --check mk/manifest' - "$release"
mkdir "$tmp/bin"
printf '#!/bin/sh\necho "git was asked" >&2\nexit 1\n' >"$tmp/bin/git"
chmod +x "$tmp/bin/git"
run env PATH="$tmp/bin:$PATH" make -C "$release" --no-print-directory dist
status 0 'make dist in a release'
ok 'the same bytes again' cmp "$tmp/first.tar.gz" "$release/build/$name.tar.gz"
rm -r "$release/build"

# Built with no network, no git, no cargo, and with the flags of distributions.
offline=()
! unshare -rn true 2>/dev/null || offline=(unshare -rn)
[ ${#offline[@]} -gt 0 ] || skip 'no network' 'this user may not make a network namespace'
hardened=(CFLAGS='-O2 -g -fstack-protector-strong -fPIE' CPPFLAGS='-D_FORTIFY_SOURCE=2'
	LDFLAGS='-pie -Wl,-z,relro,-z,now' KC_BUILD=build)
run "${offline[@]}" env PATH="$tmp/bin:$PATH" CARGO=/nonexistent make -j2 -C "$release" --no-print-directory "${hardened[@]}" filters
status 0 "a release builds${offline[0]:+ offline}, hardened"
stderr_is '' 'without a word'
run env PATH="$tmp/bin:$PATH" "${hardened[@]}" KC_BUILD="$release/build" prove "$release/tests/kc-cases.t" \
	"$release/tests/kc-md.t" "$release/tests/graph-cases.t" "$release/tests/demo.t"
status 0 'its tests pass, where there is no git'
ok 'four files of them' grep -q '^Files=4' "$tmp/out"
if command -v readelf >/dev/null; then
	for file in kc-totals kc-run; do
		ok "$file: position-independent" sh -c 'readelf -d "$1" | grep -q "FLAGS_1.*PIE"' - "$release/build/$file"
	done
	for file in kc-totals kc-run libkc-count.so kc-tail.so null/libcuda.so.1; do
		ok "$file: bound at start" sh -c 'readelf -d "$1" | grep -q BIND_NOW' - "$release/build/$file"
	done
	for file in libkc-count.so kc-tail.so null/libcuda.so.1 null/nvrtc/libnvrtc.so.13; do
		ok "$file: a library" sh -c '! readelf -d "$1" | grep -q "PIE\|TEXTREL"' - "$release/build/$file"
	done
else
	skip 'hardened files' 'no readelf here'
fi

# Installed: every file in its place, under DESTDIR, which no file names.
install() { run env PATH="$tmp/bin:$PATH" make -C "$release" --no-print-directory "${hardened[@]}" "$@"; }
install install DESTDIR="$tmp/dest" PREFIX=/opt/kc MANDIR=/opt/man
status 0 'make install'
stderr_is '' 'without a word'
installed() { (cd "$tmp/dest" && find . ! -type d | sort); }
for file in opt/kc/bin/kc-totals opt/kc/bin/kc-run opt/kc/lib/kernel-count/libkc-count.so \
	opt/kc/lib/kernel-count/kc-tail.so opt/kc/lib/kernel-count/null/libcuda.so.1 \
	opt/kc/lib/kernel-count/mk/use.mk opt/kc/lib/kernel-count/configs/cuda.mk \
	opt/man/man1/kc-totals.1 opt/man/man1/kc-run.1 opt/man/man5/kc-rows.5 opt/man/man7/kc-null.7 \
	opt/kc/share/doc/kernel-count/changes.md opt/kc/share/doc/kernel-count/LICENSE; do
	ok "$file" test -f "$tmp/dest/$file"
done
is "$(installed | grep -v '^\./opt/kc/\(bin\|lib/kernel-count\|share/doc/kernel-count\)/\|^\./opt/man/man[157]/')" '' 'nothing elsewhere'
is "$(installed | sed -n "s,.*/man[157]/,,p" | sort)" \
	"$(find "$release/filters" -name '*.[1-9]' -printf '%f\n' | sort)" 'every man page'
is "$(grep -rlF "$tmp/dest" "$tmp/dest")" '' 'DESTDIR is in no file'
is "$(find "$tmp/dest" -xtype l)" '' 'no link leads nowhere'
is "$(find "$tmp/dest" -type l -lname '/*')" '' 'nor to an absolute path'
is "$(find "$tmp/dest" -type f -perm /022)" '' 'nobody else may write to it'
mv "$tmp/dest/opt/kc" "$tmp/moved"
run "$tmp/moved/bin/kc-totals" -V
stdout_is "kc-totals $version"$'\n' 'an installed program runs, wherever it is'
run "$tmp/moved/bin/kc-run" -o - -- true
ok 'and finds its library' grep -q 'no CUDA used' "$tmp/out" "$tmp/err"
mv "$tmp/moved" "$tmp/dest/opt/kc"
touch "$tmp/dest/opt/kc/bin/another" "$tmp/dest/opt/kc/lib/kernel-count/mk/mine"
install uninstall DESTDIR="$tmp/dest" PREFIX=/opt/kc MANDIR=/opt/man
status 0 'make uninstall'
is "$(installed)" $'./opt/kc/bin/another\n./opt/kc/lib/kernel-count/mk/mine' 'takes it away, and nothing else'

# One line for what cannot be.
install install DESTDIR="$tmp/dest" PREFIX=/usr LIBDIR=/usr/lib64
status 2 'a LIBDIR that kc-run would not find'
said 'is refused' 'LIBDIR=/usr/lib64: expected /usr/lib, where kc-run in BINDIR looks for its library'
echo >>"$release/mk/run"
dist "$release"
status 2 'a release that was changed'
said 'is named' 'mk/run: FAILED: not as it was released (mk/manifest)'
rm "$release/mk/manifest"
dist "$release"
status 2 'a folder that is neither'
said 'says so' 'neither a clone with a commit nor a release'

rm -r "$source/build"
echo >>"$source/README.md"
dist "$source"
status 2 'a change that is not committed'
said 'is named' 'kernel-count: README.md: changed since the last commit: commit it first'
ok 'no tarball' test ! -e "$source/build/$name.tar.gz"
bad() {
	(cd "$source" && git checkout -q . && sed -i "$2" "$3" && git commit -q -a -m x)
	dist "$source"
	status 2 "$1"
	said "$1: in one line" "$4"
	is "$(grep -c kernel-count: "$tmp/err")" 1 "$1: one line"
	(cd "$source" && git reset -q --hard HEAD^)
}
at=$(grep -n -m 1 '^## ' "$source/mk/changes.md" | cut -d : -f 1)
bad 'a version the changelog lacks' 's/KC_VERSION ".*"/KC_VERSION "9.9.9"/' filters/lib/kc.h \
	"mk/changes.md:$at: the newest version is '$version', expected 9.9.9, which filters/lib/kc.h says"
bad 'a version that is none' 's/KC_VERSION ".*"/KC_VERSION "1.x"/' filters/lib/kc.h \
	"filters/lib/kc.h: KC_VERSION is '1.x', expected MAJOR.MINOR.PATCH"
bad 'a day that is none' "${at}s/(.*)/(2026-13-40)/" mk/changes.md \
	"mk/changes.md:$at: '## $version (2026-13-40)', expected '## $version (YYYY-MM-DD)'"
bad 'no version in the changelog' '/^## /d' mk/changes.md "mk/changes.md: no version in it"

# The changelog says something of the newest version.
ok 'the newest version has changes' sh -c 'sed -n "/^## /,\$p" "$1" | sed 1d | sed "/^## /,\$d" | grep -q "^- "' - "$root/mk/changes.md"

done_testing
