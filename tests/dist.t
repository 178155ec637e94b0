#!/usr/bin/env bash
# make dist: the same bytes from two clones, at two times; a release builds without
# git and makes itself again; make install follows DESTDIR and the rest.
. "$(dirname "$0")/tap.sh"
said() { ok "$1" grep -qF -- "$2" "$tmp/err"; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
version=$(sed -n 's/^#define KC_VERSION "\(.*\)"$/\1/p' "$root/filters/lib/kc.h")
name=kernel-count-$version

# A tree of these sources in git, whatever is committed of them where the test runs.
tree=$tmp/one/tree
mkdir -p "$tree"
cp -r "$root"/{Makefile,README.md,LICENSE,mk,configs,filters} "$tree/"
mkdir "$tree/tests"
cp "$root"/tests/{tap.sh,kc-sort.t} "$tree/tests/"
rm -f "$tree/mk/manifest"
git -C "$tree" init -q && git -C "$tree" add -A && git -C "$tree" commit -qm first
mkdir -p "$tmp/another place"
git clone -q "$tree" "$tmp/two"
(umask 077 && cd "$tmp/two" && find . -path ./.git -prune -o -type f -exec touch -d '2001-01-01' {} +)

dist() { run make -C "$1" --no-print-directory dist KC_BUILD="$1/build"; }
dist "$tree"
status 0 'make dist'
dist "$tmp/two"
status 0 'in another clone'
ok 'the same bytes' cmp "$tree/build/$name.tar.gz" "$tmp/two/build/$name.tar.gz"
is "$(tar -tzf "$tree/build/$name.tar.gz" | grep -v "^$name/" | head -n 1)" '' 'all in one folder'

# The release, in a folder with no git above it that knows of it.
tar -xzf "$tree/build/$name.tar.gz" -C "$tmp"
release=$tmp/$name
run sh -c 'cd "$1" && sha256sum --quiet --check mk/manifest' - "$release"
status 0 'its manifest holds'
GIT_CEILING_DIRECTORIES=$tmp dist "$release"
status 0 'a release makes itself'
ok 'the same bytes again' cmp "$tree/build/$name.tar.gz" "$release/build/$name.tar.gz"

# It builds, and is installed where it is told to be.
run make -C "$release" --no-print-directory install DESTDIR="$tmp/dest" PREFIX=/opt/kc MANDIR=/opt/man DOCDIR=/opt/doc
status 0 'make install, from the release'
is "$("$tmp/dest/opt/kc/bin/kc-md" -V)" "kc-md $version" 'a program'
for file in opt/man/man1/kc-md.1 opt/man/man5/kc-rows.5 opt/doc/changes.md opt/doc/LICENSE \
	opt/kc/lib/kernel-count/Makefile opt/kc/lib/kernel-count/kc-tail.so; do
	ok "$file" test -s "$tmp/dest/$file"
done
is "$(grep -rlF "$tmp/dest" "$tmp/dest" | head -n 1)" '' 'DESTDIR is in no file'
run make -C "$release" --no-print-directory install DESTDIR="$tmp/dest2" PREFIX=/usr LIBDIR=/usr/lib64
status 2 'a LIBDIR where kc-run would not find its library'
said 'is refused' 'LIBDIR=/usr/lib64: expected /usr/lib,'
run make -C "$release" --no-print-directory uninstall DESTDIR="$tmp/dest" PREFIX=/opt/kc MANDIR=/opt/man DOCDIR=/opt/doc
is "$(find "$tmp/dest" -type f -o -type l)" '' 'uninstall leaves nothing'

# What cannot be a release.
echo '# x' >>"$release/README.md"
GIT_CEILING_DIRECTORIES=$tmp dist "$release"
status 2 'a release that was changed'
said 'is refused' 'README.md: FAILED: not as it was released (mk/manifest)'
rm "$release/mk/manifest"
GIT_CEILING_DIRECTORIES=$tmp dist "$release"
status 2 'a folder of unknown origin'
said 'is refused' 'neither a clone with a commit nor a release'
echo '# x' >>"$tree/README.md"
dist "$tree"
status 2 'a change that is in no commit'
said 'is refused' 'README.md: changed since the last commit'
sed -i "s/^## $version /## 9.9.9 /" "$tree/mk/changes.md"
git -C "$tree" commit -qam x
dist "$tree"
status 2 'a version that the changes do not have'
ok 'is refused' grep -q "mk/changes.md:[0-9]*: the newest version is '9.9.9', expected $version" "$tmp/err"
done_testing
