#!/usr/bin/env bash
# kc-md: count rows and facts in, the Markdown report out.
. "$(dirname "$0")/tap.sh"
export SOURCE_DATE_EPOCH=0

# tables: the report's tables alone, since its sentences are not the point.
tables() { grep '^|' "$tmp/out"; }

printf '%s\t%s\t%s\t%s\n' \
	99 repeated cuda forward/mamba2 \
	75 confirmed cuda-fusion forward/mamba2 \
	1319 once cuda forward/mamba1 \
	- 'refused: no log of it' cuda-fusion forward/mamba1 \
	'>=12' 'bound: a read-back' cuda step/x/y \
	7 repeated cuda alone >"$tmp/rows"
printf '#heading\tcuda-fusion\tcuda + fusion\n#config\tcuda\tseq=1 m=["a|b"]\n' >>"$tmp/rows"
run kc-md "$tmp/rows"
status 0
stderr_is ''
is "$(tables | sed -n '5,$p')" "$(cat <<'M'
| case     |        cuda | cuda + fusion |
| -------- | ----------: | ------------: |
| `mamba2` |          99 |            75 |
| `mamba1` | 1319 (once) |         — [1] |
| case  |    cuda | cuda + fusion |
| ----- | ------: | ------------: |
| `x/y` | ≥12 [2] |         — [3] |
| case    | cuda | cuda + fusion |
| ------- | ---: | ------------: |
| `alone` |    7 |         — [4] |
M
)" 'a table per group, cases and configurations in first-seen order'
is "$(grep '^## ' "$tmp/out")" "$(cat <<'M'
## `forward` — chunkwise prefill / inference
## `step` — one recurrent decode step
## `alone`
## Notes
M
)" 'a heading per group, with the titles that are the default'
is "$(grep '^- \[' "$tmp/out")" "$(cat <<'M'
- [1] `forward/mamba1`, `cuda-fusion`: no log of it
- [2] `step/x/y`, `cuda`: a read-back
- [3] `step/x/y`, `cuda-fusion`: no row for it
- [4] `alone`, `cuda-fusion`: no row for it
M
)" 'each cell without a plain count has a note'
like "$(cat "$tmp/out")" '1970-01-01' 'SOURCE_DATE_EPOCH'
like "$(cat "$tmp/out")" 'Copies, memsets and the replay' 'what is not counted'
like "$(cat "$tmp/out")" '\(once\): counted in one process' 'what once means'
is "$(tables | sed -n '3,4p')" "$(cat <<'M'
| `cuda`        | <code>seq=1 m=\["a&#124;b"\]</code> |
| `cuda-fusion` | n/a                                 |
M
)" 'the configurations, n/a where the bench said nothing'

printf '#group\tstep\tone token\n#device\tcuda\tH200 <b>\n#about\tcrate\tlayer 1.0\n#note\tNothing was executed.\n#unknown\tx\n1\trepeated\tcuda\tstep/a\n' >"$tmp/rows"
run kc-md "$tmp/rows"
status 0 'facts'
like "$(cat "$tmp/out")" '## `step` — one token' '#group gives a title'
like "$(tables)" 'H200 &#60;b&#62;' '#device, escaped'
like "$(cat "$tmp/out")" '- crate: layer 1.0' '#about'
like "$(cat "$tmp/out")" '\*\*Nothing was executed.\*\*' '#note'
printf '#note\tA.\n#note\tB.\n#note\tA.\n1\trepeated\tcuda\tstep/a\n' >"$tmp/rows"
run kc-md "$tmp/rows"
is "$(grep -c '^\*\*A\.\*\*$' "$tmp/out")" 1 'a #note of two configurations is said once'
is "$(grep -c '^\*\*B\.\*\*$' "$tmp/out")" 1 'and another too'
printf '1\trepeated\tc\tg/a\n' >"$tmp/plain"
run kc-md "$tmp/plain"
like "$(cat "$tmp/out")" '\| `c` +\| n/a +\|' 'n/a with no bench-config'

# Text that would be markup is shown as it is; every row keeps its columns.
# What GitHub's own renderer makes of it is tested where that is installed.
hostile() {
	printf '1\trepeated\tc|c\tg/%s\n' "$1" >"$tmp/rows"
	run kc-md "$tmp/rows"
	status 0 "hostile: $1"
	is "$(tables | sed 's/\\|//g' | tr -cd '|\n' | sort -u)" '|||' \
		"hostile: $1: three bars a row"
}
hostile 'a|b'
hostile 'a\\\\|b'
hostile '`code` | `'
hostile '<script>alert(1)</script>'
hostile '[x](http://example.com) @user #1'
hostile 'tab\\tnewline\\n\\n# heading'
hostile '\\n| 1 | 2 |'
printf '1\trepeated\tc\tg/<img src=x>\\n\\n# x\n' >"$tmp/rows"
run kc-md "$tmp/rows"
ok 'no line begins with a heading of theirs' bash -c '! grep -q "^# x" "$1"' - "$tmp/out"
printf '#note\t<img src=x> **x** @me https://a.b www.a.b :100:\n1\trepeated\tc\tg/a\n' >"$tmp/rows"
run kc-md "$tmp/rows"
is "$(grep 'img' "$tmp/out")" '**&#60;img src=x&#62; \*\*x\*\* &#64;me https&#58;//a.b www&#46;a.b &#58;100:**' \
	'text: HTML, emphasis, mentions, links, emoji'
printf '#note\ta\x01\xff\xe2\x80\xaeb\n1\trepeated\tc\tg/a\n' >"$tmp/rows"
run kc-md "$tmp/rows"
ok 'control, invalid and direction characters are replaced' \
	grep -q $'a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdb' "$tmp/out"
ok 'the report is UTF-8' iconv -f UTF-8 -t UTF-8 "$tmp/out" -o /dev/null

# The change since an earlier result, beside each number.
printf '%s\n' '#baseline	kernels.tsv' '#was	c	g/up	75' '#was	c	g/down	99' \
	'#was	c	g/same	4' '#was	c	g/new	new' '#was	c	g/other	other' \
	'#was	c	g/back	-' '#was	c	g/lost	7' '#was	c	g/bound	>=5' \
	'#was	c	g/odd	<b>' '#was	c	g/odd2	>=<b>' '#was	c	g/gone	5' \
	'99	repeated	c	g/up' '75	once	c	g/down' '4	repeated	c	g/same' \
	'3	repeated	c	g/new' '8	repeated	c	g/other' '2	repeated	c	g/back' \
	'-	refused: x	c	g/lost' '>=6	bound: y	c	g/bound' \
	'1	repeated	c	g/odd' '1	repeated	c	g/odd2' >"$tmp/rows"
run kc-md "$tmp/rows"
status 0 'changes'
is "$(grep '^| `' "$tmp/out" | sed 1d | tr -s ' ')" '| `up` | 99 (+24) |
| `down` | 75 (once) (-24) |
| `same` | 4 |
| `new` | 3 (new) |
| `other` | 8 |
| `back` | 2 (was —) |
| `lost` | — [1] (was 7) |
| `bound` | ≥6 [2] (was ≥5) |
| `odd` | 1 |
| `odd2` | 1 |' 'changes: beside each number'
ok 'changes: and since when' grep -q 'the change since `kernels.tsv`' "$tmp/out"

# bad NAME TEXT ROWS
bad() {
	printf '%b' "$3" >"$tmp/rows"
	run kc-md "$tmp/rows"
	status 2 "$1"
	stderr_line "$tmp/rows:$2" "$1: says where and what"
	stdout_is '' "$1: writes nothing"
}
bad 'three fields' '1: 3 fields, expected LAUNCHES' '1\trepeated\tc\n'
bad 'an unknown verdict' "1: unknown verdict 'fine'" '1\tfine\tc\ta\n'
bad 'a word for a count' "1: bad count 'x': expected digits" 'x\trepeated\tc\ta\n'
bad 'a count over 64 bits' "1: bad count '99999999999999999999': too large" '99999999999999999999\tonce\tc\ta\n'
bad 'a refused count with a number' "1: bad count '5': expected '-'" '5\trefused: x\tc\ta\n'
bad 'a dash with a verdict' "1: bad count '-': expected digits" '-\trepeated\tc\ta\n'
bad 'a bound without >=' "1: bad count '5': expected '>='" '5\tbound: x\tc\ta\n'
bad 'two rows of one case' "2: a second row of 'a' in 'c'" '1\tonce\tc\ta\n1\tonce\tc\ta\n'
bad 'a cut row' '1: the last row is cut' '1\tonce\tc\ta'
bad 'a fact without its text' "1: bad fact '#config'" '#config\tc\n1\tonce\tc\ta\n'
bad 'a case whose own row is gone' "1: kernels of 'a', expected a row of the case" '2\tonce\tc\ta\tk\n'
bad 'a case whose own row is gone, and another' "2: kernels of 'a', expected a row of the case" \
	'2\tonce\tc\ta\tk\n2\tonce\tc\tb\n'
bad 'kernels that do not add up' "3: the kernels of 'a' add up to 5, expected '4'" \
	'2\tonce\tc\ta\tk\n3\tonce\tc\ta\tl\n4\tonce\tc\ta\n'
bad 'two devices of one configuration' "3: a second device of configuration 'c', 'H200', expected 'A100'" \
	'#device\tc\tA100\n1\tonce\tc\ta\n#device\tc\tH200\n2\tonce\tc\tb\n'
bad 'two sizes of one configuration' "3: a second setting of configuration 'c', 'seq=16', expected 'seq=8'" \
	'#config\tc\tseq=8\n1\tonce\tc\ta\n#config\tc\tseq=16\n2\tonce\tc\tb\n'
printf '#device\tc\tA100\n1\tonce\tc\ta\n#device\tc\tA100\n#device\td\tH200\n2\tonce\td\ta\n' >"$tmp/rows"
run kc-md "$tmp/rows"
status 0 'one device said twice, and another of another configuration'
run kc-md /dev/null
status 2 'no rows'
stderr_line 'no count row'
SOURCE_DATE_EPOCH=x run kc-md "$tmp/plain"
status 2 'a bad SOURCE_DATE_EPOCH'
stderr_line "bad SOURCE_DATE_EPOCH 'x'"
done_testing
