# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests in the lab share.

. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"

# shellcheck disable=SC2034 # the tests use it
client=$top/build/lab/client
instinctctl=$top/build/instinctctl
model=/sys/kernel/debug/instinct-model
# later CMD…: within a minute, or what that is on a slow kernel, CMD does.
later() {
	local tries=$((120 * LAB_SLOWNESS))
	while ((tries--)); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.5
	done
	return 1
}

# user_begins NAME BDF STEP… -- STEP…: somebody has a GPU open and has been through the client's
# steps before "--", which is checked, but not how they went: one may be to fail. Those after it
# he does at user_ends. What the client says is in $user_log.
user_log=/tmp/user.log
user_begins() {
	local name=$1 bdf=$2 steps=() commas
	shift
	while shift && [[ $1 != -- ]]; do
		steps+=("$1")
	done
	rm -f /tmp/user.goes-on
	: >$user_log
	"$client" "$bdf" "${steps[@]}" wait=/tmp/user.goes-on "${@:2}" >$user_log 2>&1 &
	user=$!
	commas=${bdf//[^,]/}
	check "$name" later user_has_said $((${#steps[@]} * (${#commas} + 1)))
}
user_has_said() { (($(wc -l <$user_log) >= $1)); }
# user_killed NAME BDF STEP…: a user is killed once it has been through these steps.
user_killed() {
	user_begins "$@" --
	kill -KILL "$user"
	wait "$user"
	sleep 1
}
user_ends() {
	touch /tmp/user.goes-on
	wait "$user"
}

test_end() {
	((failures == 0)) || {
		dmesg | tail -n 40
		tail -n +1 "$model"/*/state
	} | sed 's/^/# /'
	exit $((failures > 0))
}

# gpus: names of the modelled GPUs, in order.
gpus() {
	local dev
	for dev in /sys/bus/pci/devices/*; do
		[[ $(<"$dev/class") != 0x120000 ]] || basename "$dev"
	done
}

# port BDF N: the Nth port above a device, 1 is the next one.
port() {
	local path n=$2
	path=$(realpath "/sys/bus/pci/devices/$1")
	while ((n--)); do path=$(dirname "$path"); done
	basename "$path"
}

# nic_of BDF: the network card below the same switch.
nic_of() {
	local switch dev
	switch=$(realpath "/sys/bus/pci/devices/$(port "$1" 4)")
	for dev in "$switch"/*/*/class; do
		[[ $(<"$dev") != 0x02* ]] || basename "$(dirname "$dev")"
	done
}

counter() { awk -v n="$2" '$1 == n { print $2 }' "$model/$1/counters"; }

# iommu_gives_ats: does the IOMMU driver switch ATS on for who opens a device? From 6.7 on
# AMD's does so only if the IOMMU has guest page tables and PPR, and QEMU's has neither.
iommu_gives_ats() {
	local features=/sys/class/iommu/ivhd0/amd-iommu/features guest=$((1 << 4))
	[[ ! -r $features ]] || ((0x$(<$features) & guest)) ||
		[[ $(printf '6.7\n%s\n' "$(uname -r)" | sort -V | head -n 1) != 6.7 ]]
}

# newest: the number of the newest event.
newest() { "$instinctctl" monitor --json --since 1 --timeout 1 | tail -n 1 | sed 's/.*"seq": *\([0-9]*\).*/\1/'; }

# told KIND: how many events of that kind there have been.
told() { "$instinctctl" monitor --json --since 1 --timeout 1 | grep -c "\"kind\": *\"$1\""; }

# udevd_start: udev, which a lab without a Debian of its own does without.
udevd_start() {
	local udevd=/lib/systemd/systemd-udevd
	[[ -x $udevd ]] || udevd=/usr/lib/systemd/systemd-udevd
	check "udevd starts" $udevd --daemon
}

# set_model BDF KEY=VALUE…: by the door that is open under lockdown too.
set_model() { echo "$*" >/sys/module/instinct_model/parameters/set; }

# driver_bind BDF DRIVER: by driver_override, without our tools.
driver_bind() {
	local dev=/sys/bus/pci/devices/$1
	[[ ! -e $dev/driver ]] || echo "$1" >"$dev/driver/unbind"
	echo "$2" >"$dev/driver_override"
	echo "$1" >/sys/bus/pci/drivers_probe 2>/dev/null
	[[ $(basename "$(readlink "$dev/driver")") == "$2" ]]
}

# settled BDF: waits until no reset is under way; of any device if BDF is -.
settled() {
	local deadline=$((SECONDS + 300))
	while ((SECONDS < deadline)); do
		grep -qx resetting <<<"$(status "$1" state)" || return 0
		sleep 0.05
	done
	return 1
}

# one_reset BDF BEFORE WHAT: within ten seconds there is one mode-1 reset more than
# BEFORE, and the device is ready after it.
one_reset() {
	for _ in {1..100}; do
		(($(counter "$1" mode1) == $2)) || break
		sleep 0.1
	done
	settled "$1"
	check_is "$3: one reset" $(($(counter "$1" mode1) - $2)) 1
	check_is "$3: ready" "$(status "$1" state)" ready
}

# dirty BDF: a device that nobody has open is due for a reset, since it was only quiesced.
dirty() { "$instinctctl" reset --method quiesce "$1" >/dev/null; }

# status BDF KEY[.KEY…]: of `instinctctl status --json`; of all devices if BDF is -.
status() { "$instinctctl" status --json | "$top/build/lab/status" "$1" "$2"; }

# heat_service: the service that judges temperatures, which hands events on to nobody. Its
# PID is in $service; what it says is in /tmp/heat-service.
heat_service() {
	printf '%s\n' '[monitor]' 'journal = no' 'json = none' 'hooks = none' \
		'state = /tmp/heat-state.json' 'sample_interval = 1s' >/tmp/heat-service.conf
	# Those that a service leaves that is killed.
	rm -f /run/instinct-vfio/{push,heat.json}
	"$instinctctl" monitor --daemon --config /tmp/heat-service.conf 2>>/tmp/heat-service &
	# shellcheck disable=SC2034 # the tests use it
	service=$!
	later test -S /run/instinct-vfio/push -a -e /run/instinct-vfio/heat.json
}
