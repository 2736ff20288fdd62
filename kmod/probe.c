// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "probe.h"

/* What is toggled: bits that do nothing, or nothing that matters for an instant. */
static struct instinct_write probe_at(const struct instinct_config_facts *facts,
				      enum instinct_config_part part)
{
	switch (part) {
	case INSTINCT_CONFIG_HEADER:
		return (struct instinct_write) { PCI_CACHE_LINE_SIZE, 1, 0xff };
	case INSTINCT_CONFIG_CAPABILITIES:
		return (struct instinct_write) { facts->exp + PCI_EXP_DEVCTL, 2,
						 PCI_EXP_DEVCTL_CERE };
	default:
		return (struct instinct_write) { facts->aer + PCI_ERR_COR_MASK, 4,
						 PCI_ERR_COR_RCVR };
	}
}

static bool probe_exists(const struct instinct_config_facts *facts,
			 enum instinct_config_part part)
{
	return part == INSTINCT_CONFIG_HEADER ||
	       (part == INSTINCT_CONFIG_CAPABILITIES ? facts->exp : facts->aer);
}

/*
 * What is in a probe's register, by who wrote it. Initiate FLR reads zero (PCIe r6.0 sec
 * 7.5.3.4); if a function says otherwise, or somebody has just written it, it is not to be
 * written again: that would reset the function, and nobody would be told.
 */
static void set_beside(struct instinct_probe *probe, enum instinct_config_part part, u32 val)
{
	if (part == INSTINCT_CONFIG_CAPABILITIES)
		val &= ~PCI_EXP_DEVCTL_BCR_FLR;
	probe->beside[part] = val;
}

/**
 * instinct_probe_told() - a write is passed on
 * @probe: of the function
 * @facts: about it
 * @write: the write
 *
 * A probe leaves the register that it toggles as it was written last, and not as it reads:
 * a function that answers with nonsense for a moment would keep that.
 */
void instinct_probe_told(struct instinct_probe *probe,
			 const struct instinct_config_facts *facts,
			 const struct instinct_write *write)
{
	enum instinct_config_part part = instinct_config_part(write->where);
	struct instinct_write at = probe_at(facts, part);

	set_beside(probe, part, instinct_write_over(write, ~0u, at.where, at.size,
						    probe->beside[part]));
}

static bool shows(const struct instinct_config_io *io, const struct instinct_write *write,
		  u32 mask)
{
	return !((io->read(io->data, write->where, write->size) ^ write->val) & mask);
}

static void pass_on(const struct instinct_config_io *io, const struct instinct_write *write)
{
	io->write(io->data, write->where, write->size, write->val);
}

/**
 * instinct_probe_lands() - do writes land in a part of the config space, now?
 * @probe: of the function
 * @facts: about it
 * @io: how it is reached
 * @part: in which the probe holds
 *
 * Toggled and put back, two looks.
 *
 * Return: true if both were seen.
 */
bool instinct_probe_lands(const struct instinct_probe *probe,
			  const struct instinct_config_facts *facts,
			  const struct instinct_config_io *io, enum instinct_config_part part)
{
	struct instinct_write write = probe_at(facts, part);
	u32 mask = write.val;
	bool landed;

	write.val = probe->beside[part] ^ mask;
	pass_on(io, &write);
	landed = shows(io, &write, mask);
	write.val ^= mask;
	pass_on(io, &write);
	return landed && shows(io, &write, mask);
}

/**
 * instinct_probe_learn() - what is in the registers, of which nobody was told
 * @probe: of the function
 * @facts: about it
 * @io: how it is reached
 *
 * Before probes are needed, while nothing is amiss. Where the function does not answer none
 * holds.
 */
void instinct_probe_learn(struct instinct_probe *probe,
			  const struct instinct_config_facts *facts,
			  const struct instinct_config_io *io)
{
	enum instinct_config_part part;

	for (part = 0; part < INSTINCT_CONFIG_PARTS; part++) {
		struct instinct_write at = probe_at(facts, part);

		if (probe->held[part])
			set_beside(probe, part, io->read(io->data, at.where, at.size));
	}
	if (instinct_config_absent(io))
		memset(probe->held, 0, sizeof(probe->held));
}

/**
 * instinct_probe_survey() - in which parts there is one that holds
 * @probe: of the function
 * @map: of the function; told which bits those are
 * @io: how it is reached
 *
 * Nobody uses the function, and it answers.
 */
void instinct_probe_survey(struct instinct_probe *probe, struct instinct_config_map *map,
			   const struct instinct_config_io *io)
{
	const struct instinct_config_facts *facts = &map->facts;
	enum instinct_config_part part;

	for (part = 0; part < INSTINCT_CONFIG_PARTS; part++)
		probe->held[part] = probe_exists(facts, part);
	instinct_probe_learn(probe, facts, io);
	for (part = 0; part < INSTINCT_CONFIG_PARTS; part++) {
		struct instinct_write at = probe_at(facts, part);

		probe->held[part] = probe->held[part] &&
				    instinct_probe_lands(probe, facts, io, part);
		if (probe->held[part])
			instinct_config_map_proven(map, at.where, at.size, at.val);
	}
}

/**
 * instinct_probe_toggled() - what of a write a toggling under way hides
 * @probe: of the function
 * @write: the write
 *
 * Return: those of its bits, at its offset, that are toggled.
 */
u32 instinct_probe_toggled(const struct instinct_probe *probe,
			   const struct instinct_write *write)
{
	struct instinct_write mask = probe->write;

	if (probe->stage == INSTINCT_PROBE_NONE)
		return 0;
	mask.val = probe->mask;
	return instinct_write_over(&mask, ~0u, write->where, write->size, 0);
}

/**
 * instinct_probe_begin() - toggle the bits of a part
 * @probe: of the function
 * @facts: about it
 * @io: how it is reached
 * @part: in which it holds
 *
 * Return: true if that is to be seen at once.
 */
bool instinct_probe_begin(struct instinct_probe *probe,
			  const struct instinct_config_facts *facts,
			  const struct instinct_config_io *io, enum instinct_config_part part)
{
	probe->write = probe_at(facts, part);
	probe->mask = probe->write.val;
	probe->write.val ^= probe->beside[part];
	probe->stage = INSTINCT_PROBE_TOGGLED;
	pass_on(io, &probe->write);
	return instinct_probe_shows(probe, io);
}

/**
 * instinct_probe_shows() - are the bits as they were written last?
 * @probe: of the function
 * @io: how it is reached
 *
 * Return: true if so.
 */
bool instinct_probe_shows(const struct instinct_probe *probe,
			  const struct instinct_config_io *io)
{
	return shows(io, &probe->write, probe->mask);
}

/**
 * instinct_probe_turn() - from here on instinct_probe_repeat() puts the bits back
 * @probe: of the function
 */
void instinct_probe_turn(struct instinct_probe *probe)
{
	probe->write.val ^= probe->mask;
	probe->stage = INSTINCT_PROBE_PUT_BACK;
}

/**
 * instinct_probe_repeat() - write it once more: it may have been swallowed
 * @probe: of the function
 * @io: how it is reached
 */
void instinct_probe_repeat(const struct instinct_probe *probe,
			   const struct instinct_config_io *io)
{
	pass_on(io, &probe->write);
}
