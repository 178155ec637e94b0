#!/usr/bin/env bash
# The fast path over launch lines: it changes no result, however the log comes.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/logs.sh"

# With a sanitizer: that it does not come first, and leaks, do not matter here.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
cc=${CC:-cc}
run "$cc" -shared -fPIC -o "$tmp/short-read.so" "$root/tests/perf/short-read.c" -ldl
status 0 'the short read(2) compiles'
run "$cc" -O1 -o "$tmp/make-log" "$root/tests/perf/make-log.c"
status 0 'make-log compiles'

# pieces N COMMAND...: input in pieces of N bytes.
pieces() {
	local n=$1
	shift
	SHORT_READ=$n SIZE_OFF=${size_off:-0} LD_PRELOAD=$tmp/short-read.so "$@"
}

{
	testing a
	synced 'Matmul | f32' 3
	synced 'Matmul | f32 | Lhs | CubeTensor' 31 Unary 40
	synced 'Matmul | f32 | Lhs | CubeTensor' 31 Unary 40
	success
	whole
} >"$tmp/whole"
run pieces 7 kc-totals "$tmp/whole"
stdout_is $'-\tbegin\ta
3\tok\ta
71\tok\ta
71\tok\ta
-\tend\ta
-\twhole\ta
' 'a log in pieces of 7 bytes'

# In pieces of less than a step there is never enough for the fast path: what
# comes out then is the grammar's own answer, line numbers included.
mkdir "$tmp/torn"
run perl "$root/tests/perf/torn-logs.pl" "$tmp/whole" "$tmp/torn" 400
status 0 'torn logs are written'
# shellcheck disable=SC2317 # run calls it
torn() { pieces "$1" kc-totals -k "$tmp/torn"/*; }
run torn 100
status 0 'torn logs, line by line'
mv "$tmp/out" "$tmp/slow"
for n in 515 516 777 1024 4099 1000000; do
	run torn "$n"
	ok "the same in pieces of $n bytes" cmp "$tmp/out" "$tmp/slow"
done
like "$(cut -f2 "$tmp/slow" | sort | uniq -c | tr -s ' \n' ' ')" \
	'[0-9]+ bad .*[0-9]+ cut .*[0-9]+ ok ' 'good and bad tables are among them'

# Every place where a piece can end, in one log.
pieces 100 kc-totals -k "$tmp/whole" >"$tmp/slow"
differ=
for ((n = 515; n < 1100; n += 5)); do
	pieces "$n" kc-totals -k "$tmp/whole" 2>&1 | cmp -s - "$tmp/slow" ||
		differ+=" $n"
done
is "$differ" '' 'the same in pieces of 515 to 1,099 bytes'

# A large file is mapped, a window at a time, and a pipe is not. The window ends
# at another place of the log for each length of what is put before it.
"$tmp/make-log" 3000000 >"$tmp/large"
differ=
for n in 1 2 3 62 63 64 65 511 512 513 1000 2000 3000 4000 4094 4095 4096; do
	{
		printf '%*s\n' "$n" x
		cat "$tmp/large"
	} >"$tmp/shifted"
	# shellcheck disable=SC2002 # a pipe is the point
	cat "$tmp/shifted" | kc-totals -k >"$tmp/slow"
	kc-totals -k "$tmp/shifted" | cmp -s - "$tmp/slow" || differ+=" $n"
done
is "$differ" '' 'a large file: the same as from a pipe'
is "$(grep -c ok "$tmp/slow")" "$(grep -c -E '^[|] .*[|] [0-9]+ % +[|]$' "$tmp/large")" \
	'all its rows are there'
run_in "$tmp/shifted" bash -c 'read -r && kc-totals -k'
ok 'the same when its first line was read before' cmp "$tmp/out" "$tmp/slow"
{
	cat "$tmp/large"
	launches "$(printf '%*s' 3000000 long)" 2
	cat "$tmp/large"
} >"$tmp/shifted"
# shellcheck disable=SC2002
cat "$tmp/shifted" | kc-totals -k >"$tmp/slow"
run_in "$tmp/shifted" kc-totals -k
ok 'the same with lines longer than the window' cmp "$tmp/out" "$tmp/slow"

# A file that grows while it is read is read to its end; one that shrinks is no
# shorter log but an error.
size_off=-700000
run_in "$tmp/shifted" pieces 1000000 kc-totals -k
status 0
ok 'a file that grows: all of it' cmp "$tmp/out" "$tmp/slow"
size_off=5000000
run pieces 1000000 kc-totals -k "$tmp/shifted"
status 2 'a file that shrinks'
stderr_is "kc-totals: $tmp/shifted: cannot be read to its end, or became shorter
"
unset size_off

# A mapped file counts as memory, so the address space must not grow with it.
"$tmp/make-log" 60000000 >"$tmp/large"
if bash -c 'ulimit -v 30000 && kc-totals -V; exit' >/dev/null 2>&1; then
	run bash -c "ulimit -v 30000 && kc-totals '$tmp/large'"
	status 0 'a log of 60 MB in 30 MB of address space'
else
	skip 'a log of 60 MB in 30 MB of address space' \
		'the program itself needs more here (a sanitizer?)'
fi
rm -f "$tmp/large" "$tmp/shifted"

# A line over the limit of 16 MiB (16,777,216 bytes) is refused, also where one
# that is just under it has made the buffer larger, and whatever it begins with.
for start in '| 1ms | ' 'x'; do
	{
		printf '| 1ms | %16700000s\n' a
		printf '%s%16777300s\n' "$start" b
		launches c 100
	} >"$tmp/long"
	run kc-totals "$tmp/long"
	status 2 "a line over 16 MiB after a long one: '$start'"
	stderr_line "$tmp/long:2: line too long"
done

done_testing
