// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <sha2.h>

#include "digest.h"

/* Of all but the digest: members by name, no blanks, UTF-8. */
static bool digest_of(const json_t *report, char hex[SHA256_DIGEST_STRING_LENGTH])
{
	json_t *rest = json_copy((json_t *)report);
	char *text;

	json_object_del(rest, DIGEST_MEMBER);
	text = json_dumps(rest, JSON_SORT_KEYS | JSON_COMPACT);
	json_decref(rest);
	if (!text)
		return false;
	SHA256Data((const uint8_t *)text, strlen(text), hex);
	free(text);
	return true;
}

/**
 * digest_add() - seal a report
 * @report: an object, gets the member "digest"
 *
 * It proves that nobody has changed the report by accident, and no more: who changes it
 * on purpose can seal it again.
 *
 * Return: false without memory.
 */
bool digest_add(json_t *report)
{
	char hex[SHA256_DIGEST_STRING_LENGTH];

	return digest_of(report, hex) &&
	       !json_object_set_new(report, DIGEST_MEMBER,
				    json_pack("{s:s, s:s}", "algorithm", "sha256",
					      "value", hex));
}

/**
 * digest_holds() - is a report as it was sealed?
 * @report: an object
 *
 * Return: true if so.
 */
bool digest_holds(const json_t *report)
{
	const char *value = json_string_value(json_object_get(json_object_get(report,
									      DIGEST_MEMBER), "value"));
	char hex[SHA256_DIGEST_STRING_LENGTH];

	return value && digest_of(report, hex) && !strcmp(value, hex);
}
