/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number that the hardware gives each GPU of a board: its place in the XGMI hive, which amdgpu
 * shows as xgmi_physical_id and amd-smi as OAM_ID. On most boards it does not follow the order of
 * addresses.
 */
#ifndef OAM_H
#define OAM_H

#include "model.h"

#define OAM_NUMBERS	64	/* numbers from 0; a hive has 8 */
#define OAM_OF_BOARD	8	/* GPUs of a whole board */
#define OAM_UNKNOWN	(-1)

/* How the number of a GPU is known. */
enum oam_origin {
	OAM_BY_NOTHING,
	OAM_BY_CONF,		/* oam in monitor.conf */
	OAM_BY_MODULE,		/* the module has read it from the GPU */
	OAM_BY_AMDGPU,
	OAM_BY_RECORD,		/* amdgpu or qualify --look told it earlier */
	OAM_BY_SLOT,		/* the firmware's name of its slot */
	OAM_ORIGINS
};

/**
 * struct oam - the number of a GPU
 * @bdf: the GPU's address
 * @serial: its serial number, 0 if unknown
 * @number: its number, or OAM_UNKNOWN
 * @origin: enum oam_origin
 * @twice: another GPU has the same number, so neither counts
 */
struct oam {
	char bdf[BDF_BYTES];
	uint64_t serial;
	int number;
	enum oam_origin origin;
	bool twice;
};

/**
 * struct oams - the numbers of several GPUs
 * @list: array
 * @count: number of entries in @list
 * @from_1: the firmware's names of slots begin with OAM 1
 */
struct oams {
	struct oam *list;
	size_t count;
	bool from_1;
};

extern const struct names oam_origin_names;

bool oam_parse(const char *text, struct oams *oams);
bool oam_is_noted(const char *bdf);
void oam_find(struct oams *oams, const struct devices *gpus, const char *conf);
int oam_first(uint64_t seen);
int oam_number(const struct oams *oams, size_t gpu);
void oam_list(const struct oams *oams, char *text, size_t size);
int oam_record(const struct oams *oams);
struct oam *oam_add(struct oams *oams, const char *bdf, int number, enum oam_origin origin);
void oam_free(struct oams *oams);

#endif /* OAM_H */
