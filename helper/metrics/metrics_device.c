// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics of each GPU: its state, its resets, its config writes. */
#include <inttypes.h>

#include "conf_key.h"
#include "metrics_part.h"

/* A counter of a device: its metric's name and help text, and its offset in struct device. */
struct counter {
	const char *name;
	const char *help;
	size_t offset;
};

static const struct counter counters[] = {
	{ "hardware_resets_total", "Resets that reached the hardware.",
	  offsetof(struct device, resets.hardware) },
	{ "coalesced_resets_total", "Resets asked of a GPU that was clean, not repeated.",
	  offsetof(struct device, resets.coalesced) },
	{ "quiesced_resets_total", "Resets done without a hardware reset: DMA was stopped only.",
	  offsetof(struct device, resets.quiesced) },
	{ "failed_resets_total", "Resets that failed, or after which the GPU was lost.",
	  offsetof(struct device, resets.failed) },
	{ "config_writes_blocked_total", "Times that a register did not hold what was written.",
	  offsetof(struct device, config.blocked) },
	{ "config_writes_retried_total", "Times that such a register was written again.",
	  offsetof(struct device, config.retried) },
	{ "config_writes_verified_total", "Times that a register held what was written after all.",
	  offsetof(struct device, config.verified) },
	{ "config_writes_failed_total", "Times that a register did not hold what was written in time.",
	  offsetof(struct device, config.failed) },
};

static const char *serial_of(const struct device *dev, char text[PROM_VALUE_BYTES])
{
	*text = '\0';
	if (dev->serial)
		snprintf(text, PROM_VALUE_BYTES, "0x%016" PRIx64, dev->serial);
	return text;
}

static void put_info(struct prom *prom, const struct device *dev)
{
	char serial[PROM_VALUE_BYTES], node[PROM_VALUE_BYTES];

	snprintf(node, sizeof(node), "%d", dev->numa_node);
	prom_count(prom, 1, "bdf", dev->bdf, "serial", serial_of(dev, serial), "model", dev->model,
		   "family", dev->family, "numa_node", node, NULL);
}

static void put_states(struct prom *prom, const struct device *dev)
{
	unsigned int state;

	for (state = 0; state < state_names.count; state++)
		prom_count(prom, dev->state == (int)state, "bdf", dev->bdf,
			   "state", name_of(&state_names, state), NULL);
	prom_count(prom, dev->state == STATE_MISSING, "bdf", dev->bdf,
		   "state", state_word(STATE_MISSING), NULL);
}

static void put_hardware(struct prom *prom, const struct device *dev)
{
	char nodes[PROM_VALUE_BYTES];

	snprintf(nodes, sizeof(nodes), "%" PRIu32, dev->hive_nodes);
	prom_count(prom, 1, "bdf", dev->bdf,
		   "secure_os", name_of(&secure_os_names, dev->secure_os),
		   "partition", dev->partition ? conf_key_word(CONF_PARTITION, dev->partition) : "unknown",
		   "compute_partition", name_of(&compute_names, dev->compute),
		   "hive_nodes", nodes, NULL);
}

/**
 * metrics_states() - write the states of GPUs, also of those that are missing
 * @prom: text
 * @snapshot: snapshot
 *
 * The address of a missing GPU may be another one's by now: then only device_missing tells of the GPU.
 */
void metrics_states(struct prom *prom, const struct snapshot *snapshot)
{
	char serial[PROM_VALUE_BYTES];
	const struct device *gone;
	size_t i;

	prom_family(prom, "device_state", "gauge", "1 for the state that the GPU is in, 0 for the others.");
	for (i = 0; i < snapshot->devices.count; i++)
		put_states(prom, &snapshot->devices.list[i]);
	for (i = 0; i < snapshot->missing.count; i++)
		if (!devices_find(&snapshot->devices, snapshot->missing.list[i].bdf))
			put_states(prom, &snapshot->missing.list[i]);
	prom_family(prom, "device_missing", "gauge",
		    "A GPU that an earlier apply found and that is gone, always 1.");
	for (i = 0; i < snapshot->missing.count; i++) {
		gone = &snapshot->missing.list[i];
		prom_count(prom, 1, "bdf", gone->bdf, "serial", serial_of(gone, serial),
			   "model", gone->model, "family", gone->family, NULL);
	}
}

/**
 * metrics_devices() - write the counters of GPUs
 * @prom: text
 * @devices: GPUs
 */
void metrics_devices(struct prom *prom, const struct devices *devices)
{
	size_t i, k;

	prom_family(prom, "device_info", "gauge", "A GPU that the module manages, always 1.");
	for (i = 0; i < devices->count; i++)
		put_info(prom, &devices->list[i]);
	prom_family(prom, "device_hardware_info", "gauge",
		    "State that the GPU's registers reported when the module last read them, always 1.");
	for (i = 0; i < devices->count; i++)
		put_hardware(prom, &devices->list[i]);
	prom_family(prom, "device_open", "gauge", "VFIO users that have the GPU open.");
	for (i = 0; i < devices->count; i++)
		prom_count(prom, devices->list[i].open, "bdf", devices->list[i].bdf, NULL);
	prom_family(prom, "device_hive_open", "gauge", "Other GPUs of its hive that VFIO users have open.");
	for (i = 0; i < devices->count; i++)
		prom_count(prom, devices_hive_open(devices, &devices->list[i]), "bdf",
			   devices->list[i].bdf, NULL);
	for (k = 0; k < sizeof(counters) / sizeof(counters[0]); k++) {
		prom_family(prom, counters[k].name, "counter", counters[k].help);
		for (i = 0; i < devices->count; i++) {
			const struct device *dev = &devices->list[i];

			prom_count(prom, *(const uint64_t *)((const char *)dev + counters[k].offset),
				   "bdf", dev->bdf, NULL);
		}
	}
	prom_family(prom, "config_write_longest_seconds", "gauge",
		    "Longest time for which a register did not hold what was written.");
	for (i = 0; i < devices->count; i++)
		prom_seconds(prom, devices->list[i].config.longest, "bdf",
			     devices->list[i].bdf, NULL);
}
