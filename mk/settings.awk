# mk/settings.awk: a crate's cubecl settings with the profiling logger set for
# counting, and nothing else changed.
#
#	awk [-v table=KEY] [-v tuner=1] [-v kernels=1] -f settings.awk FILE
#
# FILE is TOML (toml.io/en/v1.0.0). With table=cubecl only that table of it, as
# a file of its own, for burn.toml. What is kept is kept as it is written; every
# definition of profiling.logger goes, in whatever form it has: a table, a key
# of [profiling], dotted keys, inside an inline table. Ours comes last, as
# [profiling.logger], where a table may always be added.
#
# With tuner=1 the same is done for [autotune.logger], which then tells on stderr
# of each choice that the tuner makes. With kernels=1 compiled kernels are kept,
# [compilation] cache = true, unless FILE has a say in it: a boolean since cubecl
# 0.11.0-pre.2 (runtime/src/config/compilation.rs), a place before.
#
# Status 2, and a message on stderr, for what cannot be read as TOML. A status
# of 3 says that FILE has no such table.

BEGIN { MARK = "\001" }

{ text = text $0 "\n" }

END {
	n = length(text)
	at = line = 1
	header = ""
	while (statement())
		;
	if (table != "" && !found)
		finish(3, "")
	if (kernels && !said) {
		if (dotted)
			root = root "compilation.cache = true\n"
		else if (index(rest, MARK) == 0)
			rest = rest "[compilation]\n" MARK
		sub(MARK, "cache = true\n", rest)
	}
	gsub(MARK, "", rest)
	printf "%s%s", root, rest
	if (tuner)
		print "[autotune.logger]\nlevel = \"minimal\"\nstderr = true"
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

# A table of ours: profiling.logger, and with tuner=1 autotune.logger.
function ours(path,    t) {
	t = table != "" ? table "\n" : ""
	return below(path, t "profiling\nlogger") || (tuner && below(path, t "autotune\nlogger"))
}

# One of ours, or one that we add to, is inside of this table.
function around(path,    t) {
	t = table != "" ? table "\n" : ""
	return below(t "profiling\nlogger", path) || (tuner && below(t "autotune\nlogger", path)) || \
		(kernels && below(t "compilation\ncache", path))
}

function below(path, top) { return path == top || index(path, top "\n") == 1 }

# Keeps `raw`, the text of a key and its value, unless the path is not wanted.
function keep(path, raw, val, inside,    top) {
	top = table != "" ? table "\n" : ""
	if (table != "" && !below(path, table) && !below(table, path))
		return
	if (table != "" && below(path, table))
		found = 1
	if (ours(path))
		return
	if (below(path, top "compilation\ncache"))
		said = 1
	else if (below(path, top "compilation") && header == "" && val !~ /^{/)
		dotted = 1
	# An inline table around what is to go, or around the table asked for.
	if (val ~ /^{/ && (around(path) || (table != "" && below(table, path)))) {
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
		if (ours(header))
			return 1
		if (header == table)
			return 1
		rest = rest substr("[[", 1, brackets) written(header) substr("]]", 1, brackets) "\n"
		if (header == (table != "" ? table "\n" : "") "compilation")
			rest = rest MARK
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
