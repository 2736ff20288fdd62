# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion of instinctctl for bash; devices come from the live system.

_instinctctl_gpus() {
	instinctctl status --json 2>/dev/null | sed -n 's/^ *"bdf": "\(.*\)",$/\1/p' |
		awk '!seen[$0]++'
}

_instinctctl_functions() {
	local dev
	for dev in /sys/bus/pci/devices/*; do
		[[ $(<"$dev/class") == 0x06* ]] || echo "${dev##*/}"
	done
}

_instinctctl() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local words='' command='' i

	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* || -n $command ]] || command=${COMP_WORDS[i]}
	done
	case $command:$before in
	*:--method) words='auto mode1 quiesce bus flr' ;;
	*:--sysroot) compopt -o dirnames && return ;;
	*:--config) compopt -o default && return ;;
	*:--since | *:--count | *:--timeout) return ;;
	help:*) words='status bind unbind apply check diff show-policy isolation reset release sensors monitor push export version' ;;
	:*) words='status bind unbind apply check diff show-policy isolation reset release sensors monitor push export version help --json --sysroot --no-color --help' ;;
	*:--guest-memory) return ;;
	export:--listen) words='127.0.0.1: [::1]: unix:/run/' ;;
	export:--textfile | export:--state) compopt -o default && return ;;
	bind:* | unbind:* | release:*) words="--all $(_instinctctl_gpus)" ;;
	reset:*) words="--all --method --dry-run $(_instinctctl_gpus)" ;;
	apply:*) words='--dry-run' && compopt -o default ;;
	check:*) words='--guest-memory --json --sysroot' && compopt -o default ;;
	diff:*) words='--json --sysroot' && compopt -o default ;;
	isolation:*) words="--why --config-acs $(_instinctctl_functions)" && compopt -o default ;;
	show-policy:*) words='--json --sysroot' && compopt -o default ;;
	sensors:*) words='--all --json --sysroot' && compopt -o default ;;
	monitor:*) words='--since --count --timeout --json --daemon --config' ;;
	push:push) words="- $(_instinctctl_gpus)" ;;
	push:*) words='hotspot= memory= board=' && compopt -o nospace ;;
	export:*) words='--textfile --listen --state' ;;
	status:*) words='--json --sysroot' ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	# A BDF holds colons, at which readline breaks words.
	declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$word"
	return 0
}

complete -F _instinctctl instinctctl
