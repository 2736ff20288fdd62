# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the runner's variables
#
# Chooses the kernel that the lab boots, and builds modules for it. These variables describe
# the kernel:
#   kernel   its release, as uname -r prints it
#   vmlinuz  its image
#   modules  its module directory, as in /lib/modules

# kernel_installed: prints the releases that have an image, modules and headers.
kernel_installed() {
	local dir release
	for dir in /lib/modules/*/; do
		release=$(basename "$dir")
		[[ -e $dir/modules.dep && -d $dir/build/ ]] || continue
		[[ -e /boot/vmlinuz-$release || -e $dir/vmlinuz ]] || continue
		echo "$release"
	done | sort -V
}

# kernel_release IMAGE: prints the release that a bzImage names. The header has the name's
# address at 0x20e, counted from 0x200 (Documentation/arch/x86/boot.rst).
kernel_release() {
	local offset release
	offset=$(od -An -tu2 -j0x20e -N2 "$1")
	read -r -d ' ' release < <(tail -c "+$((offset + 0x201))" "$1") || return 1
	echo "$release"
}

# kernel_newest NAME: prints the newest installed release that is NAME or of that series
# ("6.12").
kernel_newest() {
	kernel_installed | awk -v name="$1" 'name == "" || $0 == name || index($0, name ".") == 1' | tail -n 1
}

# kernel_suite NAME: prints the Debian suite that has the series NAME, or is NAME.
kernel_suite() {
	awk -v name="$1" '/^[^#]/ && ($1 == name || $2 == name) { print $2 }' "$top/tests/fetch/kernels"
}

# kernel_debug: prints the names of the kernels that tests/fetch/debug-kernel makes.
kernel_debug() {
	(cd "$lab/config" && printf '%s\n' *) | grep -vx common
}

# kernel_names: prints the names that -k accepts besides releases and paths.
kernel_names() {
	{ awk '/^[^#]/ { print $1 }' "$top/tests/fetch/kernels" && kernel_debug; } | paste -sd , | sed 's/,/, /g'
}

# kernel_from_root ROOT: chooses the newest kernel of the Debian in that folder.
kernel_from_root() {
	while read -r kernel; do
		modules=$1/usr/lib/modules/$kernel
		for vmlinuz in "$1/boot/vmlinuz-$kernel" "$modules/vmlinuz"; do
			[[ ! -r $vmlinuz || ! -e $modules/modules.dep ]] || return 0
		done
	done < <(cd "$1" && ls usr/lib/modules 2>/dev/null | sort -rV)
	die lab "$1 holds no kernel with its modules"
}

# kernel_from_suite SUITE: chooses the kernel that tests/fetch/kernel-root has of SUITE.
kernel_from_suite() {
	local root
	root=$("$top/tests/fetch/kernel-root" "$1") || die lab "there is no kernel of Debian $1 (above)"
	kernel_from_root "$root"
}

# kernel_choose WANTED MODULES: WANTED is a release, a series or a suite of tests/fetch/kernels,
# a name of tests/fetch/debug-kernel, an image, the folder of a Debian, or empty for the newest
# installed kernel. MODULES may name an image's or a release's module directory. An installed
# kernel takes precedence over a suite's.
kernel_choose() {
	local wanted=$1 suite root
	modules=$2

	if kernel_debug | grep -qxFe "$wanted"; then
		root=$("$top/tests/fetch/debug-kernel" "$wanted") || die lab "there is no kernel $wanted (above)"
		kernel_from_root "$root"
		return
	elif [[ $wanted == */* && -d $wanted ]]; then
		kernel_from_root "$(realpath "$wanted")"
		return
	elif [[ $wanted == */* ]]; then
		[[ -r $wanted ]] || usage_error "-k: $wanted is not a readable kernel image"
		vmlinuz=$(realpath "$wanted")
		kernel=$(kernel_release "$vmlinuz") ||
			usage_error "-k: $wanted is not an x86 kernel image (bzImage)"
	else
		kernel=$(kernel_newest "$wanted")
		[[ -n $wanted$kernel ]] ||
			die lab "no kernel with headers here: install linux-image-amd64 and linux-headers-amd64"
		if [[ -z $kernel ]] && suite=$(kernel_suite "$wanted") && [[ -n $suite ]]; then
			kernel_from_suite "$suite"
			return
		fi
		kernel=${kernel:-$wanted}
		for vmlinuz in "/boot/vmlinuz-$kernel" "/lib/modules/$kernel/vmlinuz"; do
			[[ ! -r $vmlinuz ]] || break
		done
		[[ -r $vmlinuz ]] ||
			usage_error "-k: no kernel $kernel; there is: $(kernel_installed | tr '\n' ' ')besides $(kernel_names), or give the path of an image, or of a Debian's folder"
	fi

	modules=$(realpath -m "${modules:-/lib/modules/$kernel}")
	[[ -e $modules/modules.dep ]] ||
		usage_error "no modules.dep in $modules: say with --modules where the modules of $kernel are"
}

# kernel_field OFFSET SIZE: prints a number of the image's setup header.
kernel_field() {
	od -An -tu"$2" -j"$1" -N"$2" "$vmlinuz"
}

# kernel_payload: prints the ELF image that the bzImage carries. It reads the fields
# setup_sects, payload_offset and payload_length (Documentation/arch/x86/boot.rst).
kernel_payload() {
	local start=$((($(kernel_field 0x1f1 1) + 1) * 512 + $(kernel_field 0x248 4)))
	local unpack

	tail -c "+$((start + 1))" "$vmlinuz" | head -c "$(kernel_field 0x24c 4)" >"$run/payload"
	case $(od -An -tx1 -N4 "$run/payload") in
	" fd 37 7a 58") unpack="xz --single-stream -dc" ;;
	" 28 b5 2f fd") unpack="zstd -qdc" ;;
	" 1f 8b "*) unpack="gzip -dc" ;;
	*) return 1 ;;
	esac
	# The size that follows the payload is trailing garbage to these tools.
	$unpack <"$run/payload" 2>/dev/null || true
}

# kernel_bootable: prints the path of the image that QEMU boots: the ELF image if it has a
# PVH entry (note 0x12, XEN_ELFNOTE_PHYS32_ENTRY), else the bzImage. Unpacking the ELF image
# once here saves three seconds of each boot of the lab, and of the nested guest.
kernel_bootable() {
	local image=$cache/vmlinux

	if outdated "$image" "$vmlinuz" "$lab/lib/kernel.sh"; then
		if kernel_payload >"$run/vmlinux" && readelf -n "$run/vmlinux" | grep -q 0x00000012; then
			mv "$run/vmlinux" "$image"
		else
			ln -sfT "$vmlinuz" "$image"
		fi
	fi
	echo "$image"
}

# kernel_made: succeeds if tests/fetch/debug-kernel made the kernel.
kernel_made() {
	[[ $modules == */debug-kernel/* ]]
}

# kernel_watches: succeeds if the kernel watches itself, which makes it slow.
kernel_watches() {
	kernel_made && [[ $modules != */debug-kernel/iommufd-* ]]
}

# kernel_slowness: prints the factor by which everything may take longer.
kernel_slowness() {
	if kernel_watches; then echo 4; else echo 1; fi
}

# kernel_guest: prints the path of the image that the nested guest boots: the lab's own, or,
# if tests/fetch/debug-kernel made that, the newest installed kernel's. A kernel that watches itself
# is slow, and no test reads its log in a guest.
kernel_guest() {
	if kernel_made; then
		INSTINCT_KERNEL='' kernel_choose "" ""
		cache=$top/build/lab/$kernel
		mkdir -p "$cache"
	fi
	kernel_bootable
}

# kernel_build_model: builds the hardware model, and prints the module's path.
kernel_build_model() {
	local from=$lab/model build=$cache/model
	local module=$build/instinct-model.ko

	if outdated "$module" "$from" "$modules/modules.dep"; then
		mkdir -p "$build"
		cp -rT --preserve=timestamps "$from" "$build"
		"$top/tests/tools/kbuild" "$modules/build" "$build" -s modules >&2 ||
			die lab "the hardware model does not build for $kernel"
		touch "$module"
	fi
	echo "$module"
}

# kernel_build_product: builds the product, and prints the module's path. A kernel with gcov
# counts the product's executed lines. Without early inlining gcov counts each function once,
# not in each of its callers.
kernel_build_product() {
	local arguments=''
	! grep -qsx CONFIG_GCOV_KERNEL=y "$modules/build/.config" ||
		arguments='GCOV_PROFILE=y KCFLAGS=-fno-early-inlining'
	make -s -C "$top" module KVER="$kernel" KDIR="$modules/build" MODULE_ARGS="$arguments" >&2 ||
		die lab "the product does not build for $kernel"
	echo "$top/build/kmod/$kernel/instinct-vfio-pci.ko"
}
