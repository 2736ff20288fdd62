/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bringing back a GPU that a trial has lost or left not ready. */
#ifndef RECOVERY_H
#define RECOVERY_H

#include "methods.h"

struct qualify;
struct trial;

enum remedy {
	REMEDY_NONE,	/* no remedy is left */
	REMEDY_WAIT,	/* wait for a reset under way, or before the next try */
	REMEDY_MODE1,
	REMEDY_QUIESCE,	/* restores the package's ports and the config space */
	REMEDY_RELEASE,	/* release the GPU from quarantine */
};

#define REMEDIES	(REMEDY_RELEASE + 1)

extern const struct names remedy_names;

/**
 * struct recovery_facts - facts that decide on the next remedy
 * @state: state of the GPU, STATE_UNKNOWN while it is absent
 * @lost_by: methods that lost the GPU according to the module, BIT(method)
 * @mode1_bad: mode1 failed or lost the GPU in this run
 * @max_risk: highest risk that the operator accepts
 * @tried: remedies tried since the last wait, BIT(remedy)
 * @late: the time for the recovery is over
 */
struct recovery_facts {
	int state;
	uint32_t lost_by;
	bool mode1_bad;
	enum risk max_risk;
	uint32_t tried;
	bool late;
};

/**
 * struct recovery_step - a remedy that was tried
 * @remedy: remedy
 * @ok: the GPU was ready after it
 * @why: reason why the GPU was not ready, or ""
 */
struct recovery_step {
	enum remedy remedy;
	bool ok;
	char why[TEXT_BYTES];
};

/**
 * struct recovery - recovery of a GPU after a trial
 * @of: kind of the trial
 * @bdf: address of the GPU of the trial, or of another member of its hive
 * @step: remedies that were tried, each with its last try
 * @steps: number of remedies
 * @by: remedy that brought the GPU back, REMEDY_NONE if it is not ready
 */
struct recovery {
	const struct kind *of;
	char bdf[BDF_BYTES];
	struct recovery_step step[REMEDIES];
	size_t steps;
	enum remedy by;
};

enum remedy recovery_next(const struct recovery_facts *facts);
bool recovery_run(struct qualify *qualify, const struct trial *trial, const char *bdf);

#endif /* RECOVERY_H */
