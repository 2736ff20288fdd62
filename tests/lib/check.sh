# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions that tests share. A test prints "ok - NAME" or "not ok - NAME" for each check;
# tests/suite counts these lines. A test ends with: exit $((failures > 0))

set -uo pipefail

# A landing fixes the random numbers.
[[ -z ${LAB_SEED-} ]] || RANDOM=$LAB_SEED
top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
failures=0

test_begin() {
	test_name=$(basename "$0")
	cd "$top" || exit 1
}

# in_full ALL FEW: prints ALL, or FEW in `make test` and with the drop-in, where another run of the same
# test does all: how often a test repeats the same, say.
in_full() { if [[ -n ${LAB_LANDING-}${LAB_DROPIN-} ]]; then echo "$2"; else echo "$1"; fi; }
# only_in_full WHAT CMD…: runs CMD, but in `make test` prints that the run leaves WHAT out.
only_in_full() {
	local what=$1
	shift
	if [[ -n ${LAB_LANDING-} ]]; then echo "# not run: $what: tests/suite $test_name"; else "$@"; fi
}

pass() { echo "ok - $test_name: $1"; }
fail() {
	echo "not ok - $test_name: $1"
	[[ -z ${2-} ]] || printf '%s\n' "$2" | tail -n 20 | sed 's/^/# /'
	failures=$((failures + 1))
}

# check WHAT CMD…: passes if CMD succeeds; else shows CMD's output.
check() {
	local what=$1 output
	shift
	if output=$("$@" 2>&1); then pass "$what"; else fail "$what" "$* → $?: $output"; fi
}

# check_is WHAT FOUND WANTED: passes if both texts are equal.
check_is() {
	if [[ $2 == "$3" ]]; then pass "$1"; else fail "$1" "found:  $2"$'\n'"wanted: $3"; fi
}

# check_none WHAT FOUND: passes if FOUND is empty; else shows its first lines.
check_none() {
	if [[ -z $2 ]]; then pass "$1"; else fail "$1" "$(head -n 20 <<<"$2")"; fi
}

# check_judged WHAT FOUND: check_none of what a tool of tests/fetch/kernel-source has found. If the
# mirror had no longer the version for which this tree is clean, the test prints what another version
# finds, and fails for nothing of it.
check_judged() {
	if [[ -z $2 ]] || tests/fetch/kernel-source --pinned; then
		check_none "$1" "$2"
	else
		echo "# NOT CHECKED: $test_name: $1: the mirror has another version of the tool, which finds:"
		head -n 20 <<<"$2" | sed 's/^/# /'
	fi
}

# check_has WHAT TEXT PART: passes if TEXT contains PART.
check_has() {
	if [[ $2 == *"$3"* ]]; then
		pass "$1"
	else
		fail "$1" "found:  $(tail -n 10 <<<"$2")"$'\n'"wanted: … $3 …"
	fi
}

# check_fails WHAT STATUS PART CMD…: passes if CMD ends with STATUS and prints PART.
check_fails() {
	local what=$1 status=$2 part=$3 output found
	shift 3
	output=$("$@" 2>&1)
	found=$?
	if [[ $found != "$status" ]]; then
		fail "$what" "$* ended with $found, wanted $status: $output"
	else
		check_has "$what" "$output" "$part"
	fi
}

# silent CMD…: succeeds if CMD does and prints nothing.
silent() {
	local output
	output=$("$@" 2>&1) && [[ -z $output ]] || { echo "$output" && false; }
}
