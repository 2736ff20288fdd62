// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/profile.h"
#include "explain.h"
#include "reset/plan.h"

#define READY_TIMEOUT_AUTO	300000u		/* ms, the module's default */
#define TROUBLESHOOTING		"docs/troubleshooting.md"

static const char *const kinds[OBSTACLES] = {
	[OBSTACLE_UNKNOWN] = "unknown",
	[OBSTACLE_NO_MODULE] = "no-module",
	[OBSTACLE_VFS] = "virtual-functions",
	[OBSTACLE_NO_GROUP] = "no-iommu-group",
	[OBSTACLE_GROUP] = "iommu-group",
	[OBSTACLE_MISSING] = "missing",
	[OBSTACLE_UNBOUND] = "not-bound",
	[OBSTACLE_LOST] = "lost",
	[OBSTACLE_SILENT] = "silent",
	[OBSTACLE_QUARANTINED] = "quarantined",
	[OBSTACLE_RESETTING] = "resetting",
	[OBSTACLE_OPEN] = "open",
	[OBSTACLE_NO_POLICY] = "no-policy",
	[OBSTACLE_PARTITION] = "partition",
	[OBSTACLE_ATS] = "ats",
	[OBSTACLE_HIVE_OPEN] = "hive-open",
	[OBSTACLE_HIVE_UNBOUND] = "hive-not-bound",
	[OBSTACLE_HIVE_LOST] = "hive-lost",
	[OBSTACLE_HIVE_COUNT] = "hive-count",
	[OBSTACLE_BLOCKED] = "blocked",
};

static const char *const costs[COSTS] = {
	[COST_NONE] = "none",
	[COST_RISK] = "risk",
	[COST_ISOLATION] = "isolation",
	[COST_DATA] = "data",
};

static const char *const stopped[STOPS] = {
	[STOPS_NOTHING] = "nothing",
	[STOPS_USER] = "user",
	[STOPS_HOST] = "host",
};

const struct names obstacle_names = { kinds, OBSTACLES };
const struct names cost_names = { costs, COSTS };
const struct names stops_names = { stopped, STOPS };

static void append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
	size_t at = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + at, size - at, format, args);
	va_end(args);
}

#define TELL(_obstacle, ...)	append((_obstacle)->text, sizeof((_obstacle)->text), __VA_ARGS__)
#define ENDS(_obstacle, ...)	append((_obstacle)->ends, sizeof((_obstacle)->ends), __VA_ARGS__)

static struct obstacle *add(struct explanation *explanation, enum obstacle_kind kind)
{
	struct obstacle *obstacle = list_add((void **)&explanation->list, &explanation->count,
					     sizeof(*obstacle));

	*obstacle = (struct obstacle) { .kind = kind };
	return obstacle;
}

static void add_line(struct obstacle *obstacle, enum cost cost, enum stops stops, const char *why,
		     const char *format, va_list args)
{
	struct explain_line *line = &obstacle->help[obstacle->helps];

	if (obstacle->helps == EXPLAIN_LINES_MAX)
		return;
	obstacle->helps++;
	line->cost = cost;
	line->stops = stops;
	snprintf(line->why, sizeof(line->why), "%s", why);
	vsnprintf(line->text, sizeof(line->text), format, args);
}

/* The callers add the lines in the order of their cost. */
static void help(struct obstacle *obstacle, enum cost cost, const char *why, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static void help(struct obstacle *obstacle, enum cost cost, const char *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_line(obstacle, cost, STOPS_NOTHING, why, format, args);
	va_end(args);
}

static void help_by_stop(struct obstacle *obstacle, enum stops stops, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void help_by_stop(struct obstacle *obstacle, enum stops stops, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_line(obstacle, COST_NONE, stops, "", format, args);
	va_end(args);
}

static bool is_solitary(const struct device *gpu)
{
#define ID(_id, _model, _family)	(_id),
	static const uint16_t ids[] = { INSTINCT_DEVICES(ID) };
#undef ID
	const struct instinct_profile *profile;
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		profile = instinct_profile_find(INSTINCT_VENDOR_AMD_GPU, ids[i]);
		if (profile && !strcmp(profile->family->name, gpu->family))
			return profile->family->solitary;
	}
	return false;
}

/* As the module counts the members (kmod/reset/hive.c), which knows no policy of a GPU without it. */
static bool is_in_hive(const struct device *gpu, const struct device *other)
{
	uint32_t hive = gpu->policy.hive;

	if (other == gpu || other->unmanaged || other->state == STATE_MISSING ||
	    hive == INSTINCT_VFIO_HIVE_NONE)
		return false;
	if (hive == INSTINCT_VFIO_HIVE_AUTO &&
	    (strcmp(gpu->family, other->family) || is_solitary(gpu)))
		return false;
	return other->state < 0 ? hive == INSTINCT_VFIO_HIVE_AUTO : hive == other->policy.hive;
}

/* Does a reset of the GPU concern its hive? See instinct_hive_wide(). */
static bool is_wide(const struct device *gpu)
{
	uint32_t method = gpu->policy.method;

	if (method == INSTINCT_VFIO_METHOD_AUTO)
		method = gpu->lost_by & 1u << INSTINCT_VFIO_METHOD_MODE1 ? INSTINCT_VFIO_METHOD_QUIESCE :
									   INSTINCT_VFIO_METHOD_MODE1;
	return instinct_hive_wide(gpu->policy.scope, method);
}

/* Collect the other GPUs of the hive that @is holds for. */
static size_t find(const struct explain_facts *facts, bool (*is)(const struct device *other),
		   const struct device **list)
{
	size_t count = 0, i;

	for (i = 0; i < facts->devices->count && count < EXPLAIN_GPUS_MAX; i++) {
		const struct device *other = &facts->devices->list[i];

		if (is_in_hive(facts->gpu, other) && is(other))
			list[count++] = other;
	}
	return count;
}

static bool is_open(const struct device *other)
{
	return other->state >= 0 && other->open;
}

static bool is_unbound(const struct device *other)
{
	return other->state == STATE_UNMANAGED;
}

static bool is_lost(const struct device *other)
{
	return other->state == INSTINCT_VFIO_STATE_LOST;
}

static struct obstacle *add_hive(struct explanation *explanation, enum obstacle_kind kind,
				 const struct device *const *gpus, size_t count)
{
	struct obstacle *obstacle = add(explanation, kind);

	memcpy(obstacle->gpu, gpus, count * sizeof(*gpus));
	obstacle->gpus = count;
	return obstacle;
}

static void list_addresses(const struct obstacle *obstacle, char *text, size_t size)
{
	size_t i;

	*text = '\0';
	for (i = 0; i < obstacle->gpus; i++)
		append(text, size, "%s%s", i ? " " : "", obstacle->gpu[i]->bdf);
}

/* Name the user of a GPU: its VM if the process tells, else the process. */
static void name_user(const struct explain_facts *facts, const struct device *gpu, char *text,
		      size_t size)
{
	const struct user *user = gpu->users.count ? &gpu->users.list[0] : NULL;

	*text = '\0';
	if (!user)
		append(text, size, facts->captured ? "a user that the capture does not name" :
				   "a process that cannot be seen from here");
	else if (*user->vm)
		append(text, size, "%sVM %s (process %d)", user->maybe ? "maybe " : "", user->vm, user->pid);
	else
		append(text, size, "%s%s (process %d)", user->maybe ? "maybe " : "", user->comm, user->pid);
	if (user && gpu->users.count > 1)
		append(text, size, user->maybe ? ", or one of %zu others" : " and %zu more",
		       gpu->users.count - 1);
}

static void name_end(const struct explain_facts *facts, const struct device *gpu, char *text, size_t size)
{
	const struct user *user = gpu->users.count ? &gpu->users.list[0] : NULL;

	if (user && user->maybe)
		snprintf(text, size, "the user of %s", gpu->bdf);
	else
		name_user(facts, gpu, text, size);
	append(text, size, user && !user->maybe && *user->vm ? " stops" : " ends");
}

/* A shell would interpret any other character of a VM's name. */
static bool is_plain(const char *name)
{
	return *name && *name != '-' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")];
}

static void help_stop(struct obstacle *obstacle, const struct explain_facts *facts,
		      const struct device *gpu)
{
	const struct user *user = gpu->users.count ? &gpu->users.list[0] : NULL;
	char name[2 * TEXT_BYTES];

	name_user(facts, gpu, name, sizeof(name));
	if (user && user->maybe)
		help_by_stop(obstacle, STOPS_USER, "find the user of %s, %s, and stop it", gpu->bdf, name);
	else if (user && !strcmp(user->manager, "libvirt") && is_plain(user->vm))
		help_by_stop(obstacle, STOPS_USER, "virsh shutdown %s", user->vm);
	else if (user)
		help_by_stop(obstacle, STOPS_USER, "stop %s", name);
	else if (facts->captured)
		help_by_stop(obstacle, STOPS_USER, "stop the user that instinctctl explain %s names on the host itself",
		     facts->gpu->bdf);
	else
		help_by_stop(obstacle, STOPS_USER, "run instinctctl explain %s as root in the host's PID namespace, which names the user, and stop that",
		     facts->gpu->bdf);
}

/* Add the value of a key that decides, and the line that sets it. */
static void cite(struct obstacle *obstacle, const struct explain_facts *facts, size_t key)
{
	const struct conf_section *section = conf_ruling(facts->conf, facts->gpu, key);
	uint32_t value = conf_key_get(&conf_keys[key], &facts->gpu->policy);
	char text[TEXT_BYTES];

	conf_key_format(&conf_keys[key], value, text, sizeof(text));
	TELL(obstacle, " (%s = %s", conf_keys[key].name, text);
	if (section && section->value[key] == value) {
		obstacle->file = section->file;
		obstacle->line = section->at[key];
		TELL(obstacle, ", %s:%d)", section->file, section->at[key]);
	} else if (!section && value == conf_keys[key].fallback) {
		TELL(obstacle, ", the default)");
	} else {
		TELL(obstacle, ", in force, though the files say otherwise: instinctctl diff)");
	}
}

#define ALONE	"the module then resets this GPU without its hive, which is unverified on hardware"
#define SEEN	"AMD says that each GPU's memory is visible to the others of its hive, so the two guests can reach each other's data"

/* Two GPUs whose users nobody sees count as those of one user. */
static bool has_same_user(const struct device *gpu, const struct device *other)
{
	if (!gpu->users.count || !other->users.count)
		return gpu->users.count == other->users.count;
	return gpu->users.list[0].pid == other->users.list[0].pid;
}

/* Name each user of the hive once, with the GPUs that it has open. */
static void name_hive(const struct explain_facts *facts, struct obstacle *obstacle)
{
	char name[2 * TEXT_BYTES];
	size_t users = 0, i, k;

	for (i = 0; i < obstacle->gpus; i++) {
		for (k = 0; k < i && !has_same_user(obstacle->gpu[i], obstacle->gpu[k]); k++)
			;
		if (k < i)
			continue;
		name_user(facts, obstacle->gpu[i], name, sizeof(name));
		TELL(obstacle, "%s%s has", users ? "; " : "", name);
		for (k = i; k < obstacle->gpus; k++)
			if (has_same_user(obstacle->gpu[i], obstacle->gpu[k]))
				TELL(obstacle, "%s %s", k == i ? "" : ",", obstacle->gpu[k]->bdf);
		TELL(obstacle, " open");
		name_end(facts, obstacle->gpu[i], name, sizeof(name));
		ENDS(obstacle, "%s%s", users ? " and " : "when ", name);
		/* The line that costs isolation needs room, too. */
		if (obstacle->helps + 1 < EXPLAIN_LINES_MAX)
			help_stop(obstacle, facts, obstacle->gpu[i]);
		users++;
	}
}

static void explain_hive_open(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct device *gpu = facts->gpu, *found[EXPLAIN_GPUS_MAX];
	bool private = gpu->policy.xgmi == INSTINCT_VFIO_XGMI_PRIVATE;
	size_t count = find(facts, is_open, found);
	struct obstacle *obstacle;

	if (!count || (!private && !is_wide(gpu)))
		return;
	obstacle = add_hive(explanation, OBSTACLE_HIVE_OPEN, found, count);
	name_hive(facts, obstacle);
	TELL(obstacle, private ? ". A hive has one user at a time" : ". A reset concerns the whole hive");
	cite(obstacle, facts, private ? CONF_XGMI : CONF_SCOPE);
	TELL(obstacle, "; the user that has the others can have this one too");
	help(obstacle, private ? COST_ISOLATION : COST_RISK, private ? SEEN "; also, " ALONE : ALONE,
	     "[device %s] %sscope = device, then instinctctl apply", gpu->bdf,
	     private ? "xgmi = shared and " : "");
}

static void explain_hive_unbound(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct device *found[EXPLAIN_GPUS_MAX];
	size_t count = find(facts, is_unbound, found);
	struct obstacle *obstacle;
	char list[EXPLAIN_TEXT];

	if (!count || !is_wide(facts->gpu))
		return;
	obstacle = add_hive(explanation, OBSTACLE_HIVE_UNBOUND, found, count);
	list_addresses(obstacle, list, sizeof(list));
	TELL(obstacle, "%zu GPU%s of its hive, %s, %s not bound to the module: a reset concerns the whole hive",
	     obstacle->gpus, obstacle->gpus == 1 ? "" : "s", list, obstacle->gpus == 1 ? "is" : "are");
	cite(obstacle, facts, CONF_SCOPE);
	if (obstacle->gpus == 1)
		help(obstacle, COST_NONE, "", "instinctctl bind %s", list);
	else
		help(obstacle, COST_NONE, "", "instinctctl bind --all");
	help(obstacle, COST_RISK, ALONE, "[device %s] scope = device, then instinctctl apply",
	     facts->gpu->bdf);
}

static void explain_hive_lost(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct device *found[EXPLAIN_GPUS_MAX];
	size_t count = find(facts, is_lost, found);
	struct obstacle *obstacle;
	char list[EXPLAIN_TEXT];

	if (!count || !is_wide(facts->gpu))
		return;
	obstacle = add_hive(explanation, OBSTACLE_HIVE_LOST, found, count);
	list_addresses(obstacle, list, sizeof(list));
	TELL(obstacle, "%s of its hive %s lost: a reset of the hive cannot take %s along",
	     list, obstacle->gpus == 1 ? "is" : "are", obstacle->gpus == 1 ? "it" : "them");
	cite(obstacle, facts, CONF_SCOPE);
	help(obstacle, COST_NONE, "", "instinctctl reset %s", list);
	help(obstacle, COST_RISK, ALONE, "[device %s] scope = device, then instinctctl apply",
	     facts->gpu->bdf);
}

static void explain_hive_count(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct device *gpu = facts->gpu;
	uint32_t nodes = gpu->hive_nodes, seen = nodes ? 1u << (gpu->hive_node & 31) : 0;
	bool differ = false;
	struct obstacle *obstacle;
	size_t members = 1, i;

	for (i = 0; i < facts->devices->count; i++) {
		const struct device *other = &facts->devices->list[i];
		uint32_t node = 1u << (other->hive_node & 31);

		if (!is_in_hive(gpu, other))
			continue;
		members++;
		if (!other->hive_nodes)
			continue;
		differ |= (nodes && nodes != other->hive_nodes) || seen & node;
		nodes = other->hive_nodes;
		seen |= node;
	}
	if (!nodes || (members == nodes && !differ) || is_solitary(gpu) || !is_wide(gpu))
		return;
	obstacle = add(explanation, OBSTACLE_HIVE_COUNT);
	if (differ)
		TELL(obstacle, "the registers of the hive's GPUs disagree on its size or its nodes");
	else
		TELL(obstacle, "the hive has %u GPUs by its registers, and %zu by policy", nodes, members);
	cite(obstacle, facts, CONF_HIVE);
	for (i = 0; i < facts->devices->count; i++) {
		const struct device *other = &facts->devices->list[i];

		if (other->state != STATE_MISSING || strcmp(gpu->family, other->family))
			continue;
		TELL(obstacle, "; %s is missing", other->bdf);
		help(obstacle, COST_NONE, "", "instinctctl explain %s", other->bdf);
		break;
	}
	help(obstacle, COST_NONE, "", "correct hive in policy, then instinctctl apply");
	help(obstacle, COST_RISK, ALONE, "[device %s] scope = device, then instinctctl apply", gpu->bdf);
}

static void explain_hive(const struct explain_facts *facts, struct explanation *explanation)
{
	size_t before = explanation->count;

	explain_hive_open(facts, explanation);
	explain_hive_unbound(facts, explanation);
	explain_hive_lost(facts, explanation);
	if (explanation->count == before)
		explain_hive_count(facts, explanation);
}

/* The steps of the remedy: a rescan, a power cycle of the host, and forget. */
static void explain_missing(const struct explain_facts *facts, struct explanation *explanation)
{
	struct obstacle *obstacle = add(explanation, OBSTACLE_MISSING);
	char remedy[EXPLAIN_TEXT], *rest = remedy, *step;

	TELL(obstacle, "it is missing: %s", facts->gpu->reason);
	remedy_fill(state_remedy(STATE_MISSING), facts->gpu->bdf, remedy, sizeof(remedy));
	while ((step = strsep(&rest, ";")))
		help_by_stop(obstacle, strstr(step, "drain the host") ? STOPS_HOST : STOPS_NOTHING, "%s",
			     step + strspn(step, " "));
}

static void explain_unbound(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct device *gpu = facts->gpu;
	struct obstacle *obstacle;
	char name[2 * TEXT_BYTES];

	if (facts->uninstalled) {
		obstacle = add(explanation, OBSTACLE_NO_MODULE);
		TELL(obstacle, "the module is not installed for the running kernel");
		help(obstacle, COST_NONE, "", "install instinct-vfio-dkms; if it is installed, instinctctl doctor --only dkms module-signing");
	}
	if (facts->vfs) {
		obstacle = add(explanation, OBSTACLE_VFS);
		TELL(obstacle, "%s has virtual functions of it enabled, and the module takes no such GPU",
		     *gpu->driver ? gpu->driver : "a driver");
		help_by_stop(obstacle, STOPS_USER, "write 0 to its sriov_numvfs, with the driver bound that enabled them");
	}
	obstacle = add(explanation, OBSTACLE_UNBOUND);
	if (facts->stock)
		TELL(obstacle, "the kernel's vfio-pci has it: nothing scrubs it between two guests, and the first reset may take it off the bus until the host reboots");
	else if (*gpu->driver)
		TELL(obstacle, "the driver %s has it", gpu->driver);
	else
		TELL(obstacle, "no driver has it");
	if (gpu->users.count) {
		name_user(facts, gpu, name, sizeof(name));
		TELL(obstacle, ", and %s has it open", name);
		help_stop(obstacle, facts, gpu);
	}
	help(obstacle, COST_NONE, "", "instinctctl bind %s", gpu->bdf);
}

/* VFIO gives a group to a guest as a whole, or not at all. */
static void explain_group(const struct explain_facts *facts, struct explanation *explanation)
{
	struct obstacle *obstacle;

	if (facts->no_group) {
		obstacle = add(explanation, OBSTACLE_NO_GROUP);
		TELL(obstacle, "it has no IOMMU group, and VFIO needs one: the IOMMU may be off");
		help_by_stop(obstacle, STOPS_HOST, "instinctctl doctor --only iommu-on, and a reboot");
	} else if (*facts->mate) {
		obstacle = add(explanation, OBSTACLE_GROUP);
		TELL(obstacle, "its IOMMU group %d has %s, too, which %s drives", facts->gpu->iommu_group,
		     facts->mate, facts->mate_driver);
		help(obstacle, COST_NONE, "", "unbind %s from %s, if the host can do without it",
		     facts->mate, facts->mate_driver);
		help_by_stop(obstacle, STOPS_HOST, "instinctctl isolation --config-acs --write, and a reboot: the groups follow the ACS at boot");
	}
}

static void explain_lost(const struct explain_facts *facts, struct explanation *explanation)
{
	struct obstacle *obstacle = add(explanation, OBSTACLE_LOST);

	TELL(obstacle, "it is lost: %s", *facts->gpu->reason ? facts->gpu->reason : "it does not answer");
	help(obstacle, COST_NONE, "", "instinctctl reset %s", facts->gpu->bdf);
	help(obstacle, COST_NONE, "", "if it stays lost, remove its package and rescan the bus (" TROUBLESHOOTING "#lost-after-reset)");
	help_by_stop(obstacle, STOPS_HOST, "if it still stays lost, drain the host and power it off and on");
}

static void explain_silent(const struct explain_facts *facts, struct explanation *explanation)
{
	struct obstacle *obstacle = add(explanation, OBSTACLE_SILENT);

	TELL(obstacle, "it does not answer config reads: something has reset it behind the module's back");
	if (facts->gpu->open)
		help_stop(obstacle, facts, facts->gpu);
	help(obstacle, COST_NONE, "", "instinctctl reset %s", facts->gpu->bdf);
}

/* A quiesce scrubs nothing, so a reset by it would quarantine the GPU anew. */
static void help_scrub(struct obstacle *obstacle, const struct explain_facts *facts)
{
	const struct device *busy[EXPLAIN_GPUS_MAX], *gpu = facts->gpu;
	bool quiesce = gpu->policy.method == INSTINCT_VFIO_METHOD_QUIESCE;
	bool by_mode1 = quiesce || gpu->policy.method == INSTINCT_VFIO_METHOD_AUTO;
	uint32_t method = by_mode1 ? INSTINCT_VFIO_METHOD_MODE1 : gpu->policy.method;
	const char *option = quiesce ? "--method mode1 " : "", *word = conf_key_word(CONF_METHOD, method);
	bool waits = instinct_hive_wide(gpu->policy.scope, method) && find(facts, is_open, busy);
	const char *when = waits ? ", once its hive has no user" : "";
	char why[TEXT_BYTES];

	if (gpu->lost_by & 1u << method) {
		snprintf(why, sizeof(why), "%s has lost this GPU before, and may lose it again", word);
		help(obstacle, COST_RISK, why, "instinctctl forgive %s, then instinctctl reset %s%s%s",
		     gpu->bdf, option, gpu->bdf, when);
		return;
	}
	help(obstacle, COST_NONE, "", "instinctctl reset %s%s%s", option, gpu->bdf, when);
	if (quiesce)
		help(obstacle, COST_NONE, "", "[device %s] method = auto, then instinctctl apply and instinctctl reset %s%s",
		     gpu->bdf, gpu->bdf, when);
}

static void explain_quarantined(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct device *busy[EXPLAIN_GPUS_MAX], *gpu = facts->gpu;
	struct obstacle *obstacle = add(explanation, OBSTACLE_QUARANTINED);

	TELL(obstacle, "it is quarantined, since its memory may hold the last user's data: %s",
	     *gpu->reason ? gpu->reason : "no reset has scrubbed it");
	if (is_wide(gpu) && find(facts, is_open, busy))
		ENDS(obstacle, "when no user has a GPU of its hive open any more: the module then resets the hive, and this GPU with it");
	help_scrub(obstacle, facts);
	help(obstacle, COST_DATA, "the next guest can read the last guest's data", "instinctctl release %s",
	     gpu->bdf);
}

static void explain_open(const struct explain_facts *facts, struct explanation *explanation)
{
	struct obstacle *obstacle = add(explanation, OBSTACLE_OPEN);
	char name[2 * TEXT_BYTES];

	name_user(facts, facts->gpu, name, sizeof(name));
	TELL(obstacle, "%s has it open", name);
	name_end(facts, facts->gpu, name, sizeof(name));
	ENDS(obstacle, "when %s, and the reset after that", name);
	help_stop(obstacle, facts, facts->gpu);
}

static void explain_resetting(const struct explain_facts *facts, struct explanation *explanation)
{
	struct obstacle *obstacle = add(explanation, OBSTACLE_RESETTING);
	uint32_t timeout = facts->gpu->policy.ready_timeout ?: READY_TIMEOUT_AUTO;

	TELL(obstacle, "a reset of it is under way");
	ENDS(obstacle, "with the reset, which has %u s for each method (ready_timeout)", timeout / 1000);
	help(obstacle, COST_NONE, "", "wait: a guest that opens it now waits, too");
}

static void explain_policy(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct conf *conf = facts->conf;
	struct obstacle *obstacle;

	if (!facts->policy_required || facts->gpu->policy_set)
		return;
	obstacle = add(explanation, OBSTACLE_NO_POLICY);
	TELL(obstacle, "no policy has been applied to it, and the module hands out no GPU without one (require_policy)");
	if (facts->policy == POLICY_STATE_WRONG && conf->errors) {
		const struct conf_error *error = &conf->error[0];

		obstacle->file = error->file;
		obstacle->line = error->line;
		TELL(obstacle, "; the policy has %d error%s, the first at %s:%d: %s", conf->errors,
		     conf->errors == 1 ? "" : "s", error->file ? error->file : "?", error->line,
		     error->text);
		help(obstacle, COST_NONE, "", "mend the lines that instinctctl check names, then systemctl reload-or-restart instinct-vfio-apply");
	} else if (facts->policy == POLICY_STATE_NO_FILE) {
		TELL(obstacle, "; no policy is installed");
		help(obstacle, COST_NONE, "", "copy an example to " CONF_INSTALLED " (PREFIX/share/instinct-vfio/policies), then instinctctl apply");
	} else {
		if (facts->gpu->serial_unknown || facts->gpu->silent)
			TELL(obstacle, "; apply leaves it out as long as it cannot be identified");
		help(obstacle, COST_NONE, "", "instinctctl apply");
	}
	help(obstacle, COST_ISOLATION, "the module then hands out each GPU without a policy, with the defaults alone",
	     "echo N >/sys/module/instinct_vfio_pci/parameters/require_policy");
}

static void explain_partition(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct device *gpu = facts->gpu;
	uint32_t wanted = gpu->policy.partition;
	struct obstacle *obstacle;

	if (wanted == INSTINCT_VFIO_PARTITION_ANY ||
	    (wanted == gpu->partition && !gpu->partition_next))
		return;
	obstacle = add(explanation, OBSTACLE_PARTITION);
	if (gpu->partition == INSTINCT_VFIO_PARTITION_ANY)
		TELL(obstacle, "nobody knows how its memory is partitioned");
	else
		TELL(obstacle, "its memory is partitioned as %s%s",
		     conf_key_word(CONF_PARTITION, gpu->partition),
		     gpu->partition_next ? ", and another partition is requested" : "");
	TELL(obstacle, ", otherwise than policy wants");
	cite(obstacle, facts, CONF_PARTITION);
	help(obstacle, COST_NONE, "", "have amdgpu set it: " TROUBLESHOOTING "#log-blocked");
	help(obstacle, COST_RISK, "the guest gets the partition that a former tenant has set",
	     "[device %s] partition = any, then instinctctl apply", gpu->bdf);
}

static void explain_ats(const struct explain_facts *facts, struct explanation *explanation)
{
	const struct device *gpu = facts->gpu;
	struct obstacle *obstacle;
	size_t i;

	for (i = 0; i < facts->isolation->count && gpu->policy.ats == INSTINCT_VFIO_ATS_REQUIRED; i++) {
		const struct isolated *function = &facts->isolation->list[i];

		/* A function that waits for its user has ATS off. */
		if (strcmp(function->of, gpu->bdf) ||
		    (function->ats_state != INSTINCT_VFIO_ATS_STATE_ABSENT &&
		     function->ats_state != INSTINCT_VFIO_ATS_STATE_LOST &&
		     function->ats_state != INSTINCT_VFIO_ATS_STATE_ASTRAY))
			continue;
		obstacle = add(explanation, OBSTACLE_ATS);
		TELL(obstacle, "policy requires ATS, and that of %s is %s", function->bdf,
		     name_of(&ats_state_names, function->ats_state));
		cite(obstacle, facts, CONF_ATS);
		help(obstacle, COST_NONE, "", "instinctctl check names the remedy for %s", function->bdf);
		help(obstacle, COST_RISK, "DMA between the GPU and its peers then goes through the root complex, slowly",
		     "[device %s] ats = preferred, then instinctctl apply", gpu->bdf);
		return;
	}
}

static void explain_managed(const struct explain_facts *facts, struct explanation *explanation)
{
	bool quarantined = facts->gpu->state == INSTINCT_VFIO_STATE_QUARANTINED && !facts->gpu->silent;
	int state = facts->gpu->state;
	struct obstacle *obstacle;
	size_t before;

	if (state == INSTINCT_VFIO_STATE_LOST)
		explain_lost(facts, explanation);
	else if (facts->gpu->silent)
		explain_silent(facts, explanation);
	else if (state == INSTINCT_VFIO_STATE_RESETTING)
		explain_resetting(facts, explanation);
	/* A reset that scrubs the GPU needs its hive. */
	if (quarantined && !facts->gpu->open)
		explain_hive(facts, explanation);
	if (quarantined)
		explain_quarantined(facts, explanation);
	if (facts->gpu->open && !facts->gpu->silent) {
		explain_open(facts, explanation);
		return;
	}
	before = explanation->count;
	explain_policy(facts, explanation);
	explain_partition(facts, explanation);
	explain_ats(facts, explanation);
	/* The module has looked at the hive of a GPU that is ready. */
	if (state != INSTINCT_VFIO_STATE_READY && !quarantined)
		explain_hive(facts, explanation);
	if (state != INSTINCT_VFIO_STATE_BLOCKED || explanation->count != before)
		return;
	obstacle = add(explanation, OBSTACLE_BLOCKED);
	TELL(obstacle, "the module says: %s", *facts->gpu->reason ? facts->gpu->reason : "blocked");
	help(obstacle, COST_NONE, "", "look the reason up in " TROUBLESHOOTING);
}

/**
 * explanation_is_unknown() - check whether the facts do not tell that a guest can have a GPU
 * @explanation: from explain()
 *
 * Return: true if a guest can have the GPU or cannot, for all that is known.
 */
bool explanation_is_unknown(const struct explanation *explanation)
{
	size_t i;

	for (i = 0; i < explanation->count; i++)
		if (explanation->list[i].kind != OBSTACLE_UNKNOWN)
			return false;
	return explanation->count;
}

/**
 * explain() - find all that keeps a guest from a GPU now
 * @facts: facts about the GPU and its host
 * @explanation: empty; receives the obstacles, in the order in which to remove them. It is empty
 *	afterwards if a guest can have the GPU. The caller frees it by explanation_free()
 *
 * The guest is another one than the present users of the GPU and of its hive.
 */
void explain(const struct explain_facts *facts, struct explanation *explanation)
{
	struct obstacle *obstacle;

	if (facts->gpu->state == STATE_MISSING) {
		explain_missing(facts, explanation);
		return;
	}
	explain_group(facts, explanation);
	if (facts->gpu->state >= 0) {
		explain_managed(facts, explanation);
	} else if (facts->gpu->state == STATE_UNMANAGED) {
		explain_unbound(facts, explanation);
		if (facts->told) {
			explain_policy(facts, explanation);
			explain_hive(facts, explanation);
		}
	} else {
		obstacle = add(explanation, OBSTACLE_UNKNOWN);
		TELL(obstacle, "the module had it, and this capture does not hold the module's answers");
		help(obstacle, COST_NONE, "", "capture the host again by instinctctl dump as root");
	}
}

/**
 * explanation_free() - free an explanation and leave it empty
 * @explanation: explanation
 */
void explanation_free(struct explanation *explanation)
{
	free(explanation->list);
	*explanation = (struct explanation) { 0 };
}
