#!/usr/bin/env bash
# Instructions for each byte of input, by callgrind: a rise of more than 10% fails.
. "$(dirname "$0")/tap.sh"

# The numbers are those of Debian 12's compiler and libraries on x86-64; another
# compiler makes other instructions of the same source.
gcc=12.2.0 glibc='glibc 2.36' pcre2=10.42
[ "$(uname -m)" = x86_64 ] || skip_all 'the numbers are of x86-64'
[ "$(gcc -dumpfullversion 2>/dev/null)" = $gcc ] || skip_all "the numbers are of gcc $gcc"
[ "$(getconf GNU_LIBC_VERSION 2>/dev/null)" = "$glibc" ] || skip_all "the numbers are of $glibc"
[ "$(pkg-config --modversion libpcre2-8 2>/dev/null)" = $pcre2 ] || skip_all "the numbers are of PCRE2 $pcre2"
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'

# The C library picks its string functions by the processor: here always those
# that any has. Ours is built without its AVX2 clone for the same reason.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-BMI1,-BMI2,-LZCNT,-MOVBE,-RTM,-ERMS,-FSRM

# build_in DIR FLAGS PROGRAM...
build_in() {
	local dir=$tmp/$1 flags=$2
	shift 2
	run make -C "$root" --no-print-directory KC_BUILD="$dir" CC=gcc CFLAGS=-O2 \
		CPPFLAGS="$flags" LDFLAGS= LDLIBS= "${@/#/$dir/}"
	status 0 "built in $dir: $*"
}
build_in plain -DKC_NO_CLONES kc-cases kc-totals kc-pair kc-md
gcc -O1 -o "$tmp/make-log" "$root/tests/perf/make-log.c" || exit 99

# instructions COMMAND...: how many it runs.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$tmp/callgrind" "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : //p'
}

# per_byte NAME EXPECTED COMMAND...: in thousandths of an instruction, from two
# inputs, so that what it takes to start does not count: a % in the command is 3
# and then 6, and its last word is the input.
per_byte() {
	local name=$1 expected=$2 a b n small large
	shift 2
	tap_note=
	small=${*: -1} large=${*: -1}
	a=$(instructions "${@//%/3}")
	b=$(instructions "${@//%/6}")
	n=$(((b - a) * 1000 / ($(wc -c <"${large//%/6}") - $(wc -c <"${small//%/3}"))))
	if [ $((n * 10)) -le $((expected * 11)) ]; then
		tap_pass "$name: $n instructions for 1,000 bytes"
	else
		tap_fail "$name: at most 10% more instructions than there were" \
			"$n for 1,000 bytes, expected $expected"
	fi
}

for n in 3 6; do
	"$tmp/make-log" ${n}000000 >"$tmp/log.$n"
	# At level full each launch goes on over several lines.
	awk -v n=$n 'BEGIN {
		print "Testing a"
		for (i = 0; i < n * 1000; i++)
			print "| 7.079846ms | cubecl::matmul::MatmulKernel<f32, f32>: (\n    KernelSettings {\n" \
				"        mappings: [],\n        vectorization: [\n            Some(\n                8,\n" \
				"            ),\n        ],\n        cube_dim: CubeDim { x: 32, y: 8, z: 1 },\n    },\n) CubeCount (2, 2, 1)"
	}' >"$tmp/full.$n"
	awk -v n=$n 'BEGIN {
		for (i = 0; i < n * 100; i++)
			print "group-" i % 9 "/case-" i ": benchmark"
	}' >"$tmp/list.$n"
	awk -v n=$n -v cases="$tmp/cases.$n" 'BEGIN {
		for (i = 0; i < n * 100; i++) {
			c = "group-" i % 9 "/case-" i
			print c >cases
			for (run = 1; run <= 2; run++) {
				print "-\tbegin\t" c
				for (k = 0; k <= run; k++)
					print "99\tok\t" c
				print "-\tend\t" c "\n-\twhole\t" c
			}
		}
	}' >"$tmp/totals.$n"
	awk -v n=$n 'BEGIN {
		for (i = 0; i < n * 100; i++)
			print "99\trepeated\tcuda\tgroup-" i % 9 "/case-" i
	}' >"$tmp/counts.$n"
done

PATH=$tmp/plain:$PATH
per_byte 'kc-totals' 1427 kc-totals "$tmp/log.%"
per_byte 'kc-totals -k' 1507 kc-totals -k "$tmp/log.%"
per_byte 'kc-totals, lines of other kinds' 17219 kc-totals "$tmp/full.%"
per_byte 'kc-cases' 20469 kc-cases "$tmp/list.%"
per_byte 'kc-pair' 49234 kc-pair -l cuda "$tmp/cases.%" "$tmp/totals.%"
per_byte 'kc-md' 420049 kc-md "$tmp/counts.%"
if grep -qw avx2 /proc/cpuinfo; then
	build_in avx2 '' kc-totals
	per_byte 'kc-totals with AVX2' 642 "$tmp/avx2/kc-totals" "$tmp/log.%"
else
	skip 'kc-totals with AVX2' 'this processor has none'
fi

done_testing
