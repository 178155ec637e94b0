#!/usr/bin/env bash
# How the null driver's functions are found: by dlsym and by cuGetProcAddress,
# of each version and flavour that entry.def lists.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/null/lib.sh"

c h200/ask
null "$tmp/h200-ask" names
status 0
answers=$tmp/out

# NAME VERSION FLAVOUR (1 legacy, 2 per thread) SYMBOL
sed -n 's/^\([EP]\)(\([^,]*\), \([^,]*\), \([^)]*\))$/\2 \3 \1 \4/p' \
	"$root/filters/cuda/null/entry.def" | sed 's/ E / 1 /; s/ P / 2 /' >"$tmp/table"
ok 'there are functions' [ "$(wc -l <"$tmp/table")" -gt 300 ]

# What is asked for at its own version is that very symbol.
while read -r name version flavour symbol; do
	printf 'names: %s %s flags %s\t0\tstatus 0 %s\n' "$name" "$version" "$flavour" "$symbol"
done <"$tmp/table" | sort >"$tmp/want"
is "$(sort "$answers" | comm -13 - "$tmp/want" | head -n 5)" '' 'each is found at its version'

# One version earlier it is the form before, or not there: version not
# sufficient (2). Who asks for the status gets no other error.
awk '$3 == 1 { print $1, $2, $4 }' "$tmp/table" | sort -k 1,1 -k 2,2n |
	awk '{
		was = $1 == name ? "0\tstatus 0 " symbol : "0\tstatus 2 NULL"
		printf "names: %s %d flags 1\t%s\n", $1, $2 - 1, was
		name = $1; symbol = $3
	}' | sort >"$tmp/want"
is "$(sort "$answers" | comm -13 - "$tmp/want" | head -n 5)" '' 'and not before it'

# At CUDA 13 it is the newest form, and the thread's own flavour where there is one.
for flavour in 1 2; do
	awk -v flavour=$flavour '
		$3 == 1 && $2 <= 13000 && (!($1 in one) || $2 > one[$1]) { one[$1] = $2; legacy[$1] = $4 }
		$3 == 2 && $2 <= 13000 && (!($1 in two) || $2 > two[$1]) { two[$1] = $2; thread[$1] = $4 }
		END {
			for (name in legacy)
				printf "names: %s 13000 flags %d\t0\tstatus 0 %s\n", name, flavour,
					flavour == 2 && name in thread ? thread[name] : legacy[name]
		}' "$tmp/table" | sort >"$tmp/want"
	is "$(sort "$answers" | comm -13 - "$tmp/want" | head -n 5)" '' "the newest, flavour $flavour"
done

# Names with a suffix are no names.
is "$(grep -E '^names: (cuMemAlloc_v2|cuLaunchKernel_ptsz|cuNoSuchThing) ' "$answers" | cut -f 2,3 | sort -u)" \
	'0	status 1 NULL' 'what has another name is not found'
is "$(sort -u "$tmp/err")" "$(printf "kc-null: '%s' (CUDA 13000) is not in the null driver\n" \
	'' cuGetProcAddress_v2 cuLaunchKernel_ptsz cuMemAlloc_v2 cuNoSuchThing cudaMalloc)" \
	'and named, once'
is "$(awk '$1 == "missing" { print $3 }' "$tmp/record" | sort | head -n 3)" \
	$'13000\ncuGetProcAddress_v2\ncuLaunchKernel_ptsz' 'in the record too'

# The library shows these and nothing else.
is "$(nm -D --defined-only "$null/libcuda.so.1" | awk '{ print $3 }' | sort)" \
	"$(awk '{ print $4 }' "$tmp/table" | sort)" 'no other symbol is exported'

# A driver of an earlier version does not have what came later.
sed 's/^driver_version.*/driver_version = 12020/' "$root/filters/cuda/null/profiles/h200" >"$tmp/old"
null KC_NULL_PROFILE="$tmp/old" "$tmp/h200-ask" names
status 0 'an earlier driver'
answers=$tmp/out
awk '$3 == 1 && $2 > 12020 { print $1 }' "$tmp/table" | sort -u >"$tmp/later"
ok 'takes no later version than its own' [ "$(grep -cE '^names: cu(FuncGetName|KernelGetName) 13000 flags 1	1	status -1 NULL$' "$answers")" -eq 2 ]
ok 'and there are functions that came later' [ "$(wc -l <"$tmp/later")" -gt 10 ]

done_testing
