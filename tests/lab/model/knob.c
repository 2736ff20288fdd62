// SPDX-License-Identifier: GPL-2.0-only
/*
 * The settings. A new one needs a name in enum im_knob, a row in the table, and a line
 * below the table for the module parameter.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "model.h"

#define WRITE_MAX	4096

/**
 * struct knob - one setting
 * @name: key in the set file and name of the module parameter
 * @words: allowed words, whose index is the value; NULL for a number
 * @min: smallest number
 * @max: largest number
 * @id: the number is an ID, VVVV:DDDD, or 0 for the board's own ID
 * @value: default of all GPUs; the module parameter sets it
 */
struct knob {
	const char *name;
	const char * const *words;
	u32 min;
	u32 max;
	bool id;
	u32 value;
};

#define WORDS(...)	((const char * const []) { __VA_ARGS__, NULL })

static struct knob knobs[IM_KNOBS] = {
	[IM_FLR] = { "flr", WORDS("ok", "kills", "dead"), .value = IM_RESET_KILLS },
	[IM_BUS_RESET] = { "bus_reset", WORDS("ok", "kills", "dead", "none"), .value = IM_RESET_KILLS },
	[IM_MODE1] = { "mode1", WORDS("ok", "kills", "dead", "timeout", "refuse", "fatal", "hasty") },
	[IM_MODE1_AFTER_MS] = { "mode1_after_ms", .max = 10000, .value = 10 },
	[IM_MAILBOX] = { "mailbox", WORDS("ok", "slow", "busy", "reject", "gone", "unknown",
					  "prerequisite", "nonsense", "deaf", "echo") },
	[IM_MAILBOX_MS] = { "mailbox_ms", .max = 600000, .value = 500 },
	[IM_READY_MS] = { "ready_ms", .max = 600000, .value = 300 },
	[IM_NOTREADY] = { "notready", WORDS("ones", "rrs") },
	[IM_DISCOVERY] = { "discovery", WORDS("ok", "ok32", "badsig", "badsum",
					      "truncated", "none", "garbage") },
	[IM_PRESENT] = { "present", .max = 1, .value = 1 },
	[IM_HIVE] = { "hive", WORDS("none", "together") },
	[IM_HIVE_MS] = { "hive_ms", .min = 1, .max = 600000, .value = 300 },
	[IM_SURPRISE_DOWN] = { "surprise_down", .max = 1 },
	[IM_PORT_ERROR] = { "port_error", .max = U32_MAX },
	[IM_FIRMWARE] = { "firmware", .max = U32_MAX },
	[IM_MP1] = { "mp1", WORDS("runs", "none") },
	[IM_POWER_CYCLE] = { "power_cycle", .max = 1 },
	[IM_S3] = { "s3", WORDS("ok", "dead") },
	[IM_PATH_HEALS] = { "path_heals", WORDS("written", "enumerated") },
	[IM_LINK_DOWN] = { "link_down", .max = 1 },
	[IM_PENDING] = { "pending", .max = 1 },
	[IM_PACKAGE_MS] = { "package_ms", .max = 60000 },
	[IM_TRAIN_MS] = { "train_ms", .max = 10000, .value = 20 },
	[IM_D3HOT] = { "d3hot", WORDS("keeps", "resets") },
	[IM_LINKS_WIDTH] = { "link_width", .min = 1, .max = 16, .value = IM_LINK_WIDTH },
	[IM_GPU_ID] = { "gpu_id", .id = true },
	[IM_SWITCH_WHERE] = { "switch_where", WORDS("gpu", "package", "both") },
	[IM_SWITCH_OPENS] = { "switch_opens", WORDS("at_once", "time", "gpu_read", "port_read",
						    "buses", "retrain", "never") },
	[IM_SWITCH_MS] = { "switch_ms", .max = 600000, .value = 500 },
	[IM_SWITCH_RANGE] = { "switch_range", WORDS("all", "header", "bars", "extended") },
	[IM_SWITCH_ONE_IN] = { "switch_one_in", .max = 1000000 },
	[IM_SWITCH_BARS] = { "switch_bars", WORDS("real", "virtual") },
	[IM_NIC_ATS] = { "nic_ats", WORDS("present", "absent") },
	[IM_SWITCH_ACS] = { "switch_acs", WORDS("keeps", "loses", "refuses") },
	[IM_SWITCH_LATE_MS] = { "switch_late_ms", .max = 600000 },
	[IM_SWITCH_FROM] = { "switch_from", .max = 65535 },
	[IM_CONFIG_NS] = { "config_ns", .max = 10000000 },
	[IM_HOTSPOT] = { "hotspot", .max = 200000, .value = 40000 },
	[IM_MEMORY] = { "memory", .max = 200000, .value = 40000 },
	[IM_HOTSPOT_JITTER] = { "hotspot_jitter", .max = 40000 },
	[IM_HOTSPOT_RAMP] = { "hotspot_ramp", .max = 200000 },
	[IM_RAMP_MS] = { "ramp_ms", .max = 600000, .value = 1000 },
	[IM_DMA] = { "dma", .max = 1 },
	[IM_SYNTHETIC] = { "synthetic", WORDS("none", "away", "scan", "time", "retrain",
					      "ever") },
	[IM_SYNTHETIC_WHERE] = { "synthetic_where", WORDS("gpu", "package", "both", "swds") },
	[IM_SYNTHETIC_MS] = { "synthetic_ms", .max = 600000, .value = 500 },
	[IM_SOS] = { "sos", WORDS("runs", "none", "stays") },
	[IM_BOOTLOADER] = { "bootloader", WORDS("ok", "fails", "busy", "memory") },
	[IM_BOOTLOADER_MS] = { "bootloader_ms", .max = 600000 },
	[IM_MODE1_ANSWERS] = { "mode1_answers", WORDS("ok", "none") },
	[IM_SCRUB] = { "scrub", .max = 1, .value = 1 },
	[IM_ASPM] = { "aspm", .max = 1 },
	[IM_HIVE_NODES] = { "hive_nodes", .max = 64 },
	[IM_HARVESTED] = { "harvested", .max = 1 },
	[IM_PARTITION] = { "partition", .min = 1, .max = 8, .value = 1 },
	[IM_PARTITION_NEXT] = { "partition_next", .max = 1 },
	[IM_LIE] = { "lie", WORDS("none", "ones", "random", "noise", "loops", "truncated",
				  "overlap", "bars") },
	[IM_LIE_WHERE] = { "lie_where", WORDS("gpu", "package", "both") },
	[IM_LIE_SEED] = { "lie_seed", .max = U32_MAX },
};

static int param_set(const char *text, const struct kernel_param *param);
static int param_get(char *buffer, const struct kernel_param *param);

static const struct kernel_param_ops param_ops = {
	.set = param_set,
	.get = param_get,
};

MODULE_PARM_DESC(flr, "effect of an FLR of the GPU");
module_param_cb(flr, &param_ops, &knobs[IM_FLR], 0444);
MODULE_PARM_DESC(bus_reset, "effect of a secondary bus reset");
module_param_cb(bus_reset, &param_ops, &knobs[IM_BUS_RESET], 0444);
MODULE_PARM_DESC(mode1, "effect of a mode-1 reset");
module_param_cb(mode1, &param_ops, &knobs[IM_MODE1], 0444);
MODULE_PARM_DESC(mode1_after_ms, "delay of a mode-1 reset after the SMU's answer to its message");
module_param_cb(mode1_after_ms, &param_ops, &knobs[IM_MODE1_AFTER_MS], 0444);
MODULE_PARM_DESC(mailbox, "behaviour of the SMU mailbox");
module_param_cb(mailbox, &param_ops, &knobs[IM_MAILBOX], 0444);
MODULE_PARM_DESC(mailbox_ms, "response time of a slow mailbox");
module_param_cb(mailbox_ms, &param_ops, &knobs[IM_MAILBOX_MS], 0444);
MODULE_PARM_DESC(ready_ms, "time from a reset to readiness");
module_param_cb(ready_ms, &param_ops, &knobs[IM_READY_MS], 0444);
MODULE_PARM_DESC(notready, "answer to config reads meanwhile");
module_param_cb(notready, &param_ops, &knobs[IM_NOTREADY], 0444);
MODULE_PARM_DESC(discovery, "state of the IP discovery table");
module_param_cb(discovery, &param_ops, &knobs[IM_DISCOVERY], 0444);
MODULE_PARM_DESC(present, "0: the GPU answers nothing");
module_param_cb(present, &param_ops, &knobs[IM_PRESENT], 0444);
MODULE_PARM_DESC(hive, "whether a mode-1 reset needs all GPUs of the board");
module_param_cb(hive, &param_ops, &knobs[IM_HIVE], 0444);
MODULE_PARM_DESC(hive_ms, "longest time from the first of these resets to the last");
module_param_cb(hive_ms, &param_ops, &knobs[IM_HIVE_MS], 0444);
MODULE_PARM_DESC(surprise_down, "1: the port above sees a mode-1 reset or an FLR as Surprise Down");
module_param_cb(surprise_down, &param_ops, &knobs[IM_SURPRISE_DOWN], 0444);
MODULE_PARM_DESC(port_error, "AER Uncorrectable Error Status bits to set in the port above");
module_param_cb(port_error, &param_ops, &knobs[IM_PORT_ERROR], 0444);
MODULE_PARM_DESC(firmware, "AER Uncorrectable Error Status bits at which the firmware ends the host");
module_param_cb(firmware, &param_ops, &knobs[IM_FIRMWARE], 0444);
MODULE_PARM_DESC(mp1, "whether the SMU's firmware runs, by its flags");
module_param_cb(mp1, &param_ops, &knobs[IM_MP1], 0444);
MODULE_PARM_DESC(power_cycle, "1: a dead GPU works again, as after a power cycle of the host");
module_param_cb(power_cycle, &param_ops, &knobs[IM_POWER_CYCLE], 0444);
MODULE_PARM_DESC(s3, "state of the GPU after the host's S3: ok, or dead until a power cycle");
module_param_cb(s3, &param_ops, &knobs[IM_S3], 0444);
MODULE_PARM_DESC(path_heals, "remedy for a package that has lost its path");
module_param_cb(path_heals, &param_ops, &knobs[IM_PATH_HEALS], 0444);
MODULE_PARM_DESC(link_down, "1: after a reset the link above the package waits to be retrained");
module_param_cb(link_down, &param_ops, &knobs[IM_LINK_DOWN], 0444);
MODULE_PARM_DESC(pending, "1: the GPU always has Transactions Pending set");
module_param_cb(pending, &param_ops, &knobs[IM_PENDING], 0444);
MODULE_PARM_DESC(package_ms, "time after a reset of the package in which its ports answer nothing");
module_param_cb(package_ms, &param_ops, &knobs[IM_PACKAGE_MS], 0444);
MODULE_PARM_DESC(train_ms, "time from the end of Link Disable or of a bus reset until the link is up");
module_param_cb(train_ms, &param_ops, &knobs[IM_TRAIN_MS], 0444);
MODULE_PARM_DESC(d3hot, "whether the GPU keeps its config space from D3hot to D0");
module_param_cb(d3hot, &param_ops, &knobs[IM_D3HOT], 0444);
MODULE_PARM_DESC(link_width, "trained lanes of the link above the package");
module_param_cb(link_width, &param_ops, &knobs[IM_LINKS_WIDTH], 0444);
MODULE_PARM_DESC(gpu_id, "VVVV:DDDD in place of the board's own ID");
module_param_cb(gpu_id, &param_ops, &knobs[IM_GPU_ID], 0444);
MODULE_PARM_DESC(switch_where, "functions whose config writes the switch above may drop");
module_param_cb(switch_where, &param_ops, &knobs[IM_SWITCH_WHERE], 0444);
MODULE_PARM_DESC(switch_opens, "event that makes the switch forward writes again after a reset");
module_param_cb(switch_opens, &param_ops, &knobs[IM_SWITCH_OPENS], 0444);
MODULE_PARM_DESC(switch_ms, "time from readiness to its opening, with switch_opens=time");
module_param_cb(switch_ms, &param_ops, &knobs[IM_SWITCH_MS], 0444);
MODULE_PARM_DESC(switch_range, "registers whose writes the switch may drop or delay");
module_param_cb(switch_range, &param_ops, &knobs[IM_SWITCH_RANGE], 0444);
MODULE_PARM_DESC(switch_one_in, "N: the switch drops each Nth write; 0: none");
module_param_cb(switch_one_in, &param_ops, &knobs[IM_SWITCH_ONE_IN], 0444);
MODULE_PARM_DESC(switch_bars, "virtual: the switch answers for the GPU's BARs");
module_param_cb(switch_bars, &param_ops, &knobs[IM_SWITCH_BARS], 0444);
MODULE_PARM_DESC(switch_late_ms, "delay until a write lands");
module_param_cb(switch_late_ms, &param_ops, &knobs[IM_SWITCH_LATE_MS], 0444);
MODULE_PARM_DESC(switch_from, "value of Command whose write starts the switch's misbehaviour");
module_param_cb(switch_from, &param_ops, &knobs[IM_SWITCH_FROM], 0444);
MODULE_PARM_DESC(nic_ats, "whether the card beside the GPU has ATS");
module_param_cb(nic_ats, &param_ops, &knobs[IM_NIC_ATS], 0444);
MODULE_PARM_DESC(switch_acs, "effect of a GPU's reset, and of writes, on the ports' ACS");
module_param_cb(switch_acs, &param_ops, &knobs[IM_SWITCH_ACS], 0444);
MODULE_PARM_DESC(config_ns, "duration of a config access of the GPU");
module_param_cb(config_ns, &param_ops, &knobs[IM_CONFIG_NS], 0444);
MODULE_PARM_DESC(hotspot, "temperature of the hottest spot, in millidegrees");
module_param_cb(hotspot, &param_ops, &knobs[IM_HOTSPOT], 0444);
MODULE_PARM_DESC(memory, "temperature of the memory, in millidegrees");
module_param_cb(memory, &param_ops, &knobs[IM_MEMORY], 0444);
MODULE_PARM_DESC(hotspot_jitter, "greatest error of each read of the hot spot, in millidegrees");
module_param_cb(hotspot_jitter, &param_ops, &knobs[IM_HOTSPOT_JITTER], 0444);
MODULE_PARM_DESC(hotspot_ramp, "temperature that the hot spot reaches in ramp_ms");
module_param_cb(hotspot_ramp, &param_ops, &knobs[IM_HOTSPOT_RAMP], 0444);
MODULE_PARM_DESC(ramp_ms, "duration of the ramp");
module_param_cb(ramp_ms, &param_ops, &knobs[IM_RAMP_MS], 0444);
MODULE_PARM_DESC(dma, "1: the GPU has a DMA engine");
module_param_cb(dma, &param_ops, &knobs[IM_DMA], 0444);
MODULE_PARM_DESC(synthetic, "period in which the switch's placeholder answers");
module_param_cb(synthetic, &param_ops, &knobs[IM_SYNTHETIC], 0444);
MODULE_PARM_DESC(synthetic_where, "functions that the placeholder replaces");
module_param_cb(synthetic_where, &param_ops, &knobs[IM_SYNTHETIC_WHERE], 0444);
MODULE_PARM_DESC(synthetic_ms, "time from readiness to its end, with synthetic=time");
module_param_cb(synthetic_ms, &param_ops, &knobs[IM_SYNTHETIC_MS], 0444);
MODULE_PARM_DESC(sos, "whether the secure OS runs");
module_param_cb(sos, &param_ops, &knobs[IM_SOS], 0444);
MODULE_PARM_DESC(bootloader, "state of the bootloader after a reset");
module_param_cb(bootloader, &param_ops, &knobs[IM_BOOTLOADER], 0444);
MODULE_PARM_DESC(bootloader_ms, "time from readiness until the bootloader is done");
module_param_cb(bootloader_ms, &param_ops, &knobs[IM_BOOTLOADER_MS], 0444);
MODULE_PARM_DESC(mode1_answers, "content of the SMU's response register after a mode-1 reset");
module_param_cb(mode1_answers, &param_ops, &knobs[IM_MODE1_ANSWERS], 0444);
MODULE_PARM_DESC(scrub, "0: a mode-1 reset leaves the contents of VRAM");
module_param_cb(scrub, &param_ops, &knobs[IM_SCRUB], 0444);
MODULE_PARM_DESC(aspm, "1: while the GPU's link has L1 on, registers read all ones now and then");
module_param_cb(aspm, &param_ops, &knobs[IM_ASPM], 0444);
MODULE_PARM_DESC(harvested, "the first die is harvested");
module_param_cb(harvested, &param_ops, &knobs[IM_HARVESTED], 0444);
MODULE_PARM_DESC(hive_nodes, "nodes of the hive according to the GPU, 0: the GPU does not say");
module_param_cb(hive_nodes, &param_ops, &knobs[IM_HIVE_NODES], 0444);
MODULE_PARM_DESC(partition, "number of the GPU's memory partitions");
module_param_cb(partition, &param_ops, &knobs[IM_PARTITION], 0444);
MODULE_PARM_DESC(partition_next, "1: another partitioning of the GPU's memory is requested");
module_param_cb(partition_next, &param_ops, &knobs[IM_PARTITION_NEXT], 0444);
MODULE_PARM_DESC(lie, "false answers to config reads");
module_param_cb(lie, &param_ops, &knobs[IM_LIE], 0444);
MODULE_PARM_DESC(lie_where, "functions that lie");
module_param_cb(lie_where, &param_ops, &knobs[IM_LIE_WHERE], 0444);
MODULE_PARM_DESC(lie_seed, "seed that repeats the random lies");
module_param_cb(lie_seed, &param_ops, &knobs[IM_LIE_SEED], 0444);

static struct dentry *top, *release;

static void format_allowed(const struct knob *k, char *text, size_t size)
{
	size_t used = 0;
	int i;

	if (k->id) {
		strscpy(text, "VENDOR:DEVICE in hex, or 0", size);
	} else if (!k->words) {
		snprintf(text, size, "%u to %u", k->min, k->max);
	} else {
		for (i = 0; k->words[i]; i++)
			used += scnprintf(text + used, size - used, "%s%s",
					  i ? ", " : "", k->words[i]);
	}
}

static int format_value(const struct knob *k, u32 value, char *text, size_t size)
{
	if (k->id && value)
		return scnprintf(text, size, "%04x:%04x", value >> 16, value & 0xffff);
	if (k->words)
		return scnprintf(text, size, "%s", k->words[value]);
	return scnprintf(text, size, "%u", value);
}

static int parse_id(const char *text, u32 *value)
{
	unsigned int vendor, device;
	char more;

	if (!strcmp(text, "0")) {
		*value = 0;
		return 0;
	}
	if (sscanf(text, "%4x:%4x%c", &vendor, &device, &more) != 2)
		return -EINVAL;
	*value = vendor << 16 | device;
	return 0;
}

static int parse_value(const struct knob *k, const char *text, u32 *value)
{
	char allowed[128];
	int i;

	if (k->id) {
		if (!parse_id(text, value))
			return 0;
	} else if (k->words) {
		for (i = 0; k->words[i]; i++)
			if (!strcmp(text, k->words[i])) {
				*value = i;
				return 0;
			}
	} else if (!kstrtou32(text, 0, value) && *value >= k->min && *value <= k->max) {
		return 0;
	}

	format_allowed(k, allowed, sizeof(allowed));
	pr_warn("%s: %s; allowed: %s\n", k->name, text, allowed);
	return -EINVAL;
}

static int param_set(const char *text, const struct kernel_param *param)
{
	struct knob *k = param->arg;

	return parse_value(k, text, &k->value);
}

static int param_get(char *buffer, const struct kernel_param *param)
{
	const struct knob *k = param->arg;
	int len = format_value(k, k->value, buffer, PAGE_SIZE - 1);

	return len + sprintf(buffer + len, "\n");
}

static int parse_line(char *line, u32 *set)
{
	char *key = strsep(&line, "=");
	int i;

	for (i = 0; i < IM_KNOBS; i++)
		if (!strcmp(key, knobs[i].name)) {
			if (line)
				return parse_value(&knobs[i], line, &set[i]);
			break;
		}

	if (i < IM_KNOBS) {
		pr_warn("%s: no value; allowed: %s=VALUE\n", key, key);
		return -EINVAL;
	}
	pr_warn("%s: no such setting; allowed:\n", key);
	for (i = 0; i < IM_KNOBS; i++)
		pr_warn("  %s\n", knobs[i].name);
	return -EINVAL;
}

static void apply(struct im_gpu *g, const u32 *set)
{
	struct im_tree *tree = g->func->tree;
	unsigned long flags;
	u32 old[IM_KNOBS];

	raw_spin_lock_irqsave(&tree->lock, flags);
	memcpy(old, g->set, sizeof(old));
	memcpy(g->set, set, sizeof(old));
	if (set[IM_GPU_ID] != old[IM_GPU_ID])
		im_gpu_set_id(g);
	im_gpu_set_d3hot(g);
	im_nic_set_ats(tree, set[IM_NIC_ATS] == IM_ATS_PRESENT);
	if (set[IM_PRESENT] != old[IM_PRESENT])
		im_reset_block(g, false);
	if (set[IM_LINKS_WIDTH] != old[IM_LINKS_WIDTH])
		im_reset_link_width(g, set[IM_LINKS_WIDTH]);
	if (set[IM_SWITCH_ACS] == IM_ACS_REFUSES)
		im_reset_forget_acs(g);
	if (set[IM_PORT_ERROR])
		im_reset_port_error(g, set[IM_PORT_ERROR]);
	g->set[IM_PORT_ERROR] = 0;
	if (set[IM_POWER_CYCLE])
		im_reset_power_cycle(g);
	g->set[IM_POWER_CYCLE] = 0;
	im_heat_ramp(g, old);
	im_real_master(g);
	if (set[IM_LIE_SEED] != old[IM_LIE_SEED])
		g->lie = 0;
	im_regs_show(g);
	if (set[IM_DISCOVERY] != old[IM_DISCOVERY] || set[IM_HARVESTED] != old[IM_HARVESTED])
		g->discovery_stale = true;
	im_regs_kick();
	raw_spin_unlock_irqrestore(&tree->lock, flags);
}

/* Apply all of the words KEY=VALUE, or none. */
static int change(struct im_gpu *g, char *text)
{
	static DEFINE_MUTEX(lock);
	u32 set[IM_KNOBS];
	char *word;
	int err = 0;

	mutex_lock(&lock);
	memcpy(set, g->set, sizeof(set));
	while ((word = strsep(&text, " \t\r\n")))
		if (*word)
			err = parse_line(word, set) ?: err;
	if (!err)
		apply(g, set);
	mutex_unlock(&lock);
	return err;
}

static ssize_t set_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	struct im_gpu *g = ((struct seq_file *)file->private_data)->private;
	char *text;
	int err;

	if (size > WRITE_MAX)
		return -E2BIG;
	text = memdup_user_nul(from, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = change(g, text);
	kfree(text);
	return err ?: size;
}

/* Lockdown forbids writes in debugfs; there a module parameter takes "FOLDER KEY=VALUE...". */
static int set_param(const char *value, const struct kernel_param *param)
{
	char *text, *rest, *name;
	int err = -ENODEV;
	struct im_gpu *g;

	text = kstrdup(value, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	rest = text;
	name = strsep(&rest, " ");
	list_for_each_entry(g, &im_gpus, node)
		if (rest && g->dir && !strcmp(g->dir->d_name.name, name)) {
			err = change(g, rest);
			break;
		}
	kfree(text);
	return err;
}

static const struct kernel_param_ops set_ops = {
	.set = set_param,
};

module_param_cb(set, &set_ops, NULL, 0200);

static int set_show(struct seq_file *m, void *unused)
{
	struct im_gpu *g = m->private;
	char text[32];
	int i;

	for (i = 0; i < IM_KNOBS; i++) {
		format_value(&knobs[i], READ_ONCE(g->set[i]), text, sizeof(text));
		seq_printf(m, "%s=%s\n", knobs[i].name, text);
	}
	return 0;
}

static int set_open(struct inode *inode, struct file *file)
{
	return single_open(file, set_show, inode->i_private);
}

static const struct file_operations set_fops = {
	.owner = THIS_MODULE,
	.open = set_open,
	.read = seq_read,
	.write = set_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static ssize_t release_write(struct file *file, const char __user *from, size_t size,
			     loff_t *at)
{
	static DEFINE_MUTEX(lock);
	int err;

	mutex_lock(&lock);
	err = im_release();
	mutex_unlock(&lock);
	return err ?: size;
}

static const struct file_operations release_fops = {
	.owner = THIS_MODULE,
	.write = release_write,
};

/**
 * im_knob_init() - give a new GPU the defaults
 * @g: the GPU
 */
void im_knob_init(struct im_gpu *g)
{
	int i;

	for (i = 0; i < IM_KNOBS; i++)
		g->set[i] = knobs[i].value;
	im_heat_ramp(g, g->set);
}

/**
 * im_knob_start() - show all GPUs in debugfs
 *
 * A GPU's folder keeps its name even if the GPU's bus number changes.
 *
 * Context: process.
 * Return: 0 or a negative error number.
 */
int im_knob_start(void)
{
	struct im_gpu *g;
	char name[16];

	top = debugfs_create_dir("instinct-model", NULL);
	if (IS_ERR(top))
		return PTR_ERR(top);

	release = debugfs_create_file("instinct-model.release", 0200, NULL, NULL, &release_fops);
	list_for_each_entry(g, &im_gpus, node) {
		snprintf(name, sizeof(name), "%04x:%02x:%02x.%d",
			 pci_domain_nr(g->func->tree->root_bus), g->func->path->number,
			 PCI_SLOT(g->func->devfn), PCI_FUNC(g->func->devfn));
		g->dir = debugfs_create_dir(name, top);
		debugfs_create_file("set", 0600, g->dir, g, &set_fops);
		debugfs_create_file("counters", 0400, g->dir, g, im_counter_fops);
		debugfs_create_file("state", 0400, g->dir, g, im_state_fops);
		debugfs_create_file("writes", 0400, g->dir, g, im_switch_writes_fops);
		debugfs_create_file("config", 0400, g->dir, g, im_switch_config_fops);
	}
	return 0;
}

/**
 * im_knob_stop() - remove the model from debugfs
 *
 * Context: process; waits for readers.
 */
void im_knob_stop(void)
{
	debugfs_remove(release);
	debugfs_remove_recursive(top);
}
