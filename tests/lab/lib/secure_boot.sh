# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the runner's variables
#
# Configures a machine with UEFI Secure Boot: OVMF with Microsoft's keys starts Debian's
# shim, shim starts GRUB, and GRUB starts the kernel; each verifies the next. The kernel then
# turns lockdown on and loads signed modules only.
#
# The folder that --secure-boot names keeps:
#   vars.fd            the firmware's variables; the runner makes the file if it is missing
#   mok.key, mok.pub   optional; the runner signs the model and the product with them

readonly secure_boot_code=/usr/share/OVMF/OVMF_CODE_4M.ms.fd
readonly secure_boot_vars=/usr/share/OVMF/OVMF_VARS_4M.ms.fd
readonly secure_boot_shim=/usr/lib/shim/shimx64.efi.signed
readonly secure_boot_manager=/usr/lib/shim/mmx64.efi.signed
readonly secure_boot_grub=/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed

# secure_boot_need: ends the run if a package that Secure Boot needs is not installed.
secure_boot_need() {
	local file
	declare -A package=([$secure_boot_code]=ovmf [$secure_boot_shim]=shim-signed
		[$secure_boot_manager]=shim-helpers-amd64-signed
		[$secure_boot_grub]=grub-efi-amd64-signed)
	need mcopy mtools
	for file in "${!package[@]}"; do
		[[ -e $file ]] || die lab "$file is missing: install the package ${package[$file]}"
	done
}

# secure_boot_sign: signs copies, in the run's folder, of the modules that the runner built.
secure_boot_sign() {
	[[ -e $secure_boot/mok.key ]] || return 0
	[[ -z $model ]] || model=$(secure_boot_signed "$model")
	[[ -z $product ]] || product=$(secure_boot_signed "$product")
}

# secure_boot_signed MODULE: makes a signed copy, and prints its path.
secure_boot_signed() {
	local signed
	signed=$run/$(basename "$1")
	"$modules/build/scripts/sign-file" sha256 "$secure_boot"/mok.{key,pub} "$1" "$signed" >&2 ||
		die lab "$1: cannot be signed with $secure_boot/mok.key"
	echo "$signed"
}

# secure_boot_disk CMDLINE: makes the disk that the firmware boots from.
secure_boot_disk() {
	local disk=$run/esp
	printf '%s\n' "linux /linux $1" "initrd /initrd" boot >"$run/grub.cfg"
	truncate -s 128M "$disk"
	mformat -i "$disk" -F ::
	mmd -i "$disk" ::EFI ::EFI/BOOT ::EFI/debian
	mcopy -i "$disk" "$secure_boot_shim" ::EFI/BOOT/BOOTX64.EFI
	mcopy -i "$disk" "$secure_boot_manager" ::EFI/BOOT/mmx64.efi
	mcopy -i "$disk" "$secure_boot_grub" ::EFI/BOOT/grubx64.efi
	mcopy -i "$disk" "$run/grub.cfg" ::EFI/debian/grub.cfg
	mcopy -i "$disk" "$vmlinuz" ::linux
	mcopy -i "$disk" "$initramfs" ::initrd
}

# secure_boot_arguments CMDLINE: sets qemu_boot, the firmware and its disk.
secure_boot_arguments() {
	secure_boot_disk "$1"
	[[ -e $secure_boot/vars.fd ]] || cp "$secure_boot_vars" "$secure_boot/vars.fd"
	qemu_boot=(-global "driver=cfi.pflash01,property=secure,value=on"
		-drive "if=pflash,format=raw,unit=0,file=$secure_boot_code,readonly=on"
		-drive "if=pflash,format=raw,unit=1,file=$secure_boot/vars.fd"
		-drive "if=none,id=esp,format=raw,file=$run/esp,readonly=on"
		-device "virtio-blk-pci,drive=esp,bootindex=0")
}

# secure_boot_answer TEXT KEY…: waits until the firmware's screen shows TEXT after the last
# answer, and presses the keys.
secure_boot_answer() {
	local text=$1 key tries=0
	shift
	until tail -c "+$((screen_seen + 1))" "$run/screen" | grep -qaF -- "$text"; do
		if ((tries++ == 300)) || ! kill -0 "$firmware" 2>/dev/null; then
			strings "$run/screen" | tail -n 40 >&2
			die lab "MokManager does not show \"$text\"; the end of its screen is above"
		fi
		sleep 0.2
	done
	# MokManager draws the menu after its title.
	sleep 0.5
	screen_seen=$(stat -c %s "$run/screen")
	for key; do
		echo "sendkey $key" >&"$keyboard"
		sleep 0.2
	done
}

# secure_boot_enrol PASSWORD: makes MokManager enrol the key that `mokutil --import` asked for
# in the boot before, by keys at the console. Ends with MokManager's reboot.
secure_boot_enrol() {
	local firmware keyboard screen_seen=0 characters
	mapfile -t characters < <(grep -o . <<<"$1")
	: >"$run/screen"
	mkfifo "$run/keyboard.in" "$run/keyboard.out"
	setpriv --pdeathsig KILL "$emulator" -nodefaults -no-user-config -display none \
		-no-reboot -machine q35 -accel tcg -cpu max -m 512M "${qemu_boot[@]}" \
		-serial "file:$run/screen" -chardev "pipe,id=keyboard,path=$run/keyboard" \
		-mon "chardev=keyboard,mode=readline" </dev/null &
	firmware=$!
	exec {keyboard}<>"$run/keyboard.in"
	secure_boot_answer "Press any key to perform MOK management" ret
	secure_boot_answer "Enroll MOK" down ret
	secure_boot_answer "View key 0" down ret
	secure_boot_answer "Enroll the key(s)?" down ret
	secure_boot_answer "Password:" "${characters[@]}" ret
	secure_boot_answer "Reboot" ret
	wait "$firmware" || true
	exec {keyboard}>&-
}
