# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Finds reports of the kernel's own faults in its log.

# Beginnings of messages that fail a run. The call trace finds reports of kinds that the
# list lacks.
log_splat='^(\[[^]]*\])+ (\[ )?(WARNING: |BUG: |Oops: |kernel BUG at |Kernel panic|watchdog: BUG: |INFO: task .* blocked|(rcu: )?INFO: rcu|INFO: trying to register|general protection fault|UBSAN: |unreferenced object |DEBUG_LOCKS_WARN_ON|ODEBUG: Out of memory|Call Trace:)'

# log_without_others LOG: prints the log without reports that do not fail a run: data races
# (KCSAN) between accesses of the kernel's own code alone, failed allocations while
# soak/actors.py lets allocations fail, and names that the PCI core leaks (docs/upstream.md),
# one for each time that it ignored a device of that name.
log_without_others() {
	# A serial console ends its lines with CR.
	tr -d '\r' <"$1" | awk '
		/BUG: KCSAN: / { others = !/\[instinct_vfio_pci\]/ }
		/ soak: allocations fail$/ { short = 1 }
		/ soak: allocations fail no more$/ { short = 0 }
		short && /page allocation failure|vmalloc error/ { others = 1 }
		# Another report can begin in the middle of one.
		others && !/BUG: KCSAN: / && /(WARNING|BUG|Oops|UBSAN): |unreferenced object|kernel BUG at|Kernel panic|general protection fault|INFO: task|INFO: rcu|ODEBUG: Out/ { others = 0 }
		# The kernel tries twice to find a range of addresses, and warns if both tries fail.
		short && /WARNING: .* at mm\/vmalloc\.c:[0-9]+ / { others = 1 }
		!others { print }
		/---\[ end trace/ { others = 0 }
		/====================/ || / pages reserved$/ { others = 0 }' | awk '
		function end_of_leak() {
			if (!leak)
				return
			leak = 0
			if (text ~ /dev_set_name\+/ && text ~ /pci_setup_device\+/ && ignored[name] > 0)
				ignored[name]--
			else
				printf "%s", text
		}
		/ pci [0-9a-f:.]+: unknown header type [0-9a-f]+, ignoring device$/ {
			at = $0
			sub(/.* pci /, "", at)
			sub(/: unknown .*/, "", at)
			ignored[at]++
		}
		leak && !/ comm "|hex dump|backtrace|\+0x| [0-9a-f][0-9a-f] [0-9a-f][0-9a-f] / { end_of_leak() }
		/unreferenced object / { end_of_leak(); leak = 1; text = name = "" }
		leak && match($0, /[0-9a-f]+:[0-9a-f]+:[0-9a-f]+\.[0-7]/) { name = substr($0, RSTART, RLENGTH) }
		leak { text = text $0 "\n" }
		!leak { print }
		END { end_of_leak() }'
}

# log_has_splat LOG: succeeds if the kernel reported a fault of its own.
log_has_splat() {
	log_without_others "$1" | grep -aE "$log_splat" >/dev/null
}

# log_first_splat LOG: prints the first report, at most 60 lines of it.
log_first_splat() {
	log_without_others "$1" | awk -v splat="${log_splat//\\/\\\\}" '
		!lines && $0 ~ splat { lines = 1 }
		lines && lines++ <= 60 { print }
		lines && /---\[ end trace/ { lines = 61 }'
}

# log_autopsy LOG LENGTH: explains a machine that an NMI made panic when its log had LENGTH
# bytes. Prints the tasks in uninterruptible sleep and the processors' positions in the
# kernel, then the last lines before the NMI, then the first fault reported before it.
log_autopsy() {
	local before
	before=$(mktemp)
	head -c "$2" "$1" >"$before"
	tail -c +"$(($2 + 1))" "$1" | awk '
		/task:[^ ]+ +state:/ { waiting = /state:D/; lines = 0 }
		waiting && lines++ < 14
		/RIP: 0010|CPU: [0-9]+ PID:|QEMU thread/'
	echo "the log's last lines before the NMI:"
	tail -n 12 "$before"
	if log_has_splat "$before"; then
		echo "the first fault that the kernel reported before it:"
		log_first_splat "$before" | head -n 40
	fi
	rm -f "$before"
}
