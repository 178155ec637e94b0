#!/usr/bin/env bash
# All that tests/null/h200/ask.c asks, of a null driver built with the address
# and undefined-behaviour sanitizers: nothing is wrong, and nothing is answered
# in another way.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/null/lib.sh"

flags=(-std=c11 -g -O1 '-fsanitize=address,undefined' -fno-sanitize-recover=undefined)
sources=()
for source in "$root"/filters/cuda/null/*.c; do
	case $source in */nvrtc.c) ;; *) sources+=("$source") ;; esac
done
mkdir "$tmp/checked"
cp -r "$root/filters/cuda/null/profiles" "$tmp/checked/"
built() {
	"${CC:-cc}" "${flags[@]}" -D_GNU_SOURCE -o "$tmp/checked/ask" \
		"$root/tests/null/h200/ask.c" -ldl -pthread || return
	"${CC:-cc}" "${flags[@]}" -D_DEFAULT_SOURCE -fPIC -fvisibility=hidden -shared -pthread \
		-Wl,-Bsymbolic-functions -Wl,-soname,libcuda.so.1 \
		-o "$tmp/checked/libcuda.so.1" "${sources[@]}" || return
	"$tmp/checked/ask" nothing
}
built 2>"$tmp/why" || skip_all "no sanitizers here: $(head -n 1 "$tmp/why")"
c h200/ask
mv "$tmp/h200-ask" "$tmp/ask"

null "$tmp/ask"
status 0 'all is asked'
mv "$tmp/out" "$tmp/plain"
ok 'and answered' [ "$(wc -l <"$tmp/plain")" -gt 3000 ]
is "$(grep ': ended' "$tmp/plain")" '' 'no group of questions ends early'
null LD_LIBRARY_PATH="$tmp/checked" "$tmp/checked/ask"
status 0 'under the sanitizers'
is "$(diff "$tmp/plain" "$tmp/out")" '' 'the answers are the same'
is "$(grep -v '^kc-null: ' "$tmp/err" | head -n 20)" '' 'nothing is found'

done_testing
