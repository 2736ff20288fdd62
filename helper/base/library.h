/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Libraries that the helper loads when it needs them, so that hosts without them need not have them. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct library_call - a function of a library
 * @name: its name
 * @offset: offset of its pointer in the caller's struct
 */
struct library_call {
	const char *name;
	size_t offset;
};

void *library_open(const char *name, const struct library_call calls[], size_t count, void *into,
		   const char **missing);

/**
 * LIBRARY_NOTE() - name a library in the ELF section .note.dlopen of the program
 * @_feature: short name of what needs the library
 * @_priority: "required" or "recommended"
 * @_sonames: names of the library in JSON, without brackets; the first that is found is loaded
 *
 * Tools of distributions find the libraries there that a program loads by name
 * (https://systemd.io/ELF_DLOPEN_METADATA/). Each file that calls library_open() has one.
 */
#define LIBRARY_NOTE(_feature, _priority, _sonames)						\
	static const struct {									\
		uint32_t name_bytes, json_bytes, type;						\
		char name[sizeof("FDO")];							\
		char json[sizeof(LIBRARY_JSON(_feature, _priority, _sonames))];		\
	} library_note __attribute__((used, section(".note.dlopen"), aligned(4))) = {		\
		sizeof("FDO"), sizeof(LIBRARY_JSON(_feature, _priority, _sonames)),		\
		LIBRARY_NOTE_TYPE, "FDO", LIBRARY_JSON(_feature, _priority, _sonames),		\
	}
#define LIBRARY_NOTE_TYPE	0x407c0c0a
#define LIBRARY_JSON(_feature, _priority, _sonames)	"[{\"feature\":\"" _feature "\","	\
	"\"priority\":\"" _priority "\",\"soname\":[" _sonames "]}]"

#endif /* LIBRARY_H */
