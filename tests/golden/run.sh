#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the output of instinctctl on captured hosts word for word: each case with the file of
# its name. --update writes these files anew; read the diff.
set -uo pipefail

cd "$(dirname "$(realpath "$0")")" || exit 1
# make gives INSTINCTCTL relative to the repository.
instinctctl=$(cd ../.. && realpath "${INSTINCTCTL:-build/instinctctl}")
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
update=${1-}

# The machine's own list of PCI devices has other names than the next machine's.
printf '15b3  Mellanox Technologies\n\t1021  MT2910 Family [ConnectX-7]\n' >"$work/pci.ids"
./serial "$work/serial"
./board "$work/set"
mkdir -p "$work/set/usr/lib/instinct-vfio" "$work/set/etc/instinct-vfio/policy.d"
cp p2p.conf "$work/set/usr/lib/instinct-vfio/policy.conf"
printf '[default]\nats = ignore\n' >"$work/set/etc/instinct-vfio/policy.d/50-site.conf"
# A power loss may leave empty files like these.
./board "$work/hollow"
mkdir -p "$work/hollow/usr/lib/instinct-vfio/policy.d" "$work/hollow/etc/instinct-vfio/policy.d"
: >"$work/hollow/etc/instinct-vfio/policy.conf"
: >"$work/hollow/etc/instinct-vfio/policy.d/50-site.conf"
printf '[default]\nats = ignore\n' >"$work/hollow/usr/lib/instinct-vfio/policy.d/50-site.conf"
: >"$work/hollow/etc/instinct-vfio/policy.d/60-new.conf"
./host "$work/host"
./board "$work/board"
./heat "$work/heat"
./board "$work/pending"
ln -sfn /sys/drivers/amdgpu "$work/pending/sys/bus/pci/devices/0000:26:00.0/driver"
./installed "$work/installed" "$work/broken"
mkdir -p "$work/empty/sys/bus/pci/devices"
captures=(mi300x mi300x-stacked mi350x hgx-h200)
for capture in "${captures[@]}" guest; do
	../captures/make "$capture" "$work/$capture"
done
cp ./*.conf ./*.tar.zst ../../helper/policy.conf "$work"
cp qualify-report.json "$work"
# Somebody changed this report in favour of FLR.
sed '/"name": "flr"/,/"outcome"/s/"none"/"survived"/' qualify-report.json >"$work/changed.json"
echo '{"version": 1, "devices": []}' >"$work/no-report.json"
cd "$work" || exit 1

# complain NAME TEXT: reports a failed test.
complain() {
	echo "not ok - golden: $1"
	sed 's/^/# /' <<<"$2"
	failed=1
}

# check_form NAME ARG…: checks the output of --json by its command's schema.
check_form() {
	local name=$1 command text before=''
	shift
	[[ " $* " == *' --json '* ]] || return 0
	for command; do
		[[ ! -e $here/../../helper/schema/$before-$command.json ]] || command=$before-$command
		[[ ! -e $here/../../helper/schema/$command.json ]] || break
		before=$command
	done
	[[ -e $here/../../helper/schema/$command.json ]] || command=error
	if ! text=$("$here/../schema" "$command" <out); then
		complain "$name: the output fits the schema of $command" "$text"
	fi
}

# check_width NAME ARG…: checks that tables fit 80 columns. A terminal may break sentences (errors,
# warnings, events, isolation --why, the place of the policy); text to copy and metrics must not
# be broken at all.
check_width() {
	local name=$1 text
	[[ " $* " != *' --json '* && " $* " != *' isolation --'* && " $* " != *' topo xml '* &&
		" $* " != *' topo plan '* && " $* " != *' --svg '* && " $* " != *' monitor '* &&
		" $* " != *' export '* ]] || return 0
	if text=$(cat out <(grep '^ ' err) | grep -v -e '^WARN ' -e '^FAIL ' -e '^policy: ' -e '^NOT as ' |
		LC_ALL=C.UTF-8 grep -E '^.{81}'); then
		complain "$name: the output fits 80 columns" "$text"
	fi
}

# golden NAME ARG…: compares output, errors and exit status of instinctctl.
golden() {
	local name=$1 status
	shift
	env -u NO_COLOR TZ=UTC INSTINCT_PCI_IDS="$work/pci.ids" "$instinctctl" "$@" >out 2>err
	status=$?
	{
		echo "\$ instinctctl${*:+ $*}"
		cat out
		sed 's/^/2> /' err
		echo "exit status $status"
	} >found
	[[ $update != --update ]] || cp found "$here/$name.txt"
	check_form "$name" "$@"
	check_width "$name" "$@"
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
golden status-serial-json --sysroot serial status --json
golden status-no-sysroot --sysroot absent status
golden show-policy --sysroot host show-policy good.conf
golden show-policy-json --sysroot host --json show-policy good.conf
golden show-policy-wrong --sysroot host show-policy wrong.conf
golden show-policy-crossed --sysroot host show-policy crossed.conf
golden show-policy-crossed-json --sysroot host --json show-policy crossed.conf
golden show-policy-absent --sysroot host show-policy absent.conf
golden show-policy-sysroot --sysroot host show-policy
golden show-policy-installed --sysroot installed show-policy
golden show-policy-installed-json --sysroot installed --json show-policy --origin
golden show-policy-origin --sysroot installed show-policy --origin
golden show-policy-all --sysroot host show-policy --all good.conf
golden show-policy-origin-all --sysroot installed show-policy --origin --all
golden show-policy-expect --sysroot host show-policy expect.conf
golden show-policy-expect-device --sysroot host show-policy expect-wrong.conf
golden show-policy-origin-file --sysroot host show-policy --origin good.conf
golden show-policy-dropins-wrong --sysroot broken show-policy
golden show-policy-dropins-wrong-json --sysroot broken --json show-policy
golden show-policy-keys show-policy --keys
golden show-policy-keys-json --json show-policy --keys ready_timeout hive peer
golden show-policy-keys-wrong show-policy --keys methd
golden show-policy-keys-origin show-policy --keys --origin
for policy in "$here"/../../helper/policies/*.conf; do
	name=${policy##*/}
	cp "$policy" .
	golden "policy-${name%.conf}" --sysroot board show-policy --origin "$name"
done
# The installed policy.conf shows every default in comments. Uncommented, the file must mean the
# same as an empty one, and must set each key.
{
	echo '[default]'
	sed -n 's/^#\([a-z_]* = \)/\1/p' policy.conf
} >shipped.conf
"$instinctctl" --sysroot board show-policy --all shipped.conf >shipped 2>&1
"$instinctctl" --sysroot board show-policy --all /dev/null >defaults 2>&1
"$instinctctl" --sysroot board show-policy --all --origin shipped.conf | grep '# default' >>shipped
if text=$(diff defaults shipped); then
	echo "ok - golden: policy.conf shows every default"
else
	complain "policy.conf shows every default" "$text"
fi
golden check --sysroot board check p2p.conf
golden check-json --sysroot board --json check p2p.conf
golden check-far --sysroot board check far.conf
golden check-quiet --sysroot board check --quiet p2p.conf
golden check-wrong-json --sysroot board --json check far-wrong.conf
golden check-set --sysroot set check --quiet
golden check-hollow --sysroot hollow check
golden check-hollow-json --sysroot hollow --json check
golden check-no-gpu --sysroot empty check p2p.conf
golden diff-set-json --sysroot set --json diff
golden check-no-gpu-quiet --sysroot empty check --quiet p2p.conf
golden check-none-expected --sysroot empty check --quiet none.conf
golden check-expect --sysroot board check expect.conf
golden check-expect-quiet --sysroot board check --quiet expect.conf
golden check-expect-json --sysroot board --json check expect.conf
golden check-warn --sysroot board check warn.conf
golden check-loss --sysroot board check loss.conf
golden check-wrong --sysroot board check far-wrong.conf
golden check-memory --sysroot board check --guest-memory 2T p2p.conf
golden check-memory-wrong --sysroot board check --guest-memory much p2p.conf
# amdgpu drives this GPU, so its policy is pending; the file names the GPU or does not.
golden check-pending --sysroot pending check bare-metal.conf
golden check-pending-named --sysroot pending check named.conf
golden config-acs-pending --sysroot pending isolation --config-acs p2p.conf
golden check-port --sysroot board check port.conf
golden check-peer-absent --sysroot board check peer-absent.conf
golden check-peer-none --sysroot board check peer-none.conf
# This policy names GPUs by serial numbers, which a lost GPU does not show.
golden check-unsure --sysroot serial check serial.conf
golden check-unsure-json --sysroot serial --json check serial.conf
golden diff-unsure --sysroot serial diff serial.conf
golden show-policy-unsure --sysroot serial show-policy serial.conf
golden show-policy-unsure-json --sysroot serial --json show-policy serial.conf
golden check-unreadable --sysroot host check p2p.conf
golden check-sysroot --sysroot board check
golden diff --sysroot board diff p2p.conf
golden diff-json --sysroot board --json diff p2p.conf
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
golden config-acs-json --sysroot board --json isolation --config-acs p2p.conf
# instinctctl dump made these captures of the lab's boards; lab-captures makes them anew.
for board in mi300x-1 mi300x-8 mi355x-8; do
	golden "$board-status" --sysroot $board.tar.zst status
	golden "$board-check" --sysroot $board.tar.zst check
done
golden mi300x-1-export --sysroot mi300x-1.tar.zst export
golden mi300x-8-export --sysroot mi300x-8.tar.zst export
golden mi300x-1-events --sysroot mi300x-1.tar.zst monitor
golden mi355x-8-events --sysroot mi355x-8.tar.zst monitor --since 130
golden mi300x-8-why --sysroot mi300x-8.tar.zst isolation --why 26:00.0 2c:00.0
golden mi355x-8-why --sysroot mi355x-8.tar.zst isolation --why 23:00.0 26:00.0
golden mi300x-8-config-acs --sysroot mi300x-8.tar.zst isolation --config-acs
golden mi300x-1-status-json --sysroot mi300x-1.tar.zst --json status
golden mi300x-8-check-quiet --sysroot mi300x-8.tar.zst check --quiet
golden mi300x-8-doctor-quiet --sysroot mi300x-8.tar.zst doctor --quiet
golden mi300x-1-check-json --sysroot mi300x-1.tar.zst check --json
golden mi355x-8-diff --sysroot mi355x-8.tar.zst diff
golden mi300x-1-diff-file --sysroot mi300x-1.tar.zst diff quiet.conf
golden mi300x-1-policy --sysroot mi300x-1.tar.zst show-policy
golden mi300x-1-policy-json --sysroot mi300x-1.tar.zst --json show-policy --origin
golden mi300x-8-doctor-policy --sysroot mi300x-8.tar.zst doctor --only policy policy-at-boot
golden mi300x-8-sensors --sysroot mi300x-8.tar.zst sensors --all
golden mi300x-1-events-json --sysroot mi300x-1.tar.zst monitor --json --since 3 --count 4
# instinctctl captures a capture once more.
golden dump --sysroot mi300x-1.tar.zst dump --mask --output again.tar
golden dump-json --sysroot again.tar --json dump --output once-more.tar
golden dump-there --sysroot mi300x-1.tar.zst dump --output again.tar
golden dump-there-json --sysroot mi300x-1.tar.zst --json dump --output again.tar
for words in "status --json" "check" "monitor" "export"; do
	# shellcheck disable=SC2086 # words
	if text=$(diff <("$instinctctl" --sysroot mi300x-1.tar.zst $words 2>&1 | sed 's/mi300x-1.tar.zst/X/') \
		<("$instinctctl" --sysroot once-more.tar $words 2>&1 | sed 's/once-more.tar/X/')); then
		echo "ok - golden: $words prints the same for a capture of the capture"
	else
		complain "$words prints the same for a capture of the capture" "$text"
	fi
done
# same_of_dump CAPTURE COMMAND: a dump of a made-up host tells as much as the host itself.
same_of_dump() { # CAPTURE COMMAND
	local text

	# shellcheck disable=SC2086 # words
	if text=$(diff <("$instinctctl" --sysroot "$1" $2 2>&1) \
		<("$instinctctl" --sysroot "$1.tar" $2 2>&1 | sed "s/$1.tar/$1/")); then
		echo "ok - golden: $2 prints the same for a dump of $1"
	else
		complain "$2 prints the same for a dump of $1" "$text"
	fi
}
for capture in mi300x hgx-h200; do
	"$instinctctl" --sysroot "$capture" dump --output "$capture.tar" >/dev/null 2>&1
	for words in status "topo show" "topo pairs" "topo plan --gpus 4 --nics 4 --nvme 2" \
		"check single-tenant-8gpu.conf" "sensors --all" doctor; do
		same_of_dump "$capture" "$words"
	done
done
golden capture-none --sysroot good.conf status
# Folders and archives that are no captures: the parent of one, a part of one, two in one.
"$instinctctl" --sysroot host dump --output one.tar >/dev/null 2>&1
mkdir parent
tar xf one.tar -C parent
tar cf two.tar host empty
golden capture-parent --sysroot parent status
golden capture-part --sysroot host/sys --json check p2p.conf
golden capture-two --sysroot two.tar topo show
golden capture-device --sysroot /dev/null doctor
golden capture-stdin --sysroot - status
golden dump-no-host --sysroot parent --json dump --output parent.tar
golden dump-no-folder --sysroot host dump --output absent/new.tar
# These commands do not look at the host, so a wrong --sysroot does not matter.
golden capture-version --sysroot parent version
golden capture-verify --sysroot parent --json qualify --verify qualify-report.json
golden usage-capture-qualify --sysroot host qualify --yes 26:00.0
golden usage-dump-suffix --sysroot host dump --output new.zip
golden capture-no-module --sysroot board monitor
golden capture-no-metrics --sysroot board export
golden usage-dump-more dump 26:00.0
golden usage-dump-log --sysroot board dump --all-log
golden usage-monitor-sysroot --sysroot board monitor --daemon
golden usage-export-sysroot --sysroot board export --listen 127.0.0.1:9100
golden sensors --sysroot heat sensors
golden sensors-all --sysroot heat sensors --all sensors.conf
golden sensors-json --sysroot heat --json sensors --all sensors.conf
golden sensors-none --sysroot host sensors
golden sensors-empty --sysroot empty sensors
golden sensors-wrong --sysroot heat sensors sensors-wrong.conf
golden sensors-wrong-json --sysroot heat --json sensors wrong.conf
golden config-acs-wrong-json --sysroot board --json isolation --config-acs far-wrong.conf
for capture in "${captures[@]}"; do
	golden "$capture-status" --sysroot "$capture" status
done
for capture in mi300x mi350x hgx-h200; do
	golden "$capture-status-json" --sysroot "$capture" --json status
done
golden mi300x-check --sysroot mi300x check mi300x-infiniband.conf
golden mi300x-check-json --sysroot mi300x --json check mi300x-infiniband.conf
golden mi300x-why --sysroot mi300x isolation --why 09:00.0 05:00.0
golden mi300x-stacked-check --sysroot mi300x-stacked check single-tenant-8gpu.conf
golden mi300x-stacked-why --sysroot mi300x-stacked isolation --why 07:00.0 0c:00.0
golden mi350x-check --sysroot mi350x check single-tenant-8gpu.conf
# The config space of a virtual function has no IDs.
golden mi350x-why --sysroot mi350x isolation --why 03:00.1 08:00.0
golden hgx-h200-check --sysroot hgx-h200 check single-tenant-8gpu.conf
golden hgx-h200-why --sysroot hgx-h200 isolation --why 19:00.0 18:00.0
golden hgx-h200-why-socket --sysroot hgx-h200 isolation --why 19:00.0 db:00.0
golden hgx-h200-why-fabric --sysroot hgx-h200 isolation --why 05:00.0 06:00.0
for capture in "${captures[@]}"; do
	golden "$capture-topo" --sysroot "$capture" topo show
	golden "$capture-topo-pairs" --sysroot "$capture" topo pairs
done
golden mi300x-topo-json --sysroot mi300x --json topo show
golden mi300x-topo-svg --sysroot mi300x topo show --svg
golden mi300x-topo-pairs-one --sysroot mi300x topo pairs --all 2b:00.0
golden mi300x-topo-pairs-json --sysroot mi300x --json topo pairs --all 2b:00.0
golden hgx-h200-topo-pairs-one --sysroot hgx-h200 topo pairs --all 5d:00.0
# The links of a NIC and of a GPU's package have trained down.
"$here/../captures/make" --with 0000:09:00.0:link=16x8 --with 0000:29:00.0:link=32x4 mi300x slow
golden topo-slow --sysroot slow topo show
"$here/../captures/make" --with 0000:05:00.0:link=32x8 mi300x narrow
golden topo-narrow --sysroot narrow topo show
golden topo-slow-svg --sysroot slow topo show --svg
golden topo-board --sysroot board topo show
golden topo-all --sysroot board topo show --all
golden topo-board-pairs --sysroot board topo pairs --all
golden topo-unreadable --sysroot host topo pairs
# A user without root reads only the first 64 bytes of each config space, without capabilities.
cp -a mi300x closed
find closed/sys/devices -name config -exec truncate -s 64 {} +
golden topo-closed --sysroot closed topo show
golden topo-closed-pairs --sysroot closed topo pairs
# A capture made by hand may lack the config spaces.
cp -a hgx-h200 bare
find bare/sys/devices -name config -delete
golden topo-bare --sysroot bare topo show
golden topo-empty --sysroot empty topo show
golden topo-empty-pairs --sysroot empty topo pairs
golden topo-pairs-no-gpu --sysroot board topo pairs 23:00.0
golden topo-pairs-absent --sysroot board topo pairs 99:00.0
# The host itself uses these: an uplink, a NIC in a bond, the root's drive, a drive of a volume.
"$here/../captures/make" --set $'proc/net/route=Iface\tDestination\nens99f0np0\t00000000\n' \
	--set $'proc/mounts=/dev/nvme0n1p2 / ext4 rw 0 0\n' mi300x used
mkdir -p used/sys/devices/virtual/net/bond0
echo 12 >used/sys/devices/virtual/net/bond0/ifindex
ln -sr used/sys/devices/virtual/net/bond0 used/sys/class/net/enp35s0np0/upper_bond0
mkdir -p used/sys/class/block/nvme1n1/holders/dm-0
golden topo-plan --sysroot used topo plan --gpus 2 --nics 2 --nvme 2
golden topo-plan-nodes --sysroot used topo plan --gpus 5 --nics 5
"$instinctctl" --sysroot used dump --output used.tar >/dev/null 2>&1
same_of_dump used "topo plan --gpus 5 --nics 5"
# One uplink has IPv6 only. The other routes are those of any interface that is up: they do not
# mean that the host uses it.
nothing=00000000000000000000000000000000
for route in "$nothing 00 ens99f0np0" "fe80${nothing#????} 40 enp9s0np0" \
	"ff${nothing#??} 08 enp9s0np0"; do
	read -r to length interface <<<"$route"
	printf '%s %s %s 00 %s 00000400 00000001 00000000 00000001 %8s\n' \
		"$to" "$length" "$nothing" "$nothing" "$interface"
done >routes6
"$here/../captures/make" --set "proc/net/ipv6_route=$(cat routes6)" mi300x used6
golden topo-plan-ipv6 --sysroot used6 topo plan --gpus 1 --nics 1
"$instinctctl" --sysroot used6 dump --output used6.tar >/dev/null 2>&1
same_of_dump used6 "topo plan --gpus 1 --nics 1"
golden topo-plan-json --sysroot used --json topo plan --gpus 3 --nics 3 --nvme 1
golden topo-plan-without --sysroot used topo plan --gpus 4 --without 05:00.0 --vmm qemu
golden topo-plan-libvirt --sysroot used topo plan --gpus 5 --vmm libvirt
golden topo-plan-cloud --sysroot used topo plan --gpus 5 --vmm cloud-hypervisor
golden topo-plan-too-many --sysroot used topo plan --gpus 9 --nics 8
golden topo-plan-vfs --sysroot mi350x topo plan --gpus 1 --nics 1
golden topo-plan-hgx --sysroot hgx-h200 topo plan --gpus 2 --nics 2
golden topo-plan-without-absent --sysroot used topo plan --gpus 4 --without 06:00.0
"$here/../captures/make" --with 0000:05:00.0:driver=amdgpu mi300x unbound
golden topo-plan-unbound --sysroot unbound topo plan --gpus 1 --vmm libvirt
# One IOMMU group has a NIC that the host drives, the other has two GPUs of VFIO.
"$here/../captures/make" --with 0000:05:00.0:group=500 --with 0000:09:00.0:group=500 \
	--with 0000:7d:00.0:group=501 --with 0000:a5:00.0:group=501 mi300x grouped
golden topo-plan-group --sysroot grouped topo plan --gpus 8
golden topo-plan-none --sysroot used topo plan --nics 1
"$here/../captures/make" --gpus 64 made-up crowd
golden topo-plan-room --sysroot crowd topo plan --gpus 64 --nics 64
golden topo-plan-vmm --sysroot used topo plan --gpus 1 --vmm xen
# flat CAPTURE: prints the map of a guest with a root port for each device, GPUs first.
flat() {
	local bus=1 kind bdf
	for kind in gpu nic; do
		for bdf in $("$instinctctl" --sysroot "$1" --json topo show |
			python3 -c 'import json, sys
for f in json.load(sys.stdin)["functions"]:
    print(f["bdf"]) if f["kind"] == sys.argv[1] else None' $kind); do
			printf '%s 0000:%02x:00.0\n' "$bdf" $bus
			bus=$((bus + 1))
		done
	done
}
for capture in "${captures[@]}"; do
	flat "$capture" >"$capture.map"
	golden "$capture-topo-xml" --sysroot "$capture" topo xml --flavor rccl --map "$capture.map"
done
golden topo-xml-nccl --sysroot hgx-h200 topo xml --flavor nccl --map hgx-h200.map
"$instinctctl" --sysroot mi300x topo xml --flavor rccl --map mi300x.map >right.xml
sed 's/"0000:01:00.0"/"0000:02:00.0 "/; s/"0000:02:00.0"/"0000:01:00.0"/; s/00.0 "/00.0"/' right.xml >swapped.xml
sed '/ffff:ff/d; /<\/pci>/d' right.xml >flat.xml
sed 's/32.0 GT.s PCIe/32.0 GT\/s/; s/ class="0x060400"//; s/0000:03:00.0/0000:03:00.0A/' right.xml >odd.xml
golden topo-check --sysroot mi300x topo check --map mi300x.map right.xml
golden topo-check-json --sysroot mi300x --json topo check --map mi300x.map swapped.xml
golden topo-check-swapped --sysroot mi300x topo check --map mi300x.map swapped.xml
golden topo-check-flat --sysroot mi300x topo check --map mi300x.map flat.xml
golden topo-check-flavor --sysroot mi300x topo check --flavor nccl --map mi300x.map right.xml
golden topo-check-odd --sysroot mi300x topo check --map mi300x.map odd.xml
golden topo-check-none --sysroot mi300x topo check --map mi300x.map mi300x.map
golden usage-topo topo
golden usage-topo-word topo shwo
golden help-topo topo --help
golden usage-topo-flavor topo xml --map right.map
golden usage-topo-flavor-wrong topo xml --flavor mpi
golden usage-topo-map topo xml --flavor rccl
golden usage-topo-check topo check --map a
golden mi300x-doctor --sysroot mi300x doctor
golden mi350x-doctor --sysroot mi350x doctor
golden mi350x-doctor-json --sysroot mi350x --json doctor
golden hgx-h200-doctor --sysroot hgx-h200 doctor
golden guest-doctor --sysroot guest doctor --guest
golden doctor-unreadable --sysroot host doctor
golden doctor-only --sysroot mi300x doctor --only gpus link-width
golden doctor-memory --sysroot mi300x doctor --guest-memory 2T --only peers hugepages
golden doctor-empty --sysroot empty doctor
golden doctor-no-sysroot-json --sysroot absent --json doctor
golden doctor-quiet-json --sysroot mi300x --json doctor --quiet
golden usage-doctor-quiet doctor --quiet --list
golden usage-status-watch status --watch 0
golden usage-status-json status --watch --json
golden doctor-list doctor --list
golden doctor-list-guest-json --json doctor --list --guest
golden usage-doctor-only doctor --only link
golden usage-doctor-guest doctor --only guest-hive
golden usage-doctor-word doctor link-width
golden usage-doctor-memory doctor --guest --guest-memory 2T
golden version-json version --json
golden help help
for command in status bind unbind apply check diff show-policy isolation doctor reset qualify release sensors monitor push export dump version help; do
	golden "help-$command" "$command" --help
done
for command in show pairs plan xml check; do
	golden "help-topo-$command" topo "$command" --help
done
golden usage-none
golden usage-command statsu
golden usage-option apply --dry-rum
golden usage-apply-both apply --dry-run --watch
golden usage-apply-stdin apply --watch -
golden apply-wrong apply wrong.conf
golden apply-wrong-json --json apply absent.conf
golden usage-option-global --jsno status
golden usage-option-value reset --all=yes
golden usage-sysroot --sysroot host bind --all
golden usage-sysroot-empty --sysroot '' status
golden usage-sysroot-last status --sysroot
golden usage-sysroot-option --sysroot --json status
golden usage-isolation-both --sysroot host isolation --why --config-acs
golden usage-bdf bind 0000:c1:00
golden usage-monitor --json monitor --daemon
golden usage-monitor-config monitor --config monitor-wrong.conf
golden monitor-wrong monitor --daemon --config monitor-wrong.conf
golden usage-method reset --method mode2 --all
golden usage-qualify qualify --dry-run
golden usage-qualify-two qualify --yes 26:00.0 27:00.0
golden usage-qualify-bdf qualify --yes 26:00
golden usage-qualify-risk qualify --max-risk some 26:00.0
golden usage-qualify-rounds qualify --rounds 0 26:00.0
golden usage-qualify-wait qualify --wait 120 26:00.0
golden usage-qualify-note qualify --note '' 26:00.0
golden usage-qualify-terminal qualify 26:00.0 </dev/null
golden usage-qualify-sysroot --sysroot host qualify --dry-run 26:00.0
golden usage-qualify-verify qualify --verify qualify-report.json 26:00.0
golden qualify-verify qualify --verify qualify-report.json
golden qualify-verify-json --json qualify --verify qualify-report.json
golden qualify-changed qualify --verify changed.json
golden qualify-changed-json --json qualify --verify changed.json
golden qualify-no-report qualify --verify no-report.json
printf '\033[2J' >control.json
golden qualify-control qualify --verify control.json
golden qualify-no-json qualify --verify good.conf
golden usage-listen export --listen 0.0.0.0:9100
golden usage-export-both export --textfile a.prom --listen 127.0.0.1:9100
golden usage-export-json export --json
golden usage-help-json help --json
# A command whose output cannot be written must fail.
while read -r words; do
	for close in /dev/full '&-'; do
		# shellcheck disable=SC2086 # words
		if [[ $close == /dev/full ]]; then
			text=$("$instinctctl" $words 2>&1 >/dev/full)
		else
			text=$("$instinctctl" $words 2>&1 >&-)
		fi
		status=$?
		if ((status)) && [[ $text == *'cannot write standard output'* ]]; then
			echo "ok - golden: $words >$close"
		else
			complain "$words >$close" "exit status $status: $text"
		fi
	done
done <<-END
	--sysroot mi300x-1.tar.zst status
	--sysroot mi300x-1.tar.zst --json status
	--sysroot board check p2p.conf
	--sysroot board check --quiet p2p.conf
	--sysroot board diff p2p.conf
	--sysroot mi300x-1.tar.zst show-policy
	show-policy --keys
	--sysroot board isolation --why 23:00.0 26:00.0
	--sysroot board isolation --config-acs p2p.conf
	--sysroot mi300x topo show
	--sysroot mi300x topo show --svg
	--sysroot mi300x --json topo show
	--sysroot mi300x topo pairs
	--sysroot mi300x topo plan --gpus 1
	--sysroot mi300x topo xml --flavor rccl --map mi300x.map
	--sysroot mi300x topo check --map mi300x.map right.xml
	--sysroot mi300x doctor
	doctor --list
	qualify --verify qualify-report.json
	--sysroot heat sensors
	--sysroot mi300x-1.tar.zst monitor
	--sysroot mi300x-1.tar.zst export
	--sysroot host dump --output -
	version
	help
	help status
	status --help
END
"$here/topo-map.sh" "$instinctctl" mi300x || failed=1
"$here/watch" "$instinctctl" mi300x-1.tar.zst || failed=1
"$here/kinds.sh" "$instinctctl" || failed=1
exit $failed
