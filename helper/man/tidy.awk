# SPDX-License-Identifier: GPL-2.0-or-later
# What scdoc makes, with a paragraph begun only where there is something in it.
/^\.PP?$/ {
	held = 1
	next
}
/^\.RE$/ {
	print
	next
}
{
	if (held && !heading && $0 !~ /^\.(SH|SS|RS|TS)/)
		print ".PP"
	held = 0
	heading = $0 ~ /^\.(TH|SH|SS)/
	print
}
