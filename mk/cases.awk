# mk/cases.awk: for each case id, a name for its files and a regex that picks it.
#
# Reads kc-cases' output, one escaped id a line (kc-rows(5)), and writes
#
#	NAME \t HOW \t REGEX \t PREFIX \t ID
#
# NAME is a name for files, the same for the same id and no other: letters,
# digits, _ and - stand for themselves, a slash is +, a dot too unless it comes
# first, and any other byte is @ and two hex digits. It is a target of make and
# nothing in it means anything to make or to a shell. A name longer than 180
# bytes is cut, and @@ is put after it, for a checksum that the caller adds.
#
# REGEX is anchored and has only regex metacharacters escaped. HOW is `plain`,
# or `ask` where what is printed may not be the id that the bench matches:
# criterion prints a title, the id cut at 100 bytes with `...` after it, or
# numbered ` #2` when the id comes again. PREFIX is then the regex of the cut
# id, or `-`.

BEGIN {
	for (i = 1; i < 256; i++) {
		c = sprintf("%c", i)
		code[c] = c ~ /[A-Za-z0-9_-]/ ? c : sprintf("@%02X", i)
	}
	code["/"] = "+"
}

function raw(id) {
	if (id ~ /^\\#/)
		id = substr(id, 2)
	gsub(/\\\\/, "\001", id)
	gsub(/\\t/, "\t", id)
	gsub(/\\n/, "\n", id)
	gsub(/\001/, "\\", id)
	return id
}

function name(id,    out, i, c) {
	out = ""
	for (i = 1; i <= length(id); i++) {
		c = substr(id, i, 1)
		out = out (c == "." && i > 1 ? c : code[c])
	}
	return length(out) > 180 ? substr(out, 1, 160) "@@" : out
}

function regex(id,    out, i, c) {
	out = ""
	for (i = 1; i <= length(id); i++) {
		c = substr(id, i, 1)
		out = out (index("\\.+*?()|[]{}^$", c) > 0 ? "\\" : "") c
	}
	return out
}

{
	line[NR] = $0
	id[NR] = raw($0)
	n = NR
	if (id[NR] ~ / #[0-9]+$/) {
		base = id[NR]
		sub(/ #[0-9]+$/, "", base)
		numbered[base] = 1
	}
}

END {
	for (k = 1; k <= n; k++) {
		t = id[k]
		base = t
		sub(/ #[0-9]+$/, "", base)
		cut = base ~ /\.\.\.$/ && length(base) >= 100 && length(base) <= 103
		ask = cut || base != t || (t in numbered)
		# A tab would end the field; no regex needs a raw one.
		r = regex(t)
		gsub(/\t/, "\\t", r)
		p = cut ? "^" regex(substr(base, 1, length(base) - 3)) : "-"
		gsub(/\t/, "\\t", p)
		print name(t) "\t" (ask ? "ask" : "plain") "\t^" r "$\t" p "\t" line[k]
	}
}
