# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # the runner's variables
#
# The machine itself: QEMU's command line, its life, and what it left.

# machine_arguments: sets qemu (the command) from the board and the options.
machine_arguments() {
	local cpu cmdline devices

	case $iommu in
	intel)
		cpu=max
		devices=(-device "intel-iommu,intremap=on,caching-mode=on,device-iotlb=on")
		cmdline="intel_iommu=on"
		;;
	amd)
		cpu=EPYC,+svm
		devices=(-device "amd-iommu,intremap=on,device-iotlb=on")
		# QEMU says that the IOAPIC is a part of 00:14.0, where it has nothing. Newer
		# kernels look whether a southbridge is there, and remap no interrupts else.
		devices+=(-blockdev "null-co,node-name=southbridge,size=0"
			-device "virtio-blk-pci,drive=southbridge,addr=0x14,class=0x0c05,romfile=")
		cmdline="amd_iommu=on"
		;;
	esac
	# no_timer_check: on a busy host the timer is late. unknown_nmi_panic and
	# panic_print: what machine_autopsy wants to read.
	cmdline+=" iommu=pt no_timer_check console=ttyS0 ignore_loglevel panic=-1 unknown_nmi_panic panic_print=0x41 $append"
	# It has each allocation cost three times as much.
	[[ -n ${LAB_LEAKS-} ]] || ! kernel_watches || cmdline+=" kmemleak=off"
	if [[ -n $secure_boot ]]; then
		secure_boot_arguments "$cmdline"
	else
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
		-device "virtio-9p-pci,fsdev=host,mount_tag=host"
		-fsdev "local,id=lab,path=$run,security_model=none"
		-device "virtio-9p-pci,fsdev=lab,mount_tag=lab"
		-fsdev "local,id=out,path=$out,security_model=none"
		-device "virtio-9p-pci,fsdev=out,mount_tag=out"
		-device "virtio-serial-pci"
		"${qemu_board[@]}")
	# Its order of writes is the guest's business only: no power is lost.
	[[ -z $disk ]] || qemu+=(-drive "file=$disk,format=raw,if=none,id=disk,cache=unsafe"
		-device "virtio-blk-pci,bus=pcie.0,drive=disk")

	if [[ -n $interactive ]]; then
		qemu+=(-chardev "stdio,id=tty,signal=off" -device "virtconsole,chardev=tty")
	else
		qemu+=(-chardev "file,id=stdout,path=$run/stdout" -device "virtserialport,chardev=stdout,name=stdout")
		qemu+=(-chardev "file,id=stderr,path=$run/stderr" -device "virtserialport,chardev=stderr,name=stderr")
	fi
}

# machine_configure: leaves in the run's folder what the lab's own scripts
# read: the settings and the command.
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
		echo "LAB_STOCK=${stock@Q}"
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
		echo "export LAB_GUEST_FIRMWARE=${guest_firmware@Q} LAB_SLOWNESS=$(kernel_slowness)"
		[[ -z $interactive ]] || echo "stty rows $(stty size | sed 's/ / cols /')"
		echo "exec ${command[*]@Q}"
	} >"$run/command"
}

# machine_run: boots, relays the command's output, waits. Sets timed_out and fault. What is QEMU's own
# fault has the whole run tried once more: a boot that does not get as far as init, up to which
# only QEMU and the kernel have run (QEMU 7.2 may go on executing the breakpoint that Linux puts
# where it changes code, for ever), a processor that has gone deaf, and an end that nobody asked
# for. Who adds up what the command said begins anew at "lab: once more".
machine_run() {
	boot_limit=$((120 * $(kernel_slowness)))
	machine_run_once
	fault=$(machine_fault)
	[[ -n $fault ]] || return 0
	say "$fault"
	mv "$log" "$log.stuck"
	# What a run that came so far has left on it is not what this one wants to find.
	[[ -n $stuck || -z $disk ]] || die lab "no second try with a disk; kernel log: $log.stuck"
	say "once more; kernel log: $log.stuck"
	rm -rf "$run/deaf" "$run/status" "$run/started" "$run/failure" "$run/gcov" "$run/std"{out,err}
	machine_run_once
	fault=$(machine_fault)
}

# machine_fault: what is QEMU's own fault of how it ended.
machine_fault() {
	if [[ -n $stuck ]]; then
		echo "no init after $boot_limit seconds"
	elif [[ -e $run/deaf ]]; then
		echo "QEMU has lost the end of an interrupt: $(<"$run/deaf")"
	elif ((ended)) && [[ -z $timed_out && ! -e $run/lost && ! -e $run/status ]]; then
		echo "QEMU has ended with status $ended: $(tail -n 1 "$run/qemu.err")"
	fi
}

# machine_ask COMMAND…: what QEMU's monitor says to them.
machine_ask() {
	local line
	printf '%s\n' "$@" >"$run/monitor.in"
	while IFS= read -r -t 2 -u "$monitor" line; do
		printf '%s\n' "${line%$'\r'}"
	done
}

# machine_deaf: of what the monitor says to "info registers -a" and "info lapic N": which
# processors are halted in the middle of an interrupt, and of which.
machine_deaf() {
	awk '
		/^CPU#/ { cpu = substr($1, 5) }
		/ HLT=1/ { halted[cpu] = 1 }
		/dumping local APIC state/ { cpu = $NF }
		/^ISR/ && $2 ~ /^[0-9]+$/ && halted[cpu] { print "processor " cpu " is halted, with vector " $2 " in service" }'
}

# machine_watch: kills a machine that has gone deaf, and leaves a word of it. QEMU 7.2 may lose
# the end of an interrupt: the processor has the timer's in service though it is halted, takes
# it no more, and whoever sleeps there sleeps for ever. A real one never halts in a handler.
machine_watch() {
	local monitor commands=('info registers -a') cpu deaf last='' times=0
	for ((cpu = 0; cpu < cpus; cpu++)); do
		commands+=("info lapic $cpu")
	done
	exec {monitor}<>"$run/monitor.out"
	while sleep 15; do
		deaf=$(machine_ask "${commands[@]}" | machine_deaf)
		if [[ -z $deaf || $deaf != "$last" ]]; then
			last=$deaf times=0
		elif ((++times == 2)); then
			printf '%s' "${deaf//$'\n'/; }" >"$run/deaf"
			kill -KILL "$machine"
			return
		fi
	done
}

# machine_run_once: the output goes through files, which unlike pipes never make the lab
# wait or lose what a slow reader has not taken yet.
machine_run_once() {
	local watchdog boot_watchdog watch relay=() finished=''

	timed_out='' stuck='' ended=0
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
	sleep "$boot_limit" &
	boot_watchdog=$!
	sleep "$timeout" &
	watchdog=$!
	machine_watch </dev/null >/dev/null 2>&1 &
	watch=$!
	[[ -z $power_loss ]] || machine_lose_power &

	# It would tell of a machine that is killed.
	{ wait -n -p finished "$machine" "$watchdog" "$boot_watchdog" || ended=$?; } 2>/dev/null
	if [[ $finished == "$boot_watchdog" ]] && ! grep -q ' as init process' "$log"; then
		stuck=yes
		kill -KILL "$machine" 2>/dev/null || true
	elif [[ $finished == "$boot_watchdog" ]]; then
		{ wait -n -p finished "$machine" "$watchdog" || ended=$?; } 2>/dev/null
	fi
	if [[ $finished == "$watchdog" ]]; then
		timed_out=yes
		machine_autopsy
		kill -KILL "$machine" 2>/dev/null || true
	fi
	[[ $finished == "$machine" ]] || ended=0
	{ wait "$machine" || true; } 2>/dev/null
	kill "$watchdog" "$boot_watchdog" "$watch" 2>/dev/null || true
	wait "${relay[@]}" || true
}

# machine_lose_power: ends the machine as --power-loss says, with no warning to it.
machine_lose_power() {
	local silence
	exec {silence}<> <(:)
	grep -q -m 1 -F -- "${power_loss%@*}" < <(exec tail -c +1 -f --pid="$machine" "$log")
	# A process to sleep in would come too late.
	read -r -t "${power_loss##*@}" -u "$silence" || true
	: >"$run/lost"
	kill -KILL "$machine"
}

# machine_autopsy: makes a machine that has not ended in time say what its
# processors and tasks are at, in the kernel log: an NMI makes it panic. If the
# log does not grow by that, it is QEMU that hangs, and its threads are shown.
# Sets alive, the length of the log before all that.
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

# machine_keep_counts: what of the product was executed, for tests/coverage.
machine_keep_counts() {
	mkdir -p "$top/build/coverage/kmod"
	mv "$run/gcov" "$top/build/coverage/kmod/$(basename "$log" .log)"
}

# machine_verdict: says how the run ended and ends with the right status.
machine_verdict() {
	[[ ! -d $run/gcov ]] || machine_keep_counts
	[[ -z $verbose || ! -e $run/started ]] ||
		say "first command after $(awk "BEGIN { print $(stat -c %.Y "$run/started") - $started }") s"
	say "kernel log: $log"

	if [[ -z $timed_out ]] && log_has_splat "$log"; then
		log_first_splat "$log" >&2
		die splat "the kernel reported a fault (above)"
	elif [[ -e $run/status && -z $timed_out ]]; then
		exit "$(<"$run/status")"
	elif [[ -e $run/lost && -z $timed_out ]]; then
		exit 0
	fi

	cat "$run/qemu.err" >&2
	if [[ -n $timed_out ]]; then
		log_autopsy "$log" "$alive" >&2
		die lab "no end after $timeout seconds; what processors and tasks were at is above"
	fi
	tail -n 40 "$log" >&2
	if [[ -e $run/failure ]]; then
		die lab "$(<"$run/failure")"
	fi
	die lab "${fault:-the lab ended without running the command to its end}; the end of the kernel log is above"
}
