# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions that the benches inside the lab share. $all holds the GPUs.

. tests/lab/tests/lib.sh

mapfile -t all < <(gpus)

# all_have stock|ours: binds all GPUs to that driver. While the module is loaded, it keeps the PCI core's
# resets from GPUs that another driver hands out, so stock is measured without it.
all_have() {
	local gpu driver=instinct_vfio_pci
	if [[ $1 == stock ]]; then
		driver=vfio-pci
		[[ ! -d /sys/module/instinct_vfio_pci ]] || stock_begin || exit 1
		modprobe vfio-pci || exit 1
	else
		[[ -d /sys/module/instinct_vfio_pci ]] || stock_end || exit 1
	fi
	for gpu in "${all[@]}"; do
		driver_bind "$gpu" "$driver" || exit 1
	done
}

# unanswered: prints how many config reads of all GPUs and their packages nothing has answered.
unanswered() { awk '$1 == "reads_unanswered" { n += $2 } END { print n }' "$model"/*/counters; }

# resets: prints how many resets have reached all GPUs.
resets() { awk '$1 == "flr" || $1 == "bus_reset" || $1 == "mode1" { n += $2 } END { print n }' "$model"/*/counters; }
