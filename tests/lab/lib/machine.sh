# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the runner's variables
#
# Runs the machine: QEMU's command line, QEMU's process, and the results.

# machine_arguments: sets qemu (the command) from the board and the options.
machine_arguments() {
	local cpu cmdline devices

	case $iommu in
	intel)
		cpu=max
		# All servers have snoop control. Without it Linux cannot attach a user's domain
		# again if a reset meets its first attach (Linux 7.2 and 7.3 warn).
		devices=(-device "intel-iommu,intremap=on,caching-mode=on,device-iotlb=on,snoop-control=on")
		cmdline="intel_iommu=on"
		;;
	amd)
		cpu=EPYC,+svm
		devices=(-device "amd-iommu,intremap=on,device-iotlb=on")
		# QEMU's tables say that the IOAPIC is a part of 00:14.0, where QEMU has no device.
		# Newer kernels remap interrupts only if they find a southbridge there.
		devices+=(-blockdev "null-co,node-name=southbridge,size=0"
			-device "virtio-blk-pci,drive=southbridge,addr=0x14,class=0x0c05,romfile=")
		cmdline="amd_iommu=on"
		;;
	esac
	# On a busy host the timer is late, hence no_timer_check. machine_autopsy needs
	# unknown_nmi_panic and panic_print. An emulated processor speculates nothing. The tests of the
	# kernel's ciphers take it a tenth of the boot.
	cmdline+=" iommu=pt mitigations=off no_timer_check cryptomgr.notests console=ttyS0 ignore_loglevel panic=-1 unknown_nmi_panic panic_print=0x41 $append"
	# kmemleak makes each allocation three times as expensive.
	[[ -n ${LAB_LEAKS-} ]] || ! kernel_watches || cmdline+=" kmemleak=off"
	if [[ -n $secure_boot ]]; then
		secure_boot_arguments "$cmdline"
	else
		# QEMU writes an ELF image to memory once more when it wakes up from S3.
		[[ -z $s3 ]] || bootable=$vmlinuz
		qemu_boot=(-kernel "$bootable" -initrd "$initramfs" -append "$cmdline")
	fi
	mkfifo "$run/monitor.in" "$run/monitor.out"

	qemu=("$emulator" -nodefaults -no-user-config -display none -no-reboot
		-machine "q35,kernel-irqchip=split" -accel "tcg,thread=multi"
		-cpu "$cpu" -smp "$cpus,sockets=$cpus" -m "${memory}M"
		"${qemu_boot[@]}"
		-serial "file:$log"
		-chardev "pipe,id=monitor,path=$run/monitor" -mon "chardev=monitor,mode=readline"
		"${devices[@]}"
		-fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"
		-device "virtio-9p-pci,id=host,fsdev=host,mount_tag=host"
		-fsdev "local,id=lab,path=$run,security_model=none"
		-device "virtio-9p-pci,id=lab,fsdev=lab,mount_tag=lab"
		-fsdev "local,id=out,path=$out,security_model=none"
		-device "virtio-9p-pci,id=out,fsdev=out,mount_tag=out"
		-device "virtio-serial-pci"
		"${qemu_board[@]}")
	# A kill of QEMU loses no write, so the disk may ignore flushes.
	[[ -z $disk ]] || qemu+=(-drive "file=$disk,format=raw,if=none,id=disk,cache=unsafe"
		-device "virtio-blk-pci,bus=pcie.0,drive=disk")

	if [[ -n $interactive ]]; then
		qemu+=(-chardev "stdio,id=tty,signal=off" -device "virtconsole,chardev=tty")
	else
		qemu+=(-chardev "file,id=stdout,path=$run/stdout" -device "virtserialport,chardev=stdout,name=stdout")
		qemu+=(-chardev "file,id=stderr,path=$run/stderr" -device "virtserialport,chardev=stderr,name=stderr")
	fi
}

# machine_configure: writes the settings and the command, which the lab's own scripts read,
# into the run's folder.
machine_configure() {
	local name
	{
		echo "LAB_TOP=${top@Q}"
		echo "LAB_OUT=${out@Q}"
		echo "LAB_KERNEL=${kernel@Q}"
		echo "LAB_MODULES=${modules@Q}"
		echo "LAB_BOARD=${board@Q}"
		echo "LAB_MODEL=${model@Q}"
		echo "LAB_MODEL_OPTIONS=${model_options@Q}"
		echo "LAB_PRODUCT=${product@Q}"
		echo "LAB_STOCK=${stock@Q} LAB_DROPIN=${LAB_DROPIN@Q}"
		echo "LAB_BMC=${bmc@Q}"
		echo "LAB_SYSTEMD=${systemd@Q}"
		echo "LAB_DEBIAN=${root@Q} LAB_STAGE=${stage@Q} LAB_BEFORE=${before@Q} LAB_CASE=${case_name@Q}"
		echo "LAB_GUEST_FIRMWARE=${guest_firmware@Q}"
		echo "LAB_INTERACTIVE=${interactive@Q} LAB_LEAKS=${LAB_LEAKS@Q}"
	} >"$run/config"

	{
		for name in TERM LANG "${!LAB_@}"; do
			[[ ! -v $name ]] || echo "export $name=${!name@Q}"
		done
		echo "export LAB_OUT=${out@Q} LAB_KERNEL=${kernel@Q} LAB_BOARD=${board@Q} LAB_CASE=${case_name@Q}"
		echo "export LAB_GUEST_KERNEL=${guest_bootable@Q} LAB_GUEST_INITRAMFS=${guest_initramfs@Q}"
		echo "export LAB_GUEST_FIRMWARE=${guest_firmware@Q}"
		echo "export LAB_IMAGE=${vmlinuz@Q} LAB_INITRAMFS=${initramfs@Q}"
		[[ -z $interactive ]] || echo "stty rows $(stty size | sed 's/ / cols /')"
		# A lab on an idle host takes 0.1 s for this loop. Tests scale by its time what they call soon.
		echo 'began=${EPOCHREALTIME/./}; for ((i = 0; i < 5000; i++)); do :; done'
		echo "export LAB_SLOWNESS=\$(($(kernel_slowness) * (1 + (\${EPOCHREALTIME/./} - began) / 200000)))"
		echo "exec ${command[*]@Q}"
	} >"$run/command"
}

# machine_run: boots the machine, relays the command's output, and waits for the end. Sets
# limit and fault. The function tries the whole run once more after a fault of QEMU's own: a
# boot that does not reach init, since only QEMU and the kernel have run until then (QEMU 7.2
# may execute the breakpoint that Linux sets to change code for ever), what machine_watch finds,
# and an end of QEMU without a cause. A program that reads the output has
# to start again at the line "lab: once more", as tests/suite does.
machine_run() {
	# Seconds of a processor. QEMU arranges the memory of all functions anew whenever Linux moves a
	# BAR of one.
	boot_limit=$((90 * $(kernel_slowness) + 6 * board_gpus))
	machine_run_once
	fault=$(machine_fault)
	[[ -n $fault ]] || return 0
	say "$fault"
	mv "$log" "$log.stuck"
	# A run that got past init has changed the disk, so a second run would start differently.
	[[ -z $disk ]] || ! grep -q ' as init process' "$log.stuck" ||
		die lab "no second try with a disk; kernel log: $log.stuck"
	say "once more; kernel log: $log.stuck"
	rm -rf "$run/broken" "$run/status" "$run/started" "$run/failure" "$run/gcov" "$run/std"{out,err}
	machine_run_once
	fault=$(machine_fault)
}

# machine_fault: prints the fault of QEMU's own that ended the run, if there is one.
machine_fault() {
	if [[ $limit == boot* ]]; then
		echo "no init: ${limit#* }"
	elif [[ -e $run/broken ]]; then
		echo "QEMU has lost an interrupt, or an answer: $(<"$run/broken")"
	elif ((ended)) && [[ -z $limit && ! -e $run/lost && ! -e $run/status ]]; then
		echo "QEMU has ended with status $ended: $(tail -n 1 "$run/qemu.err")"
	fi
}

# machine_ask COMMAND…: prints the answers of QEMU's monitor.
machine_ask() {
	local line
	printf '%s\n' "$@" >"$run/monitor.in"
	while IFS= read -r -t 2 -u "$monitor" line; do
		printf '%s\n' "${line%$'\r'}"
	done
}

# machine_deaf: reads the monitor's answers to "info registers -a" and "info lapic N", and
# prints the processors that are halted while an interrupt is in service, and its vector.
machine_deaf() {
	awk '
		/^CPU#/ { cpu = substr($1, 5) }
		/ HLT=1/ { halted[cpu] = 1 }
		/dumping local APIC state/ { cpu = $NF }
		/^ISR/ && $2 ~ /^[0-9]+$/ && halted[cpu] { print "processor " cpu " is halted, with vector " $2 " in service" }'
}

# machine_mute ANSWERS: takes the monitor's answers to "info registers -a" and
# "info virtio-queue-status", and prints the 9p devices with a request that QEMU has not answered,
# or with an answer that no processor has taken, while all processors are halted.
machine_mute() {
	local device inuse used num avail devices=() commands=() events n
	(($(grep -c ' HLT=1' <<<"$1") == cpus)) || return 0
	while read -r device inuse used num avail; do
		devices+=("$device $inuse $used")
		# The driver writes how far it has read behind its ring of requests.
		commands+=("xp /1hx $((avail + 4 + 2 * num))")
	done < <(awk '
		/^\/machine\/peripheral\// { split($1, path, "/"); device = path[4] }
		$1 == "inuse:" { inuse = $2 }
		$1 == "used_idx:" { used = $2 }
		$1 == "num:" { num = $2 }
		$1 == "avail:" { print device, inuse, used, num, $2 }' <<<"$1")
	((${#devices[@]})) || return 0
	mapfile -t events < <(machine_ask "${commands[@]}" | sed -n 's/^[0-9a-f]\{16\}: \(0x[0-9a-f]*\)$/\1/p')
	for n in "${!devices[@]}"; do
		read -r device inuse used <<<"${devices[n]}"
		if ((inuse)); then
			echo "9p device $device: $inuse requests without an answer, after $used answers"
		elif [[ -n ${events[n]-} ]] && ((events[n] != used)); then
			echo "9p device $device: the lab has read $((events[n])) of $used answers"
		fi
	done
}

# machine_watch: kills a machine that QEMU has broken, and writes the reason to a file. Three
# looks in a row have to find the same.
#
# * A processor that takes no interrupts any more. QEMU 7.2 may lose the end of an interrupt: the
# processor has the timer's interrupt in service though it is halted, takes no further one, and
# every task that sleeps on it sleeps for ever. A real processor never halts in a handler.
#
# * A 9p device that is stuck: all tasks wait for files, and nothing ever wakes them (QEMU 10, rare).
machine_watch() {
	local monitor commands=('info registers -a') name answers broken last='' times=0
	for ((name = 0; name < cpus; name++)); do
		commands+=("info lapic $name")
	done
	for name in host lab out; do
		commands+=("info virtio-queue-status /machine/peripheral/$name/virtio-backend 0")
	done
	exec {monitor}<>"$run/monitor.out"
	while sleep 15; do
		answers=$(machine_ask "${commands[@]}")
		broken=$(machine_deaf <<<"$answers"; machine_mute "$answers")
		if [[ -z $broken || $broken != "$last" ]]; then
			last=$broken times=0
		elif ((++times == 2)); then
			printf '%s' "${broken//$'\n'/; }" >"$run/broken"
			kill -KILL "$machine"
			return
		fi
	done
}

# machine_limit: returns when the machine has reached a limit, and prints which and why. A busy host
# slows the machine down, so the limits count the processor time that QEMU has used, and silence
# counts the time in which QEMU did not wait for a processor; an hour of the clock is the last resort.
machine_limit() {
	local began=$SECONDS booted='' line stats size last=0 tick=2 used waited delay waited_before=0 silence=0
	while sleep $tick; do
		line=$(cat "/proc/$machine/stat" 2>/dev/null) || return
		# shellcheck disable=SC2206 # the fields behind the program's name are words
		stats=(${line##*) })
		used=$(((stats[11] + stats[12]) / 100))
		waited=$(cat "/proc/$machine/task/"*/schedstat 2>/dev/null | awk '{ sum += $2 } END { printf "%d", sum / 1e6 }' || true)
		size=$(cat "$run/stdout" "$run/stderr" "$log" | wc -c)
		# In ms. The time of a thread that has ended is missing from the sum.
		delay=$((waited - waited_before))
		delay=$((delay < 0 ? 0 : delay > 1000 * tick ? 1000 * tick : delay))
		silence=$((size == last ? silence + 1000 * tick - delay : 0))
		last=$size waited_before=$waited
		[[ -n $booted ]] || ! grep -q ' as init process' "$log" || booted=yes
		if [[ -z $booted ]] && ((used > boot_limit)); then
			echo "boot $used s of a processor"
		elif ((used > timeout)); then
			echo "end $used s of a processor, of $timeout"
		elif ((silence > 300000 * $(kernel_slowness))); then
			echo "end no line for $((silence / 1000)) s of its own time"
		elif ((SECONDS - began > 3600 + timeout)); then
			echo "end $((SECONDS - began)) s by the clock"
		else
			continue
		fi
		return
	done
}

# machine_run_once: runs the machine once. Its output goes through files: unlike pipes they
# never make the lab wait, and they lose nothing if the reader is slow.
machine_run_once() {
	local watchdog watch relay=() finished=''

	limit='' ended=0
	started=$EPOCHREALTIME
	if [[ -n $interactive ]]; then
		setpriv --pdeathsig KILL "${qemu[@]}" 2>"$run/qemu.err" || true
		return
	fi

	touch "$run/stdout" "$run/stderr"
	setpriv --pdeathsig KILL "${qemu[@]}" </dev/null 2>"$run/qemu.err" &
	machine=$!
	tail -c +1 -f -s 0.05 --pid="$machine" "$run/stdout" &
	relay+=($!)
	tail -c +1 -f -s 0.05 --pid="$machine" "$run/stderr" >&2 &
	relay+=($!)
	machine_limit >"$run/limit" &
	watchdog=$!
	machine_watch </dev/null >/dev/null 2>&1 &
	watch=$!
	[[ -z $power_loss ]] || machine_lose_power &

	# bash would report a killed machine on stderr.
	{ wait -n -p finished "$machine" "$watchdog" || ended=$?; } 2>/dev/null
	limit=$(<"$run/limit")
	if [[ $finished != "$machine" ]]; then
		ended=0
		[[ $limit != end* ]] || machine_autopsy
		[[ -z $limit ]] || kill -KILL "$machine" 2>/dev/null || true
	fi
	{ wait "$machine" || true; } 2>/dev/null
	kill "$watchdog" "$watch" 2>/dev/null || true
	wait "${relay[@]}" || true
}

# machine_lose_power: kills the machine as --power-loss says, without warning.
machine_lose_power() {
	local silence
	exec {silence}<> <(:)
	grep -q -m 1 -F -- "${power_loss%@*}" < <(exec tail -c +1 -f --pid="$machine" "$log")
	# A sleep process would start too late.
	read -r -t "${power_loss##*@}" -u "$silence" || true
	: >"$run/lost"
	kill -KILL "$machine"
}

# machine_autopsy: makes a machine that has not ended in time panic by an NMI, so that its
# kernel log shows the activity of its processors and tasks. If the log does not grow, QEMU
# itself hangs, and the log gets the state of QEMU's threads. Sets alive, the length of the
# log before the NMI.
machine_autopsy() {
	local thread
	alive=$(stat -c %s "$log")
	timeout 5 bash -c 'echo nmi >"$1"' - "$run/monitor.in" || true
	timeout 20 tail -f -s 0.2 --pid="$machine" /dev/null || true
	(($(stat -c %s "$log") < alive + 500)) || return 0
	for thread in /proc/"$machine"/task/*; do
		echo "lab: QEMU thread $(<"$thread/comm"): $(<"$thread/wchan")"
		cat "$thread/syscall" "$thread/stack"
	done >>"$log" 2>&1 || true
}

# machine_keep_counts: keeps gcov's counts of the product for tests/coverage/module.
machine_keep_counts() {
	mkdir -p "$top/build/coverage/kmod"
	mv "$run/gcov" "$top/build/coverage/kmod/$(basename "$log" .log)"
}

# machine_verdict: reports the end of the run, and exits with its status.
machine_verdict() {
	[[ ! -d $run/gcov ]] || machine_keep_counts
	[[ -z $verbose || ! -e $run/started ]] ||
		say "first command after $(awk "BEGIN { print $(stat -c %.Y "$run/started") - $started }") s"
	say "kernel log: $log"

	if [[ $limit != end* ]] && log_has_splat "$log"; then
		log_first_splat "$log" >&2
		die splat "the kernel reported a fault (above)"
	elif [[ -e $run/status && $limit != end* ]]; then
		exit "$(<"$run/status")"
	elif [[ -e $run/lost && $limit != end* ]]; then
		exit 0
	fi

	cat "$run/qemu.err" >&2
	if [[ $limit == end* ]]; then
		log_autopsy "$log" "$alive" >&2
		die lab "the lab did not end: ${limit#end }; the activity of its tasks is above"
	fi
	tail -n 40 "$log" >&2
	if [[ -e $run/failure ]]; then
		die lab "$(<"$run/failure")"
	fi
	die lab "${fault:-the lab ended without running the command to its end}; the end of the kernel log is above"
}
