#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How a guest's devices can be told to topo xml: every form of the same guest gives the
# same file, and what is no such form, or no such guest, is refused. topo-map.sh
# INSTINCTCTL CAPTURE; the capture is mi300x.
set -uo pipefail
shopt -s lastpipe # what report finds has to last

instinctctl=$(realpath "$1") capture=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# report WHAT: ok if there is nothing on stdin, which tells what is wrong.
report() {
	local bad
	bad=$(cat)
	echo "$([[ -z $bad ]] || echo not\ )ok - golden: topo map: $1"
	[[ -z $bad ]] || sed 's/^/# /' <<<"$bad"
	[[ -z $bad ]] || failed=1
}

# xml FILE…: topo xml with these maps.
xml() {
	timeout 20 "$instinctctl" --sysroot "$capture" topo xml --flavor rccl "${@/#/--map=}" 2>&1
}

# same WHAT FILE…: these give the file that the lines in `wanted` give.
same() {
	diff -u <(xml wanted) <(xml "${@:2}") | report "$1"
}

# refused WHAT PART FILE…: these are refused, with PART in what is said, and no file.
refused() {
	local output status
	output=$(xml "${@:3}")
	status=$?
	{
		((status == 1)) || echo "exit status $status, not 1"
		[[ $output == *"$2"* && $output != *'<system'* ]] || printf 'wanted: %s\n%s\n' "$2" "$output"
	} | report "refused: $1"
}

# Two GPUs, each with the NIC below its switch, and one more NIC; a NUMA node each.
cat >wanted <<-'M'
	0000:05:00.0 0000:21:00.0 0
	0000:09:00.0 0000:22:00.0 0
	0000:7d:00.0 0000:52:00.0 1
	0000:8f:00.0 0000:51:00.0 1
	0000:b9:00.0 0000:53:00.0 1
M
diff -u - <(xml wanted | grep -o '<cpu numaid="."\|busid="[^"]*"') <<-'M' | report 'lines with nodes'
	<cpu numaid="0"
	busid="ffff:ff:01.0"
	busid="0000:21:00.0"
	busid="0000:22:00.0"
	<cpu numaid="1"
	busid="ffff:ff:02.0"
	busid="0000:51:00.0"
	busid="0000:52:00.0"
	busid="0000:53:00.0"
M
printf '# a guest\r\n05:00.0, 21:00.0\r\n\n 09:00.0\t22:00.0 # its NIC\n7D:00.0 52:00.0\n8f:00.0 51:00.0\nb9:00.0 53:00.0' >lines
same 'lines: short, with commas, comments, and a DOS end' lines

# The same with other names for the devices: those of libvirt, of topo plan, none.
id_lines() {
	printf '%s\n' "0000:05:00.0 ${1}0" "0000:09:00.0 ${1}1" "0000:7d:00.0 ${1}2" \
		"0000:8f:00.0 ${1}3" "0000:b9:00.0 ${1}4"
}

# device BUS VENDOR DEVICE ID: as query-pci has it.
device() {
	echo "{\"bus\":$1,\"slot\":0,\"function\":0,\"class_info\":{\"class\":512},\"id\":{\"vendor\":$2,\"device\":$3},\"irq\":0,\"qdev_id\":\"$4\",\"regions\":[]}"
}

# port BUS SLOT SECONDARY DEVICE
port() {
	echo "{\"bus\":$1,\"slot\":$2,\"function\":0,\"class_info\":{\"class\":1540,\"desc\":\"PCI bridge\"},\"id\":{\"vendor\":6966,\"device\":12},\"irq\":0,\"qdev_id\":\"port$3\",\"regions\":[],\"pci_bridge\":{\"bus\":{\"number\":$1,\"secondary\":$3,\"subordinate\":$3},\"devices\":[$4]}}"
}

# query_pci GPU NIC GPU NIC NIC: the answer to QMP's query-pci, with these names.
query_pci() {
	echo '{"return":[{"bus":80,"devices":['
	port 80 0 81 "$(device 81 5555 4129 "$4")"
	echo ,
	port 80 1 82 "$(device 82 4098 29857 "$3")"
	echo ,
	port 80 2 83 "$(device 83 5555 4125 "$5")"
	echo ']},{"bus":32,"devices":['
	port 32 0 33 "$(device 33 4098 29857 "$1")"
	echo ,
	port 32 1 34 "$(device 34 5555 4129 "$2")"
	echo ']},{"bus":0,"devices":['
	device 0 32902 10688 ''
	echo ,
	device 2 6900 4161 net0
	echo ']}],"id":"libvirt-37"}'
}

query_pci gpu-0000-05-00-0 nic-0000-09-00-0 gpu-0000-7d-00-0 nic-0000-8f-00-0 nic-0000-b9-00-0 >q
same 'query-pci: names as topo plan gives' q
query_pci ua-gpu-0000-05-00-0 ua-nic-0000-09-00-0 ua-gpu-0000-7d-00-0 ua-nic-0000-8f-00-0 x >q
same 'query-pci: names as topo plan gives for libvirt, and one by its IDs alone' q
query_pci vfio_05.00.0 09_00_0 gpu.7d-00-0 0000:8f:00.0 '' >q
same 'query-pci: names as people give' q
query_pci h0 h1 h2 h3 h4 >q
id_lines h >ids
same 'query-pci, lines HOST ID' q ids
same 'lines HOST ID, query-pci' ids q
{
	echo '{"QMP":{"version":{"qemu":{"micro":22,"minor":2,"major":7},"package":""},"capabilities":["oob"]}}'
	echo '{"return":{}}{"timestamp":{"seconds":1,"microseconds":2},"event":"RESUME"}'
	cat q
} >session
same 'all of a QMP session' session ids
sed 's/"id":"libvirt-37"/"error":null/' q | sed '1s/{"return":\[/[/; $s/\],"error":null}$/]/' >bare
same 'query-pci without its envelope' bare ids

words=(qemu-system-x86_64 -name guest -device 'pcie-root-port,id=p1,chassis=1'
	-device 'vfio-pci,host=0000:05:00.0,id=h0,bus=p1' -device 'vfio-pci,id=h1,host=09:00.0'
	-device '{"driver":"vfio-pci","host":"0000:7d:00.0","id":"h2","bus":"pci.3","addr":"0x0"}'
	-device 'vfio-pci,sysfsdev=/sys/bus/pci/devices/0000:8f:00.0,id=h3,x-no-mmap=on'
	-device 'vfio-pci,host=b9:00.0,id=h4' -device 'virtio-net-pci,id=net0')
printf '%s\0' "${words[@]}" >cmdline
same "query-pci, QEMU's command line from /proc" q cmdline
echo "${words[@]}" >cmdline
same "query-pci, QEMU's command line from ps" q cmdline
{
	echo '#!/bin/sh'
	echo 'exec qemu-system-x86_64 -nodefaults \'
	printf "  -device '%s' \\\\\n" "${words[@]:4}" | sed "s/'-device'/ /"
	echo '  -device "vfio-pci,host=0000:05:00.0,id=h0"'
} | sed '/host=0000:05.*bus=p1/d' >cmdline
same "query-pci, a script that starts QEMU" q cmdline

# domain ALIAS: as virsh dumpxml prints it. Bus numbers are given in order of the ports'
# addresses, not of their indices.
domain() {
	local alias=$1 number=0 kind host bus slot
	cat <<-'X'
	<domain type='kvm' id='1'>
	  <cpu mode='host-passthrough'>
	    <numa><cell id='0' cpus='0-3'/><cell id='1' cpus='4-7'/></numa>
	  </cpu>
	  <devices>
	    <controller type='usb' index='0' model='qemu-xhci'/>
	    <controller type='pci' index='0' model='pcie-root'/>
	    <controller type='pci' index='14' model='pcie-expander-bus'>
	      <target busNr='32'><node>0</node></target>
	      <address type='pci' domain='0x0000' bus='0x00' slot='0x01' function='0x0'/>
	    </controller>
	    <controller type='pci' index='15' model='pcie-expander-bus'>
	      <target busNr='80'><node>1</node></target>
	      <address type='pci' domain='0x0000' bus='0x00' slot='0x02' function='0x0'/>
	    </controller>
	X
	while read -r kind host bus slot; do
		cat <<-X
		<controller type='pci' index='$((16 + number))' model='pcie-root-port'>
		  <address type='pci' domain='0x0000' bus='0x0$bus' slot='0x0$slot' function='0x0'/>
		</controller>
		<$kind type='$([[ $kind == hostdev ]] && echo pci || echo hostdev)' managed='yes'>
		  <driver name='vfio'/>
		  <source><address domain='0x0000' bus='0x$host' slot='0x00' function='0x0'/></source>
		  <alias name='$alias$number'/>
		  <address type='pci' domain='0x0000' bus='0x1$number' slot='0x00' function='0x0'/>
		</$kind>
		X
		number=$((number + 1))
	done <<-'X'
	hostdev 05 e 0
	hostdev 09 e 1
	hostdev 7d f 5
	interface 8f f 4
	hostdev b9 f 6
	X
	echo '</devices></domain>'
}

domain hostdev >domain
same "libvirt's XML" domain
{ echo '<domstatus state="running">'; cat domain; echo '</domstatus>'; } >status
same "libvirt's status of a running domain" status
sed "s/busNr='80'/busNr='96'/" domain >moved
sed 's/h\([0-9]\)"/hostdev\1"/' q >seen
same 'what query-pci has seen goes before what a domain says' moved seen
same 'in any order' seen moved

# vm_info: as Cloud Hypervisor answers it.
vm_info() {
	cat <<-'J'
	{"config":{"cpus":{"boot_vcpus":8},
	  "platform":{"num_pci_segments":3},
	  "devices":[
	    {"path":"/sys/bus/pci/devices/0000:05:00.0/","iommu":false,"id":"gpu-0000-05-00-0","pci_segment":1,"x_nv_gpudirect_clique":null},
	    {"path":"/sys/bus/pci/devices/0000:09:00.0","iommu":false,"id":"_vfio1","pci_segment":1},
	    {"path":"/sys/devices/pci0000:78/0000:78:01.1/0000:7d:00.0/","iommu":false,"id":"_vfio2","pci_segment":2},
	    {"path":"/sys/bus/pci/devices/0000:8f:00.0/","id":"_vfio3","pci_segment":2},
	    {"path":"/sys/bus/pci/devices/0000:b9:00.0/","id":"_vfio4","pci_segment":2}],
	  "net":[{"id":"_net5","pci_segment":0}],
	  "numa":[{"guest_numa_id":0,"cpus":[0,1],"distances":null,"memory_zones":["mem0"],"pci_segments":[0,1]},
	    {"guest_numa_id":1,"cpus":[2,3],"pci_segments":[2]}]},
	 "state":"Running","memory_actual_size":1073741824,
	 "device_tree":{
	  "__serial":{"id":"__serial","resources":[],"children":[]},
	  "_net5":{"id":"_net5","resources":[],"parent":"_virtio-pci-_net5","children":[]},
	  "_virtio-pci-_net5":{"id":"_virtio-pci-_net5","resources":[],"children":["_net5"],"pci_bdf":"0000:00:01.0"},
	  "gpu-0000-05-00-0":{"id":"gpu-0000-05-00-0","resources":[],"parent":null,"children":[],"pci_bdf":"0001:00:01.0"},
	  "_vfio1":{"id":"_vfio1","resources":[{"PciBar":{"index":0,"base":1,"size":2,"type":"Memory64","prefetchable":true}}],"children":[],"pci_bdf":"0001:00:02.0"},
	  "_vfio2":{"id":"_vfio2","resources":[],"children":[],"pci_bdf":"0002:00:02.0"},
	  "_vfio3":{"id":"_vfio3","resources":[],"children":[],"pci_bdf":"0002:00:01.0"},
	  "_vfio4":{"id":"_vfio4","resources":[],"children":[],"pci_bdf":"0002:00:03.0"}}}
	J
}

sed -e 's/0000:21:00/0001:00:01/; s/0000:22:00/0001:00:02/; s/0000:51:00/0002:00:01/' \
	-e 's/0000:52:00/0002:00:02/; s/0000:53:00/0002:00:03/' wanted >segments
vm_info >info
mv wanted buses
mv segments wanted
same "Cloud Hypervisor's vm.info" info
# A device that came as an open file has no path there.
sed 's/"path":"[^"]*8f:00.0\/"/"fd":7/' info >opened
echo '0000:8f:00.0 _vfio3' >opened-id
same "vm.info of a device without a path, lines HOST ID" opened opened-id
# Before the VM runs: the options, and the body of vm.create.
cat >cloud.cmd <<-'C'
	cloud-hypervisor --cpus boot=8 --platform num_pci_segments=3 --disk path=/images/a.raw \
	 --device path=/sys/bus/pci/devices/0000:05:00.0/,id=a,pci_segment=1
	 path=/sys/bus/pci/devices/0000:09:00.0/,pci_segment=1 "path=/sys/bus/pci/devices/0000:8f:00.0,pci_segment=2"
	 path=/sys/bus/pci/devices/0000:7d:00.0/,pci_segment=2 path=/sys/bus/pci/devices/0000:b9:00.0/,pci_segment=2
	 --numa guest_numa_id=0,cpus=[0-3],pci_segments=[0,1] guest_numa_id=1,pci_segments=[2]
C
same "Cloud Hypervisor's options" cloud.cmd
tr -s '\n "\\' '\0' <cloud.cmd >cloud.proc
same "Cloud Hypervisor's options in /proc" cloud.proc
sed 's/images.a.raw/&,pci_segment=2/' cloud.cmd >bad
refused 'a segment that has other devices, too' '0000:8f:00.0: nothing says which address it has in the guest (and 2 more)' bad
sed 's/,pci_segment=1//' cloud.cmd >bad
refused 'the first segment' '0000:05:00.0, id a: nothing says which address it has in the guest (and 1 more)' bad
python3 - <<-'P' >create
	import json
	info = json.load(open("info"))["config"]
	order = [0, 1, 3, 2, 4]
	info["devices"] = [{k: v for k, v in info["devices"][i].items() if k != "id"} for i in order]
	print(json.dumps(info))
P
same "the body of Cloud Hypervisor's vm.create" create
refused 'a device without a path' 'nothing says which device of the host 0002:00:01.0 (id "_vfio3") is' opened
mv buses wanted

# info_pci: as QEMU's monitor answers, with names h0 to h4.
info_pci() {
	local bus=33 device
	echo '(qemu) info pci'
	printf '  Bus  0, device   2, function 0:\n    Ethernet controller: PCI device 1af4:1041\n      id "net0"\n'
	printf '  Bus 32, device   0, function 0:\n    PCI bridge: PCI device 1b36:000c\n      BUS 32.\n      secondary bus 33.\n      id "port33"\n'
	for device in 33:1002:74a1:h0 34:15b3:1021:h1 82:1002:74a1:h2 81:15b3:1021:h3 83:15b3:101d:h4; do
		IFS=: read -r bus vendor id name <<<"$device"
		printf '  Bus %2d, device   0, function 0:\n    Class 4608: PCI device %s:%s\n      IRQ 0, pin A\n' "$bus" "$vendor" "$id"
		printf '      BAR0: 64 bit prefetchable memory at 0x384000000000 [0x387fffffffff].\n      id "%s"\n' "$name"
	done
}

# info_qtree: as QEMU's monitor answers.
info_qtree() {
	local bus=0 host guest
	printf 'bus: main-system-bus\n  type System\n  dev: q35-pcihost, id ""\n    bus: pcie.0\n      type PCIE\n'
	printf '      dev: virtio-net-pci, id "net0"\n        class Ethernet controller, addr 00:02.0, pci id 1af4:1041 (sub 1af4:1100)\n'
	while read -r host guest _; do
		printf '      dev: pcie-root-port, id "p%d"\n        class PCI bridge, addr 20:%02x.0, pci id 1b36:000c (sub 0:0)\n' $bus $bus
		printf '        bus: p%d\n          type PCIE\n          dev: vfio-pci, id "h%d"\n' $bus $bus
		if ((bus == 3)); then
			printf '            host = "0000:00:00.0"\n            sysfsdev = "/sys/bus/pci/devices/%s"\n' "$host"
		else
			printf '            host = "%s"\n            sysfsdev = ""\n' "$host"
		fi
		printf '            addr = 00.0\n            class Class 1200, addr %s, pci id 1002:74a1 (sub 1002:74a1)\n' "${guest#0000:}"
		bus=$((bus + 1))
	done <wanted
}

info_pci >monitor
same "QEMU's info pci, lines HOST ID" monitor ids
same "QEMU's info pci, its command line" monitor cmdline
info_qtree >qtree
printf '0000:05:00.0 h0 0\n' >qtree-nodes
same "QEMU's info qtree" qtree
refused "info pci alone" 'is a 1002:74a1, of which the host has 8: say which (and 3 more)' monitor
cat >pve.conf <<-'C'
	agent: 1
	hostpci0: 0000:05:00,pcie=1
	hostpci1: host=0000:09:00.0,pcie=1;0000:0a:00.0
	hostpci2: 7d:00.0
	hostpci3: 0000:8f:00.0,pcie=1
	hostpci4: 0000:b9:00.0
	machine: q35
	[before]
	hostpci0: 0000:65:00.0
C
sed -i 's/;0000:0a:00.0//' pve.conf
sed 's/"h0"/"hostpci0.0"/; s/"h\([1-4]\)"/"hostpci\1"/' monitor >pve.monitor
same "Proxmox's qm config, info pci" pve.conf pve.monitor
refused "Proxmox's configuration alone" 'id hostpci0: nothing says which address it has in the guest (and 4 more)' pve.conf
printf 'hostpci0: mapping=gpus,pcie=1\nhostpci1: 0000:5,pcie=1\n' >bad
refused 'a resource mapping of Proxmox' 'bad:1: hostpci0 is a resource mapping' bad
refused 'half an address of Proxmox' 'bad:2: hostpci1: "0000:5" is no PCI address' bad
printf "/usr/bin/kvm -id 100 \\\\\n  -device 'vfio-pci,host=0000:05:00.0,id=hostpci0.0,bus=ich9-pcie-port-1,addr=0x0' \\\\\n" >pve.cmd
for device in 1:09 2:7d 3:8f 4:b9; do
	echo "  -device 'vfio-pci,host=0000:${device#*:}:00.0,id=hostpci${device%:*}'" >>pve.cmd
done
same "Proxmox's qm showcmd, info pci" pve.cmd pve.monitor

# lines TEXT: a map of these lines, after those of a GPU and its NIC.
lines() {
	printf '05:00.0 21:00.0\n09:00.0 22:00.0\n%b' "$1" >bad
}

{ echo '# all of them are bound to vfio-pci'; cat wanted; } >comment
same 'lines with a comment about vfio-pci' comment

while IFS='|' read -r what text part; do
	lines "$text"
	refused "$what" "$part" bad
done <<-'T'
a host's device twice|05:00.0 23:00.0\n|bad:3: 0000:05:00.0 is there twice: as 0000:21:00.0 and as 0000:23:00.0
the same line twice|05:00.0 21:00.0\n|bad:3: 0000:05:00.0 is there twice
a guest's address twice|7d:00.0 21:00.0\n|bad:3: 0000:21:00.0 of the guest is there twice: 0000:05:00.0 and 0000:7d:00.0
no such device|06:00.0 23:00.0\n|bad:3: 0000:06:00.0: the host has no such device
no such domain|10000:05:00.0 23:00.0\n|bad:3: 10000:05:00.0: the host has no such device
a port|02:00.0 23:00.0\n|bad:3: 0000:02:00.0 is a port, which no guest can have
no guest address|7d:00.0 gpu1\n|bad:3: 0000:7d:00.0, id gpu1: nothing says which address it has in the guest
the host bridge|7d:00.0 00:00.0\n|bad:3: 0000:00:00.0 cannot be a device's address in a guest: it is the host bridge's
a made-up switch|7d:00.0 ffff:ff:01.0\n|bad:3: ffff:ff:01.0 cannot be a device's address in a guest: it is reserved for the switches
one word|7d:00.0\n|bad:3: found 1 word, wanted HOST GUEST
four words|7d:00.0 23:00.0 0 1\n|bad:3: found 4 words
an address of one part|7d 23:00.0\n|bad:3: "7d" is no PCI address of the host
a device number that no bus has|7d:20.0 23:00.0\n|bad:3: "7d:20.0" is no PCI address of the host
a guest's function that no device has|7d:00.0 23:00.8\n|bad:3: "23:00.8" is no PCI address of the guest
a node that is no number|7d:00.0 23:00.0 one\n|bad:3: "one" is no NUMA node of the guest
a node that is too high|7d:00.0 23:00.0 64\n|bad:3: "64" is no NUMA node of the guest
a node below zero|7d:00.0 23:00.0 -1\n|bad:3: "-1" is no NUMA node of the guest
one switch in two nodes|65:00.0 23:00.0 0\n69:00.0 24:00.0 1\n|below one switch of the host
a NUL|7d:00.0 \0000:00.0\n|no text, nor the command line of a QEMU
an escape sequence|7d:00.0 \033[31m:\n|"?[31m:" is no PCI address of the guest
T
printf '05:00.0 21:00.0\n7d:00.0 21:00.0\n06:00.0 23:00.0\n' >bad
refused 'all that is wrong is said' 'bad:3: 0000:06:00.0: the host has no such device' bad
refused 'at once' 'bad:2: 0000:21:00.0 of the guest is there twice' bad
echo '09:00.0 21:00.0' >bad
refused 'no GPU' 'the map has no GPU' bad
: >bad
refused 'an empty file' 'the map has no device of this host' bad
printf '# nothing\n\n' >bad
refused 'nothing but a comment' 'the map has no device of this host' bad
refused 'no file' 'cannot open absent: No such file or directory' absent
refused 'a folder' 'cannot read .: Is a directory' .
refused 'endless zeros' '/dev/zero is longer than 16 MiB' /dev/zero
head -c 4096 "$instinctctl" >bad
seq 2000 | sed 's/.*/05:00.0 name&/' >many
refused 'a map without an end' 'the map has 2000 devices, and 1024 at most are possible' many
refused 'a program' 'bad: no text' bad
refused 'a map twice' 'is there twice' wanted wanted

domain hostdev | head -n 20 >bad
refused 'half of a domain' 'bad:21: no XML' bad
printf '<device\377\377></devices>' >bad
refused 'XML whose words are no text' 'mismatch: device?? line 1' bad
echo '<network><name>default</name></network>' >bad
refused 'XML of something else' 'XML, but no libvirt domain' bad
domain hostdev | sed "s/bus='0x05' slot='0x00'/bus='0x05'/" >bad
refused 'a hostdev without an address on the host' "a hostdev without the device's address" bad
domain hostdev | sed "s/bus='0x12'/bus='0x77'/" >bad
refused 'a hostdev below no controller' '0000:7d:00.0 is at a controller 119 that the domain does not have' bad
domain hostdev | sed "s/bus='0x0e' slot='0x00'/bus='0x10' slot='0x00'/" >bad
refused 'a controller below itself' '0000:05:00.0 is at a controller 16 that the domain does not have' bad
domain hostdev | sed "s/<target busNr='32'>/<target>/" >bad
refused 'a domain that libvirt has not completed' 'controller 14 has no PCI address or bus number yet' bad
domain hostdev | sed "/<address type='pci'.* bus='0x10'/d" >bad
refused 'a hostdev that has no address yet' '0000:05:00.0, id hostdev0: nothing says which address' bad
domain hostdev | sed 's/<node>1/<node>2/' >bad
refused 'a node that the guest does not have' 'is in NUMA node 2, and the guest has 2' bad
domain hostdev | sed 's/<node>1/<node>-7/' >negative
same 'a node that is none is as none' negative
domain hostdev | sed "s/busNr='80'/busNr='32'/" >bad
refused 'two expander buses with one number' 'of the guest is there twice' bad

query_pci h0 h1 h2 h3 h4 >bad
refused 'a name that says nothing' 'is a 15b3:1021, of which the host has 8: say which (and 3 more)' bad
head -n 5 bad >half
refused 'half of an answer' 'half: no JSON' half
echo '{"return":{"status":"running"}}' >bad
refused 'another answer' "JSON, but neither an answer of QMP's query-pci nor Cloud Hypervisor's vm.info or vm.create" bad
echo '05:00.0 Processing accelerators [1200]: AMD [1002:74a1]' >bad
refused 'lspci of a guest' 'this looks like the output of lspci without config spaces: it does not say which device' bad
printf -- '-[0000:00]-+-00.0\n           \\-01.0\n' >bad
refused 'lspci -t' 'this looks like the output of lspci -t' bad
xml wanted >bad
refused 'a topology file' 'this looks like a topology file of NCCL or RCCL: topo check compares it' bad
printf '<?xml version="1.0"?><topology version="2.0"><object type="Machine"/></topology>' >bad
refused 'a topology of hwloc' 'it describes a host: give it as --sysroot' bad
printf 'Dear operator,\nplease find enclosed\nthe devices.\n' >bad
refused 'a letter' 'bad:1: this looks like text of another kind' bad
{ [[ $(xml bad | wc -l) == 1 ]] || xml bad; } | report 'refused: a letter in one line'
sed 's/"bus":33,/"bus":4294967329,/' q >bad
refused 'a bus that is past 255' 'a device without a bus, slot and function' bad ids
sed 's/h1"/h0"/' q >bad
refused 'a name that two devices have' 'id h1: nothing says which address' bad ids
id_lines h | sed 's/05:00/65:00/' >other
refused 'a name that is two devices' 'id h0 is 0000:65:00.0 here, and 0000:05:00.0 elsewhere' q ids other
query_pci h0 h1 h2 h3 h4 | sed 's/"bus":33,/"bus":35,/' >other
refused 'a device at two addresses' 'id h0 is at 0000:23:00.0 of the guest here, and at 0000:21:00.0 elsewhere' q other ids
printf '%s\0' "${words[@]}" | sed 's/05:00.0/05:00/' >bad
refused "a command line with half an address" 'host=0000:05:00 is no PCI address' q bad
refused "a command line alone" 'id h1: nothing says which address it has in the guest (and 4 more)' cmdline
sed 's/"pci_bdf":"0001:00:01.0"/"pci_bdf":"1:0"/' info >bad
refused 'vm.info with half an address' 'pci_bdf "1:0" of gpu-0000-05-00-0 is no PCI address' bad
sed 's/"pci_bdf":"0001:00:01.0"/"pci_bdf":null/' info >bad
refused 'vm.info without an address' 'id gpu-0000-05-00-0: nothing says which address' bad
sed 's/"path":"[^"]*05:00.0\/"/"path":"\/dev\/null"/' info >bad
refused 'vm.info with another path' 'path "/dev/null" is none of a PCI device' bad
sed 's/"guest_numa_id":1/"guest_numa_id":5/' info >bad
refused 'vm.info with a node too many' 'is in NUMA node 5, and the guest has 2' bad

# not_checked WHAT PART FILE: topo check refuses it, with PART in what is said.
not_checked() {
	local output status
	output=$(timeout 20 "$instinctctl" --sysroot "$capture" topo check --map wanted "$3" 2>&1)
	status=$?
	{
		((status == 1)) || echo "exit status $status, not 1"
		[[ $output == *"$2"* ]] || printf 'wanted: %s\n%s\n' "$2" "$output"
	} | report "topo check refuses: $1"
}

output=$("$instinctctl" --sysroot "$capture" topo check --map - - <wanted 2>&1)
{ [[ $? == 2 && $output == *'standard input (-) can be read only once'* ]] || echo "$output"; } |
	report 'topo check refuses: standard input twice'
output=$(xml - <<<'05:00.0')
{ [[ $output == *'standard input:1: found 1 word'* ]] || echo "$output"; } |
	report 'standard input has a name'
: >bad
not_checked 'an empty file' 'bad: no XML' bad
not_checked 'endless zeros' '/dev/zero is longer than 16 MiB' /dev/zero
not_checked 'a program' 'no XML' "$instinctctl"
xml wanted | head -n 5 >bad
not_checked 'half a file' 'no XML: Premature end of data' bad
not_checked 'lines' 'no XML' wanted
domain hostdev >bad
not_checked 'a domain' 'no topology file: its outermost element is <domain>' bad
{ echo '<system version="2">'; echo '<cpu numaid="0">'; yes '<pci/>' | head -n 300000; echo '</cpu></system>'; } >bad
not_checked 'elements without an end' 'more than 8192 elements' bad
{ echo '<system>'; yes '<pci>' | head -n 300000; } >bad
not_checked 'depth without an end' 'no XML: Excessive depth' bad
exit $failed
