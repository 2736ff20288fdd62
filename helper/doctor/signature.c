// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <openssl/cms.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "library.h"
#include "signature.h"

/* Linux, include/linux/module_signature.h: a trailer and MAGIC follow the signature. */
#define MAGIC		"~Module signature appended~\n"
#define MAGIC_BYTES	(sizeof(MAGIC) - 1)
#define TRAILER_BYTES	12
#define TRAILER_TYPE	2
#define TRAILER_SIZE	8
#define TYPE_PKCS7	2

/* libkmod needs libcrypto too, so that a host where instinctctl can load the module has it. */
#define LIBRARY		"libcrypto.so.3"

LIBRARY_NOTE("signatures", "recommended", "\"" LIBRARY "\"");

#define CALLS(CALL)							\
	CALL(ASN1_STRING_get0_data)					\
	CALL(ASN1_STRING_length)					\
	CALL(CMS_ContentInfo_free)					\
	CALL(CMS_SignerInfo_cert_cmp)					\
	CALL(CMS_SignerInfo_get0_signer_id)				\
	CALL(CMS_get0_SignerInfos)					\
	CALL(OPENSSL_sk_value)						\
	CALL(X509_NAME_get_text_by_NID)					\
	CALL(X509_free)							\
	CALL(X509_get0_serialNumber)					\
	CALL(X509_get0_subject_key_id)					\
	CALL(d2i_CMS_ContentInfo)					\
	CALL(d2i_X509)

static struct crypto {
#define MEMBER(call)	typeof(call) *(call);
	CALLS(MEMBER)
} crypto;

static const struct library_call calls[] = {
#define SYMBOL(call)	{ #call, offsetof(struct crypto, call) },
	CALLS(SYMBOL)
};

/**
 * signature_library() - load libcrypto for the lifetime of this process
 *
 * Return: false if libcrypto is not installed or lacks a function.
 */
bool signature_library(void)
{
	static bool loaded;
	const char *missing;

	loaded = loaded || library_open(LIBRARY, calls, sizeof(calls) / sizeof(calls[0]), &crypto,
					&missing);
	return loaded;
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

/* The kernel, too, judges a module by one signer. The caller frees @message. */
static CMS_SignerInfo *read_signer(const struct signature *signature, CMS_ContentInfo **message)
{
	const uint8_t *at = signature->data;

	*message = crypto.d2i_CMS_ContentInfo(NULL, &at, signature->size);
	return *message ? crypto.OPENSSL_sk_value((const OPENSSL_STACK *)
						  crypto.CMS_get0_SignerInfos(*message), 0) : NULL;
}

/**
 * signature_signer() - read the signer's name: the common name of the certificate's issuer
 * @signature: signature
 * @name: receives the name
 * @size: bytes of @name
 *
 * Context: after signature_library().
 *
 * Return: false if the signature has no name.
 */
bool signature_signer(const struct signature *signature, char *name, size_t size)
{
	CMS_ContentInfo *message;
	CMS_SignerInfo *signer = read_signer(signature, &message);
	X509_NAME *issuer = NULL;
	bool found;

	if (signer)
		crypto.CMS_SignerInfo_get0_signer_id(signer, NULL, &issuer, NULL);
	found = issuer &&
		crypto.X509_NAME_get_text_by_NID(issuer, NID_commonName, name, size) >= 0;
	crypto.CMS_ContentInfo_free(message);
	return found;
}

/* Linux, x509_public_key.c: the subject key identifier or else the serial number, in hexadecimal. */
static void write_key_id(X509 *certificate, char id[KEY_ID_BYTES])
{
	const ASN1_STRING *key = crypto.X509_get0_subject_key_id(certificate) ?:
				 crypto.X509_get0_serialNumber(certificate);
	const uint8_t *data = crypto.ASN1_STRING_get0_data(key);
	int i, bytes = crypto.ASN1_STRING_length(key);

	*id = '\0';
	if (2 * bytes >= KEY_ID_BYTES)
		return;
	for (i = bytes > 1 && !*data; i < bytes; i++, id += 2)
		snprintf(id, 3, "%02x", data[i]);
}

/**
 * signature_is_by() - check whether a signature names a certificate
 * @signature: signature
 * @certificate: X.509 certificate in DER
 * @size: bytes of @certificate
 * @id: receives the name of the certificate's key in /proc/keys, "" if it is too long
 *
 * Context: after signature_library().
 *
 * Return: true if the signature names the certificate's issuer and serial number, or its subject
 * key identifier; @id is set only then.
 */
bool signature_is_by(const struct signature *signature, const uint8_t *certificate, size_t size,
		     char id[KEY_ID_BYTES])
{
	X509 *x509 = crypto.d2i_X509(NULL, &certificate, size);
	CMS_ContentInfo *message;
	CMS_SignerInfo *signer = read_signer(signature, &message);
	bool same = x509 && signer && !crypto.CMS_SignerInfo_cert_cmp(signer, x509);

	if (same)
		write_key_id(x509, id);
	crypto.CMS_ContentInfo_free(message);
	crypto.X509_free(x509);
	return same;
}
