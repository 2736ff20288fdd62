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
./board "$work/board"
./heat "$work/heat"
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
golden check --sysroot board check p2p.conf
golden check-json --sysroot board --json check p2p.conf
golden check-far --sysroot board check far.conf
golden check-warn --sysroot board check warn.conf
golden check-loss --sysroot board check loss.conf
golden check-wrong --sysroot board check far-wrong.conf
golden check-memory --sysroot board check --guest-memory 2T p2p.conf
golden check-memory-wrong --sysroot board check --guest-memory much p2p.conf
golden check-unreadable --sysroot host check p2p.conf
golden check-sysroot --sysroot board check
golden diff --sysroot board diff p2p.conf
golden diff-none --sysroot board diff quiet.conf
golden why --sysroot board isolation --why 23:00.0 26:00.0
golden why-json --sysroot board isolation --json --why 23:00.0 26:00.0
golden why-back --sysroot board isolation --why 26:00.0 23:00.0
golden why-blocked --sysroot board isolation --why 27:00.0 26:00.0
golden why-far --sysroot board isolation --why 41:00.0 26:00.0
golden why-chip --sysroot board isolation --why 63:00.0 26:00.0
golden why-absent --sysroot board isolation --why 63:00.0 99:00.0
golden why-one --sysroot board isolation --why 63:00.0
golden config-acs --sysroot board isolation --config-acs p2p.conf
golden sensors --sysroot heat sensors
golden sensors-all --sysroot heat sensors --all sensors.conf
golden sensors-json --sysroot heat --json sensors --all sensors.conf
golden sensors-none --sysroot host sensors
golden sensors-empty --sysroot empty sensors
golden sensors-wrong --sysroot heat sensors sensors-wrong.conf
golden help help
for command in status bind unbind apply check diff show-policy isolation reset release sensors monitor push export version; do
	golden "help-$command" "$command" --help
done
golden usage-none
golden usage-command statsu
golden usage-option apply --dry-rum
golden usage-option-global --jsno status
golden usage-sysroot --sysroot host bind --all
golden usage-bdf bind 0000:c1:00
golden usage-monitor --json monitor --daemon
golden usage-monitor-config monitor --config monitor-wrong.conf
golden monitor-wrong monitor --daemon --config monitor-wrong.conf
golden usage-method reset --method mode2 --all
golden usage-listen export --listen 0.0.0.0:9100
golden usage-export-both export --textfile a.prom --listen 127.0.0.1:9100
golden usage-export-json export --json
exit $failed
