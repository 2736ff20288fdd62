#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What instinctctl prints, word for word, on captured hosts: each case against
# the file of its name. --update writes these files anew; look at the diff.
set -uo pipefail

cd "$(dirname "$(realpath "$0")")" || exit 1
# INSTINCTCTL is relative to the repository, as make has it.
instinctctl=$(cd ../.. && realpath "${INSTINCTCTL:-build/instinctctl}")
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
update=${1-}

./host "$work/host"
mkdir -p "$work/empty/sys/bus/pci/devices"
cp ./*.conf "$work"
cd "$work" || exit 1

# golden NAME ARG…: output, errors and exit status of instinctctl.
golden() {
	local name=$1 status
	shift
	env -u NO_COLOR "$instinctctl" "$@" >out 2>err
	status=$?
	{
		echo "\$ instinctctl${*:+ $*}"
		cat out
		sed 's/^/2> /' err
		echo "exit status $status"
	} >found
	[[ $update != --update ]] || cp found "$here/$name.txt"
	if cmp -s "$here/$name.txt" found; then
		echo "ok - golden: $name"
		return
	fi
	echo "not ok - golden: $name"
	diff -u --label wanted --label found "$here/$name.txt" found | sed 's/^/# /'
	failed=1
}

golden status --sysroot host status
golden status-json --sysroot host status --json
golden status-empty --sysroot empty status
golden status-empty-json --sysroot empty --json status
golden status-no-sysroot --sysroot absent status
golden show-policy --sysroot host show-policy good.conf
golden show-policy-json --sysroot host --json show-policy good.conf
golden show-policy-wrong --sysroot host show-policy wrong.conf
golden show-policy-absent --sysroot host show-policy absent.conf
golden show-policy-sysroot --sysroot host show-policy
golden help help
for command in status bind unbind apply show-policy reset release monitor version; do
	golden "help-$command" "$command" --help
done
golden usage-none
golden usage-command statsu
golden usage-option apply --dry-rum
golden usage-option-global --jsno status
golden usage-sysroot --sysroot host bind --all
golden usage-bdf bind 0000:c1:00
golden usage-method reset --method mode2 --all
exit $failed
