#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What instinctctl prints about captured hosts, against the files beside this
# one. tests/golden/run.sh --update rewrites them: read the difference then.
set -uo pipefail
cd "$(dirname "$(realpath "$0")")/../.." || exit 1
golden=tests/golden
update=${1-}
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# host NAME: unpack a capture, lines "FILE CONTENT" or "FILE -> TARGET", where
# the last part of a BDF's file is below sys/bus/pci/devices.
host() {
	local file content
	mkdir -p "$work/$1/sys/bus/pci/devices"
	while IFS=' ' read -r file content; do
		[[ -n $file && $file != '#'* ]] || continue
		file=$work/$1/sys/bus/pci/devices/$file
		mkdir -p "$(dirname "$file")"
		if [[ $content == '-> '* ]]; then
			ln -s "${content#-> }" "$file"
		else
			printf '%s\n' "$content" >"$file"
		fi
	done <"$golden/$1.host"
}

# same NAME CMD…: CMD's output, errors and status are as in the golden file.
same() {
	local name=$1 found
	shift
	found=$("$@" 2>&1; echo "exit status $?")
	if [[ $update == --update ]]; then
		printf '%s\n' "$found" >"$golden/$name.out"
	fi
	if diff -u "$golden/$name.out" - <<<"$found" >"$work/diff"; then
		echo "ok - golden: $name"
	else
		echo "not ok - golden: $name"
		sed 's/^/# /' "$work/diff"
		failures=1
	fi
}

for capture in "$golden"/*.host; do
	name=$(basename "$capture" .host)
	host "$name"
	same "$name.status" build/instinctctl status --sysroot "$work/$name"
	same "$name.status-json" build/instinctctl status --json --sysroot "$work/$name"
done
same help build/instinctctl --help
for command in status bind unbind apply show-policy reset release monitor; do
	same "help-$command" build/instinctctl "$command" --help
done
same wrong-command build/instinctctl statsu
same wrong-option build/instinctctl reset --metod mode1 c1:00.0
same wrong-bdf build/instinctctl bind c1:00
same no-sysroot build/instinctctl status --sysroot /nonexistent
exit $failures
