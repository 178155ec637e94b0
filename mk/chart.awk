# mk/chart.awk: numbers to a gnuplot script, for mk/chart.
#
#	-v form=bars    rows of a result, sorted
#	-v form=lines   X, its label, LAUNCHES, panel and name of a line; -v logx=1
#
# Somebody's text stands in single quotes, where gnuplot knows no escape but a
# doubled quote; without control characters it can be nothing but text.

BEGIN {
	FS = "\t"
	colours = split("#0072B2 #D55E00 #009E73 #CC79A7 #B8860B #777777 #8C564B", colour, " ")
}

function text(t) {
	gsub(/\\[tn]/, " ", t)
	gsub(/\\\\/, "\\", t)
	gsub(/[[:cntrl:]]/, "?", t)
	gsub(/'/, "''", t)
	return "'" t "'"
}

function paint(n) {
	return "'" colour[(n - 1) % colours + 1] "'"
}

# Characters, not bytes: continuation bytes of UTF-8 are not counted.
function width(t) {
	gsub(/[\200-\277]/, "", t)
	return length(t)
}

function terminal(w, h) {
	printf "set terminal svg size %d,%d font 'sans-serif,12' noenhanced\n", w, h
	printf "set output '%s'\n", svg
	print "set encoding utf8\nunset key\nset border 0"
	print "set style line 1 lc rgb '#8c8c8c' lw 1 dt '.'"
}

# Whether small numbers would look alike on a linear scale.
function wide(min, max) {
	return min > 0 && max / min > 50
}

form == "bars" && !/^#/ && NF == 4 {
	if ($4 != last && rows > 0)
		y += 0.8
	if ($4 != last) {
		last = $4
		name[++cases] = $4
		first[cases] = y + 1
		if (width($4) > longest)
			longest = width($4)
	}
	if (!($3 in config))
		config[$3] = ++configs
	y++
	rows++
	place[rows] = y
	lowest[cases] = y
	kind[rows] = config[$3]
	value[rows] = $1
	sub(/^>=/, "", value[rows])
	refused = value[rows] == "-"
	shown = $1
	sub(/^>=/, "≥", shown)
	if ($2 == "once")
		shown = shown " (once)"
	label[rows] = (refused ? "refused" : shown) "  " $3
	if (width(label[rows]) > room)
		room = width(label[rows])
	if (refused)
		value[rows] = 0
	if (value[rows] > max)
		max = value[rows]
	if (value[rows] > 0 && (min == 0 || value[rows] < min))
		min = value[rows]
}

function bars(	i, low, high, left, plot) {
	left = longest * 7 + 30
	plot = 860 - left - 20
	low = 0
	high = max > 0 ? max : 1
	# The longest bar leaves room for the longest label.
	share = (plot - room * 7 - 10) / plot
	if (share < 0.3)
		share = 0.3
	terminal(860, y * 17 + 75)
	if (wide(min, max)) {
		low = 0.7
		high = low * exp(log(max / low) / share)
		print "set logscale x 10"
	} else {
		high = high / share
	}
	printf "set label %s at screen %f,screen 1 - 22.0/%d left font 'sans-serif,14'\n", \
		text("Kernel launches of one iteration" (wide(min, max) ? " (logarithmic scale)" : "")), \
		left / 860, y * 17 + 75
	printf "set lmargin at screen %f\nset rmargin at screen %f\n", left / 860, 1 - 20 / 860
	printf "set tmargin at screen 1 - 40.0/%d\nset bmargin at screen 30.0/%d\n", y * 17 + 75, y * 17 + 75
	printf "set xrange [%f:%f]\nset yrange [%f:0.2]\n", low, high, y + 0.8
	print "unset ytics\nset xtics nomirror scale 0 format '%.0f'\nset grid xtics ls 1"
	for (i = 1; i <= rows; i++) {
		if (value[i] > low)
			printf "set object rect from %s,%f to %s,%f fc rgb %s fs solid noborder\n", \
				low, place[i] - 0.42, value[i], place[i] + 0.42, paint(kind[i])
		printf "set label %s at %s,%f left offset 0.5,0 font 'sans-serif,11'\n", \
			text(label[i]), (value[i] > low ? value[i] : low), place[i]
	}
	for (i = 1; i <= cases; i++)
		printf "set label %s at %s,%f right offset -0.7,0\n", text(name[i]), low, \
			(first[i] + lowest[i]) / 2
	print "plot NaN notitle"
}

form == "lines" && NF == 5 {
	if (!($4 in panel)) {
		panel[$4] = ++panels
		panelname[panels] = $4
	}
	if (!($5 in line)) {
		line[$5] = ++lines
		linename[lines] = $5
		if (width($5) > longest)
			longest = width($5)
	}
	if (!($1 in tick)) {
		tick[$1] = $2
		at[++ticks] = $1
	}
	if (ticks == 1 || $1 + 0 < left + 0)
		left = $1
	if (ticks == 1 || $1 + 0 > right + 0)
		right = $1
	if ($3 == "-" || $3 ~ /^>=/)
		next
	p = panel[$4]
	l = line[$5]
	if (!((p, l) in points))
		members[p]++
	points[p, l]++
	px[p, l, points[p, l]] = $1
	py[p, l, points[p, l]] = $3
	if ($3 + 0 > most[p] + 0)
		most[p] = $3
	if ($3 + 0 > 0 && (least[p] == 0 || $3 + 0 < least[p] + 0))
		least[p] = $3
}

# Labels at the ends of lines, from the top, none nearer than 14 pixels.
function place_labels(p, height, high, low,	i, j, n, order, t, pix, where) {
	n = 0
	for (i = 1; i <= lines; i++)
		if ((p, i) in points)
			order[++n] = i
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && py[p, order[j], points[p, order[j]]] + 0 > py[p, order[j - 1], points[p, order[j - 1]]] + 0; j--) {
			t = order[j]
			order[j] = order[j - 1]
			order[j - 1] = t
		}
	for (i = 1; i <= n; i++) {
		t = py[p, order[i], points[p, order[i]]]
		where[i] = height * (low > 0 ? log((t > low ? t : low) / low) / log(high / low) : t / high)
		if (i > 1 && where[i] > where[i - 1] - 14)
			where[i] = where[i - 1] - 14
	}
	# What went below the bottom goes up again, with what is above it.
	if (n > 0 && where[n] < 0)
		where[n] = 0
	for (i = n - 1; i >= 1; i--)
		if (where[i] < where[i + 1] + 14)
			where[i] = where[i + 1] + 14
	for (i = 1; i <= n; i++) {
		pix = where[i] / height
		t = low > 0 ? low * exp(pix * log(high / low)) : pix * high
		# A thin line leads from where the line ends to its name.
		printf "set label %d %s at graph 1,first %f left offset 2.6,0 font 'sans-serif,11'\n", \
			100 + i, text(linename[order[i]] "  " py[p, order[i], points[p, order[i]]]), t
		printf "set arrow %d from first %s,first %s to graph %f,first %f nohead lw 1 lc rgb %s\n", \
			100 + i, px[p, order[i], points[p, order[i]]], py[p, order[i], points[p, order[i]]], \
			1 + 15 / plotwidth, t, paint(order[i])
	}
	return n
}

function draw_lines(	p, l, i, n, h, top, total, foot, high, low, side, sep, step) {
	foot = turn ? 70 : 34
	total = 44
	for (p = 1; p <= panels; p++) {
		h[p] = members[p] * 14 + 30 + foot
		if (h[p] < 200 + foot)
			h[p] = 200 + foot
		total += h[p]
	}
	side = (longest + 8) * 7 + 20
	terminal(860, total)
	print "set multiplot"
	printf "set lmargin at screen %f\nset rmargin at screen %f\n", 60 / 860, 1 - side / 860
	plotwidth = 860 - 60 - side
	if (logx)
		printf "set xrange [%f:%f]\n", left / 1.03, right * 1.03
	else
		printf "set xrange [%f:%f]\n", left - (right - left) * 0.02 - 0.01, right + (right - left) * 0.02 + 0.01
	if (logx)
		print "set logscale x 2"
	step = int((ticks + 24) / 25)
	printf "set xtics nomirror scale 0.5 %s (", (turn ? "rotate by 45 right" : "")
	for (i = 1; i <= ticks; i += step) {
		printf "%s%s %s", sep, text(tick[at[i]]), at[i]
		sep = ", "
	}
	print ")\nset ytics nomirror scale 0 format '%.0f'\nset grid ytics ls 1"
	printf "set label 1 %s at screen %f,screen 1 - 22.0/%d left font 'sans-serif,14'\n", text(title), 60 / 860, total
	top = 44
	for (p = 1; p <= panels; p++) {
		low = wide(least[p], most[p]) ? least[p] * 0.7 : 0
		high = most[p] > 0 ? most[p] * (low > 0 ? 1.3 : 1.08) : 1
		printf "set tmargin at screen 1 - %d.0/%d\nset bmargin at screen 1 - %d.0/%d\n", \
			top + 30, total, top + h[p] - foot, total
		printf "set label 2 %s at screen %f,screen 1 - %d.0/%d left\n", \
			text(panelname[p] (low > 0 ? " (logarithmic scale)" : "")), 60 / 860, top + 14, total
		print (low > 0 ? "set logscale y 10" : "unset logscale y")
		printf "set yrange [%f:%f]\n", low, high
		n = place_labels(p, h[p] - foot - 30, high, low)
		for (l = 1; l <= lines; l++) {
			if (!((p, l) in points))
				continue
			printf "$line%d << EOD\n", l
			for (i = 1; i <= points[p, l]; i++)
				print px[p, l, i], py[p, l, i]
			print "EOD"
		}
		sep = "plot "
		for (l = 1; l <= lines; l++)
			if ((p, l) in points) {
				printf "%s$line%d using 1:2 with linespoints lc rgb %s lw 2 pt 7 ps 0.5", sep, l, paint(l)
				sep = ", "
			}
		print (sep == "plot " ? "plot NaN" : "")
		for (i = 1; i <= n; i++)
			printf "unset label %d\nunset arrow %d\n", 100 + i, 100 + i
		print "unset label 1\nunset label 2"
		top += h[p]
	}
	print "unset multiplot"
}

END {
	if (form == "bars" && rows > 0)
		bars()
	else if (form == "lines" && panels > 0)
		draw_lines()
	else
		exit 1
}
