# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2034 # the runner's variables
#
# Makes a Debian the lab's root, with the files of `make install` and an initramfs. Each run
# makes its own layer of files, so that no run sees another's changes; a Debian on a disk
# keeps its changes.

# debian_build: sets root, stage (the layer over it) and initramfs.
debian_build() {
	local from=$initramfs
	root=$("$top/tests/fetch/debian-root") || die lab "there is no Debian for the lab (above)"
	stage=$run/stage
	debian_install
	initramfs=$run/lab.cpio
	{
		cat "$from"
		debian_initramfs
	} >"$initramfs"
	rm "$stage/lib/modules/$kernel/kernel"
}

# debian_build_disk: sets root and initramfs for a Debian on a disk. The disk has its own
# modules, and the product only if a test has installed it there.
debian_build_disk() {
	local from=$initramfs tree=$run/disk
	root=/dev/vda
	mkdir -p "$tree"
	[[ -z $model ]] || cp "$model" "$tree/model.ko"
	image_module_files virtio_blk ext4 |
		{ grep -vxF -f <(image_module_files "${image_modules[@]}") || :; } | image_modules "$tree" disk
	image_pack "$tree" "$run/disk.cpio"
	initramfs=$run/lab.cpio
	cat "$from" "$run/disk.cpio" >"$initramfs"
}

# debian_install: installs the product into the stage. depmod and modprobe need the links to
# the kernel's modules here; in the lab an overlay shows the modules.
debian_install() {
	mkdir -p "$stage/usr/lib"
	ln -s usr/lib "$stage/lib"
	make -s -C "$top" install KVER="$kernel" KDIR="$modules/build" DESTDIR="$stage" PREFIX=/usr \
		>"$run/install" 2>&1 || { cat "$run/install" >&2; die lab "make install failed"; }
	ln -s "$modules"/{kernel,modules.order,modules.builtin{,.modinfo}} "$stage/lib/modules/$kernel/"
	depmod -b "$stage" "$kernel"
}

# debian_initramfs: prints an archive to append to the lab's initramfs: the model and, with
# --early, the product's modules, modprobe and its configuration, as in a Debian's initramfs.
debian_initramfs() {
	local tree=$run/early release=lib/modules/$kernel file

	mkdir -p "$tree"
	[[ -z $model ]] || cp "$model" "$tree/model.ko"
	if [[ -n $early ]]; then
		mkdir -p "$tree/usr/lib" "$tree/sbin" "$tree/$release"
		cp -r "$stage/usr/lib/modprobe.d" "$tree/lib/"
		cp "$(realpath "$(type -P modprobe)")" "$tree/sbin/modprobe"
		ldd "$tree/sbin/modprobe" | grep -o '/[^ ]*' | xargs cp -L --parents -t "$tree"
		modprobe -d "$stage" -S "$kernel" -a --show-depends instinct_vfio_pci |
			awk '$1 == "insmod" { print $2 }' >"$run/early.list"
		while read -r file; do
			install -D -m 644 "$file" "$tree/${file#"$stage/"}"
		done <"$run/early.list"
		cp "$modules"/modules.{order,builtin{,.modinfo}} "$tree/$release/"
		depmod -b "$tree" "$kernel"
	fi
	image_pack "$tree" "$run/early.cpio"
	cat "$run/early.cpio"
}
