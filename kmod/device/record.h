/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Identities and records of GPUs, also of those that this driver does not have: state and policy
 * from an unbind to the next bind and over an enumeration, and policies that are pending until the
 * driver takes a GPU.
 */
#ifndef _INSTINCT_RECORD_H
#define _INSTINCT_RECORD_H

#include "core/event.h"
#include "core/profile.h"

struct instinct_device;
struct instinct_policy;
struct instinct_status;

/**
 * struct instinct_identity - identity of a GPU
 * @bdf: address of the GPU
 * @serial: PCIe Device Serial Number, 0 if the GPU has none or did not answer
 * @profile: profile of the GPU
 * @packaged: there is a package switch right above the GPU; a record does not tell
 */
struct instinct_identity {
	char bdf[INSTINCT_BDF_BYTES];
	u64 serial;
	const struct instinct_profile *profile;
	bool packaged;
};

bool instinct_identity_is_endpoint(const char *bdf);
int instinct_identity_find(struct instinct_identity *identity, const char *bdf, const char **why);

void instinct_record_keep(struct instinct_device *dev);
void instinct_record_recall(struct instinct_device *dev);
void instinct_record_identify(struct instinct_device *dev);
struct instinct_status *instinct_record_get(const struct instinct_identity *identity);
bool instinct_record_policy(const struct instinct_identity *identity,
			    struct instinct_policy *policy);
bool instinct_record_nth(unsigned int index, struct instinct_identity *identity,
			 struct instinct_policy *policy, bool *policy_set);
void instinct_record_leave(const char *bdf);
void instinct_record_exit(void);

#endif /* _INSTINCT_RECORD_H */
