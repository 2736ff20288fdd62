// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "signature.h"

/* Linux, include/linux/module_signature.h: a trailer and MAGIC follow the signature. */
#define MAGIC		"~Module signature appended~\n"
#define MAGIC_BYTES	(sizeof(MAGIC) - 1)
#define TRAILER_BYTES	12
#define TRAILER_TYPE	2
#define TRAILER_SIZE	8
#define TYPE_PKCS7	2

/* X.690: tags, and the bit that marks the long form of a length */
#define DER_INTEGER	0x02
#define DER_OCTETS	0x04
#define DER_SEQUENCE	0x30
#define DER_VERSION	0xa0
#define DER_LONG	0x80

/* Object identifiers: 2.5.4.3, common name, and 2.5.29.14, subject key identifier */
static const uint8_t common_name[] = { 0x06, 0x03, 0x55, 0x04, 0x03 };
static const uint8_t subject_key[] = { 0x06, 0x03, 0x55, 0x1d, 0x0e };

/**
 * struct der - a sequence of DER values
 * @at: begin of the next value
 * @end: end of the last value
 */
struct der {
	const uint8_t *at;
	const uint8_t *end;
};

/* Take the contents of the next value if it has this tag; @value and @der must differ. */
static bool der_take(struct der *der, uint8_t tag, struct der *value)
{
	const uint8_t *at = der->at;
	size_t size, bytes;

	if (der->end - at < 2 || *at++ != tag)
		return false;
	size = *at++;
	if (size & DER_LONG) {
		bytes = size & ~DER_LONG;
		if (bytes > sizeof(uint32_t) || (size_t)(der->end - at) < bytes)
			return false;
		for (size = 0; bytes; bytes--)
			size = size << 8 | *at++;
	}
	if ((size_t)(der->end - at) < size)
		return false;
	*value = (struct der) { at, at + size };
	der->at = value->end;
	return true;
}

/* Take the next value with its tag and length. */
static bool der_take_whole(struct der *der, uint8_t tag, struct der *whole)
{
	struct der value;

	whole->at = der->at;
	if (!der_take(der, tag, &value))
		return false;
	whole->end = der->at;
	return true;
}

/* Find an object identifier; @behind receives the data behind it. */
static bool der_find(const uint8_t *data, size_t size, const uint8_t id[5], struct der *behind)
{
	const uint8_t *found = memmem(data, size, id, sizeof(common_name));

	if (found)
		*behind = (struct der) { found + sizeof(common_name), data + size };
	return found;
}

/**
 * signature_find() - find the signature of a module
 * @file: last part of the module's file
 * @size: bytes of that part
 * @signature: receives the signature, which points into @file
 *
 * Return: false if the module has none.
 */
bool signature_find(const uint8_t *file, size_t size, struct signature *signature)
{
	const uint8_t *trailer;
	uint32_t bytes;

	if (size < MAGIC_BYTES + TRAILER_BYTES ||
	    memcmp(file + size - MAGIC_BYTES, MAGIC, MAGIC_BYTES))
		return false;
	size -= MAGIC_BYTES + TRAILER_BYTES;
	trailer = file + size;
	memcpy(&bytes, trailer + TRAILER_SIZE, sizeof(bytes));
	bytes = be32toh(bytes);
	if (trailer[TRAILER_TYPE] != TYPE_PKCS7 || bytes > size)
		return false;
	*signature = (struct signature) { trailer - bytes, bytes };
	return true;
}

/**
 * signature_signer() - read the signer's name: the common name of the certificate's issuer
 * @signature: signature
 * @name: receives the name
 * @size: bytes of @name
 *
 * Return: false if the signature has no name.
 */
bool signature_signer(const struct signature *signature, char *name, size_t size)
{
	struct der at, text;

	if (!der_find(signature->data, signature->size, common_name, &at) || at.at == at.end ||
	    !der_take(&at, *at.at, &text))
		return false;
	snprintf(name, size, "%.*s", (int)(text.end - text.at), (const char *)text.at);
	return true;
}

/* X.509: version, serial number, algorithm, issuer. @rest begins with the serial number. */
static bool certificate_serial_on(const uint8_t *certificate, size_t size, struct der *rest)
{
	struct der file = { certificate, certificate + size }, all, version;

	if (!der_take(&file, DER_SEQUENCE, &all) || !der_take(&all, DER_SEQUENCE, rest))
		return false;
	der_take(rest, DER_VERSION, &version);
	return true;
}

static bool certificate_serial(const uint8_t *certificate, size_t size, struct der *serial)
{
	struct der rest;

	return certificate_serial_on(certificate, size, &rest) &&
	       der_take(&rest, DER_INTEGER, serial);
}

/* PKCS #7 names a certificate by its issuer, directly followed by its serial number. */
static bool names_both(const struct signature *signature, const struct der *issuer,
		       const struct der *serial)
{
	const uint8_t *at = signature->data, *end = at + signature->size;
	const size_t first = issuer->end - issuer->at, second = serial->end - serial->at;

	while ((at = memmem(at, end - at, issuer->at, first))) {
		if ((size_t)(end - at) - first >= second &&
		    !memcmp(at + first, serial->at, second))
			return true;
		at++;
	}
	return false;
}

/* Serial numbers are unique only for one issuer, and some issuers count from 1: compare both. */
static bool names_certificate(const struct signature *signature, const uint8_t *certificate,
			      size_t size)
{
	struct der rest, serial, algorithm, issuer;

	return certificate_serial_on(certificate, size, &rest) &&
	       der_take_whole(&rest, DER_INTEGER, &serial) &&
	       der_take(&rest, DER_SEQUENCE, &algorithm) &&
	       der_take_whole(&rest, DER_SEQUENCE, &issuer) &&
	       names_both(signature, &issuer, &serial);
}

static bool certificate_subject_key(const uint8_t *certificate, size_t size, struct der *key)
{
	struct der at, extension;

	return der_find(certificate, size, subject_key, &at) &&
	       der_take(&at, DER_OCTETS, &extension) && der_take(&extension, DER_OCTETS, key);
}

/**
 * signature_is_by() - check whether a signature names a certificate or its key
 * @signature: signature
 * @certificate: X.509 certificate in DER
 * @size: bytes of @certificate
 *
 * Return: true if it names the issuer and serial number, or the subject key identifier.
 */
bool signature_is_by(const struct signature *signature, const uint8_t *certificate, size_t size)
{
	struct der id;

	return names_certificate(signature, certificate, size) ||
	       (certificate_subject_key(certificate, size, &id) &&
		memmem(signature->data, signature->size, id.at, id.end - id.at));
}

/**
 * certificate_key_id() - compute the name of a certificate's key in /proc/keys
 * @certificate: X.509 certificate in DER
 * @size: bytes of @certificate
 * @id: receives the name: hexadecimal digits of the subject key identifier, or without one
 *	of the serial number, as in Linux' x509_public_key.c
 *
 * Return: false if @certificate is no certificate.
 */
bool certificate_key_id(const uint8_t *certificate, size_t size, char id[KEY_ID_BYTES])
{
	struct der key;
	size_t at = 0;

	if (!certificate_subject_key(certificate, size, &key) &&
	    !certificate_serial(certificate, size, &key))
		return false;
	if (key.end - key.at > 1 && !*key.at)
		key.at++;
	if (key.at == key.end || 2 * (key.end - key.at) >= KEY_ID_BYTES)
		return false;
	while (key.at < key.end)
		at += snprintf(id + at, KEY_ID_BYTES - at, "%02x", *key.at++);
	return true;
}
