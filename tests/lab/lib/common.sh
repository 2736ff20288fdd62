# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What every part of the lab's runner needs: messages, exit statuses, tools.

# Exit statuses of the runner's own.
declare -A exit_for=([usage]=2 [lab]=124 [splat]=125)

say() {
	printf 'lab: %s\n' "$*" >&2
}

# die REASON MESSAGE: end the run; REASON is one of exit_for.
die() {
	say "$2"
	exit "${exit_for[$1]}"
}

usage_error() {
	die usage "$1 (tests/lab/run --help lists what is allowed)"
}

# need TOOL PACKAGE: TOOL must be there.
need() {
	command -v "$1" >/dev/null || die lab "$1 is missing: install the package $2"
}

# outdated FILE SOURCE...: true when FILE is missing or older than anything
# in the files and folders SOURCE.
outdated() {
	local file=$1
	shift
	[[ ! -e $file || -n $(find -L "$@" -newer "$file" -print -quit) ]]
}
