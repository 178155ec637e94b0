#!/usr/bin/env bash
# kc-json: a result in, JSON for github-action-benchmark out.
. "$(dirname "$0")/tap.sh"

cat >"$tmp/rows" <<'END'
#device	cuda	NVIDIA "H200"
#heading	cuda	cuda
3	repeated	cuda	forward/a	Add
3	repeated	cuda	forward/a
75	once	fused	forward/a
0	confirmed	cuda	forward/b\\\t"\n
END
run kc-json "$tmp/rows"
status 0 'counts'
stderr_is ''
stdout_is '[
  {"name": "forward/a (cuda)", "unit": "launches", "value": 3, "extra": "repeated\nNVIDIA \"H200\""},
  {"name": "forward/a (fused)", "unit": "launches", "value": 75, "extra": "once"},
  {"name": "forward/b\\\u0009\"\u000a (cuda)", "unit": "launches", "value": 0, "extra": "confirmed\nNVIDIA \"H200\""}
]
'
cp "$tmp/out" "$tmp/launches.json"
printf '1\tonce\tcuda\t\xff\x01\xc3\xa9|<script>\n' >"$tmp/bytes"
run kc-json "$tmp/bytes"
status 0 'bytes that are not UTF-8, controls'
stdout_is $'[\n  {"name": "\xef\xbf\xbd\\u0001\xc3\xa9|<script> (cuda)", "unit": "launches", "value": 1, "extra": "once"}\n]\n'
cp "$tmp/out" "$tmp/bytes.json"
{
	cat "$tmp/rows"
	printf -- '-\trefused: a panic\tcuda\tx\n>=3\tbound: graph\tcuda\ty\n'
	printf '9007199254740991\tonce\tcuda\tz1\n9007199254740992\tonce\tcuda\tz2\n'
} >"$tmp/more"
run kc-json "$tmp/more"
status 2 'what has no value is trouble'
file_is "$tmp/err" "kc-json: 'x' of 'cuda' left out: refused
kc-json: 'y' of 'cuda' left out: a lower bound
kc-json: 'z2' of 'cuda' left out: too large for a JSON number
" 'and is named'
like "$(<"$tmp/out")" '"z1 \(cuda\)", "unit": "launches", "value": 9007199254740991,' 'the others are there'
ok 'and it is not' eval '! grep -q "\"[xy] (\|z2" "$tmp/out"'
printf -- '-\trefused: a panic\tcuda\tx\n' >"$tmp/none"
run kc-json "$tmp/none"
status 2 'no count'
stdout_is '' 'no count: nothing is written'
like "$(tail -n 1 "$tmp/err")" "^kc-json: $tmp/none: no exact count, expected one" 'no count: said'
: >"$tmp/empty"
run kc-json "$tmp/empty"
status 2 'an empty result'
stderr_line "kc-json: $tmp/empty: no exact count"

# Another reader of JSON agrees.
if command -v jq >/dev/null; then
	is "$(jq -r '.[] | [.value, .unit, .name] | @tsv' "$tmp/launches.json")" \
		$'3\tlaunches\tforward/a (cuda)\n75\tlaunches\tforward/a (fused)\n0\tlaunches\tforward/b\\\\\\t"\\n (cuda)' \
		'as jq reads it'
	is "$(jq '.[0].value' "$tmp/bytes.json")" 1 'jq reads any bytes'
else
	skip 'as jq reads it' 'jq is not here'
fi

# The tool's own code: a folder of it in KC_BENCHMARK_ACTION, or its package.
name='as github-action-benchmark reads it'
action=${KC_BENCHMARK_ACTION:-}
if [ -z "$action" ] && ! command -v npm >/dev/null; then
	skip "$name" 'npm is not here'
elif [ -z "$action" ] && ! (mkdir "$tmp/npm" && cd "$tmp/npm" && HOME=$tmp/npm \
	timeout 30 npm install --no-audit --no-fund --no-save --ignore-scripts \
	--fetch-retries 0 github-action-benchmark) >"$tmp/npm.log" 2>&1; then
	skip "$name" "npm: $(grep -a 'npm error' "$tmp/npm.log" | sed -n 's/^npm error //; 2p' | tr '\n#' '  ')"
else
	action=${action:-$tmp/npm/node_modules/github-action-benchmark}
	cat >"$tmp/read.js" <<'END'
const { extractResult } = require(process.argv[2] + '/dist/src/extract.js');
extractResult({ tool: 'customSmallerIsBetter', outputFilePath: process.argv[3] }).then((r) => {
	for (const b of r.benches) console.log([b.value, b.unit, JSON.stringify(b.name)].join('\t'));
});
END
	printf '{"head_commit": {"id": "0"}}' >"$tmp/event.json"
	export GITHUB_EVENT_PATH=$tmp/event.json
	run node "$tmp/read.js" "$action" "$tmp/launches.json"
	status 0 "$name: status 0"
	is "$(cat "$tmp/out")" $'3\tlaunches\t"forward/a (cuda)"\n75\tlaunches\t"forward/a (fused)"\n0\tlaunches\t"forward/b\\\\\\t\\"\\n (cuda)"' "$name"
fi
printf '#device\tc\tA100\n1\tonce\tc\ta\n#device\tc\tH200\n2\tonce\tc\tb\n' >"$tmp/rows"
run kc-json "$tmp/rows"
status 2 'two devices of one configuration: status 2'
stdout_is '' '... nothing on stdout'
stderr_line "configuration 'c' is of two devices, 'A100' and 'H200', expected one"
done_testing
