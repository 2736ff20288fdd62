#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kinds of hosts, guests and files that are easily judged wrong: what counts as a GPU, functions
# that cannot be read, NUMA nodes that nothing tells, and the like. kinds.sh INSTINCTCTL. Each
# host is invented and has only what its kind needs.
set -uo pipefail

instinctctl=$(realpath "$1")
make=$(realpath "$(dirname "$0")/../captures/make")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
export INSTINCT_PCI_IDS=$work/pci.ids
: >pci.ids
output='' status=0

# host NAME [MAKE'S OPTION…]: makes the host whose functions are on standard input.
host() {
	local name=$1
	shift
	{
		echo 'host kernel=6.8.0 cmdline="root=/dev/x ro amd_iommu=on" domain=DMA-FQ'
		echo 'cpu vendor=AuthenticAMD family=25 model=17 stepping=1 name="cpu"'
		echo 'node 0 socket=0 cpus=0-15 memory=64G distance=10,20'
		echo 'node 1 socket=1 cpus=16-31 memory=64G distance=20,10'
		cat
	} >"$name.host"
	"$make" "$@" "$work/$name" "$work/$name"
}

# ask NAME WORD…: runs instinctctl on the host NAME; its words and exit status are kept.
ask() {
	output=$("$instinctctl" --sysroot "$1" "${@:2}" 2>&1)
	status=$?
	output=$(tr -s ' \n' '  ' <<<"$output")
}

# says WHAT STATUS TEXT…: the last answer has this exit status and each text; "!TEXT": does not
# have it. Line breaks and indents count as one blank.
says() {
	local what=$1 wanted=$2 text bad=''
	shift 2
	((status == wanted)) || bad+="exit status $status, not $wanted"$'\n'
	for text; do
		if [[ $text == '!'* ]]; then
			[[ $output != *"${text#!}"* ]] || bad+="it says: ${text#!}"$'\n'
		elif [[ $output != *"$text"* ]]; then
			bad+="it does not say: $text"$'\n'
		fi
	done
	if [[ -z $bad ]]; then
		echo "ok - golden: kinds: $what"
	else
		echo "not ok - golden: kinds: $what"
		sed 's/^/# /' <<<"$bad$output"
		failed=1
	fi
}

# What counts as a GPU: by vendor and class, the same in topo, doctor and completion.
host gpus <<-'H'
	bridge 0000:00 node=0
	  00:02.0 h200 id=8086:a780 class=030000 driver=i915
	  00:01.1 genoa-port
	    01:00.0 h200 id=10ee:5020 class=120000
	  00:02.1 genoa-port
	    02:00.0 h200 id=10de:26b9 class=030200
	  00:03.1 genoa-port
	    03:00.0 mi300x id=1002:738c class=038000 driver=vfio-pci
	  00:04.1 genoa-port
	    04:00.0 h200 id=10de:2204 class=030000
	  00:05.1 genoa-port
	    05:00.0 h200 id=8086:56c0 class=038000
	  00:06.1 genoa-port
	    06:00.0 h200 id=1a03:2000 class=030000
	  00:07.1 genoa-port
	    07:00.0 h200 id=102b:0536 class=030000
	  00:08.1 genoa-port
	    08:00.0 h200 id=1002:515e class=030000
	  00:09.1 genoa-port
	    09:00.0 h200 id=8086:e20b class=030000
	  00:0a.1 genoa-port
	    0a:00.0 cx7 net=eth0 rdma=mlx5_0
H
ask gpus topo show
says 'topo shows GPUs of AMD, NVIDIA and Intel, and no console or FPGA' 0 '5 GPUs, 1 NIC,' \
	'GPU 0000:02:00.0' 'GPU 0000:03:00.0' 'GPU 0000:04:00.0' 'GPU 0000:05:00.0' \
	'GPU 0000:09:00.0' '!0000:01:00.0' '!0000:06:00.0' '!0000:07:00.0' '!0000:08:00.0' \
	'!0000:00:02.0'
ask gpus topo show --all
says 'an FPGA is called an accelerator' 0 'accelerator 0000:01:00.0 [10ee:5020]' \
	'function 0000:06:00.0'
ask gpus doctor --only gpus
says 'doctor counts the same GPUs' 0 'sysfs shows 5 GPUs' '!sysfs shows no GPU'
output=$("$instinctctl" complete -- --sysroot gpus topo pairs '' 2>&1 | tr '\n' ' ')
status=0
says 'completion offers the same GPUs' 0 '0000:02:00.0' '0000:03:00.0' '0000:04:00.0' '0000:05:00.0' \
	'0000:09:00.0' '!0000:01:00.0' '!0000:06:00.0' '!0000:08:00.0' '!0000:00:02.0'
ask gpus topo plan --gpus 6
says 'topo plan has no more than these' 1 '6 GPUs wanted, 5 free'

# Functions that sysfs does not describe are named.
host unread --remove sys/bus/pci/devices/0000:01:00.0/vendor \
	--remove sys/bus/pci/devices/0000:02:00.0/device <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    01:00.0 mi300x
	  00:02.1 genoa-port
	    02:00.0 cx7
H
ask unread topo show
says 'topo names functions without a vendor or device' 0 \
	'2 functions are left out, since their vendor, device or class cannot be read: 0000:01:00.0, 0000:02:00.0'
ask unread --json topo show
says 'and so does its JSON' 0 '"unread": [ "0000:01:00.0", "0000:02:00.0" ]'
ask unread doctor --only gpus
says 'and so does doctor' 3 'sysfs shows no GPU' 'FAIL' '2 functions are left out'

# GIM splits GPUs into VFs, which the guests get.
host gim <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    05:00.0 mi300x driver=gim sriov=8:mi300x-vf vfs=2
	  00:02.1 genoa-port
	    06:00.0 mi300x driver=gim sriov=8:mi300x-vf vfs=1
H
ask gim doctor --only driver
says 'a PF of gim with VFs is as it should be' 0 \
	'gim has 2 of 2 GPUs, and their VFs (3) are what is handed out' '!stop'
host idle <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    05:00.0 mi300x driver=gim sriov=8:mi300x-vf
H
ask idle doctor --only driver
says 'a PF of gim without VFs is of no use yet' 0 'gim has the GPU, and the GPU has no VFs' '!stop'

# libvirt's pci-expander-bus is a bridge behind the root bus; memnode tells NUMA nodes.
host pair <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    05:00.0 mi300x
	  00:02.1 genoa-port
	    06:00.0 cx7
	bridge 0000:80 node=1
	  80:01.1 genoa-port
	    85:00.0 mi300x
	  80:02.1 genoa-port
	    86:00.0 cx7
H

# domain BRIDGES [NUMATUNE]: a domain with four hostdevs at buses 1 to 4, of the bridges.
domain() {
	local bus=1 host
	echo "<domain><cpu><numa><cell id='0' cpus='0-3'/><cell id='1' cpus='4-7'/></numa></cpu>${2-}"
	echo "<devices><controller type='pci' index='0' model='pci-root'/>$1"
	for host in 05 06 85 86; do
		echo "<hostdev type='pci'><source><address bus='0x$host' slot='0'/></source>"
		echo "<address type='pci' bus='$(((bus + 1) / 2))' slot='$((bus % 2 + 1))'/></hostdev>"
		bus=$((bus + 1))
	done
	echo '</devices></domain>'
}

# expander INDEX NUMBER [NODE]
expander() {
	echo "<controller type='pci' index='$1' model='pci-expander-bus'><target busNr='$2'>${3+<node>$3</node>}</target>"
	echo "<address type='pci' bus='0' slot='$((2 + $1))'/></controller>"
}
domain "$(expander 1 100 1)$(expander 2 200 0)" >pxb.xml
ask pair topo xml --flavor rccl --map pxb.xml
says 'devices behind a pci-expander-bus are one bus further on' 0 'busid="0000:65:02.0"' \
	'busid="0000:65:01.0"' 'busid="0000:c9:02.0"' 'busid="0000:c9:01.0"' \
	'<cpu numaid="0"> <pci busid="0000:c9' '<cpu numaid="1"> <pci busid="0000:65'
domain "$(expander 1 255)" >late.xml
ask pair topo xml --flavor rccl --map late.xml
says 'a pci-expander-bus needs one bus number more' 1 'controller 1 has no PCI address or bus number yet'
domain "$(expander 1 100)$(expander 2 200)" \
	"<numatune><memnode cellid='1' nodeset='0'/><memnode cellid='0' nodeset='1-2,4'/></numatune>" >tune.xml
ask pair topo xml --flavor rccl --map tune.xml
says 'memnode tells which node of the guest is which of the host' 0 \
	'<cpu numaid="1"> <pci busid="0000:65' '<cpu numaid="0"> <pci busid="0000:c9'
domain "$(expander 1 100)$(expander 2 200)" \
	"<numatune><memnode cellid='0' nodeset='0-1'/><memnode cellid='1' nodeset='0-1'/></numatune>" >both.xml
ask pair topo xml --flavor rccl --map both.xml
says 'memnode of all nodes tells nothing' 0 '<cpu numaid="0"> <pci busid="0000:65'
domain "$(expander 1 100)$(expander 2 200)" \
	"<cputune><vcpupin vcpu='0' cpuset='16-20'/><vcpupin vcpu='3' cpuset='31'/><vcpupin vcpu='5' cpuset='0,2'/></cputune>" >pins.xml
ask pair topo xml --flavor rccl --map pins.xml
says 'without memnode vcpupin tells' 0 '<cpu numaid="1"> <pci busid="0000:65' \
	'<cpu numaid="0"> <pci busid="0000:c9'
domain "$(expander 1 100)$(expander 2 200)" \
	"<cputune><vcpupin vcpu='0' cpuset='16-20'/><vcpupin vcpu='3' cpuset='1'/></cputune>" >apart.xml
ask pair topo xml --flavor rccl --map apart.xml
says 'unless it pins one node to CPUs of two' 0 '<cpu numaid="0"> <pci busid="0000:65'

# Nothing says which NUMA nodes the guest has: only which devices share one can be compared.
printf '%s\n' '05:00.0 21:00.0' '06:00.0 22:00.0' '85:00.0 23:00.0' '86:00.0 24:00.0' >map
# file NODE NODE NODE NODE: a topology file with these nodes for the four devices.
file() {
	local node at device
	echo '<system version="1">'
	for node in $(printf '%s\n' "$@" | sort -u); do
		echo "<cpu numaid=\"$node\">"
		device=21
		for at; do
			[[ $at != "$node" ]] || echo "<pci busid=\"0000:$device:00.0\" class=\"0x030200\"/>"
			device=$((device + 1))
		done
		echo '</cpu>'
	done
	echo '</system>'
}
file 7 7 3 3 >renumbered.xml
ask pair topo check --map map renumbered.xml
says 'other numbers of the same NUMA nodes are right' 0 'matches the hardware' '!WARN' '!FAIL'
file 0 0 0 0 >one.xml
ask pair topo check --map map one.xml
says 'one NUMA node in place of two is a warning' 3 \
	'WARN 0000:21:00.0 and 0000:23:00.0 (host 0000:05:00.0 and 0000:85:00.0) are in one NUMA node of the file, and in two of the host' \
	'FAIL GPU 0000:21:00.0 (host 0000:05:00.0) would use any of 2 NICs, even 0000:24:00.0 (other socket) in place of 0000:22:00.0'
sed 's/$/ 0/; 3,4s/0$/1/' map >told
ask pair topo check --map told renumbered.xml
says 'other numbers than the map gives are wrong' 3 'FAIL GPU 0000:21:00.0 (host 0000:05:00.0) is in NUMA node 7 of the file, not 0'

# A file that is as good as ours, or better, is right. Two root complexes are in one NUMA node.
host complexes <<-'H'
	bridge 0000:10 node=0
	  10:01.1 genoa-port
	    11:00.0 h200 driver=vfio-pci
	  10:02.1 genoa-port
	    12:00.0 cx7
	  10:03.1 genoa-port
	    13:00.0 cx7
	bridge 0000:20 node=0
	  20:01.1 genoa-port
	    21:00.0 h200 driver=vfio-pci
	  20:02.1 genoa-port
	    22:00.0 cx7 max=16x8
	  20:03.1 genoa-port
	    23:00.0 cx7
H
for device in 11 12 13 21 22 23; do
	echo "$device:00.0 $device:00.0"
done >complexes.map
ask complexes topo xml --flavor nccl --map complexes.map
says 'topo xml has a switch for each root complex of a node' 0 \
	'<pci busid="ffff:ff:01.0"' '<pci busid="ffff:ff:02.0"' \
	'link_speed="32.0 GT/s PCIe" link_width="16"> <pci busid="0000:21:00.0"'
"$instinctctl" --sysroot complexes topo xml --flavor nccl --map complexes.map >ours.xml 2>/dev/null
ask complexes topo check --map complexes.map ours.xml
says 'topo check takes what topo xml writes' 0 'matches the hardware' '!FAIL'
sed 's/0000:21:00.0" /0000:xx:00.0" /; s/0000:11:00.0" /0000:21:00.0" /; s/0000:xx:00.0" /0000:11:00.0" /' ours.xml >crossed.xml
ask complexes topo check --map complexes.map crossed.xml
says 'a NIC of another root complex is wrong, and never in place of itself' 3 \
	'FAIL GPU 0000:11:00.0 (host 0000:11:00.0) would use 0000:23:00.0 (same NUMA node) in place of 0000:12:00.0 (same root complex)'
# The file offers only one of two equal NICs, and gives the other a slower link.
sed '/0000:13:00/s/32.0 GT/16.0 GT/' ours.xml >slower.xml
ask complexes topo check --map complexes.map slower.xml
says 'one of two equal NICs is as good as both' 3 '!in place of' '2 of 2 GPUs would use the right NIC' \
	'FAIL NIC 0000:13:00.0 (host 0000:13:00.0) has 16000 MT/s x16 in the file, and can do 32000 MT/s x16'
host slow-gpu <<-'H'
	bridge 0000:10 node=0
	  10:01.1 genoa-port
	    11:00.0 h200 driver=vfio-pci max=16x16
	  10:03.1 genoa-port
	    13:00.0 cx7
H
printf '11:00.0 11:00.0\n13:00.0 13:00.0\n' >slow.map
cat >slow.xml <<-'X'
	<system version="1"><cpu numaid="0">
	<pci busid="0000:11:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"/>
	<pci busid="0000:13:00.0" class="0x020700" link_speed="16.0 GT/s PCIe" link_width="16"/>
	</cpu></system>
X
ask slow-gpu topo check --map slow.map slow.xml
says 'a link as slow as its only partner costs nothing' 0 'WARN NIC 0000:13:00.0' '!FAIL'
# A file may leave GPUs to the library's own detection.
cat >nics.xml <<-'X'
	<system version="1"><cpu numaid="0">
	<pci busid="0000:13:00.0" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16"/>
	</cpu></system>
X
ask slow-gpu topo check --map slow.map nics.xml
says 'a file without GPUs leaves them to the library' 0 'WARN the file has no GPU of the guest' '!FAIL' \
	'!nearest to it' 'the library itself finds the NIC of 1 GPU'
ask slow-gpu --json topo check --map slow.map nics.xml
says 'and its JSON says so' 0 '"right": null' '"right": true'

# The virtual switches and ports of a guest may report links that the library believes.
host virtual <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    01:00.0 pex-up max=2.5x1
	      02:00.0 pex-down
	        03:00.0 h200 driver=nvidia
	      02:01.0 pex-down
	        04:00.0 h200 driver=nvidia
	  00:02.1 genoa-port max=2.5x1
	    05:00.0 cx7
H
ask virtual doctor --guest --only nccl-topology
says 'a switch of 2.5 GT/s x1 is told, with its cost' 0 \
	"the guest's switch reports 2.5 GT/s x1 upwards, which NCCL takes for 0.2 GB/s 0000:01:00.0" \
	"the guest's port reports 2.5 GT/s x1 downwards, which NCCL takes for 0.2 GB/s 0000:00:02.1" \
	'instinctctl topo xml'
host wide <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    01:00.0 pex-up
	      02:00.0 pex-down
	        03:00.0 h200 driver=nvidia
H
ask wide doctor --guest --only nccl-topology
says 'a switch as wide as its devices is not' 0 'OK' '!WARN'

# A BAR without an address in a guest.
host unassigned <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    01:00.0 h200 driver=none
	  00:02.1 genoa-port
	    02:00.0 h200 driver=nvidia
H
sed -i '1s/.*/0x0000000000000000 0x0000000000000000 0x0000000000000000/' \
	unassigned/sys/bus/pci/devices/0000:01:00.0/resource
ask unassigned doctor --guest --only guest-gpus guest-driver
says "a BAR without an address is told with the VMM's words" 3 \
	'BAR 0 has no address in the guest' 'host-phys-bits=on' "<maxphysaddr mode='passthrough'/>" \
	'X-PciMmio64Mb' 'no driver can take 1 GPU' '!instead of nvidia'
ask complexes topo plan --gpus 1 --vmm libvirt
says 'topo plan has these words for libvirt, too' 0 "<maxphysaddr mode='passthrough'/>" \
	'name=opt/ovmf/X-PciMmio64Mb,string='

# Linux's quirks: ports that isolate without ACS, and ports whose ACS has wider registers.
host quirk <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port id=8086:8d10 acs=5f/0
	    01:00.0 mi300x
	  00:02.1 genoa-port id=8086:8d20 acs=5f/0
	    02:00.0 mi300x
	  00:03.1 genoa-port id=8086:a113 acs=5f/0
	    03:00.0 mi300x
H
python3 - <<-'P'
	import struct
	path = "quirk/sys/bus/pci/devices/0000:00:03.1/config"
	with open(path, "r+b") as file:
	    data = bytearray(file.read())
	    at = 0x100
	    while struct.unpack_from("<I", data, at)[0] & 0xffff != 0x0d:
	        at = struct.unpack_from("<I", data, at)[0] >> 20
	    struct.pack_into("<II", data, at + 4, 0x5f, 0x1d)
	    file.seek(0)
	    file.write(data)
P
ask quirk doctor --only acs-groups
says "a port that a quirk isolates is right, and one without is not" 0 '0000:00:02.1' '!0000:00:01.1' \
	'!0000:00:03.1'

# A NIC with a data-direct function beside the GPU.
host direct <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    01:00.0 pex-up
	      02:00.0 pex-down
	        03:00.0 h200 driver=vfio-pci
	      02:01.0 pex-down
	        04:00.0 cx7 id=15b3:2100 class=080100 driver=vfio-pci
	  00:02.1 genoa-port
	    05:00.0 cx7
	  00:03.1 genoa-port
	    06:00.0 h200 driver=vfio-pci
H
ask direct topo pairs 03:00.0
says "topo pairs shows a NIC's data-direct function" 0 'NIC DD 0000:04:00.0 same switch'
printf '03:00.0 21:00.0\n04:00.0 22:00.0\n05:00.0 23:00.0\n' >direct.map
ask direct topo xml --flavor nccl --map direct.map
says 'topo xml has it below the switch' 0 '<pci busid="0000:22:00.0" class="0x080100"'
"$instinctctl" --sysroot direct topo xml --flavor nccl --map direct.map 2>/dev/null >direct.xml
ask direct topo check --map direct.map direct.xml
says 'topo check knows it' 0 'matches the hardware' '!no device of the map'
ask direct topo plan --gpus 1 --nics 1
says 'topo plan reminds of it' 0 'a guest with such a NIC also needs its data-direct function'
mkdir -p direct/etc
echo 'NCCL_IB_DATA_DIRECT=0' >direct/etc/nccl.conf
ask direct doctor --guest --only nccl-data-direct
says 'doctor tells when NCCL may not use it' 0 'WARN' 'NCCL_IB_DATA_DIRECT=0'
# Distances in the words of nvidia-smi topo -m, in 100 columns.
ask complexes topo pairs --matrix
says 'topo pairs has a matrix' 0 'GPU0 GPU1 NIC0 NIC1 NIC2 NIC3 NUMA' \
	'GPU0 X NODE PHB PHB NODE NODE 0' 'NIC3 NODE PHB NODE NODE PHB X 0' 'GPU1 GPU 0000:21:00.0' \
	'PIX one switch is above both' 'SYS they meet'
ask direct topo pairs --matrix 03:00.0
says 'with named GPUs alone, and data-direct functions' 0 'GPU0 NIC0 DD0 NUMA' 'GPU0 X PHB PIX 0'
"$make" mi300x "$work/whole"
output=$("$instinctctl" --sysroot whole topo pairs --matrix | grep -E '^.{101}')
status=0
[[ -z $output ]] || status=1
says 'eight GPUs and nine NICs fit 100 columns' 0
ask complexes --json topo pairs --matrix
says 'a matrix is no JSON' 2 'takes one of --matrix and --json'

# Names from the list of PCI devices stand beside IDs.
printf '# a comment\n10de  NVIDIA Corporation\n\t2335  GH100 [H200 SXM 141GB]\n\t\t10de 18be  GH\n' >pci.ids
printf '15b3  Mellanox\n\t1021  MT2910 \033[31mFamily of very long words\n\t2335  wrong\n' >>pci.ids
ask complexes topo show
says 'topo has names from pci.ids' 0 '[10de:2335] H200 SXM 141GB' '[15b3:1021] MT2910 ?[31mFamily' '!of very'
ask complexes --json topo show
says 'and its JSON' 0 '"model": "H200 SXM 141GB"'
ask complexes doctor --only gpus
says 'and doctor' 0 'GPUs found: 2 of model 10de:2335 (H200 SXM 141GB)'
printf '10de  NVIDIA Corporation' >pci.ids
ask complexes topo show
says 'half a list is as good as none' 0 '[10de:2335] vfio-pci'
: >pci.ids

# topo plan prints the settings for one VMM: that of the host.
ask complexes topo plan --gpus 1
says "topo plan has QEMU's words alone" 0 'QEMU:' '!libvirt:' '!Cloud Hypervisor:'
ask complexes topo plan --gpus 1 --vmm all
says 'or those of all' 0 'QEMU:' 'libvirt:' 'Cloud Hypervisor:'
mkdir -p complexes/usr/sbin
: >complexes/usr/sbin/virtqemud
ask complexes topo plan --gpus 1
says "or libvirt's, on a host that has it" 0 'libvirt:' '!QEMU:'

# The picture names the host and the time of the capture.
mkdir -p complexes/instinct-vfio complexes/proc/sys/kernel
echo 'a<b' >complexes/proc/sys/kernel/hostname
printf 'realtime 1790000000000000000\nboottime 1\n' >complexes/instinct-vfio/clock
output=$("$instinctctl" --sysroot complexes topo show --svg)
status=$?
says 'the picture names host and time' 0 'PCIe topology of a&lt;b, 2026-09-21 14:13 UTC' \
	'!0000:10:01.1' 'GPU 0000:11:00.0'
# Hosts as other programs write them: lspci's text, hwloc's topology, tar with any compression.
host whole2 <<-'H'
	bridge 0000:00 node=0
	  00:01.1 genoa-port
	    01:00.0 pex-up
	      02:00.0 pex-down
	        03:00.0 mi300x driver=vfio-pci
	      02:01.0 pex-down
	        04:00.0 cx7 driver=vfio-pci vfs=2
	bridge 0000:80 node=1
	  80:01.1 genoa-port
	    81:00.0 pm173x driver=none
H
for compression in z j J; do
	tar -c${compression}f "whole2.$compression" -C whole2 .
	ask "whole2.$compression" topo show
	says "an archive of tar -$compression" 0 '1 GPU, 1 NIC, 1 NVMe drive'
done
lspci -A linux-sysfs -O sysfs.path="$work/whole2/sys/bus/pci" -nn -vvvxxxx >lspci.txt 2>/dev/null
diff -u <("$instinctctl" --sysroot whole2 topo show --all | sed 's/^NUMA node \([01]\).*/NUMA node \1/') \
	<("$instinctctl" --sysroot lspci.txt topo show --all 2>&1) >diff.txt
output=$(cat diff.txt) status=0
[[ -z $output ]] || status=1
says "lspci's text describes the same host" 0
"$instinctctl" --sysroot whole2 topo plan --gpus 1 --vmm qemu >plan.txt 2>/dev/null
ask lspci.txt topo plan --gpus 1 --vmm qemu
says 'with the sizes of BARs' 0 "$(head -n 2 plan.txt | tail -n 1)"
ask lspci.txt topo pairs
says 'and the path' 0 'same switch redirected through the root: RR on'
sed 's/$/\r/' lspci.txt >dos.txt
ask dos.txt topo show
says "lspci's text with a DOS end" 0 '1 GPU, 1 NIC, 1 NVMe drive, 2 VFs'
sed '/^[0-9a-f]*: /d' lspci.txt >plain.txt
ask plain.txt topo show
says 'without config spaces it is of no use' 1 'this looks like the output of lspci without config spaces: give the output of lspci -vvvxxxx by root'
sed '/^10: /q' lspci.txt >half.txt
ask half.txt topo show
says 'half of it is read as far as it goes' 0 '0 GPUs' '1 function is left out'
printf 'From: me\nTo: you\n\nHello\n' >letter.txt
ask letter.txt topo show
says 'a letter is no host' 1 'this looks like text of an unknown kind: give the output of lspci -vvvxxxx'
echo '<domain/>' >domain.xml
ask domain.xml topo show
says 'a domain is no host' 1 'this looks like a libvirt domain: give'
cat >hwloc.xml <<-'X'
	<?xml version="1.0" encoding="UTF-8"?>
	<!DOCTYPE topology SYSTEM "hwloc2.dtd">
	<topology version="2.0">
	<object type="Machine" cpuset="0xf000000f,,0x0000000f" nodeset="0x00000003">
	 <object type="Package" os_index="4" cpuset="0x00000007" nodeset="0x00000001">
	  <object type="NUMANode" os_index="0" cpuset="0x00000007" nodeset="0x00000001" local_memory="2147483648"/>
	  <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-02]">
	   <object type="Bridge" bridge_type="1-1" bridge_pci="0000:[01-02]" pci_busid="0000:00:01.0" pci_type="0604 [1022:14ab] [0000:0000] 00">
	    <object type="PCIDev" pci_busid="0000:01:00.0" pci_type="0380 [1002:7408] [1002:0b0c] 01"/>
	    <object type="PCIDev" pci_busid="0000:01:00.1" pci_type="0200 [15b3:1021] [15b3:0023] 00">
	     <object type="OSDev" name="eth0" osdev_type="2"/><object type="OSDev" name="mlx5_0" osdev_type="3"/>
	     <object type="OSDev" name="../../x" osdev_type="2"/>
	    </object>
	   </object>
	  </object>
	 </object>
	 <object type="Package" os_index="5" cpuset="0x00000001,0x00000008" nodeset="0x00000002">
	  <object type="NUMANode" os_index="1" cpuset="0x00000001,0x00000008" nodeset="0x00000002"/>
	 </object>
	 <object type="PCIDev" pci_busid="0000:80:00.0" pci_type="0108 [144d:a826] [144d:aa0a] 00">
	  <object type="OSDev" name="nvme3n1" osdev_type="0"/>
	 </object>
	</object>
	</topology>
X
ask hwloc.xml topo show
says "hwloc's topology is read" 0 '1 GPU, 1 NIC, 1 NVMe drive NUMA node 0, socket 4, CPUs 0-2 root complex 0000:00' \
	'GPU 0000:01:00.0 [1002:7408]' 'NIC 0000:01:00.1 [15b3:1021] eth0 mlx5_0' 'NUMA node unknown' \
	'NVMe 0000:80:00.0 [144d:a826] nvme3' '!../'
ask hwloc.xml topo pairs
says 'with distances' 0 'NUMA node 0 NIC 0000:01:00.1 eth0 mlx5_0 same switch'
echo '<topology version="2.0"><object type="Machine"/></topology>' >empty.xml
ask empty.xml topo show
says 'a topology without PCI' 1 'the topology has no PCI function'
head -n 9 hwloc.xml >half.xml
ask half.xml topo show
says 'half a topology' 1 'half.xml:10: no XML'
exit $failed
