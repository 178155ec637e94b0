#!/usr/bin/env bash
# Ids of every kind: their files' names, the regex that picks each, and titles
# that are not the id.
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/stub/graph.sh"
CONFIGS=cpu

# row ID: the case's number in the rows that went into the report.
row() { ID=$1 awk -F '\t' '!/^#/ && NF == 4 && $4 == ENVIRON["ID"] { print $1 "|" $2 }' "$logs/rows"; }

new_crate
long=$(printf 'long/%0120d' 7)
other=$(printf 'twin/%0120d' 7)
tail=$(printf 'exact/%091d...' 7) # 100 bytes, an id that ends like a cut one
accent=$(printf 'e/%097d\303\251xyz' 7) # the cut is in the middle of a character
printf '%s\n' 'a.b/c' 'a+b/c' 'axb/c' 'sp ace/x  y' 'ü/Ω≈' 'p|q/r' '(x)/[y]{2}' 'dollar$/^caret' \
	'x: benchmark/y' 'Success' 'Testing forward/a' '.hidden/..' '../../etc' '~root' '-dash' '%' '%.1.log' \
	'a\b/back' 'semi;colon' "quote'q" 'dq"x' '`tick`' '$(touch pwned)' '#hash' 'a=b' 'a:b' 'A/case' 'a/case' \
	"$long" "$other-1" "$other-2" "$tail" "$accent" 'dup' 'dup' 'lone #2' '*' '!' '<b>' '&amp;' '@2B' '+' \
	'n/1000' 'n/100' >"$tmp/ids"
nl -w 1 -s "$(printf '\t')" "$tmp/ids" | awk -F '\t' -v OFS='\t' '{ print $2, $1 + 10 }' >"$BENCH_CASES"
kc
status 2 'some cannot be told apart'

i=10
while IFS= read -r id; do
	i=$((i + 1))
	case $id in
	"$long" | "$other"* | "$accent" | dup) continue ;;
	*) is "$(row "${id//\\/\\\\}")" "$i|repeated" "$id" ;;
	esac
done <"$tmp/ids"

cut=${long:0:100}...
is "$(row "$cut")" '39|repeated' 'an id that is printed cut is run by its beginning'
cut=${accent:0:99}...
is "$(row "$cut")" '43|repeated' 'also when the cut is before a character of two bytes'
cut=${other:0:100}...
like "$(row "$cut")" '^-[|]refused: 2 cases of the bench are .*names that differ' 'two that begin the same are refused'
like "$(row "$cut #2")" '^-[|]refused: 2 cases' 'both'
like "$(row dup)" '^-[|]refused: 2 cases' 'two of one id are refused'
like "$(row 'dup #2')" '^-[|]refused: ' 'both'
ok 'by name' grep -q "^kernel-count: cpu: dup #2: refused: " "$tmp/err"

is "$(find "$logs/cpu/current/" -name '*.log' | sed 's|.*/||' | LC_ALL=C sort -u | wc -l)" \
	"$(((i - 10 - 4) * 2))" 'each case has its own two files'
ok 'none has a character that means something' sh -c \
	"! find '$logs/cpu/current/' -name '*.log' | sed 's|.*/||' | grep -q '[^A-Za-z0-9_.+@-]'"
ok 'nothing was run' test -z "$(find "$tmp" "$root" -maxdepth 2 -name pwned)"

kc
status 2 'again'
is "$(tests_run)" 0 'what is refused for its name is not run again'

# An id of any length has a file.
new_crate
printf '%s\t5\n' "$(printf 'é%.0s' {1..45})/x" >"$BENCH_CASES"
kc
status 0 'a name of more than 255 bytes'
is "$(find "$logs/cpu/current/" -name '*@@*.log' | wc -l)" 2 'is cut, with a checksum'

# Many cases.
new_crate
for ((i = 1; i <= 100; i++)); do printf 'many/%d\t%d\n' "$i" "$i"; done >"$BENCH_CASES"
kc RUNS=1
status 0 '100 cases'
is "$(row many/77)" '77|once' 'each its own count'

done_testing
