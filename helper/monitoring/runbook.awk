# SPDX-License-Identifier: GPL-2.0-or-later
# Makes one HTML page of docs/troubleshooting.md, for the alerts' runbook_url: headings have the anchors
# that a forge gives them. It knows the Markdown of that page and no more.

function escape(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}

# Marks in a line: code, bold, links within the page; other links become their text.
function marks(text,    out, code) {
	text = escape(text)
	out = ""
	while (match(text, /`[^`]*`|\*\*[^*]*\*\*|\[[^\]]*\]\([^)]*\)/)) {
		out = out substr(text, 1, RSTART - 1)
		code = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (code ~ /^`/)
			out = out "<code>" substr(code, 2, length(code) - 2) "</code>"
		else if (code ~ /^\*\*/)
			out = out "<b>" substr(code, 3, length(code) - 4) "</b>"
		else if (match(code, /\(#[^)]*\)$/))
			out = out "<a href=\"" substr(code, RSTART + 1, RLENGTH - 2) "\">" substr(code, 2, index(code, "](") - 2) "</a>"
		else
			out = out substr(code, 2, index(code, "](") - 2)
	}
	return out text
}

# The anchor of a heading: its letters, digits, "-" and "_", with "-" for blanks.
function anchor(text) {
	text = tolower(text)
	gsub(/ /, "-", text)
	gsub(/[^a-z0-9_-]/, "", text)
	return text
}

function close_block() {
	if (block != "")
		print "</" block ">"
	block = ""
}

function open_block(name) {
	if (block != name) {
		close_block()
		print "<" name ">"
		block = name
	}
}

BEGIN {
	print "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
	print "<title>instinct-vfio: troubleshooting</title>"
	print "<style>body{max-width:60em;margin:2em auto;padding:0 1em;font-family:sans-serif}pre{overflow:auto}:target{background:#ffc}</style>"
}

/^```/ {
	if (fenced)
		print "</pre>"
	else {
		close_block()
		print "<pre>"
	}
	fenced = !fenced
	next
}
fenced { print escape($0); next }
/^<a id="[a-z0-9-]*"><\/a>$/ { close_block(); print; next }
/^#+ / {
	close_block()
	level = index($0, " ") - 1
	text = substr($0, level + 2)
	printf "<h%d id=\"%s\">%s</h%d>\n", level, anchor(text), marks(text), level
	next
}
/^\|/ { open_block("pre"); print marks($0); next }
/^\* / { open_block("ul"); print "<li>" marks(substr($0, 3)); next }
/^$/ { close_block(); next }
{
	if (block != "ul")
		open_block("p")
	print marks($0)
}
END { close_block() }
