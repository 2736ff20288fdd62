// SPDX-License-Identifier: GPL-2.0-or-later
#include "conf_help.h"

/* Backquotes enclose the words that a policy file may contain. */
static const char *const help[CONF_KEYS] = {
	[CONF_METHOD] =
		"The method by which the module resets the GPU. `auto` tries only methods "
		"that are not known to lose GPUs: `mode1`, which resets the chip through "
		"its SMU. If mode1 does not work, `auto` still stops the GPU's DMA as "
		"`quiesce` does; that scrubs nothing, so the reset fails and the module "
		"quarantines the GPU. An explicit `quiesce` counts as a reset although it "
		"scrubs nothing. `bus` resets the GPU's whole package, and the module "
		"restores the path to it.",
	[CONF_TENANCY] =
		"The tenant that may get the GPU next. With `multi` another tenant may get "
		"it, so the module quarantines a GPU that no reset has scrubbed after its "
		"last user. With `single` the same tenant gets it again and may find the "
		"data that it left.",
	[CONF_BUS_PORT] =
		"The port at which method `bus` resets: `swds` is the downstream port in "
		"the GPU's package, `switch` the port above the package.",
	[CONF_READY_TIMEOUT] =
		"The time that a method has to bring a GPU back before the module counts "
		"it as lost. `auto` is 300 s, the time that amdgpu waits for the firmware to "
		"start.",
	[CONF_MAILBOX] =
		"The place of the SMU's registers (MP1) in the register BAR: the one that "
		"the GPU's IP discovery table names (`discovery`), or a byte offset.",
	[CONF_OVERLAP] =
		"The resets that the module runs in the background. With `close` it does "
		"so with the reset after a close, and the next open waits for the end: "
		"GPUs that a VMM closes one by one recover side by side. With `all` it "
		"does so with a reset that a VMM asks for, too: the request returns once "
		"the module holds the GPU, and the next access to the GPU waits.",
	[CONF_SCOPE] =
		"The GPUs that a reset concerns: the GPU alone (`device`), or all GPUs of "
		"its XGMI hive (`hive`), which then enter the reset together. `auto` is "
		"`hive` for `mode1` and `bus`, and `device` for all other methods. The "
		"module resets a hive only if no other user has one of its GPUs open; "
		"otherwise it tries the next method. Set `device` if `mode1` of one GPU "
		"alone is known to work on this hardware.",
	[CONF_HIVE] =
		"The XGMI hive of the GPU. `auto` puts all GPUs of a family in this host "
		"into one hive. GPUs with the same number form a hive. A GPU with `none` "
		"is in no hive.",
	[CONF_PARTITION] =
		"The memory partition mode that the GPU must have for the module to hand it "
		"out. A tenant that has the whole GPU can change the mode (`NPS1`, `NPS4` and "
		"so on), and no reset changes it back. The module refuses a GPU in another "
		"mode to the next user until amdgpu has set the mode, by "
		"`current_memory_partition` in sysfs, and the GPU was reset. `any` accepts "
		"every mode.",
	[CONF_FIRST_RESET] =
		"The reset of a GPU that nobody has used: its secure OS has not been loaded, "
		"its bootloader is ready, and the module knows of no user. With `auto` such a "
		"GPU is clean, and its first user gets it as it is: AMD's drivers do not reset "
		"it either. With `always` it is reset first.",
	[CONF_XGMI] =
		"The users of the GPUs of one hive. AMD says that by default the memory of "
		"each GPU is visible to all others of its hive. So with `private` no user gets "
		"a GPU while another user has one of the same hive. `shared` allows it: the "
		"tenants can then reach each other's data.",
	[CONF_CONTAIN] =
		"The ports above a GPU whose error reporting, hot-plug events and DPC the "
		"module switches off for the length of a reset. With `linux-owned` these are "
		"the ports whose errors and hot-plug the firmware has left to Linux (_OSC). "
		"The others' registers belong to the firmware, which may turn an error into a "
		"reboot of the host. With `always` the module writes their registers too, and "
		"puts them back after the reset: the firmware is not told, and misses an "
		"error of these ports that comes in that time.",
	[CONF_CONFIG_VERIFY] =
		"Whether the module verifies config writes to the GPU and to the ports "
		"of its package. PCIe switches on some boards drop such writes, for a "
		"while after a reset or now and then, or answer for the GPU with its "
		"former values. With `on` the module reads back the registers that retain "
		"written values, after a user has written one and after each reset, and "
		"writes them again until they hold the value; meanwhile the user's write "
		"waits. After a reset the module also writes the header once more, even if "
		"it reads back as written. With `off` the module writes as the stock driver "
		"does.",
	[CONF_CONFIG_UNBLOCK] =
		"The means by which the module may try to make a switch pass config writes. "
		"With `read` it reads the Vendor ID of the GPU and of the ports above it. "
		"With `buses` it also writes these ports' bus numbers once more, from 10 ms "
		"on. With `retrain` it also retrains the link to the GPU's package, once, "
		"after 100 ms.",
	[CONF_CONFIG_TIMEOUT] =
		"The time that a register may take to hold the written value. After that "
		"the module declares the GPU lost, names the register in an event, and fails "
		"the user's write.",
	[CONF_ACS] =
		"Access Control Services of the ports above the endpoint and above its "
		"peers. `kernel` leaves them as Linux has set them. `vm` turns Source "
		"Validation, Request and Completion Redirect and Upstream Forwarding on, and "
		"Direct Translated P2P off. `vm-p2p` does the same, except that it turns "
		"Direct Translated P2P on at ports above a peer that is below the same "
		"switch as the endpoint, and Translation Blocking off. `bare-metal` turns "
		"Request and Completion Redirect off; IOMMU groups rely on these, so it "
		"needs `allow_isolation_loss`. The module skips bits that a port does not "
		"have; if the policies of two endpoints meet at a port, the stricter one "
		"wins.",
	[CONF_ACS_ROOT_PORT] =
		"ACS Control of root ports; it overrides `acs`. The value consists of bit "
		"names (also TB and EC), or is a number. The module leaves the Enhanced bits "
		"(0x80 to 0x1000) alone unless the number has one of them.",
	[CONF_ACS_SWITCH_UPSTREAM] =
		"The same as `acs_root_port`, for upstream ports of switches.",
	[CONF_ACS_DOWNSTREAM] =
		"The same as `acs_root_port`, for downstream ports of switches.",
	[CONF_ACS_PEER_DOWNSTREAM] =
		"The same as `acs_root_port`, for downstream ports above a peer that is "
		"below the same switch as the endpoint.",
	[CONF_ACS_PACKAGE] =
		"The same as `acs_root_port`, for the ports inside the GPU's package.",
	[CONF_ISOLATION_LOSS] =
		"Whether a policy may turn off ACS bits that IOMMU groups rely on. With "
		"`no` the module refuses such a policy and names the ports in the kernel "
		"log.",
	[CONF_ATS] =
		"Address Translation Services (ATS) of the endpoint and its peers. With "
		"`preferred` the module restores ATS where the IOMMU driver has it on and "
		"the function has lost it. With `required` the module also refuses to hand "
		"out the GPU without ATS; a peer that is bound to a VFIO driver and waits "
		"for its own user need not have it yet.",
	[CONF_CHECK_INTERVAL] =
		"The interval at which the module checks ACS and ATS. It also checks them "
		"after resets and binds.",
	[CONF_PEER] =
		"The functions that do peer-to-peer DMA with the endpoint. `auto` takes the "
		"network functions below the same switch, or else those below the same "
		"root port or another partition of the same switch chip. A list has up to "
		"16 addresses and vendor:device pairs, separated by blanks; of the functions "
		"that match a pair the module takes the nearest in the same way.",
	[CONF_HOTSPOT_WARNING] =
		"The temperature of the hottest spot of the GPU's dies at which "
		"instinctctl monitor --daemon raises a warning. The alarm is an event "
		"(thermal-warning), and so is its end (thermal-cleared); the service does "
		"nothing else. It takes this key and those after it from the policy files, "
		"at once and without apply; the module does not know them. AMD names 105 "
		"degrees as the highest operating temperature of the MI300X: a stress test "
		"that takes it to 100 is no reason to drain a host.",
	[CONF_HOTSPOT_CRITICAL] =
		"The temperature of the same spot at which the service raises a critical "
		"alarm (thermal-critical).",
	[CONF_MEMORY_WARNING] =
		"The temperature of the HBM stacks at which the service raises a warning.",
	[CONF_MEMORY_CRITICAL] =
		"The temperature of the HBM stacks at which the service raises a critical "
		"alarm.",
	[CONF_BOARD_WARNING] =
		"The temperature of the module or board that carries the GPU at which the "
		"service raises a warning.",
	[CONF_BOARD_CRITICAL] =
		"The temperature of the module or board that carries the GPU at which the "
		"service raises a critical alarm.",
	[CONF_THERMAL_HYSTERESIS] =
		"The distance below its threshold at which the service clears an alarm.",
	[CONF_THERMAL_HOLD] =
		"The shortest time for which an alarm stays raised. The service raises an "
		"alarm at once, even if it cleared the alarm just before.",
	[CONF_THERMAL_STALE] =
		"The time without a sample after which a source of temperatures is stale. "
		"The service reports this as an event, and the next sample as well "
		"(thermal-stale, thermal-fresh).",
	[CONF_HOTSPOT_SENSOR] =
		"The sensor of the BMC (`redfish:` or `ipmi:`) or of this host (`hwmon:`) that "
		"instinctctl monitor --daemon reads for the GPU. A Redfish sensor has the name "
		"CHASSIS/NAME, or NAME alone if that is enough. In a section for several GPUs "
		"%d stands for the number that the hardware gives the GPU on its board (OAM), "
		"and %1d for that plus 1; no GPU gets a number by the order of addresses. A "
		"name must match exactly one sensor; otherwise, or if the GPU's number is not "
		"known, it feeds nothing, and the service reports that. The service "
		"never takes a hwmon sensor of another GPU. `auto` takes amdgpu's sensor of the "
		"GPU itself, and the BMC's sensors that are named after the GPU's OAM number; "
		"one sensor that policy names against these numbers ends their use for the "
		"other GPUs. The number comes from `oam` in monitor.conf, from the module, from "
		"amdgpu (also from earlier) or from the firmware's name of the slot; without it "
		"the BMC's sensors feed no GPU. instinctctl sensors shows all of that. A # "
		"after a blank begins a comment: write ? for # in a name.",
	[CONF_MEMORY_SENSOR] =
		"The same as `hotspot_sensor`, for the HBM stacks.",
	[CONF_BOARD_SENSOR] =
		"The same as `hotspot_sensor`, for the module or board that carries the GPU.",
	[CONF_EXPECT_GPUS] =
		"The number of GPUs that instinctctl check expects: in [default] of the whole "
		"host, in [family NAME] of that family; a [device] section cannot have this "
		"key. With fewer GPUs check fails. With `any` in [default] and no number for a "
		"family, it fails only if the host has none; 0 is for hosts without GPUs that "
		"share the policy.",
};

/**
 * conf_help() - get the help text of a key
 * @key: key
 *
 * Return: the text; backquotes enclose the words that a policy file may contain.
 */
const char *conf_help(const struct conf_key *key)
{
	return help[key - conf_keys];
}
