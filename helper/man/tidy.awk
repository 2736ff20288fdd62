# SPDX-License-Identifier: GPL-2.0-or-later
# scdoc begins empty paragraphs; this filter drops them.
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
