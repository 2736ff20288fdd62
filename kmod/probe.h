/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bits of a function that can be toggled without harm: in each part of its config space
 * they tell whether writes land there at all.
 */
#ifndef _INSTINCT_PROBE_H
#define _INSTINCT_PROBE_H

#include "config_io.h"
#include "config_map.h"

/**
 * enum instinct_probe_stage - how far the toggling is
 * @INSTINCT_PROBE_NONE: it is as it was
 * @INSTINCT_PROBE_TOGGLED: the bits were toggled
 * @INSTINCT_PROBE_PUT_BACK: and put back
 */
enum instinct_probe_stage {
	INSTINCT_PROBE_NONE,
	INSTINCT_PROBE_TOGGLED,
	INSTINCT_PROBE_PUT_BACK,
};

/**
 * struct instinct_probe - of one function
 * @held: in each part of the config space, the bits were seen to hold
 * @beside: what the register that they are in holds, by who wrote it last
 * @stage: of a toggling that takes longer
 * @write: its write
 * @mask: bits that it toggles
 */
struct instinct_probe {
	bool held[INSTINCT_CONFIG_PARTS];
	u32 beside[INSTINCT_CONFIG_PARTS];
	enum instinct_probe_stage stage;
	struct instinct_write write;
	u32 mask;
};

void instinct_probe_told(struct instinct_probe *probe,
			 const struct instinct_config_facts *facts,
			 const struct instinct_write *write);
void instinct_probe_learn(struct instinct_probe *probe,
			  const struct instinct_config_facts *facts,
			  const struct instinct_config_io *io);
void instinct_probe_survey(struct instinct_probe *probe, struct instinct_config_map *map,
			   const struct instinct_config_io *io);
bool instinct_probe_lands(const struct instinct_probe *probe,
			  const struct instinct_config_facts *facts,
			  const struct instinct_config_io *io, enum instinct_config_part part);
u32 instinct_probe_toggled(const struct instinct_probe *probe,
			   const struct instinct_write *write);
bool instinct_probe_begin(struct instinct_probe *probe,
			  const struct instinct_config_facts *facts,
			  const struct instinct_config_io *io, enum instinct_config_part part);
bool instinct_probe_shows(const struct instinct_probe *probe,
			  const struct instinct_config_io *io);
void instinct_probe_turn(struct instinct_probe *probe);
void instinct_probe_repeat(const struct instinct_probe *probe,
			   const struct instinct_config_io *io);

#endif /* _INSTINCT_PROBE_H */
