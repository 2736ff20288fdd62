// SPDX-License-Identifier: GPL-2.0-or-later
#include "conf_help.h"

/* Words that can be written stand between backquotes. */
static const char *const help[CONF_KEYS] = {
	[CONF_METHOD] =
		"How a GPU is reset. `auto` tries what cannot lose a GPU by what is "
		"known: `mode1`, which resets the chip through its SMU. Where that "
		"does not work `auto` still stops DMA as `quiesce` does, which scrubs "
		"nothing, so the reset fails and the GPU is quarantined. `quiesce` in so "
		"many words counts as a reset all the same. `bus` and `flr` reset the "
		"GPU's whole package, and restore the path to it.",
	[CONF_TENANCY] =
		"Who may get the GPU next. With `multi` it may be another tenant, so a "
		"GPU that no reset has scrubbed after its user is quarantined. With "
		"`single` it is the same tenant again, who may find what it left.",
	[CONF_BUS_PORT] =
		"Where method `bus` resets: at the downstream port in the GPU's "
		"package, or at the port above the package.",
	[CONF_READY_TIMEOUT] =
		"How long a method has to bring a GPU back, before the GPU counts as "
		"lost.",
	[CONF_MAILBOX] =
		"Where the SMU's registers (MP1) are in the register BAR: as the GPU's "
		"IP discovery table says, or at a byte offset.",
	[CONF_OVERLAP] =
		"Which resets go on in the background. With `close` that after a close "
		"does, and the next open waits for it: GPUs that a VMM closes one by "
		"one recover side by side. With `all` a VMM's own reset does too: it "
		"returns once the GPU is held, and whatever touches the GPU next waits.",
	[CONF_SCOPE] =
		"What a reset concerns: the GPU alone, or all GPUs of its XGMI hive, "
		"which then enter it together. `auto` is `hive` for `mode1` and "
		"`device` for all else. A hive is reset only when nobody else has one "
		"of its GPUs open; else the next method is tried. Say `device` if "
		"`mode1` of one GPU alone is known to work on this hardware.",
	[CONF_HIVE] =
		"To which XGMI hive a GPU belongs: `auto` is one hive of all GPUs of a "
		"family in this host; GPUs with the same number are a hive; `none` is "
		"in no hive.",
	[CONF_RESCAN] =
		"The last resort for a lost GPU that no reset brings back: with `yes` "
		"it is removed from the upstream port of its package down, the bus "
		"above is rescanned, and the GPU is reset before anybody gets it. Once "
		"for each loss, and only while nobody has it open. Software that "
		"watches the bus sees the GPU go and come.",
	[CONF_CONFIG_VERIFY] =
		"Whether the module verifies config writes to the GPU and to the ports "
		"of its package. PCIe switches on some boards swallow such writes, for a "
		"while after a reset or now and then, or answer for the GPU with its "
		"former values. With `on` the module reads back the registers that hold "
		"what is written to them, when a user has written one and after each "
		"reset, and writes them again until they hold it; meanwhile the user's "
		"write waits. After a reset it also writes the header once more whatever "
		"reads back. With `off` it writes as the stock driver does.",
	[CONF_CONFIG_UNBLOCK] =
		"What the module may try to bring a switch to let writes through: reads "
		"of the Vendor ID of the GPU and of the ports above it; from 10 ms on "
		"also these ports' bus numbers, written once more; from 100 ms on also "
		"the link to the GPU's package, retrained twice at most. Each word allows "
		"those before it.",
	[CONF_CONFIG_TIMEOUT] =
		"How long a register may take to hold what was written. Then the GPU is "
		"lost, an event names the register, and the user's write fails.",
	[CONF_ACS] =
		"Access Control Services of the ports above the endpoint and above its "
		"peers. `kernel` leaves them as Linux has them. `vm`: Source "
		"Validation, Request and Completion Redirect and Upstream Forwarding "
		"on, Direct Translated P2P off. `vm-p2p`: the same, with Direct "
		"Translated P2P on at ports above a peer that is below the same switch "
		"as the endpoint, and Translation Blocking off. `bare-metal`: Request "
		"and Completion Redirect off, which IOMMU groups rely on, so it needs "
		"`allow_isolation_loss`. Bits that a port does not have are left out; "
		"where policies of two endpoints meet at a port the stricter wins.",
	[CONF_ACS_ROOT_PORT] =
		"ACS of root ports, in place of what `acs` says: names of bits (also TB "
		"and EC), or a number. Enhanced bits (0x80 to 0x1000) are left alone "
		"unless one is given.",
	[CONF_ACS_SWITCH_UPSTREAM] =
		"The same of upstream ports of switches.",
	[CONF_ACS_DOWNSTREAM] =
		"The same of downstream ports of switches.",
	[CONF_ACS_PEER_DOWNSTREAM] =
		"The same of downstream ports above a peer that is below the same "
		"switch as the endpoint.",
	[CONF_ACS_PACKAGE] =
		"The same of the ports inside the GPU's package.",
	[CONF_ISOLATION_LOSS] =
		"Whether bits may go off that IOMMU groups rely on. With `no` such a "
		"policy is refused, and the kernel log names the ports.",
	[CONF_ATS] =
		"Address Translation Services of the endpoint and its peers. "
		"`preferred`: where the IOMMU driver has them on and they were lost "
		"they are put back. `required`: and the GPU is not handed out without "
		"them; a peer that waits for its own user below a VFIO driver need not "
		"have them yet.",
	[CONF_CHECK_INTERVAL] =
		"How often ACS and ATS are looked at. They are looked at after resets "
		"and binds in any case.",
	[CONF_PEER] =
		"The functions that do peer-to-peer DMA with the endpoint. `auto`: the "
		"network functions below the same switch, else those below the same "
		"root port or another partition of the same switch chip. Or up to 16 "
		"addresses and vendor:device pairs, with a blank between; of the latter "
		"the nearest are taken in the same way.",
	[CONF_HOTSPOT_WARNING] =
		"At which an alarm is told of: the hottest spot of the GPU's dies. That "
		"is an event (thermal-warning), and so is its end (thermal-cleared); "
		"nothing else is done. instinctctl monitor --daemon judges temperatures, "
		"by this key and those after it as it finds them in the files, at once "
		"and without apply; the module does not know them. AMD names 105 degrees as the highest operating "
		"temperature of the MI300X: a stress test that takes it to 100 is no "
		"reason to drain a host.",
	[CONF_HOTSPOT_CRITICAL] =
		"The same of the critical alarm (thermal-critical).",
	[CONF_MEMORY_WARNING] =
		"The warning of the HBM stacks.",
	[CONF_MEMORY_CRITICAL] =
		"The critical alarm of the HBM stacks.",
	[CONF_BOARD_WARNING] =
		"The warning of the module or board that the GPU sits on.",
	[CONF_BOARD_CRITICAL] =
		"The critical alarm of the module or board that the GPU sits on.",
	[CONF_THERMAL_HYSTERESIS] =
		"An alarm is cleared that far below its threshold.",
	[CONF_THERMAL_HOLD] =
		"For so long at least an alarm stays raised. It is raised at once, "
		"however short ago it was cleared.",
	[CONF_THERMAL_STALE] =
		"A source of temperatures that says nothing for longer is stale, which "
		"is an event (thermal-stale, thermal-fresh).",
	[CONF_HOTSPOT_SENSOR] =
		"Which sensor of the BMC or of this host instinctctl monitor --daemon "
		"reads for the GPU; in a section for several GPUs %d stands for the "
		"number of the GPU in the order of addresses, from 0, %1d from 1. A "
		"name must be that of one sensor; one with %d is used only if it names "
		"a sensor for each GPU and none for one more. Otherwise it feeds "
		"nothing, which is said. A hwmon sensor of another GPU is never taken. "
		"`auto`: amdgpu's of the GPU itself, and those of the BMC whose names "
		"are a GPU's with a number, if there is one for each; that they count "
		"as addresses do is a guess, and one sensor that policy names against "
		"it ends it for the others. instinctctl sensors shows what feeds what. "
		"A # after a blank begins a "
		"comment: write ? for it in a name.",
	[CONF_MEMORY_SENSOR] =
		"The same of the HBM stacks.",
	[CONF_BOARD_SENSOR] =
		"The same of the module or board that the GPU sits on.",
};

/**
 * conf_help() - what a key is for
 * @key: which
 *
 * Return: for people; words that can be written stand between backquotes.
 */
const char *conf_help(const struct conf_key *key)
{
	return help[key - conf_keys];
}
