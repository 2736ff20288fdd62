# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Messages, exit statuses and checks for all parts of the lab's runner.

# Exit statuses of the runner itself.
declare -A exit_for=([usage]=2 [lab]=124 [splat]=125)

say() {
	printf 'lab: %s\n' "$*" >&2
}

# die REASON MESSAGE: ends the run; REASON is a key of exit_for.
die() {
	say "$2"
	exit "${exit_for[$1]}"
}

usage_error() {
	die usage "$1 (tests/lab/run --help lists what is allowed)"
}

# need TOOL PACKAGE: ends the run if TOOL is not installed.
need() {
	command -v "$1" >/dev/null || die lab "$1 is missing: install the package $2"
}

# outdated FILE SOURCE...: succeeds if FILE is missing or older than anything in the
# files and folders SOURCE.
outdated() {
	local file=$1
	shift
	[[ ! -e $file || -n $(find -L "$@" -newer "$file" -print -quit) ]]
}
