// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "core/profile.h"
#include "pci_ids.h"
#include "kind.h"
#include "say.h"
#include "sysfs.h"

#define DRIVERS_INTEL	"xe or i915"
#define BOARD_GPUS	8	/* on each board of modules (OAM); cards have no Infinity Fabric */
#define DRIVER_GIM	"gim"	/* AMD's host driver for VFs of its GPUs */

static const struct instinct_node *node_of(const struct facts *facts, size_t i)
{
	return &facts->findings.host.node[facts->gpu[i]];
}

static const char *model_of(const struct instinct_node *node, char *text, size_t size)
{
	const struct instinct_profile *profile =
		instinct_profile_find(node->vendor, node->device);
	char name[PCI_IDS_NAME];

	pci_ids_name(node->vendor, node->device, name, sizeof(name));
	if (profile)
		snprintf(text, size, "%s", profile->model);
	else
		snprintf(text, size, "%04x:%04x%s%s%s", node->vendor, node->device,
			 *name ? " (" : "", name, *name ? ")" : "");
	return text;
}

/* Returns the number of missing GPUs. */
static size_t fail_for_missing(const struct findings *findings, struct result *result)
{
	char remedy[2 * TEXT_BYTES];
	size_t missing = 0, i;

	for (i = 0; i < findings->gpus; i++) {
		const struct gpu_finding *gpu = &findings->gpu[i];

		if (gpu->state != STATE_MISSING)
			continue;
		missing++;
		remedy_fill(state_remedy(gpu->state), gpu->bdf, remedy, sizeof(remedy));
		result_fail(result, RESULT_NO_FUNCTION, remedy, "GPU %s is missing: %s", gpu->bdf,
			    gpu->reason);
	}
	return missing;
}

/**
 * check_driver_gpus() - check that all GPUs are present and of one model
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_driver_gpus(const struct facts *facts, struct result *result)
{
	const char *remedy = facts->is_guest ?
		"look at the VM's devices, and run on the host: instinctctl doctor --only gpus" :
		"look at the BMC's list of modules, and at the kernel log for the slot's link; power the host off for a minute";
	size_t missing = fail_for_missing(&facts->findings, result), i;
	char model[64], other[64], unread[TEXT_BYTES];

	host_unread_text(&facts->findings.host, unread, sizeof(unread));
	if (*unread)
		result_warn(result, RESULT_NO_FUNCTION, *opt_sysroot ?
			    host_unread_remedy() :
			    "look for these functions in the kernel log; run doctor by root",
			    "%s", unread);
	if (!facts->gpus) {
		result_fail(result, RESULT_NO_FUNCTION, remedy, "sysfs shows no GPU");
		return;
	}
	model_of(node_of(facts, 0), model, sizeof(model));
	if (!missing && facts->gpus & (facts->gpus - 1))
		result_warn(result, RESULT_NO_FUNCTION, remedy,
			    "sysfs shows %zu GPUs: boards have 1, 2, 4 or 8, so one may be missing",
			    facts->gpus);
	for (i = 1; i < facts->gpus; i++)
		if (node_of(facts, i)->device != node_of(facts, 0)->device)
			result_warn(result, facts->gpu[i],
				    "give a guest GPUs of one model",
				    "the GPU is a %s, but the first one is a %s",
				    model_of(node_of(facts, i), other, sizeof(other)), model);
	result_ok(result, "GPUs found: %zu of model %s", facts->gpus, model);
}

#define ASK_FOR_FIRMWARE \
	"ask the board's vendor for newer firmware of its PCIe switches, or for their Base Mode; then instinctctl reset"

/* A GPU that is blocked by a user, or by a lost GPU that has a finding of its own, has none. */
static bool is_blocked(const struct devices *managed, const struct device *device)
{
	size_t i;

	for (i = 0; i < managed->count; i++)
		if (managed->list[i].state == INSTINCT_VFIO_STATE_LOST &&
		    devices_share_hive(device, &managed->list[i]))
			return false;
	return device->state == INSTINCT_VFIO_STATE_BLOCKED && !devices_hive_open(managed, device);
}

static void judge_state(const struct facts *facts, int gpu, struct result *result)
{
	const struct device *device = devices_find(&facts->managed,
						   facts_function(facts, gpu)->bdf);

	if (facts->function[gpu].placeholder)
		result_fail(result, gpu, ASK_FOR_FIRMWARE,
			    "a switch in Synthetic Mode answers as 1000:02b2 in place of the GPU");
	else if (facts->function[gpu].silent ||
	    (device && device->state == INSTINCT_VFIO_STATE_LOST))
		result_fail(result, gpu, state_remedy(INSTINCT_VFIO_STATE_LOST),
			    "the GPU does not answer: its config space reads all ones");
	else if (device && device->state == INSTINCT_VFIO_STATE_QUARANTINED)
		result_fail(result, gpu, state_remedy(INSTINCT_VFIO_STATE_QUARANTINED),
			    "the GPU is quarantined: %s", device->reason);
	else if (device && is_blocked(&facts->managed, device))
		result_warn(result, gpu, state_remedy(INSTINCT_VFIO_STATE_BLOCKED),
			    "nobody could open the GPU: %s", device->reason);
}

static bool is_placeholder(const struct instinct_node *node)
{
	return node->vendor == INSTINCT_PLACEHOLDER_VENDOR && node->device == INSTINCT_PLACEHOLDER_DEVICE;
}

/* Does a function have an address that a GPU had, in a package, in the module, in the policy or in notes? */
static bool is_gpus_place(const struct facts *facts, int function)
{
	const struct conf *conf = &facts->findings.conf;
	const char *bdf = facts_function(facts, function)->bdf;
	int above = facts_parent(facts, function);
	size_t i;

	if (facts->function[function].had_gpu ||
	    (above != INSTINCT_NODE_NONE && facts->findings.host.node[above].package))
		return true;
	for (i = 0; i < conf->count; i++)
		if (conf->section[i].kind == CONF_DEVICE && !strcmp(conf->section[i].name, bdf))
			return true;
	return devices_find(&facts->managed, bdf);
}

/* Says why the host seems to lack a GPU, or writes "". */
static void why_missing(const struct facts *facts, char *why, size_t size)
{
	const struct findings *findings = &facts->findings;
	const struct instinct_profile *profile;
	size_t i;

	*why = '\0';
	for (i = 0; i < findings->counts; i++) {
		const struct count_finding *count = &findings->count[i];
		/* Policy counts the GPUs that the module knows; a host may have others. */
		size_t found = count->family || facts->known ? count->found : facts->gpus;

		if (!count->file || found >= count->wanted)
			continue;
		snprintf(why, size, "policy expects %zu%s%s GPUs, and the host has %zu", count->wanted,
			 count->family ? " " : "", count->family ? count->family : "", found);
		return;
	}
	if (!facts->gpus || facts->gpus & (facts->gpus - 1)) {
		snprintf(why, size, "the host has %zu GPU%s, and boards have 1, 2, 4 or 8", facts->gpus,
			 plural(facts->gpus));
		return;
	}
	profile = instinct_profile_find(node_of(facts, 0)->vendor, node_of(facts, 0)->device);
	if (profile && !profile->family->solitary && facts->gpus < BOARD_GPUS)
		snprintf(why, size, "the host has %zu GPU%s, and a board of %s has %d", facts->gpus,
			 plural(facts->gpus), profile->model, BOARD_GPUS);
}

/*
 * pci.ids calls 1000:02b2 a reserved resource of a synthetic switch: a board has such functions below
 * ports that are meant to be empty. The same function answers for a GPU that the switch has lost.
 * Returns the number of those that stand for nothing.
 */
static size_t judge_placeholders(const struct facts *facts, struct result *result)
{
	const struct host *host = &facts->findings.host;
	char why[TEXT_BYTES];
	size_t idle = 0;
	int i;

	why_missing(facts, why, sizeof(why));
	for (i = 0; i < host->count; i++) {
		if (!is_placeholder(&host->node[i]))
			continue;
		if (is_gpus_place(facts, i))
			result_fail(result, i, ASK_FOR_FIRMWARE,
				    "the function is no device: a switch in Synthetic Mode answers as 1000:02b2 in the place of a GPU");
		else if (*why)
			result_fail(result, i, ASK_FOR_FIRMWARE,
				    "the function is no device: a switch in Synthetic Mode may answer as 1000:02b2 in the place of a GPU, since %s",
				    why);
		else
			idle++;
	}
	return idle;
}

/**
 * check_driver_answers() - check that each GPU answers config reads
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_driver_answers(const struct facts *facts, struct result *result)
{
	size_t i, resetting = 0, unread = 0, idle = judge_placeholders(facts, result);

	if (!checks_need_gpus(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const struct fact_function *function = &facts->function[facts->gpu[i]];

		judge_state(facts, facts->gpu[i], result);
		if (facts_function(facts, facts->gpu[i])->resetting)
			resetting++;
		else if (!function->config)
			unread++;
	}
	if (unread)
		result_skip(result, "the config space of %zu GPU%s cannot be read", unread,
			    plural(unread));
	else if (resetting)
		result_ok(result, "%zu answer; %zu %s being reset, and not checked",
			  facts->gpus - resetting, resetting, resetting == 1 ? "is" : "are");
	else if (idle)
		result_ok(result, "all GPUs answer; %zu function%s 1000:02b2 beside them stand%s for no device", idle,
			  plural(idle), idle == 1 ? "s" : "");
	else
		result_ok(result, "all GPUs answer");
}

/* A PF that gim or another driver has split into VFs goes to no guest itself; its VFs do. */
static bool hands_out_vfs(const struct facts *facts, int gpu)
{
	return facts_function(facts, gpu)->vfs && *facts_function(facts, gpu)->driver;
}

/* Puts the parameter that gave a GPU to its driver before the remedy. */
static const char *without_ids(const struct facts *facts, int gpu, const char *remedy, char *text,
			       size_t size)
{
	const struct given_ids *given = checks_given(facts, gpu, facts_function(facts, gpu)->driver);
	char take[2 * TEXT_BYTES];

	if (!given)
		return remedy;
	facts_given_where(given, take, sizeof(take));
	snprintf(text, size, "%s; until then: %s", take, remedy);
	return text;
}

static void judge_known(const struct facts *facts, int gpu, struct result *result)
{
	const struct host_function *function = facts_function(facts, gpu);
	char remedy[4 * TEXT_BYTES];
	const char *driver = function->driver;

	if (sysfs_is_ours(driver) || hands_out_vfs(facts, gpu))
		return;
	if (function->vfs)
		result_warn(result, gpu,
			    "if guests shall have the whole GPU: stop the guests that have its VFs, write 0 to its sriov_numvfs, with the driver bound that enabled them, then instinctctl bind --all",
			    "the GPU has %u virtual function%s enabled, and the module does not take it",
			    function->vfs, plural(function->vfs));
	else if (!*driver)
		result_warn(result, gpu, "instinctctl bind --all", "no driver has the GPU%s",
			    facts->module.amdgpu && !*facts->function[gpu].override ?
			    ", and amdgpu is loaded and may take it" : "");
	else if (!strcmp(driver, "vfio-pci"))
		result_fail(result, gpu, without_ids(facts, gpu, "stop its VM, then instinctctl bind --all",
						     remedy, sizeof(remedy)),
			    fact_is(&facts->module.state, "live") ?
			    "the kernel's vfio-pci has the GPU: nothing scrubs it between its users" :
			    "vfio-pci has the GPU: the first reset may lose it until the host reboots");
	else if (!strcmp(driver, DRIVER_GIM))
		result_warn(result, gpu,
			    "make VFs: load gim with its vf_num parameter, or write their number to sriov_numvfs",
			    "gim has the GPU, and the GPU has no VFs: no VM can use it");
	else
		result_fail(result, gpu,
			    without_ids(facts, gpu, "stop the programs that use it, then instinctctl bind --all; for each boot: systemctl enable instinct-vfio-bind, and blacklist amdgpu",
					remedy, sizeof(remedy)),
			    "%s has the GPU: no VM can use it", driver);
}

static void judge_unknown(const struct facts *facts, int gpu, struct result *result)
{
	const struct host_function *function = facts_function(facts, gpu);
	const struct instinct_node *node = &facts->findings.host.node[gpu];
	char remedy[4 * TEXT_BYTES];

	if (kind_is_amd_accelerator(node->vendor, node->class)) {
		if (host_has_vfio(function))
			result_warn(result, gpu,
				    without_ids(facts, gpu, "stop its VM, then give it back to amdgpu; look for a version of instinct-vfio that knows it",
						remedy, sizeof(remedy)),
				    "%s has an AMD accelerator that instinct-vfio does not know: a reset may lose it until the host reboots",
				    function->driver);
		return;
	}
	if (*function->driver && !host_has_vfio(function) && !hands_out_vfs(facts, gpu))
		result_warn(result, gpu,
			    without_ids(facts, gpu, "if the GPU is for guests, driverctl set-override BDF vfio-pci",
					remedy, sizeof(remedy)),
			    "%s has the GPU: no VM can use it", function->driver);
}

static const char *driver_of_split(const struct facts *facts)
{
	size_t i = 0;

	while (!hands_out_vfs(facts, facts->gpu[i]))
		i++;
	return facts_function(facts, facts->gpu[i])->driver;
}

/**
 * check_driver_driver() - check that each GPU has a driver for guests
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_driver_driver(const struct facts *facts, struct result *result)
{
	size_t i, split = 0, vfs = 0;

	if (!checks_need_gpus(facts, result) || !checks_need_drivers(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		if (hands_out_vfs(facts, facts->gpu[i])) {
			split++;
			vfs += facts_function(facts, facts->gpu[i])->vfs;
		}
		if (facts_is_known(facts, facts->gpu[i]))
			judge_known(facts, facts->gpu[i], result);
		else
			judge_unknown(facts, facts->gpu[i], result);
	}
	if (split)
		result_ok(result, "%s has %zu of %zu GPUs, and their VFs (%zu) are what is handed out",
			  driver_of_split(facts), split, facts->gpus, vfs);
	else if (facts->known == facts->gpus)
		result_ok(result, DRIVER_NAME " has all GPUs (%zu)", facts->gpus);
	else
		result_ok(result, "GPUs with a VFIO driver or no driver: %zu", facts->gpus);
}

/**
 * check_driver_order() - check that modprobe loads the module before amdgpu and vfio-pci
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_driver_order(const struct facts *facts, struct result *result)
{
	const struct module_facts *module = &facts->module;
	bool amdgpu = !module->first && !module->no_amdgpu;

	if (!checks_need_ours(facts, result))
		return;
	checks_judge_given(facts, true, result);
	if (!module->modprobe_files && *opt_sysroot)
		result_skip(result, "modprobe.d is not in the capture");
	else if (amdgpu || !module->first_vfio)
		result_warn(result, RESULT_NO_FUNCTION,
			    "install /usr/lib/modprobe.d/instinct-vfio.conf (make install does): softdep amdgpu pre: instinct_vfio_pci, and the same for vfio-pci",
			    "%s may load before the module, take GPUs, and reset them",
			    !amdgpu ? "vfio-pci" : module->first_vfio ? "amdgpu" :
			    "amdgpu or vfio-pci");
	if (module->early && !module->early_ours)
		result_warn(result, RESULT_NO_FUNCTION,
			    "add instinct_vfio_pci to /etc/initramfs-tools/modules, and run update-initramfs -u (dracut: add_drivers, dracut -f)",
			    "the initramfs contains amdgpu or vfio-pci without the module, so this driver takes GPUs first");
	result_ok(result, "modprobe loads the module before amdgpu and vfio-pci");
}

/**
 * check_driver_at_boot() - check that systemd applies policy at boot, before users open GPUs
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_driver_at_boot(const struct facts *facts, struct result *result)
{
	const struct module_facts *module = &facts->module;

	if (!checks_need_ours(facts, result))
		return;
	if (!module->systemd) {
		result_skip(result, "/etc/systemd/system is not %s",
			    *opt_sysroot ? "in the capture" : "present: apply policy in another way");
		return;
	}
	if (!module->enabled)
		result_warn(result, RESULT_NO_FUNCTION,
			    "systemctl enable --now instinct-vfio-apply",
			    "systemd does not apply policy at boot%s",
			    fact_is(&module->require_policy, "N") ? "" :
			    ", so after a boot no user can open a GPU until somebody applies it");
	if (fact_is(&module->require_policy, "N"))
		result_warn(result, RESULT_NO_FUNCTION,
			    "echo Y >/sys/module/instinct_vfio_pci/parameters/require_policy; delete the option from /etc/modprobe.d",
			    "users can open GPUs without a policy (require_policy=N)");
	if (checks_need(&module->require_policy, "the module's require_policy", result))
		result_ok(result, "systemd applies policy at boot, before users can open GPUs");
}

#define GUEST_BARS \
	"QEMU: -cpu host,host-phys-bits=on; libvirt: <maxphysaddr mode='passthrough'/> in <cpu>; and a larger window: -fw_cfg name=opt/ovmf/X-PciMmio64Mb,string=MIB; instinctctl topo plan prints these words"

/**
 * check_guest_gpus() - check that all GPUs are in the guest, usable and of one model
 * @facts: facts about the host or guest
 * @result: receives the findings
 */
void check_guest_gpus(const struct facts *facts, struct result *result)
{
	size_t i;
	int bar;

	for (i = 0; i < facts->gpus; i++) {
		bar = checks_bar_without_address(facts, facts->gpu[i]);
		if (bar >= 0)
			result_fail(result, facts->gpu[i], GUEST_BARS,
				    "BAR %d has no address in the guest: too few physical address bits, or too small an MMIO window",
				    bar);
	}
	check_driver_gpus(facts, result);
}

static bool is_vendors_driver(const char *driver, const char *wanted)
{
	return !strcmp(driver, wanted) ||
	       (!strcmp(wanted, DRIVERS_INTEL) && (!strcmp(driver, "xe") || !strcmp(driver, "i915")));
}

static const char *vendors_driver(uint16_t vendor)
{
	switch (vendor) {
	case INSTINCT_VENDOR_AMD_GPU:
		return "amdgpu";
	case KIND_VENDOR_INTEL:
		return DRIVERS_INTEL;
	default:
		return "nvidia";
	}
}

/**
 * check_guest_driver() - check that the vendor's driver has each GPU
 * @facts: facts about the host or guest
 * @result: receives the findings
 *
 * No driver takes a GPU whose BAR has no address; check_guest_gpus() reports that GPU.
 */
void check_guest_driver(const struct facts *facts, struct result *result)
{
	size_t i, without = 0;

	if (!checks_need_gpus(facts, result) || !checks_need_drivers(facts, result))
		return;
	for (i = 0; i < facts->gpus; i++) {
		const char *driver = facts_function(facts, facts->gpu[i])->driver;
		const char *wanted = vendors_driver(node_of(facts, i)->vendor);

		if (is_vendors_driver(driver, wanted))
			continue;
		if (checks_bar_without_address(facts, facts->gpu[i]) >= 0)
			without++;
		else
			result_fail(result, facts->gpu[i],
				    "load the driver, and look for its messages in the guest's kernel log",
				    "%s%s has the GPU instead of %s", *driver ? driver : "no", *driver ?
				    "" : " driver", wanted);
	}
	if (without)
		result_skip(result, "no driver can take %zu GPU%s before its BARs have addresses, see guest-gpus above",
			    without, plural(without));
	else
		result_ok(result, "%s has all GPUs (%zu)",
			  facts_function(facts, facts->gpu[0])->driver, facts->gpus);
}
