/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of GPUs that have no object: state and policy from an unbind to the next bind and over an
 * enumeration, and policies that are pending until the driver takes a GPU.
 */
#ifndef _INSTINCT_RECORD_H
#define _INSTINCT_RECORD_H

struct instinct_device;
struct instinct_identity;
struct instinct_policy;

void instinct_record_keep(struct instinct_device *dev);
void instinct_record_recall(struct instinct_device *dev);

void instinct_record_lock(void);
void instinct_record_unlock(void);
void instinct_record_unset_policy(const char *bdf);
int instinct_record_prepare(const struct instinct_identity *identity);
void instinct_record_set_policy(const struct instinct_identity *identity,
				const struct instinct_policy *policy);
void instinct_record_policy(const struct instinct_identity *identity,
			    struct instinct_policy *policy, bool *policy_set);
bool instinct_record_nth(unsigned int index, struct instinct_identity *identity,
			 struct instinct_policy *policy, bool *policy_set, bool *latest);
int instinct_record_init(void);
void instinct_record_exit(void);

#endif /* _INSTINCT_RECORD_H */
