# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the runner's variables
#
# Makes the initramfs of the lab and that of the nested guest, once per kernel.

# Modules that reach the host's file system and the runner. The lab loads all others from
# the host's file system.
readonly image_modules=(virtio_pci 9pnet_virtio 9p overlay virtio_console)

# image_unpack FILE: prints a module's contents, decompressed.
image_unpack() {
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -qdc "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

# image_pack DIR FILE: packs DIR as an initramfs. The archive is not compressed, since the
# lab would take longer to unpack it than the host takes to read it.
image_pack() {
	(cd "$1" && find . -print0 | cpio --quiet --null -o -H newc) >"$2.new"
	mv "$2.new" "$2"
}

# image_module_files MODULE…: prints the files of these modules and of their dependencies, in
# the order to load them. A module that is built into the kernel has no file.
image_module_files() {
	mkdir -p "$run/root/lib/modules"
	ln -sfT "$modules" "$run/root/lib/modules/$kernel"
	modprobe -d "$run/root" -S "$kernel" -a --show-depends "$@" |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# image_modules TREE NAME: reads the names of modules' files, puts the modules into TREE, and
# their order into NAME.list.
image_modules() {
	local file name
	mkdir -p "$1/modules"
	while read -r file; do
		name=$(basename "$file")
		name=${name%.ko*}.ko
		image_unpack "$file" >"$1/modules/$name"
		echo "$name"
	done >"$1/$2.list"
}

# image_build_lab: makes the lab's initramfs if it is missing or outdated, and prints its
# path.
image_build_lab() {
	local image=$cache/lab.cpio tree name

	if outdated "$image" "$lab/init" "$lab/lib/image.sh" "$modules/modules.dep" /bin/busybox; then
		tree=$run/initramfs
		mkdir -p "$tree"/{bin,dev,proc,sys}
		image_module_files "${image_modules[@]}" | image_modules "$tree" modules
		cp /bin/busybox "$tree/bin/"
		for name in sh mount mkdir insmod poweroff switch_root; do
			ln -s busybox "$tree/bin/$name"
		done
		cp "$lab/init" "$tree/init"
		image_pack "$tree" "$image"
	fi
	echo "$image"
}

# image_build_guest: does the same for the nested guest, whose only process is
# guest/check.c.
image_build_guest() {
	local image=$cache/guest.cpio tree

	if outdated "$image" "$lab/guest/check.c" "$lab/lib/image.sh"; then
		tree=$run/guest
		mkdir -p "$tree"/{dev,sys}
		gcc -static -Os -Wall -Wextra -Werror -o "$tree/init" "$lab/guest/check.c" ||
			die lab "tests/lab/guest/check.c does not build: it needs gcc and libc6-dev"
		strip "$tree/init"
		image_pack "$tree" "$image"
	fi
	echo "$image"
}

# image_build_firmware: does the same for the guest that is all firmware. Its 64 KiB end at
# 4 GiB, and the processor's first instruction is in the last 16 bytes.
image_build_firmware() {
	local image=$cache/firmware.rom

	if outdated "$image" "$lab/guest/firmware.c" "$lab/lib/image.sh"; then
		gcc -m32 -march=i686 -std=gnu11 -Os -Wall -Wextra -Werror -Wno-parentheses \
			-ffreestanding -fno-pic -fno-pie -fno-stack-protector \
			-fno-asynchronous-unwind-tables -nostdlib -static \
			-Wl,--oformat=binary,--build-id=none,-e,firmware,-Ttext=0xffff0000 \
			-Wl,--section-start=.entry=0xffffff00,--section-start=.reset=0xfffffff0 \
			-o "$image.new" "$lab/guest/firmware.c" ||
			die lab "tests/lab/guest/firmware.c does not build: it needs gcc"
		mv "$image.new" "$image"
	fi
	echo "$image"
}
