# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions that the benches inside the lab share. $all holds the GPUs.

. tests/lab/tests/lib.sh

mapfile -t all < <(gpus)

# all_have stock|ours: binds all GPUs to that driver.
all_have() {
	local gpu driver=instinct_vfio_pci
	[[ $1 == ours ]] || { driver=vfio-pci && modprobe vfio-pci || exit 1; }
	for gpu in "${all[@]}"; do
		driver_bind "$gpu" "$driver" || exit 1
	done
}

# unanswered: prints how many config reads of all GPUs and their packages nothing has answered.
unanswered() { awk '$1 == "reads_unanswered" { n += $2 } END { print n }' "$model"/*/counters; }

# resets: prints how many resets have reached all GPUs.
resets() { awk '$1 == "flr" || $1 == "bus_reset" || $1 == "mode1" { n += $2 } END { print n }' "$model"/*/counters; }
