# mk/settings.awk: a crate's cubecl settings with the profiling logger set for
# counting, and nothing else changed.
#
#	awk -v table=KEY -f settings.awk FILE
#
# FILE is TOML (toml.io/en/v1.0.0). With table=cubecl only that table of it, as
# a file of its own, for burn.toml. What is kept is kept as it is written; every
# definition of profiling.logger goes, in whatever form it has: a table, a key
# of [profiling], dotted keys, inside an inline table. Ours comes last, as
# [profiling.logger], where a table may always be added.
#
# Status 2, and a message on stderr, for what cannot be read as TOML. A status
# of 3 says that FILE has no such table.

{ text = text $0 "\n" }

END {
	n = length(text)
	at = line = 1
	header = ""
	while (statement())
		;
	if (table != "" && !found)
		finish(3, "")
	printf "%s%s", root, rest
	print "[profiling.logger]\nlevel = \"basic\"\nstdout = true"
	finish(0, "")
}

# Ends for good: `exit` alone would leave END only.
function finish(status, why) {
	if (why != "")
		print FILENAME ":" line ": " why > "/dev/stderr"
	exit status
}

function char() { return substr(text, at, 1) }

function step(k) {
	while (k-- > 0) {
		if (char() == "\n")
			line++
		at++
	}
}

function blank(newlines) {
	while (at <= n) {
		if (char() == "#")
			while (at <= n && char() != "\n")
				at++
		else if (char() ~ /[ \t\r]/ || (newlines && char() == "\n"))
			step(1)
		else
			return
	}
}

# Over a string of any of TOML's four kinds.
function string(    quote, begun) {
	quote = char()
	begun = line
	if (substr(text, at, 3) == quote quote quote)
		quote = quote quote quote
	step(length(quote))
	while (at <= n && substr(text, at, length(quote)) != quote) {
		if (char() == "\n" && length(quote) == 1)
			break
		step(char() == "\\" && quote ~ /^"/ ? 2 : 1)
	}
	if (substr(text, at, length(quote)) != quote) {
		line = begun
		finish(2, "a string that does not end")
	}
	# Up to two more quotes may belong to the text of a long string.
	step(length(quote))
	while (length(quote) == 3 && char() == substr(quote, 1, 1))
		step(1)
}

# A dotted key, its parts joined by newlines.
function key(    path, from, part) {
	path = ""
	for (;;) {
		blank(0)
		from = at
		if (char() ~ /["']/) {
			string()
			part = substr(text, from + 1, at - from - 2)
		} else {
			while (char() ~ /[A-Za-z0-9_-]/)
				at++
			part = substr(text, from, at - from)
			if (part == "")
				finish(2, "expected a key")
		}
		path = path (path == "" ? "" : "\n") part
		blank(0)
		if (char() != ".")
			return path
		at++
	}
}

# Over a value; `ends` are the characters that end it outside of brackets.
function value(ends,    depth, c) {
	depth = 0
	while (at <= n) {
		c = char()
		if (c ~ /["']/) {
			string()
			continue
		}
		if (depth == 0 && index(ends, c) > 0)
			return
		if (c == "#") {
			while (at <= n && char() != "\n")
				at++
			continue
		}
		if (c == "[" || c == "{")
			depth++
		if (c == "]" || c == "}")
			depth--
		step(1)
	}
	if (depth > 0)
		finish(2, "a bracket that is not closed")
}

# A path as it is written in a file, without the table that was asked for.
function written(path,    part, parts, k, out) {
	if (table != "")
		path = substr(path, length(table) + 2)
	k = split(path, part, "\n")
	out = ""
	for (parts = 1; parts <= k; parts++)
		out = out (parts > 1 ? "." : "") \
			(part[parts] ~ /^[A-Za-z0-9_-]+$/ ? part[parts] : "\"" part[parts] "\"")
	return out
}

function below(path, top) { return path == top || index(path, top "\n") == 1 }

# Keeps `raw`, the text of a key and its value, unless the path is not wanted.
function keep(path, raw, val, inside,    top) {
	top = (table != "" ? table "\n" : "") "profiling\nlogger"
	if (table != "" && !below(path, table) && !below(table, path))
		return
	if (table != "" && below(path, table))
		found = 1
	if (below(path, top))
		return
	# An inline table around what is to go, or around the table asked for.
	if (val ~ /^{/ && (below(top, path) || (table != "" && below(table, path)))) {
		inline(path, val)
		return
	}
	if (inside || table != "")
		raw = written(inside || header == "" ? path : below(header, table) ? \
			table "\n" substr(path, length(header) + 2) : path) " = " val "\n"
	if (header == "" || header == table || inside)
		root = root raw
	else
		rest = rest raw
}

# The entries of an inline table, each a statement of its own.
function inline(path, val,    text2, at2, n2, line2, k, from) {
	text2 = text; at2 = at; n2 = n; line2 = line
	text = substr(val, 2); n = length(text); at = 1
	for (;;) {
		blank(1)
		if (char() == "}" || at > n)
			break
		k = key()
		blank(0)
		if (char() != "=")
			finish(2, "expected '='")
		at++
		blank(0)
		from = at
		value(",}")
		keep(path "\n" k, "", substr(text, from, at - from), 1)
		if (char() == ",")
			at++
	}
	text = text2; at = at2; n = n2; line = line2
}

# One table header, or one key and its value. False at the end.
function statement(    from, k, brackets, begin) {
	blank(1)
	if (at > n)
		return 0
	from = at
	if (char() == "[") {
		brackets = substr(text, at, 2) == "[[" ? 2 : 1
		at += brackets
		header = key()
		if (substr(text, at, brackets) != substr("]]", 1, brackets))
			finish(2, "expected ']'")
		at += brackets
		blank(0)
		if (at <= n && char() != "\n")
			finish(2, "expected the end of the line")
		if (table != "" && below(header, table))
			found = 1
		if (table != "" && !below(header, table))
			return 1
		if (below(header, (table != "" ? table "\n" : "") "profiling\nlogger"))
			return 1
		if (header == table)
			return 1
		rest = rest substr("[[", 1, brackets) written(header) substr("]]", 1, brackets) "\n"
		return 1
	}
	k = key()
	if (char() != "=")
		finish(2, "expected '='")
	at++
	blank(0)
	begin = at
	value("\n")
	keep(header == "" ? k : header "\n" k, substr(text, from, at - from) "\n", \
		substr(text, begin, at - begin), 0)
	return 1
}
