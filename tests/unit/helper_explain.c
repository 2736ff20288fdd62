// SPDX-License-Identifier: GPL-2.0-only
/* Telling whether a guest can have a GPU: a table of situations, each with the answer. */
#include <stdlib.h>

#include "explain.h"
#include "helper_util.h"
#include "out_explain.h"

#define GPUS	3
#define FILE_NAME	"/etc/instinct-vfio/policy.conf"

static struct device gpus[GPUS];
static struct devices devices = { gpus, GPUS };
static struct isolated function;
static struct isolation isolation = { &function, 0 };
static struct conf_section section;
static struct conf_error error;
static struct conf conf;
static struct explain_facts facts;
static struct user user[GPUS][2];

static void block(const char *reason)
{
	gpus[0].state = INSTINCT_VFIO_STATE_BLOCKED;
	strcpy(gpus[0].reason, reason);
}

static void begin(void)
{
	static const char *const addresses[GPUS] = { "0000:c1:00.0", "0000:c5:00.0", "0000:c6:00.0" };
	size_t i;

	memset(gpus, 0, sizeof(gpus));
	for (i = 0; i < GPUS; i++) {
		strcpy(gpus[i].bdf, addresses[i]);
		strcpy(gpus[i].model, "MI300X");
		strcpy(gpus[i].family, "mi300x");
		strcpy(gpus[i].driver, "instinct_vfio_pci");
		gpus[i].iommu_group = i;
		gpus[i].policy_set = true;
		gpus[i].partition = INSTINCT_VFIO_PARTITION_NPS1;
		conf_defaults(&gpus[i].policy);
	}
	section = (struct conf_section) { .kind = CONF_DEFAULT, .file = FILE_NAME };
	conf = (struct conf) { .section = &section, .count = 1 };
	isolation.count = 0;
	facts = (struct explain_facts) {
		.gpu = &gpus[0], .devices = &devices, .isolation = &isolation, .conf = &conf,
		.policy = POLICY_STATE_WHOLE, .told = true, .policy_required = true,
	};
}

static void opens(size_t gpu, int pid, const char *vm, const char *manager)
{
	user[gpu][0] = (struct user) { .pid = pid };
	strcpy(user[gpu][0].comm, "qemu");
	strcpy(user[gpu][0].vm, vm);
	strcpy(user[gpu][0].manager, manager);
	gpus[gpu].users = (struct users) { user[gpu], 1 };
	gpus[gpu].open = 1;
}

/* Line 12 of the file sets the key. */
static void rule(size_t key, uint32_t value)
{
	size_t i;

	section.at[key] = 12;
	section.value[key] = value;
	for (i = 0; i < GPUS; i++)
		conf_key_set(&conf_keys[key], &gpus[i].policy, value);
}

static void set_ready(void)
{
}

static void set_lost(void)
{
	gpus[0].state = INSTINCT_VFIO_STATE_LOST;
	strcpy(gpus[0].reason, "no sign of life after the reset");
}

static void set_silent(void)
{
	gpus[0].silent = true;
}

static void set_silent_open(void)
{
	gpus[0].silent = true;
	opens(0, 4711, "train", "libvirt");
}

static void set_quarantined(void)
{
	gpus[0].state = INSTINCT_VFIO_STATE_QUARANTINED;
	strcpy(gpus[0].reason, "quiesced only");
}

static void set_quarantined_hive(void)
{
	set_quarantined();
	opens(1, 4711, "train", "libvirt");
}

static void set_quarantined_quiesce(void)
{
	set_quarantined();
	rule(CONF_METHOD, INSTINCT_VFIO_METHOD_QUIESCE);
}

static void set_quarantined_lost_by(void)
{
	set_quarantined();
	gpus[0].lost_by = 1u << INSTINCT_VFIO_METHOD_MODE1;
}

static void set_missing(void)
{
	gpus[0].state = STATE_MISSING;
	strcpy(gpus[0].reason, "an earlier apply found it");
	facts.no_group = true;
}

static void set_resetting(void)
{
	gpus[0].state = INSTINCT_VFIO_STATE_RESETTING;
	rule(CONF_READY_TIMEOUT, 60000);
}

static void set_open(void)
{
	opens(0, 4711, "train", "libvirt");
}

static void set_open_process(void)
{
	opens(0, 4711, "", "");
}

static void set_open_maybe(void)
{
	opens(0, 4711, "train", "libvirt");
	user[0][0].maybe = true;
}

static void set_open_strange(void)
{
	opens(0, 4711, "a;reboot", "libvirt");
}

static void set_open_unseen(void)
{
	gpus[0].open = 1;
}

static void set_open_captured(void)
{
	gpus[0].open = 1;
	facts.captured = true;
}

static void set_no_policy(void)
{
	gpus[0].policy_set = false;
	block("no policy");
}

static void set_no_policy_wanted(void)
{
	gpus[0].policy_set = false;
	facts.policy_required = false;
}

static void set_policy_wrong(void)
{
	set_no_policy();
	error = (struct conf_error) { .file = FILE_NAME, .line = 7, .text = "unknown key, found \"tenncy\"" };
	conf.error = &error;
	conf.errors = 1;
	facts.policy = POLICY_STATE_WRONG;
}

static void set_no_file(void)
{
	set_no_policy();
	conf.count = 0;
	facts.policy = POLICY_STATE_NO_FILE;
}

static void set_partition(void)
{
	rule(CONF_PARTITION, INSTINCT_VFIO_PARTITION_NPS1);
	gpus[0].partition = INSTINCT_VFIO_PARTITION_NPS4;
	block("partition");
}

static void set_partition_fits(void)
{
	rule(CONF_PARTITION, INSTINCT_VFIO_PARTITION_NPS1);
}

static void set_partition_next(void)
{
	set_partition_fits();
	gpus[0].partition_next = true;
	block("partition");
}

static void set_ats(void)
{
	rule(CONF_ATS, INSTINCT_VFIO_ATS_REQUIRED);
	function = (struct isolated) { .bdf = "0000:c2:00.0", .of = "0000:c1:00.0",
				       .ats_state = INSTINCT_VFIO_ATS_STATE_ABSENT };
	isolation.count = 1;
}

static void set_ats_waits(void)
{
	set_ats();
	function.ats_state = INSTINCT_VFIO_ATS_STATE_OFF;
}

static void set_hive_open(void)
{
	opens(1, 4711, "train", "libvirt");
	opens(2, 4711, "train", "libvirt");
	rule(CONF_XGMI, INSTINCT_VFIO_XGMI_PRIVATE);
	block("another user has a GPU of the same hive open (policy: xgmi)");
}

static void set_hive_open_two(void)
{
	opens(1, 4711, "train", "libvirt");
	opens(2, 99, "", "");
	block("another user has a GPU of the same hive open (policy: xgmi)");
}

static void set_hive_open_shared(void)
{
	opens(1, 4711, "train", "libvirt");
	rule(CONF_XGMI, INSTINCT_VFIO_XGMI_SHARED);
	block("another user has a GPU of the same hive open (policy: scope)");
}

static void set_hive_open_device(void)
{
	set_hive_open_shared();
	gpus[0].state = INSTINCT_VFIO_STATE_READY;
	gpus[0].policy.scope = INSTINCT_VFIO_SCOPE_DEVICE;
}

static void set_hive_open_quiesce(void)
{
	set_hive_open_shared();
	gpus[0].state = INSTINCT_VFIO_STATE_READY;
	gpus[0].policy.method = INSTINCT_VFIO_METHOD_QUIESCE;
}

static void set_hive_other(void)
{
	opens(1, 4711, "train", "libvirt");
	gpus[1].policy.hive = 2;
	gpus[2].policy.hive = 2;
}

static void set_hive_unbound(void)
{
	gpus[1].state = STATE_UNMANAGED;
	block("GPU 0000:c5:00.0 of the hive is not bound to this driver");
}

static void set_hive_unbound_two(void)
{
	set_hive_unbound();
	gpus[2].state = STATE_UNMANAGED;
}

static void set_hive_lost(void)
{
	gpus[1].state = INSTINCT_VFIO_STATE_LOST;
	block("hive");
}

static void set_hive_count(void)
{
	size_t i;

	for (i = 0; i < GPUS; i++) {
		gpus[i].hive_nodes = 8;
		gpus[i].hive_node = i;
	}
	rule(CONF_HIVE, 4);
	block("the hive has 8 GPUs by its hardware, and 3 by policy");
}

static void set_hive_count_right(void)
{
	size_t i;

	for (i = 0; i < GPUS; i++) {
		gpus[i].hive_nodes = GPUS;
		gpus[i].hive_node = i;
	}
}

static void set_hive_missing(void)
{
	set_hive_count_right();
	gpus[1].state = STATE_MISSING;
	block("the hive has 3 GPUs by its hardware, and 2 by policy");
}

static void set_hive_twice(void)
{
	size_t i;

	for (i = 0; i < GPUS; i++)
		gpus[i].hive_nodes = 3;
	block("the registers disagree");
}

static void set_solitary(void)
{
	size_t i;

	for (i = 0; i < GPUS; i++)
		strcpy(gpus[i].family, "mi350p");
	opens(1, 4711, "train", "libvirt");
}

static void unbind(const char *driver)
{
	gpus[0].state = STATE_UNMANAGED;
	gpus[0].pending = true;
	strcpy(gpus[0].driver, driver);
}

static void set_unbound(void)
{
	unbind("");
}

static void set_unbound_hive(void)
{
	unbind("");
	opens(1, 4711, "train", "libvirt");
	opens(2, 4711, "train", "libvirt");
}

static void set_amdgpu(void)
{
	unbind("amdgpu");
	opens(0, 77, "", "");
	strcpy(user[0][0].comm, "python3");
}

static void set_stock(void)
{
	unbind("vfio-pci");
	facts.stock = true;
}

static void set_uninstalled(void)
{
	unbind("amdgpu");
	facts.uninstalled = true;
	facts.told = false;
}

static void set_vfs(void)
{
	unbind("gim");
	facts.vfs = true;
}

static void set_no_group(void)
{
	unbind("");
	facts.no_group = true;
}

static void set_group(void)
{
	strcpy(facts.mate, "0000:c1:00.1");
	strcpy(facts.mate_driver, "snd_hda_intel");
}

static void set_captured(void)
{
	gpus[0].state = STATE_UNKNOWN;
	facts.captured = true;
	facts.told = false;
}

#define KINDS_MAX	3
#define K(...)	{ __VA_ARGS__, OBSTACLES }

/**
 * struct situation - a situation, and the answer to it
 * @set: makes it
 * @kinds: kinds of the obstacles, up to OBSTACLES; none: a guest can have the GPU
 * @says: part of the first obstacle's text
 * @ends: the first one's end, "" if nothing ends it
 * @first: first line that helps against the first one
 * @last: the last line against the last one
 * @cost: cost of @last
 * @line: line of the policy of the first or last one, 0 without one
 */
static const struct situation {
	void (*set)(void);
	enum obstacle_kind kinds[KINDS_MAX + 1];
	const char *says;
	const char *ends;
	const char *first;
	const char *last;
	enum cost cost;
	int line;
} situations[] = {
	{ set_ready, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_lost, K(OBSTACLE_LOST), "it is lost: no sign of life after the reset", "",
	  "instinctctl reset 0000:c1:00.0",
	  "if it still stays lost, drain the host and power it off and on", COST_NONE, 0 },
	{ set_silent, K(OBSTACLE_SILENT), "behind the module's back", "",
	  "instinctctl reset 0000:c1:00.0", "instinctctl reset 0000:c1:00.0", COST_NONE, 0 },
	{ set_silent_open, K(OBSTACLE_SILENT), "behind the module's back", "",
	  "virsh shutdown train", "instinctctl reset 0000:c1:00.0", COST_NONE, 0 },
	{ set_quarantined, K(OBSTACLE_QUARANTINED), "quiesced only", "",
	  "instinctctl reset 0000:c1:00.0", "instinctctl release 0000:c1:00.0", COST_DATA, 0 },
	{ set_quarantined_hive, K(OBSTACLE_HIVE_OPEN, OBSTACLE_QUARANTINED), "VM train (process 4711) has",
	  "when VM train (process 4711) stops", "virsh shutdown train",
	  "instinctctl release 0000:c1:00.0", COST_DATA, 0 },
	{ set_quarantined_quiesce, K(OBSTACLE_QUARANTINED), "quiesced only", "",
	  "instinctctl reset --method mode1 0000:c1:00.0", "instinctctl release 0000:c1:00.0",
	  COST_DATA, 0 },
	{ set_quarantined_lost_by, K(OBSTACLE_QUARANTINED), "quiesced only", "",
	  "instinctctl forgive 0000:c1:00.0, then instinctctl reset 0000:c1:00.0",
	  "instinctctl release 0000:c1:00.0", COST_DATA, 0 },
	{ set_missing, K(OBSTACLE_MISSING), "it is missing: an earlier apply found it", "",
	  "rescan the bus", "if the host is to go on without the GPU, run instinctctl forget 0000:c1:00.0",
	  COST_NONE, 0 },
	{ set_resetting, K(OBSTACLE_RESETTING), "a reset of it is under way",
	  "with the reset, which has 60 s for each method (ready_timeout)",
	  "wait: a guest that opens it now waits, too", "wait: a guest that opens it now waits, too",
	  COST_NONE, 0 },
	{ set_open, K(OBSTACLE_OPEN), "VM train (process 4711) has it open",
	  "when VM train (process 4711) stops, and the reset after that", "virsh shutdown train",
	  "virsh shutdown train", COST_NONE, 0 },
	{ set_open_process, K(OBSTACLE_OPEN), "qemu (process 4711) has it open",
	  "when qemu (process 4711) ends, and the reset after that", "stop qemu (process 4711)",
	  "stop qemu (process 4711)", COST_NONE, 0 },
	{ set_open_maybe, K(OBSTACLE_OPEN), "maybe VM train (process 4711) has it open",
	  "when the user of 0000:c1:00.0 ends, and the reset after that",
	  "find the user of 0000:c1:00.0, maybe VM train (process 4711), and stop it",
	  "find the user of 0000:c1:00.0, maybe VM train (process 4711), and stop it", COST_NONE, 0 },
	{ set_open_strange, K(OBSTACLE_OPEN), "VM a;reboot (process 4711) has it open",
	  "when VM a;reboot (process 4711) stops, and the reset after that",
	  "stop VM a;reboot (process 4711)", "stop VM a;reboot (process 4711)", COST_NONE, 0 },
	{ set_open_unseen, K(OBSTACLE_OPEN), "a process that cannot be seen from here has it open",
	  "when a process that cannot be seen from here ends, and the reset after that",
	  "run instinctctl explain 0000:c1:00.0 as root in the host's PID namespace, which names the user, and stop that",
	  "run instinctctl explain 0000:c1:00.0 as root in the host's PID namespace, which names the user, and stop that",
	  COST_NONE, 0 },
	{ set_open_captured, K(OBSTACLE_OPEN), "a user that the capture does not name has it open",
	  "when a user that the capture does not name ends, and the reset after that",
	  "stop the user that instinctctl explain 0000:c1:00.0 names on the host itself",
	  "stop the user that instinctctl explain 0000:c1:00.0 names on the host itself",
	  COST_NONE, 0 },
	{ set_no_policy, K(OBSTACLE_NO_POLICY), "no policy has been applied to it", "",
	  "instinctctl apply", "echo N >/sys/module/instinct_vfio_pci/parameters/require_policy",
	  COST_ISOLATION, 0 },
	{ set_no_policy_wanted, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_policy_wrong, K(OBSTACLE_NO_POLICY),
	  "the policy has 1 error, the first at " FILE_NAME ":7: unknown key, found \"tenncy\"", "",
	  "mend the lines that instinctctl check names, then systemctl reload-or-restart instinct-vfio-apply",
	  "echo N >/sys/module/instinct_vfio_pci/parameters/require_policy", COST_ISOLATION, 7 },
	{ set_no_file, K(OBSTACLE_NO_POLICY), "; no policy is installed", "",
	  "copy an example to " FILE_NAME " (PREFIX/share/instinct-vfio/policies), then instinctctl apply",
	  "echo N >/sys/module/instinct_vfio_pci/parameters/require_policy", COST_ISOLATION, 0 },
	{ set_partition, K(OBSTACLE_PARTITION),
	  "partitioned as NPS4, otherwise than policy wants (partition = NPS1, " FILE_NAME ":12)", "",
	  "have amdgpu set it: docs/troubleshooting.md#log-blocked",
	  "[device 0000:c1:00.0] partition = any, then instinctctl apply", COST_RISK, 12 },
	{ set_partition_fits, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_partition_next, K(OBSTACLE_PARTITION), "NPS1, and another partition is requested", "",
	  "have amdgpu set it: docs/troubleshooting.md#log-blocked",
	  "[device 0000:c1:00.0] partition = any, then instinctctl apply", COST_RISK, 12 },
	{ set_ats, K(OBSTACLE_ATS),
	  "policy requires ATS, and that of 0000:c2:00.0 is absent (ats = required, " FILE_NAME ":12)", "",
	  "instinctctl check names the remedy for 0000:c2:00.0",
	  "[device 0000:c1:00.0] ats = preferred, then instinctctl apply", COST_RISK, 12 },
	{ set_ats_waits, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_hive_open, K(OBSTACLE_HIVE_OPEN),
	  "VM train (process 4711) has 0000:c5:00.0, 0000:c6:00.0 open. A hive has one user at a time (xgmi = private, " FILE_NAME ":12); the user that has the others",
	  "when VM train (process 4711) stops", "virsh shutdown train",
	  "[device 0000:c1:00.0] xgmi = shared and scope = device, then instinctctl apply",
	  COST_ISOLATION, 12 },
	{ set_hive_open_two, K(OBSTACLE_HIVE_OPEN),
	  "VM train (process 4711) has 0000:c5:00.0 open; qemu (process 99) has 0000:c6:00.0 open. A hive has one user at a time (xgmi = private, the default)",
	  "when VM train (process 4711) stops and qemu (process 99) ends", "virsh shutdown train",
	  "[device 0000:c1:00.0] xgmi = shared and scope = device, then instinctctl apply",
	  COST_ISOLATION, 0 },
	{ set_hive_open_shared, K(OBSTACLE_HIVE_OPEN),
	  "has 0000:c5:00.0 open. A reset concerns the whole hive (scope = auto, the default)",
	  "when VM train (process 4711) stops", "virsh shutdown train",
	  "[device 0000:c1:00.0] scope = device, then instinctctl apply", COST_RISK, 0 },
	{ set_hive_open_device, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_hive_open_quiesce, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_hive_other, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_hive_unbound, K(OBSTACLE_HIVE_UNBOUND),
	  "1 GPU of its hive, 0000:c5:00.0, is not bound to the module", "",
	  "instinctctl bind 0000:c5:00.0",
	  "[device 0000:c1:00.0] scope = device, then instinctctl apply", COST_RISK, 0 },
	{ set_hive_unbound_two, K(OBSTACLE_HIVE_UNBOUND),
	  "2 GPUs of its hive, 0000:c5:00.0 0000:c6:00.0, are not bound", "", "instinctctl bind --all",
	  "[device 0000:c1:00.0] scope = device, then instinctctl apply", COST_RISK, 0 },
	{ set_hive_lost, K(OBSTACLE_HIVE_LOST), "0000:c5:00.0 of its hive is lost", "",
	  "instinctctl reset 0000:c5:00.0",
	  "[device 0000:c1:00.0] scope = device, then instinctctl apply", COST_RISK, 0 },
	{ set_hive_count, K(OBSTACLE_HIVE_COUNT),
	  "the hive has 8 GPUs by its registers, and 3 by policy (hive = 4, " FILE_NAME ":12)", "",
	  "correct hive in policy, then instinctctl apply",
	  "[device 0000:c1:00.0] scope = device, then instinctctl apply", COST_RISK, 12 },
	{ set_hive_twice, K(OBSTACLE_HIVE_COUNT), "disagree on its size or its nodes", "",
	  "correct hive in policy, then instinctctl apply",
	  "[device 0000:c1:00.0] scope = device, then instinctctl apply", COST_RISK, 0 },
	{ set_hive_missing, K(OBSTACLE_HIVE_COUNT), "(hive = auto, the default); 0000:c5:00.0 is missing", "",
	  "instinctctl explain 0000:c5:00.0",
	  "[device 0000:c1:00.0] scope = device, then instinctctl apply", COST_RISK, 0 },
	{ set_hive_count_right, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_solitary, { OBSTACLES }, "", "", "", "", COST_NONE, 0 },
	{ set_unbound, K(OBSTACLE_UNBOUND), "no driver has it", "", "instinctctl bind 0000:c1:00.0",
	  "instinctctl bind 0000:c1:00.0", COST_NONE, 0 },
	{ set_unbound_hive, K(OBSTACLE_UNBOUND, OBSTACLE_HIVE_OPEN), "no driver has it", "",
	  "instinctctl bind 0000:c1:00.0",
	  "[device 0000:c1:00.0] xgmi = shared and scope = device, then instinctctl apply",
	  COST_ISOLATION, 0 },
	{ set_amdgpu, K(OBSTACLE_UNBOUND),
	  "the driver amdgpu has it, and python3 (process 77) has it open", "",
	  "stop python3 (process 77)", "instinctctl bind 0000:c1:00.0", COST_NONE, 0 },
	{ set_stock, K(OBSTACLE_UNBOUND), "the kernel's vfio-pci has it: nothing scrubs it", "",
	  "instinctctl bind 0000:c1:00.0", "instinctctl bind 0000:c1:00.0", COST_NONE, 0 },
	{ set_uninstalled, K(OBSTACLE_NO_MODULE, OBSTACLE_UNBOUND),
	  "the module is not installed for the running kernel", "",
	  "install instinct-vfio-dkms; if it is installed, instinctctl doctor --only dkms module-signing",
	  "instinctctl bind 0000:c1:00.0", COST_NONE, 0 },
	{ set_vfs, K(OBSTACLE_VFS, OBSTACLE_UNBOUND), "gim has virtual functions of it enabled", "",
	  "write 0 to its sriov_numvfs, with the driver bound that enabled them",
	  "instinctctl bind 0000:c1:00.0", COST_NONE, 0 },
	{ set_no_group, K(OBSTACLE_NO_GROUP, OBSTACLE_UNBOUND), "it has no IOMMU group", "",
	  "instinctctl doctor --only iommu-on, and a reboot", "instinctctl bind 0000:c1:00.0",
	  COST_NONE, 0 },
	{ set_group, K(OBSTACLE_GROUP),
	  "its IOMMU group 0 has 0000:c1:00.1, too, which snd_hda_intel drives", "",
	  "unbind 0000:c1:00.1 from snd_hda_intel, if the host can do without it",
	  "instinctctl isolation --config-acs --write, and a reboot: the groups follow the ACS at boot",
	  COST_NONE, 0 },
	{ set_captured, K(OBSTACLE_UNKNOWN), "this capture does not hold the module's answers", "",
	  "capture the host again by instinctctl dump as root",
	  "capture the host again by instinctctl dump as root", COST_NONE, 0 },
};

/* The price never falls from one line to the next. */
static void check_order(const struct obstacle *obstacle)
{
	size_t i;

	for (i = 0; i < obstacle->helps; i++) {
		CHECK(!i || obstacle->help[i].cost >= obstacle->help[i - 1].cost);
		CHECK((obstacle->help[i].cost == COST_NONE) == !*obstacle->help[i].why);
		CHECK(obstacle->help[i].stops == STOPS_NOTHING || obstacle->help[i].cost == COST_NONE);
	}
}

static void check_situation(const struct situation *situation)
{
	struct explanation found = { 0 };
	const struct obstacle *first, *last;
	size_t count = 0, i;

	begin();
	situation->set();
	explain(&facts, &found);
	while (situation->kinds[count] != OBSTACLES)
		count++;
	CHECK_INT(found.count, count);
	for (i = 0; i < found.count && i < count; i++)
		CHECK_STR(name_of(&obstacle_names, found.list[i].kind),
			  name_of(&obstacle_names, situation->kinds[i]));
	for (i = 0; i < found.count; i++)
		check_order(&found.list[i]);
	if (found.count && count) {
		first = &found.list[0];
		last = &found.list[found.count - 1];
		if (!strstr(first->text, situation->says))
			CHECK_STR(first->text, situation->says);
		CHECK_STR(first->ends, situation->ends);
		CHECK_STR(first->help[0].text, situation->first);
		CHECK_STR(last->help[last->helps - 1].text, situation->last);
		CHECK_INT(last->help[last->helps - 1].cost, situation->cost);
		CHECK_INT(first->line, situation->line);
		CHECK(!situation->line == !first->file);
	}
	explanation_free(&found);
}

static void test_situations(void)
{
	size_t i;

	for (i = 0; i < sizeof(situations) / sizeof(situations[0]); i++) {
		bool before = unit_test_failed;

		unit_test_failed = false;
		check_situation(&situations[i]);
		if (unit_test_failed)
			printf("# situation %zu\n", i);
		unit_test_failed |= before;
	}
}

/* A reason of the module's that no fact explains is printed as it is. */
static void test_blocked(void)
{
	struct explanation found = { 0 };

	begin();
	block("a reason of its own");
	explain(&facts, &found);
	CHECK_INT(found.count, 1);
	CHECK_INT(found.list[0].kind, OBSTACLE_BLOCKED);
	CHECK_STR(found.list[0].text, "the module says: a reason of its own");
	explanation_free(&found);
}

/* Three users leave room for the line that costs isolation. */
static void test_many_users(void)
{
	enum { MANY = 8 };
	static struct user users[MANY];
	struct device many[MANY + 1];
	struct devices all = { many, MANY + 1 };
	struct explanation found = { 0 };
	const struct obstacle *obstacle;
	size_t i;

	begin();
	for (i = 0; i <= MANY; i++)
		many[i] = gpus[0];
	for (i = 0; i < MANY; i++) {
		users[i].pid = 100 + i;
		strcpy(users[i].comm, "qemu");
		many[i + 1].users = (struct users) { &users[i], 1 };
		many[i + 1].open = 1;
	}
	block("hive");
	many[0] = gpus[0];
	facts.gpu = &many[0];
	facts.devices = &all;
	explain(&facts, &found);
	CHECK_INT(found.count, 1);
	if (!found.count)
		return;
	obstacle = &found.list[0];
	CHECK_INT(obstacle->gpus, MANY);
	CHECK_INT(obstacle->helps, EXPLAIN_LINES_MAX);
	CHECK_INT(obstacle->help[EXPLAIN_LINES_MAX - 1].cost, COST_ISOLATION);
	explanation_free(&found);
}

static void test_text(void)
{
	struct explanation found = { 0 };

	begin();
	set_quarantined();
	explain(&facts, &found);
	util_catch(STDOUT_FILENO);
	out_explain_text(&gpus[0], &found);
	CHECK_STR(util_caught_text(),
		  "0000:c1:00.0 MI300X, quarantined: NO guest can have it now\n"
		  "1. it is quarantined, since its memory may hold the last user's data: quiesced\n"
		  "   only\n"
		  "   safe: instinctctl reset 0000:c1:00.0\n"
		  "   LEAKS DATA: instinctctl release 0000:c1:00.0: the next guest can read the\n"
		  "     last guest's data\n");
	explanation_free(&found);
	begin();
	util_catch(STDOUT_FILENO);
	out_explain_text(&gpus[0], &found);
	CHECK_STR(util_caught_text(), "0000:c1:00.0 MI300X, ready: a guest can have it now\n");
	begin();
	set_open();
	explain(&facts, &found);
	util_catch(STDOUT_FILENO);
	out_explain_text(&gpus[0], &found);
	CHECK_STR(util_caught_text(),
		  "0000:c1:00.0 MI300X, ready: NO guest can have it now\n"
		  "1. VM train (process 4711) has it open\n"
		  "   ends by itself: when VM train (process 4711) stops, and the reset after that\n"
		  "   stops a user: virsh shutdown train\n");
	explanation_free(&found);
}

static void test_json(void)
{
	struct explanation found = { 0 };
	json_t *json, *obstacle, *help;

	begin();
	set_hive_open();
	explain(&facts, &found);
	json = out_explain_json(&gpus[0], &found);
	CHECK(json_is_false(json_object_get(json, "available")));
	obstacle = json_array_get(json_object_get(json, "obstacles"), 0);
	CHECK_STR(json_string_value(json_object_get(obstacle, "kind")), "hive-open");
	CHECK_STR(json_string_value(json_object_get(obstacle, "file")), FILE_NAME);
	CHECK_INT(json_integer_value(json_object_get(obstacle, "line")), 12);
	CHECK_INT(json_array_size(json_object_get(obstacle, "gpus")), 2);
	help = json_object_get(obstacle, "help");
	CHECK_STR(json_string_value(json_object_get(json_array_get(help, 0), "cost")), "none");
	CHECK_STR(json_string_value(json_object_get(json_array_get(help, 0), "stops")), "user");
	CHECK_STR(json_string_value(json_object_get(json_array_get(help, json_array_size(help) - 1),
						    "cost")), "isolation");
	json_decref(json);
	explanation_free(&found);
	begin();
	set_captured();
	explain(&facts, &found);
	json = out_explain_json(&gpus[0], &found);
	CHECK(json_is_null(json_object_get(json, "available")));
	json_decref(json);
	explanation_free(&found);
}

int main(void)
{
	util_begin();
	RUN(test_situations);
	RUN(test_blocked);
	RUN(test_many_users);
	RUN(test_text);
	RUN(test_json);
	return unit_end();
}
