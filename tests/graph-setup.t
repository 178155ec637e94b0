#!/usr/bin/env bash
# make setup: installs what is missing or says how, and is finished before any
# other goal is looked at.
. "$(dirname "$0")/tap.sh"

# A machine with nothing installed: every tool that setup asks is a stand-in.
bin=$tmp/bin
mkdir "$bin"
tool() { cat >"$bin/$1" && chmod +x "$bin/$1"; }
tool dpkg-query <<'END'
#!/bin/bash
for package; do :; done
grep -qxF "$package" "$STUB/installed" && printf installed
END
tool apt-get <<'END'
#!/bin/bash
echo "apt-get $*" >>"$STUB/calls"
case " $* " in
*' update '*) touch "$STUB/updated" ;;
*' install '*)
	[ -z "$STUB_STALE" ] || [ -e "$STUB/updated" ] || exit 100
	sleep "${STUB_SLOW:-0}"
	for word; do case $word in -* | install) ;; *) echo "$word" >>"$STUB/installed" ;; esac; done
	;;
esac
END
tool sudo <<'END'
#!/bin/bash
[ -n "$STUB_SUDO" ] || exit 1
shift
echo sudo >>"$STUB/calls"
exec "$@"
END
tool id <<'END'
#!/bin/bash
echo "${STUB_UID:-0}"
END
tool cargo <<<'#!/bin/bash'
export STUB=$tmp STUB_STALE='' STUB_SUDO='' STUB_UID=0

setup() {
	: >"$tmp/calls"
	rm -f "$tmp/updated"
	run env PATH="$bin:$PATH" make -C "$root" --no-print-directory "$@"
}

: >"$tmp/installed"
setup setup
status 0 'setup as root'
like "$(cat "$tmp/calls")" '^apt-get [^ ].* install .* libpcre2-dev .* mesa-vulkan-drivers vulkan-tools$' 'installs'
setup setup
status 0 'again'
is "$(cat "$tmp/calls")" '' 'asks for nothing'
sed -i '/vulkan-tools/d' "$tmp/installed"
setup setup
like "$(cat "$tmp/calls")" 'install .*--no-install-recommends vulkan-tools$' 'what is missing, and no more'

: >"$tmp/installed"
STUB_STALE=1 setup setup
status 0 'old lists of packages'
is "$(grep -c update "$tmp/calls")" 1 'are updated once'

: >"$tmp/installed"
STUB_UID=1000 setup setup
status 2 'without rights'
ok 'one command is named' grep -q '^kernel-count: missing packages; run: sudo apt-get install .* libpcre2-dev ' "$tmp/err"
is "$(cat "$tmp/calls")" '' 'and nothing tried'
STUB_UID=1000 STUB_SUDO=1 setup setup
status 0 'sudo without a password'
is "$(head -n 1 "$tmp/calls")" sudo 'is used'

: >"$tmp/installed"
setup setup test TESTS=/nonexistent.t
ok 'the tests need more' grep -qx shellcheck "$tmp/installed"

# Other goals wait for it, whatever stands first and however many run at once.
for goals in 'setup filters help' 'help setup filters' 'filters help setup'; do
	: >"$tmp/installed"
	# shellcheck disable=SC2086
	STUB_SLOW=0.3 setup -j4 $goals KC_BUILD="$tmp/build"
	status 0 "-j4 $goals"
	is "$(grep -n -m 1 '^setup: ' "$tmp/out" | cut -d : -f 1)" 1 'setup comes first'
	ok 'then the others' grep -q '^USE$' "$tmp/out"
done
ok 'what was to be built is built' test -x "$tmp/build/kc-totals"

: >"$tmp/installed"
STUB_UID=1000 setup -j4 setup help
status 2 'a setup that fails'
is "$(cat "$tmp/out")" '' 'is the end'

rm "$bin/cargo"
run env PATH="$bin:/usr/bin:/bin" CARGO=nocargo make -C "$root" --no-print-directory setup
status 2 'no cargo'
ok 'is named' grep -q '^kernel-count: nocargo: not found: install Rust with rustup' "$tmp/err"

# What it says is what the other goals need.
if command -v dpkg-query >/dev/null; then
	for package in $(grep -E '^\s*(test\) |lint\) )?packages\+?=' "$root/mk/setup" | sed 's/.*(\(.*\)).*/\1/' | tr '\n' ' '); do
		ok "$package is a package" sh -c "apt-cache show '$package' >/dev/null 2>&1 || dpkg-query -W '$package' >/dev/null"
	done
fi

done_testing
