#!/usr/bin/env bash
# mk/use.mk: kernel-count in another crate's Makefile, from a clone and from an
# installation; nothing of that Makefile is touched and nothing written to ours.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
said() { ok "$1" grep -q -- "$2" "$tmp/err"; }

run make -C "$root" --no-print-directory install KC_BUILD="$build" DESTDIR="$tmp/dest" PREFIX=/usr
status 0 'make install'
installed=$tmp/dest/usr/lib/kernel-count
export CFLAGS=-O0 # what is built below is not measured

# In a fresh clone nothing is built yet.
fresh() {
	mkdir -p "$1"
	cp -r "$root/Makefile" "$root/mk" "$root/filters" "$root/configs" "$1/"
}

for kind in clone installation submodule; do
	new_crate
	case $kind in
	clone)
		kc_at=$tmp/clone
		fresh "$kc_at"
		;;
	submodule)
		if ! command -v git >/dev/null; then
			skip 'a submodule' 'no git here'
			continue
		fi
		fresh "$tmp/upstream"
		cp "$root/.gitignore" "$tmp/upstream/"
		git -C "$tmp/upstream" init -q && git -C "$tmp/upstream" add -A
		git -C "$tmp/upstream" -c user.name=a -c user.email=a@localhost commit -q -m one
		git -C "$crate" init -q
		git -C "$crate" -c protocol.file.allow=always submodule --quiet add "$tmp/upstream" tools/kernel-count
		kc_at=tools/kernel-count
		;;
	installation) kc_at=$installed ;;
	esac
	cd "$crate" || exit 99
	find "$kc_at" | sort >"$tmp/before"
	mkdir -p "$crate/configs"
	printf 'own.heading := my own\n' >"$crate/configs/own.mk"
	printf 'cpu.heading := the processor\n' >"$crate/configs/cpu.mk"
	cat >"$crate/Makefile" <<-END
		KC := $kc_at
		include \$(KC)/mk/use.mk
		KC_FLAGS := CARGO=$root/tests/stub/cargo CONFIGS=cpu,own
		first: ; @echo the first goal
		test clean install bench report: ; @echo my \$@
	END

	run make -C "$crate" --no-print-directory
	stdout_is $'the first goal\n' "$kind: its own first goal stays"
	run make -C "$crate" --no-print-directory test clean install bench report
	stdout_is $'my test\nmy clean\nmy install\nmy bench\nmy report\n' "$kind: and its other goals"
	run sh -c 'make -C "$1" -npq first | sed -n "s/^\([A-Za-z_.%][^ :=]*\) [:?]*= .*/\1/p; s/^\([a-z][^ :=]*\):.*/\1/p" | grep -v "^kc-\|^KC_\|^KC\$\|/mk/use.mk\$" | sort -u >"$2.with"
		sed "/^include/d" "$1/Makefile" >"$1/Plain"
		make -C "$1" -f Plain -npq first | sed -n "s/^\([A-Za-z_.%][^ :=]*\) [:?]*= .*/\1/p; s/^\([a-z][^ :=]*\):.*/\1/p" | grep -v "^kc-\|^KC_\|^KC\$\|/mk/use.mk\$" | sort -u >"$2.plain"
		diff "$2.plain" "$2.with"' - "$crate" "$tmp/names"
	is "$(cat "$tmp/out")" '' "$kind: no goal and no variable without our prefix"

	run make -C "$crate" --no-print-directory kc-report
	status 0 "$kind: kc-report"
	is "$(cell c)" '3 |      3' "$kind: lands in the crate, with the crate's own configuration"
	ok "$kind: which may change a heading of ours" grep -q '^| case *| *the processor | *my own |$' "$crate/kernels.md"
	run make -C "$crate" --no-print-directory kc-report FILTER=step OUT=here.md
	ok "$kind: a relative OUT is the crate's" grep -q '^| `c`' "$crate/here.md"
	ok "$kind: variables go on the command line" sh -c "! grep -q '^| .b. ' '$crate/here.md'"
	find "$kc_at" | sort >"$tmp/after"
	is "$(diff "$tmp/before" "$tmp/after")" '' "$kind: nothing is written to it"
	if [ $kind = installation ]; then
		run make -C "$kc_at" --no-print-directory demo
		status 2 'an installation has no demo'
		said 'and says so' 'no recorded logs there, expected a clone or a release'
	fi
	run make -C "$crate" --no-print-directory kc-list
	ok "$kind: kc-list" grep -q '^\* own  *can run here' "$tmp/out"
	run make -C "$crate" --no-print-directory kc-help
	ok "$kind: kc-help" grep -q '^GOALS' "$tmp/out"
	run make -C "$crate" --no-print-directory kc-clean
	status 0 "$kind: kc-clean"
	ok "$kind: removes the logs" test ! -e "$logs"
	is "$(find "$kc_at" | sort | diff "$tmp/before" -)" '' "$kind: and nothing of ours"
	printf 'own.heading := x\nown.haeding := x\n' >"$crate/configs/own.mk"
	run make -C "$crate" --no-print-directory kc-report
	status 2 "$kind: an unknown key"
	said "$kind: is named" "$crate/configs/own.mk:2: unknown key 'own.haeding'"
	[ "$kind" != submodule ] || is "$(git -C "$kc_at" status --porcelain --ignored)" '' 'a submodule: git sees no change in it'
	cd "$root" || exit 99
done

# By make -C, from a clone in which nothing is built and nothing can be written.
new_crate
fresh "$tmp/other"
find "$tmp/other" | sort >"$tmp/before"
run make -C "$tmp/other" --no-print-directory CRATE="$crate" CARGO="$root/tests/stub/cargo" CONFIGS=cpu
status 0 'make -C CLONE CRATE=...'
is "$(cell a) $(cell b) $(cell c)" '7 8 3' 'the report is in the crate'
run make -C "$tmp/other" --no-print-directory CRATE="$crate" CARGO="$root/tests/stub/cargo" CONFIGS=cpu why
status 0 'other goals'
is "$(find "$tmp/other" | sort | diff "$tmp/before" -)" '' 'nothing is written to the clone'
run make -C "$tmp/other" --no-print-directory CRATE="$crate" CARGO="$root/tests/stub/cargo" CONFIGS=cpu
ok 'nothing is built or run a second time' grep -q 'nothing to run' "$tmp/out"
ok 'not even a filter' sh -c '! grep -q "  CC  " "$1"' - "$tmp/out"
run make -C "$tmp/other" --no-print-directory CRATE="$tmp/nowhere" CONFIGS=cpu
status 2 'no crate there'
said 'is said in one line' "^kernel-count: $tmp/nowhere: no crate there"
ok 'and nothing made there' test ! -e "$tmp/nowhere"
printf 'KC := %s/nowhere\ninclude $(KC)/mk/use.mk\n' "$tmp" >"$crate/Makefile"
run make -C "$crate" --no-print-directory kc-report
status 2 'a KC that is not there'
ok 'has its line named' grep -q "^Makefile:2: $tmp/nowhere/mk/use.mk: No such file" "$tmp/err"

run make -C "$root" --no-print-directory uninstall KC_BUILD="$build" DESTDIR="$tmp/dest" PREFIX=/usr
status 0 'make uninstall'
is "$(find "$tmp/dest" -type f -o -type l)" '' 'leaves nothing'

done_testing
