# mk/versions.awk: from a Cargo.lock, the versions of what counts depend on, as
# one line: burn 0.22.0-pre.2, cubecl 0.11.0-pre.2.
#
# Status 1, with the reason as output, when its cubecl is older than 0.6: that
# one reads no file of settings, so there is no way to say what it should log.

$1 == "name" { name = $3; gsub(/"/, "", name) }
$1 == "version" && (name == "burn" || name == "cubecl") {
	version = $3
	gsub(/"/, "", version)
	all = all (all == "" ? "" : ", ") name " " version
	if (name == "cubecl") {
		split(version, part, ".")
		if (part[1] == 0 && part[2] < 6)
			old = version
		else
			young = 1
	}
	name = ""
}
END {
	if (old != "" && !young) {
		print "the crate has cubecl " old ", which takes its settings from no file: 0.6 or newer (Burn 0.18) is needed to count; logs that it made can still be read by kc-totals"
		exit 1
	}
	print all
}
