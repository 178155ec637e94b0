#!/usr/bin/env bash
# A bench that is none of cargo's: a configuration names a program, the arguments
# that list its cases, and those that run one.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
said() { ok "$1" grep -qF -- "$2" "$tmp/err"; }

new_crate
mkdir -p "$crate/configs" "$crate/lib"
rm "$crate/Cargo.toml" "$crate/Cargo.lock"
# What it takes for a case is the id as it is, whatever is in it.
printf '%s\t%s\n' 'forward/a' 7 'odd/{} $(x) & "q" #1' 8 'step/c|d \ e' 3 >"$BENCH_CASES"
cat >"$crate/bench.sh" <<'END'
#!/bin/sh
# One that knows no regex.
. "${0%/*}/lib/more.sh"
case $1,$2 in
cases,now) cut -f 1 "$BENCH_CASES" | sed 's/$/: benchmark/' ;;
one,--id=*)
	printf '%s\n' "$2" >>"$STUB_TRACE.ids"
	exec "$STUB_EXE" --bench --test "^$(printf '%s' "${2#--id=}" | sed 's/[][\.*^$+?(){}|]/\\&/g')\$"
	;;
*) echo "bench.sh: $*: not known" >&2; exit 3 ;;
esac
END
chmod +x "$crate/bench.sh"
echo ': first' >"$crate/lib/more.sh"
cat >"$crate/configs/script.mk" <<'END'
script.heading := a script
script.exe     := bench.sh
script.list    := cases now
script.case    := one --id={}
script.sources := lib
END
export CONFIGS=script

kc report CARGO=/nonexistent/cargo
status 0 'counted, with no cargo and no Cargo.toml'
is "$(cell a)" 7 'a case'
is "$(cell '{} $(x) & "q" #1')" 8 'an id that means something to a shell'
is "$(grep -c . "$tmp/trace.ids")" 6 'two processes a case'
is "$(sort -u "$tmp/trace.ids" | sed -n 1p)" '--id=forward/a' 'which get the id'
ok 'as it is' grep -qxF -- '--id=odd/{} $(x) & "q" #1' "$tmp/trace.ids"
ok 'with a backslash in it' grep -qxF -- '--id=step/c|d \ e' "$tmp/trace.ids"

kc report CARGO=/nonexistent/cargo
is "$(grep -c . "$tmp/trace.ids")" 6 'what is counted is not run again'
echo ': second' >"$crate/lib/more.sh"
kc report CARGO=/nonexistent/cargo
is "$(grep -c . "$tmp/trace.ids")" 12 'but when a file changes that it reads'
kc report CARGO=/nonexistent/cargo FILTER='^forward' OUT="$tmp/some.md"
status 0 'FILTER'
is "$(grep -c '^| `' "$tmp/some.md")" 2 'picks by a regex that the program does not know' # the configuration and a case
kc why CASE=forward/a
ok 'why: how to run it alone' grep -q 'bench.sh one --id=forward/a' "$tmp/out"

# One that starts its bench as a child, whose logger is late.
printf 'forward/a\t7\tlate\n' >"$BENCH_CASES"
sed 's/exec "$STUB_EXE" \(.*\)/"$STUB_EXE" \1; exit/; s,^#!/bin/sh,#!/bin/bash,' "$crate/bench.sh" >"$crate/child.sh"
chmod +x "$crate/child.sh"
sed 's/bench.sh/child.sh/; s/script/child/' "$crate/configs/script.mk" >"$crate/configs/child.mk"
kc report CARGO=/nonexistent/cargo CONFIGS=child
is "$(cell a)" 7 'a child is waited for as well'
# A shell that ends past the exit handler: nobody has waited.
sed 's,^#!/bin/bash,#!/bin/dash,' "$crate/child.sh" >"$crate/dash.sh"
chmod +x "$crate/dash.sh"
sed 's/bench.sh/dash.sh/; s/script/dash/' "$crate/configs/script.mk" >"$crate/configs/dash.mk"
kc report CARGO=/nonexistent/cargo CONFIGS=dash
status 2 'or refused'
said 'with the reason' 'it ended without passing by the exit handler'

# A program that takes a regex, as criterion does.
cat >"$crate/configs/script.mk" <<END
script.exe  := $STUB_EXE
script.list := --bench --list
script.case := --bench --test
END
printf 'forward/a\t7\n' >"$BENCH_CASES"
kc report CARGO=/nonexistent/cargo
status 0 'a program that takes a regex'
is "$(cell a)" 7 'which comes last'

echo 'script.exe := nothing-here' >"$crate/configs/script.mk"
kc report
status 2 'no such program'
said 'is named' "script: $crate/nothing-here: expected a program, since configs/script.mk says script.exe := nothing-here"
printf 'script.exe := bench.sh\nscript.list := what\nscript.case := one {}\nscript.sources := lib\n' >"$crate/configs/script.mk"
kc report
status 2 'a program that lists nothing'
said 'says why' 'bench.sh: what: not known'
printf 'script.exe := bench.sh\nscript.sources := gone\n' >"$crate/configs/script.mk"
kc report
status 2 'sources that are not there'
said 'are named' "script: $crate/gone: not there, but configs/script.mk has it in script.sources"
done_testing
