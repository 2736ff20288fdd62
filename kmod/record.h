/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is remembered of a GPU while no driver object of it exists: from an
 * unbind to the next bind, and over an enumeration. And what it is to be under
 * when the driver takes it, by a policy that waits for that.
 */
#ifndef _INSTINCT_RECORD_H
#define _INSTINCT_RECORD_H

struct instinct_device;
struct instinct_identity;
struct instinct_policy;

void instinct_record_keep(struct instinct_device *dev, bool leaving);
void instinct_record_recall(struct instinct_device *dev);

void instinct_record_lock(void);
void instinct_record_unlock(void);
void instinct_record_unrule(const char *bdf);
int instinct_record_prepare(const struct instinct_identity *identity);
void instinct_record_rule(const struct instinct_identity *identity,
			  const struct instinct_policy *policy);
void instinct_record_policy(const struct instinct_identity *identity,
			    struct instinct_policy *policy, bool *ruled);
bool instinct_record_nth(unsigned int index, struct instinct_identity *identity,
			 struct instinct_policy *policy, bool *ruled, bool *latest);
int instinct_record_init(void);
void instinct_record_exit(void);

#endif /* _INSTINCT_RECORD_H */
