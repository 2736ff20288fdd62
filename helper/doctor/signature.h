/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signature of a kernel module, and the certificate of its key. */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes; larger than any signature. */
#define SIGNATURE_MAX	(16 << 10)
/* Room for an identifier in hexadecimal digits. */
#define KEY_ID_BYTES	128

/**
 * struct signature - a PKCS #7 message
 * @data: first byte
 * @size: number of bytes
 */
struct signature {
	const uint8_t *data;
	size_t size;
};

bool signature_library(void);
bool signature_find(const uint8_t *file, size_t size, struct signature *signature);
bool signature_signer(const struct signature *signature, char *name, size_t size);
bool signature_is_by(const struct signature *signature, const uint8_t *certificate, size_t size,
		     char id[KEY_ID_BYTES]);

#endif /* SIGNATURE_H */
