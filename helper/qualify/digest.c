// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <sha2.h>

#include "digest.h"

/* Digest of all members but the digest itself: JSON sorted by name, without blanks, in UTF-8. */
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
 * digest_add() - seal a report with a digest
 * @report: JSON object, which receives the member "digest"
 *
 * The digest shows accidental changes only: a user who changes a report on purpose can compute
 * the digest again.
 *
 * Return: false if there is no memory.
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
 * digest_holds() - check the digest of a report
 * @report: JSON object
 *
 * Return: true if the report has not changed since it was sealed.
 */
bool digest_holds(const json_t *report)
{
	const char *value = json_string_value(json_object_get(json_object_get(report,
									      DIGEST_MEMBER), "value"));
	char hex[SHA256_DIGEST_STRING_LENGTH];

	return value && digest_of(report, hex) && !strcmp(value, hex);
}
