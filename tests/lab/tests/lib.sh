# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions that the tests in the lab share.

. "$(dirname "${BASH_SOURCE[0]}")/../../lib/check.sh"

# shellcheck disable=SC2034 # the tests use it
client=$top/build/lab/client
instinctctl=$top/build/instinctctl
model=/sys/kernel/debug/instinct-model
# The driver that has the GPUs of this run: with --dropin the drop-in.
ours=instinct_vfio_pci
[[ -z ${LAB_DROPIN-} ]] || ours=vfio-pci

# A test waits for a thing that comes by later() or comes_to(), and passes time in which nothing may
# happen by nothing_for(). tests/static/shell finds other sleeps.

# later CMD…: repeats CMD until it succeeds, for two minutes, or longer on a slow machine.
later() {
	local deadline=$((SECONDS + 120 * LAB_SLOWNESS))
	until "$@" >/dev/null 2>&1; do
		((SECONDS < deadline)) || return 1
		sleep 0.3
	done
}

# comes_to WHAT WANTED CMD…: waits as later() does until CMD prints WANTED, and checks that it does.
comes_to() {
	local what=$1 wanted=$2
	shift 2
	prints() { found=$("$@" 2>&1) || :; [[ $found == "$wanted" ]]; }
	later prints "$@" || :
	check_is "$what" "$found" "$wanted"
}

# nothing_for SECONDS: passes time in which nothing may happen that the test would see afterwards.
nothing_for() { sleep "$1"; }
# pause SECONDS: spaces out the steps of a workload.
pause() { sleep "$1"; }

# events [SINCE]: prints the events so far, or those from a number on, as JSON, a line each.
events() { "$instinctctl" monitor --json --since "${1-1}" --timeout 0; }
# told KIND [SINCE]: prints the number of events of that kind.
told() { events "${2-1}" | grep -c "\"kind\": *\"$1\""; }
# tells KIND [AFTER]: succeeds if there is an event of that kind after event AFTER.
tells() { events $((${2-0} + 1)) | grep -q "\"kind\": *\"$1\""; }
# fields NAME…: reads events, and prints these values of each, separated by blanks. jq takes a second to
# start in the lab.
fields() {
	awk -v names="$*" '
		BEGIN { n = split(names, name, " ") }
		{
			for (i = 1; i <= n; i++) {
				value = "-"
				if (match($0, "\"" name[i] "\": *(\"[^\"]*\"|[^,}]*)")) {
					value = substr($0, RSTART, RLENGTH)
					sub(/^"[^"]*": */, "", value)
					gsub(/"/, "", value)
				}
				printf "%s%s", value, i < n ? " " : "\n"
			}
		}'
}
# numbered FILE: succeeds if the events in the file have no gap in their numbers.
numbered() { fields seq <"$1" | awk 'NR > 1 && $1 != last + 1 { exit 1 } { last = $1 } END { exit !NR }'; }
# newest: prints the number of the newest event.
newest() { events | tail -n 1 | fields seq; }

# user_begins NAME BDF STEP… -- STEP…: starts a VFIO user and checks that it reaches "--". The
# check does not judge the steps before "--", since a test may want one to fail. The user does
# the steps after "--" at user_ends. $user_log has the client's output.
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
# user_killed NAME BDF STEP…: starts a VFIO user and kills it after these steps.
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

# aer_inject BDF UNCORRECTABLE [CORRECTABLE]: loads aer_inject and has the function report errors with
# these bits. From then on aer_inject interposes on the config accesses of the function's bus.
aer_inject() {
	local domain bus device function word record
	IFS=:. read -r domain bus device function <<<"$1"
	modprobe aer_inject && later test -c /dev/aer_inject || return
	printf -v record '\\x%02x' "0x$bus" "0x$device" "0x$function" 0
	for word in "$2" "${3-0}" 0 0 0 0 "0x$domain"; do
		printf -v record '%s\\x%02x\\x%02x\\x%02x\\x%02x' "$record" $((word & 0xff)) $((word >> 8 & 0xff)) \
			$((word >> 16 & 0xff)) $((word >> 24 & 0xff))
	done
	# The driver takes one write for one record.
	printf %b "$record" | dd bs=32 iflag=fullblock of=/dev/aer_inject status=none
}

# gpus: prints the BDFs of the modelled GPUs, in order.
gpus() {
	local dev
	for dev in /sys/bus/pci/devices/*; do
		[[ $(<"$dev/class") != 0x120000 ]] || basename "$dev"
	done
}

# edus: prints the BDFs of the devices that do DMA on request (--board-opt dma=edu), in order.
edus() {
	local dev
	for dev in /sys/bus/pci/devices/*; do
		[[ $(<"$dev/vendor")$(<"$dev/device") != 0x12340x11e8 ]] || basename "$dev"
	done
}

# iommu_group BDF: prints the number of its group.
iommu_group() { basename "$(readlink "/sys/bus/pci/devices/$1/iommu_group")"; }

# port BDF N: prints the Nth port above a device, counted from 1 for the nearest.
port() {
	local path n=$2
	path=$(realpath "/sys/bus/pci/devices/$1")
	while ((n--)); do path=$(dirname "$path"); done
	basename "$path"
}

# nic_of BDF: prints the network card below the same switch.
nic_of() {
	local switch dev
	switch=$(realpath "/sys/bus/pci/devices/$(port "$1" 4)")
	for dev in "$switch"/*/*/class; do
		[[ $(<"$dev") != 0x02* ]] || basename "$(dirname "$dev")"
	done
}

counter() { awk -v n="$2" '$1 == n { print $2 }' "$model/$1/counters"; }

# iommu_gives_ats: succeeds if the IOMMU driver enables ATS for a VFIO user. Since Linux 6.7
# AMD's driver does so only if the IOMMU has guest page tables and PPR; QEMU's has neither.
iommu_gives_ats() {
	local features=/sys/class/iommu/ivhd0/amd-iommu/features guest=$((1 << 4))
	[[ ! -r $features ]] || ((0x$(<$features) & guest)) ||
		[[ $(printf '6.7\n%s\n' "$(uname -r)" | sort -V | head -n 1) != 6.7 ]]
}

# udevd_start: starts udev, which does not run in a lab without a Debian of its own.
udevd_start() {
	local udevd=/lib/systemd/systemd-udevd
	[[ -x $udevd ]] || udevd=/usr/lib/systemd/systemd-udevd
	check "udevd starts" $udevd --daemon
}

# set_model BDF KEY=VALUE…: changes the model by a module parameter, writable under lockdown too.
set_model() { echo "$*" >/sys/module/instinct_model/parameters/set; }

# driver_bind BDF DRIVER: binds by driver_override, without instinctctl.
driver_bind() {
	local dev=/sys/bus/pci/devices/$1
	[[ ! -e $dev/driver ]] || echo "$1" >"$dev/driver/unbind"
	echo "$2" >"$dev/driver_override"
	echo "$1" >/sys/bus/pci/drivers_probe 2>/dev/null
	[[ $(basename "$(readlink "$dev/driver")") == "$2" ]]
}

# gpus_bind BDF…|--all: instinctctl binds GPUs, and the check is that it chooses the driver of this run.
gpus_bind() {
	check_is "instinctctl binds the GPUs to $ours" \
		"$("$instinctctl" bind "$@" 2>&1 | sed 's/.*: \(already \)\?//' | sort -u)" "bound to $ours"
}

# stock_begin: loads the kernel's own vfio-pci for a comparison, and neither module of ours. The
# function unloads what the run has loaded.
stock_begin() {
	[[ -z ${LAB_DROPIN-} ]] || { rmmod vfio_pci && umount "$(modinfo -n vfio-pci)"; } || return
	rmmod instinct_vfio_pci && modprobe vfio-pci
}
# stock_end: loads the module again, and with --dropin the drop-in in place of the kernel's vfio-pci.
stock_end() {
	local built
	built=$top/build/kmod/$(uname -r)
	insmod "$built/instinct-vfio-pci.ko" require_policy=N || return
	[[ -z ${LAB_DROPIN-} ]] || {
		rmmod vfio_pci && mount --bind "$built/vfio-pci.ko" "$(modinfo -n vfio-pci)" && modprobe vfio-pci
	}
}
# unloaded: unloads the module, and with --dropin first the drop-in.
unloaded() { { [[ -z ${LAB_DROPIN-} ]] || rmmod vfio_pci; } && rmmod instinct_vfio_pci; }

# resetting BDF: succeeds if a reset of the device is under way.
resetting() { [[ $(status "$1" state) == resetting ]]; }

# logged TEXT: succeeds if the kernel log has it.
logged() { [[ $(dmesg) == *"$1"* ]]; }

# settled [BDF]: waits until no reset is under way, of that device or, without BDF, of any. The
# function fails if the module does not answer, or a reset goes on for minutes.
settled() { timeout $((300 * LAB_SLOWNESS)) "$top/build/lab/settled" "$@" >/dev/null; }

# one_reset BDF BEFORE WHAT: waits for a mode-1 reset, and checks that there is one more than BEFORE,
# and that the device is ready after it.
one_reset() {
	later eval "((\$(counter '$1' mode1) != $2))"
	settled "$1"
	check_is "$3: one mode-1 reset reached the hardware" $(($(counter "$1" mode1) - $2)) 1
	check_is "$3: the GPU is ready" "$(status "$1" state)" ready
}

# dirty BDF: quiesces a device that no user has open, which makes its next reset necessary.
dirty() { "$instinctctl" reset --method quiesce "$1" >/dev/null; }

# status BDF KEY[.KEY…]: prints a value of `instinctctl status --json`; of all devices if BDF is -.
# instinctctl ends with 3 while a GPU is not ready, which would fail a pipeline with a search.
status() { { "$instinctctl" status --json || (($? == 3)); } | "$top/build/lab/status" "$1" "$2"; }

# heat_service: starts the service that judges temperatures, without sinks for events. Its PID
# is in $service, its output in /tmp/heat-service.
heat_service() {
	printf '%s\n' '[monitor]' 'journal = no' 'json = none' 'hooks = none' \
		'state = /tmp/heat-state.json' 'sample_interval = 1s' >/tmp/heat-service.conf
	# A killed service leaves these files.
	rm -f /run/instinct-vfio/{push,heat.json}
	"$instinctctl" monitor --daemon --config /tmp/heat-service.conf 2>>/tmp/heat-service &
	# shellcheck disable=SC2034 # the tests use it
	service=$!
	later test -S /run/instinct-vfio/push -a -e /run/instinct-vfio/heat.json
}
