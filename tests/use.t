#!/usr/bin/env bash
# mk/use.mk: kernel-count in another crate's Makefile, from a clone and from an
# installation; nothing of that Makefile is touched and nothing written to ours.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
said() { ok "$1" grep -q -- "$2" "$tmp/err"; }

run make -C "$root" --no-print-directory install KC_BUILD="$build" DESTDIR="$tmp/dest" PREFIX=/usr
status 0 'make install'
installed=$tmp/dest/usr/lib/kernel-count

for kind in clone installation; do
	new_crate
	case $kind in
	clone)
		kc_at=$tmp/clone
		mkdir -p "$kc_at"
		cp -r "$root/Makefile" "$root/mk" "$root/filters" "$root/configs" "$kc_at/"
		;;
	installation) kc_at=$installed ;;
	esac
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
	run sh -c 'make -C "$1" -npq first | sed -n "s/^\([A-Za-z_.%][^ :=]*\) [:?]*= .*/\1/p; s/^\([a-z][^ :=]*\):.*/\1/p" | grep -v "^kc-\|^KC_\|^KC\$" | sort -u >"$2.with"
		sed "/^include/d" "$1/Makefile" >"$1/Plain"
		make -C "$1" -f Plain -npq first | sed -n "s/^\([A-Za-z_.%][^ :=]*\) [:?]*= .*/\1/p; s/^\([a-z][^ :=]*\):.*/\1/p" | grep -v "^kc-\|^KC_\|^KC\$" | sort -u >"$2.plain"
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
	run make -C "$crate" --no-print-directory kc-list
	ok "$kind: kc-list" grep -q '^\* own  *can run here' "$tmp/out"
	run make -C "$crate" --no-print-directory kc-help
	ok "$kind: kc-help" grep -q '^GOALS' "$tmp/out"
	run make -C "$crate" --no-print-directory kc-clean
	status 0 "$kind: kc-clean"
	ok "$kind: removes the logs" test ! -e "$logs"
	is "$(find "$kc_at" | sort | diff "$tmp/before" -)" '' "$kind: and nothing of ours"
	printf 'own.haeding := x\n' >"$crate/configs/own.mk"
	run make -C "$crate" --no-print-directory kc-report
	status 2 "$kind: an unknown key"
	said "$kind: is named" "own.mk: unknown key 'own.haeding'"
done

run make -C "$root" --no-print-directory uninstall KC_BUILD="$build" DESTDIR="$tmp/dest" PREFIX=/usr
status 0 'make uninstall'
is "$(find "$tmp/dest" -type f -o -type l)" '' 'leaves nothing'

done_testing
