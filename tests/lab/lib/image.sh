# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the runner's variables
#
# The initramfs of the lab and that of the nested guest, made once per kernel.

# What reaches the host's file system and the runner; everything else is
# loaded from there.
readonly image_modules=(virtio_pci 9pnet_virtio 9p overlay virtio_console)

# image_unpack FILE: a module's contents, whatever it is compressed with.
image_unpack() {
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.zst) zstd -qdc "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

# image_pack DIR FILE: DIR as an initramfs; not compressed, since the lab
# would be slower at unpacking it than the host is at reading it.
image_pack() {
	(cd "$1" && find . -print0 | cpio --quiet --null -o -H newc) >"$2.new"
	mv "$2.new" "$2"
}

# image_module_files MODULE…: their files and of what they depend on, in the order to
# load them. What is built into the kernel has none.
image_module_files() {
	mkdir -p "$run/root/lib/modules"
	ln -sfT "$modules" "$run/root/lib/modules/$kernel"
	modprobe -d "$run/root" -S "$kernel" -a --show-depends "$@" |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# image_modules TREE NAME: puts the modules whose files it reads into TREE, and their order
# into NAME.list.
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

# image_build_lab: makes the lab's initramfs if it is missing or outdated,
# prints its path.
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

# image_build_guest: the same for the nested guest, whose only process is
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

# image_build_firmware: the same for the guest that is all firmware: 64 KiB that
# end at 4 GiB, with the processor's first instruction at their very end.
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
