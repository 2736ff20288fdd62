# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the runner's variables
#
# Turns a board of boards/ into arguments for QEMU. Each GPU is connected as on real boards:
#
#   root port → switch → ┬ downstream → NIC
#                        └ downstream → SWUS → SWDS → GPU
#
# The board sets memory (MiB), qemu_board (arguments), and the path where only one fits. Device n
# has the ids rpN, swuN, swnN, nicN, swgN, swusN, swdsN and gpuN; its VRAM is the file vramN. With
# dma=edu the device eduN beside it, below sweN, does DMA on request.

# Options that --board-opt sets.
declare -A board_option=([gpus]=64 [path]=switch [vram]=64 [window]=0 [dma]=none)

board_names() {
	(cd "$lab/boards" && echo *)
}

board_set_option() {
	local key=${1%%=*} value=${1#*=}
	case $key=$value in
	gpus=[1-9] | gpus=[1-6][0-9] | vram=[1-9]* | window=[0-9]* | path=switch | path=package | path=direct | dma=none | dma=edu) ;;
	*) usage_error "--board-opt: $1; allowed: gpus=1…64, vram=MIB, window=MIB, path=switch|package|direct, dma=none|edu" ;;
	esac
	board_option[$key]=$value
}

# board_switch UP DOWN PARENT: adds an upstream port with one downstream port.
board_switch() {
	qemu_board+=(-device "x3130-upstream,id=$1,bus=$3")
	qemu_board+=(-device "xio3130-downstream,id=$2,bus=$1,chassis=$((++board_chassis))")
}

# board_gpu N PARENT: adds GPU N with its ports, its NIC and its VRAM.
board_gpu() {
	local n=$1 bus=rp$1

	local root="pcie-root-port,id=rp$n,bus=$2,chassis=$((++board_chassis)),hotplug=off"
	((board_option[window] == 0)) || root+=",pref64-reserve=${board_option[window]}M"
	qemu_board+=(-device "$root")
	if [[ ${board_option[path]} == switch ]]; then
		board_switch "swu$n" "swn$n" "$bus"
		qemu_board+=(-netdev "user,id=net$n,restrict=on")
		qemu_board+=(-device "virtio-net-pci,id=nic$n,netdev=net$n,bus=swn$n,ats=on,disable-legacy=on,iommu_platform=on,romfile=")
		if [[ ${board_option[dma]} == edu ]]; then
			qemu_board+=(-device "xio3130-downstream,id=swe$n,bus=swu$n,chassis=$((++board_chassis))")
			qemu_board+=(-device "edu,id=edu$n,bus=swe$n,dma_mask=0xffffffffffffffff")
		fi
		qemu_board+=(-device "xio3130-downstream,id=swg$n,bus=swu$n,chassis=$((++board_chassis))")
		bus=swg$n
	fi
	if [[ ${board_option[path]} != direct ]]; then
		board_switch "swus$n" "swds$n" "$bus"
		bus=swds$n
	fi
	qemu_board+=(-object "memory-backend-file,id=vram$n,mem-path=$run/vram$n,size=${board_option[vram]}M,share=on,discard-data=on")
	qemu_board+=(-device "nvme,id=gpu$n,bus=$bus,serial=GPU$n,cmb_size_mb=2,legacy-cmb=on,pmrdev=vram$n")
}

# board_bridge WORDS: adds a host bridge of the board and the GPUs below it.
board_bridge() {
	local word bus node count
	for word in $1; do
		case $word in
		bus=*) bus=${word#*=} ;;
		node=*) node=${word#*=} ;;
		gpus=*) count=${word#*=} ;;
		esac
	done

	qemu_board+=(-device "pxb-pcie,id=pxb$node,bus=pcie.0,bus_nr=$bus,numa_node=$node")
	while ((count-- && board_gpus < board_option[gpus])); do
		board_gpu $((board_gpus++)) "pxb$node"
	done
}

# board_add_bmc: adds a BMC with a KCS interface and the sensors of the board's GPUs.
board_add_bmc() {
	"$lab/ipmi/sdr" "$board_gpus" >"$run/sdr" || die lab "tests/lab/ipmi/sdr failed"
	qemu_board+=(-device "ipmi-bmc-sim,id=bmc0,sdrfile=$run/sdr" -device "isa-ipmi-kcs,bmc=bmc0")
}

# board_read NAME: makes qemu_board from boards/NAME.
board_read() {
	local file=$lab/boards/$1 keyword rest nodes node
	[[ -r $file ]] || usage_error "-t: no board $1; there is: $(board_names)"

	qemu_board=()
	board_chassis=0
	board_gpus=0
	while read -r keyword rest; do
		case $keyword in
		memory) memory=$rest ;;
		nodes) nodes=$rest ;;
		path) board_option[path]=$rest ;;
		bridge) board_bridge "$rest" ;;
		esac
	done <"$file"

	for ((node = 0; node < nodes; node++)); do
		qemu_board+=(-object "memory-backend-ram,id=ram$node,size=$((memory / nodes))M")
		qemu_board+=(-numa "node,nodeid=$node,memdev=ram$node$( ((node >= cpus)) || echo ",cpus=$node")")
	done
}
