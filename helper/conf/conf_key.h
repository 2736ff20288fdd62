/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a policy as text. The module's own table defines them, see kmod/policy/policy.c. */
#ifndef CONF_KEY_H
#define CONF_KEY_H

#include "model.h"
#include "policy/policy.h"

#define CONF_KEY_NUMBER(_attr, _name)	CONF_##_attr,

enum {
	INSTINCT_POLICY_KEYS_ALL(CONF_KEY_NUMBER)
	CONF_KEYS
};

/* The module and the helper share one table. */
#define conf_key	instinct_policy_key
#define conf_keys	instinct_policy_keys

const struct conf_key *conf_key_find(const char *name, const char **nearest);
const struct conf_key *conf_key_of_attr(unsigned int attr);
bool conf_key_parse(const struct conf_key *key, const char *text,
		    uint32_t *value);
const char *conf_key_why(const struct conf_key *key, const char *text);
void conf_key_format(const struct conf_key *key, uint32_t value, char *text,
		     size_t size);
void conf_key_words(const struct conf_key *key, struct names *words);
const char *conf_key_word(unsigned int number, uint32_t value);
const char *conf_key_unit(const struct conf_key *key);
void conf_key_allowed(const struct conf_key *key, char *text, size_t size);
uint32_t conf_key_get(const struct conf_key *key, const struct policy *policy);
void conf_key_set(const struct conf_key *key, struct policy *policy,
		  uint32_t value);
void conf_key_rules(const struct policy *policy, struct instinct_policy *rules);
bool conf_parse_ms(const char *text, uint32_t min, uint32_t max, uint32_t *value);
void acs_format(uint32_t value, char *text, size_t size);

#endif /* CONF_KEY_H */
