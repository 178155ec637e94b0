#!/usr/bin/env bash
# The fast path over launch lines: it changes no result, however the log comes.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/logs.sh"

# Whether an address sanitizer comes first does not matter to a read(2).
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
cc=${CC:-cc}
run "$cc" -shared -fPIC -o "$tmp/short-read.so" "$root/tests/perf/short-read.c"
status 0 'the short read(2) compiles'

# pieces N COMMAND...: input in pieces of N bytes.
pieces() {
	local n=$1
	shift
	SHORT_READ=$n LD_PRELOAD=$tmp/short-read.so "$@"
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
run pieces 100 kc-totals -k "$tmp/torn"/*
status 0 'torn logs, line by line'
mv "$tmp/out" "$tmp/slow"
for n in 515 516 777 1024 4099 1000000; do
	run pieces "$n" kc-totals -k "$tmp/torn"/*
	ok "the same in pieces of $n bytes" cmp "$tmp/out" "$tmp/slow"
done
like "$(cut -f2 "$tmp/slow" | sort | uniq -c | tr -s ' \n' ' ')" \
	'[0-9]+ bad .*[0-9]+ cut .*[0-9]+ ok ' 'good and bad tables are among them'

# Every place where a piece can end, in one log.
pieces 100 kc-totals -k "$tmp/whole" >"$tmp/slow"
differ=
for ((n = 515; n < 1100; n++)); do
	pieces "$n" kc-totals -k "$tmp/whole" 2>&1 | cmp -s - "$tmp/slow" ||
		differ+=" $n"
done
is "$differ" '' 'the same in pieces of 515 to 1,099 bytes'

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
