// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inventory.h"
#include "oam.h"
#include "say.h"
#include "sysfs.h"
#include "sysroot.h"
#include "textfile.h"

#define STATE_INSTALLED	"/var/lib/instinct-vfio"
#define RECORD		"/oam"
#define RECORD_BYTES	65536
#define SLOTS		"/sys/bus/pci/slots"
#define ONE_BYTES	96	/* a GPU in oam_list() */
#define MORE_BYTES	32	/* " and 1024 more" */

static const char *const origin_names[OAM_ORIGINS] = {
	"unknown", "monitor.conf", "module", "amdgpu", "remembered", "slot",
};

const struct names oam_origin_names = { origin_names, OAM_ORIGINS };

/**
 * oam_add() - append a number
 * @oams: numbers
 * @bdf: the GPU's address
 * @number: its number, or OAM_UNKNOWN
 * @origin: how it is known
 *
 * Return: the new entry.
 */
struct oam *oam_add(struct oams *oams, const char *bdf, int number, enum oam_origin origin)
{
	struct oam *oam = list_add((void **)&oams->list, &oams->count, sizeof(*oam));

	snprintf(oam->bdf, sizeof(oam->bdf), "%s", bdf);
	oam->number = number;
	oam->origin = origin;
	return oam;
}

/**
 * oam_free() - free the list, and leave it empty
 * @oams: numbers
 */
void oam_free(struct oams *oams)
{
	free(oams->list);
	*oams = (struct oams) { 0 };
}

static struct oam *find(const struct oams *oams, const char *bdf)
{
	size_t i;

	for (i = 0; i < oams->count; i++)
		if (!strcmp(oams->list[i].bdf, bdf))
			return &oams->list[i];
	return NULL;
}

static bool has_number(const struct oams *oams, int number)
{
	size_t i;

	for (i = 0; i < oams->count; i++)
		if (oams->list[i].number == number)
			return true;
	return false;
}

/* Returns the number that the whole text is, or OAM_UNKNOWN. */
static int parse_number(const char *text)
{
	char *end;
	long number;

	if (*text < '0' || *text > '9')
		return OAM_UNKNOWN;
	number = strtol(text, &end, 10);
	return !*end && number < OAM_NUMBERS ? number : OAM_UNKNOWN;
}

/**
 * oam_parse() - parse the numbers of monitor.conf
 * @text: "BDF=NUMBER BDF=NUMBER…", or "" for none
 * @oams: empty; set, to be freed by the caller also on failure
 *
 * Return: false unless @text gives each GPU one number, and each number to one GPU.
 */
bool oam_parse(const char *text, struct oams *oams)
{
	char *copy = text_copy(text), *rest = copy, *word, *equal, bdf[BDF_BYTES];
	bool right = true;

	while (right && (word = strsep(&rest, " \t,"))) {
		int number;

		if (!*word)
			continue;
		equal = strchr(word, '=');
		if (equal)
			*equal = '\0';
		number = equal ? parse_number(equal + 1) : OAM_UNKNOWN;
		right = number != OAM_UNKNOWN && bdf_parse(word, bdf) && !find(oams, bdf) &&
			!has_number(oams, number);
		if (right)
			oam_add(oams, bdf, number, OAM_BY_CONF);
	}
	free(copy);
	return right;
}

/* systemd sets STATE_DIRECTORY for the service; other callers share the service's folder. */
static void record_path(char *path, size_t size)
{
	const char *state = getenv("STATE_DIRECTORY");

	if (!state || !*state || *opt_sysroot)
		state = STATE_INSTALLED;
	snprintf(path, size, "%s%.*s" RECORD, opt_sysroot, (int)strcspn(state, ":"), state);
}

/* The file has a line "BDF NUMBER SERIAL" for each GPU. */
static void read_record(struct oams *oams)
{
	char *text = malloc(RECORD_BYTES), *rest = text, *line, path[PATH_MAX];
	char word[BDF_BYTES], bdf[BDF_BYTES];
	uint64_t serial;
	unsigned int number;
	ssize_t n;

	record_path(path, sizeof(path));
	n = text ? sysroot_read(path, text, RECORD_BYTES - 1) : -1;
	if (n > 0) {
		text[n] = '\0';
		while ((line = strsep(&rest, "\n")))
			if (sscanf(line, "%23s %2u %16" SCNx64, word, &number, &serial) == 3 &&
			    bdf_parse(word, bdf) && number < OAM_NUMBERS && !find(oams, bdf))
				oam_add(oams, bdf, number, OAM_BY_RECORD)->serial = serial;
	}
	free(text);
}

/* Returns the number in "OAM 3", "OAM_3" or "oam3", or OAM_UNKNOWN. */
static int number_of_name(const char *name)
{
	if (strncasecmp(name, "OAM", 3))
		return OAM_UNKNOWN;
	name += 3;
	return parse_number(name + (*name && strchr(" _-#", *name) ? 1 : 0));
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/**
 * struct slots - the slots whose names have a number
 * @list: number and address of each: "/0000:05:00."
 * @count: number of entries in @list
 * @seen: bit N for number N of a slot or of a GPU's label
 */
struct slots {
	struct slot {
		int number;
		char address[BDF_BYTES + 2];
	} *list;
	size_t count;
	uint64_t seen;
};

/* The address of a slot is that of a device without its function. */
static void read_slots(struct slots *slots)
{
	char path[PATH_MAX], address[BDF_BYTES];
	struct dirent **entries;
	int count, i;

	snprintf(path, sizeof(path), "%s" SLOTS, opt_sysroot);
	count = sysroot_scandir(path, &entries, is_name, versionsort);
	for (i = 0; i < count; i++) {
		int number = number_of_name(entries[i]->d_name);
		struct slot *slot;

		snprintf(path, sizeof(path), "%s" SLOTS "/%s/address", opt_sysroot, entries[i]->d_name);
		if (number != OAM_UNKNOWN)
			slots->seen |= 1ull << number;
		if (number != OAM_UNKNOWN && sysfs_line(path, address, sizeof(address)) && *address) {
			slot = list_add((void **)&slots->list, &slots->count, sizeof(*slot));
			slot->number = number;
			snprintf(slot->address, sizeof(slot->address), "/%s.", address);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* The slot is the GPU's, or that of a port above. */
static int number_of_slot(const char *bdf, struct slots *slots)
{
	char path[PATH_MAX], real[PATH_MAX], label[BDF_BYTES];
	int number = OAM_UNKNOWN;
	size_t i;

	sysfs_device_path(bdf, "label", path, sizeof(path));
	if (sysfs_line(path, label, sizeof(label)))
		number = number_of_name(label);
	if (number != OAM_UNKNOWN) {
		slots->seen |= 1ull << number;
		return number;
	}
	sysfs_device_path(bdf, "", path, sizeof(path));
	if (!slots->count || !sysroot_realpath(path, real))
		return OAM_UNKNOWN;
	for (i = 0; i < slots->count; i++)
		if (strstr(real, slots->list[i].address))
			number = slots->list[i].number;
	return number;
}

/* Another GPU may have the address by now. A GPU in reset answers the module alone. */
static bool is_recorded(const struct oam *known, struct oam *oam, const struct device *gpu,
			const struct device *managed)
{
	struct device self = *gpu;

	if (!managed && !oam->serial) {
		sysfs_identify(&self);
		oam->serial = self.serial;
	}
	return !oam->serial || !known->serial || known->serial == oam->serial;
}

static void find_one(struct oam *oam, const struct device *gpu, const struct device *managed,
		     const struct oams *conf, const struct oams *record)
{
	const struct oam *named = find(conf, gpu->bdf), *known = find(record, gpu->bdf);
	long long number;

	oam->serial = managed ? managed->serial : gpu->serial;
	if (named) {
		oam->number = named->number;
		oam->origin = OAM_BY_CONF;
	} else if (managed && device_oam(managed) >= 0 && device_oam(managed) < OAM_NUMBERS) {
		oam->number = device_oam(managed);
		oam->origin = OAM_BY_MODULE;
	} else if (sysfs_read_number(gpu->bdf, "xgmi_physical_id", &number) && number >= 0 &&
		   number < OAM_NUMBERS) {
		oam->number = number;
		oam->origin = OAM_BY_AMDGPU;
	} else if (known && is_recorded(known, oam, gpu, managed)) {
		oam->number = known->number;
		oam->origin = OAM_BY_RECORD;
	}
}

/**
 * oam_is_noted() - tell whether the record of earlier numbers has a GPU at an address
 * @bdf: the address
 *
 * Return: true if a GPU was there when its number was noted.
 */
bool oam_is_noted(const char *bdf)
{
	struct oams record = { 0 };
	bool noted;

	read_record(&record);
	noted = find(&record, bdf);
	oam_free(&record);
	return noted;
}

/**
 * oam_first() - tell by a set of numbers where they begin
 * @seen: bit N for number N
 *
 * Return: 0; 1 if the numbers are those of a whole board from 1; OAM_UNKNOWN if the first number may
 * be missing.
 */
int oam_first(uint64_t seen)
{
	if (seen & 1)
		return 0;
	return seen >> OAM_OF_BOARD == 1 ? 1 : OAM_UNKNOWN;
}

/* The GPUs whose numbers are known by other means tell where slots begin, before the slots' own numbers do. */
static int first_slot(const struct oams *oams, const int *slot, uint64_t seen)
{
	int first = OAM_UNKNOWN;
	size_t i;

	for (i = 0; i < oams->count; i++) {
		int this = slot[i] - oams->list[i].number;

		if (slot[i] == OAM_UNKNOWN || oams->list[i].number == OAM_UNKNOWN)
			continue;
		if ((this != 0 && this != 1) || (this == 1 && seen & 1) || (first != OAM_UNKNOWN && first != this))
			return OAM_UNKNOWN;
		first = this;
	}
	return first == OAM_UNKNOWN ? oam_first(seen) : first;
}

/* Firmware may count slots from 0, as the hardware counts, or from 1. */
static void find_by_slot(struct oams *oams)
{
	int *slot = calloc(oams->count, sizeof(*slot)), first;
	struct slots slots = { 0 };
	size_t i;

	read_slots(&slots);
	for (i = 0; slot && i < oams->count; i++)
		slot[i] = number_of_slot(oams->list[i].bdf, &slots);
	first = slot ? first_slot(oams, slot, slots.seen) : OAM_UNKNOWN;
	oams->from_1 = first == 1;
	for (i = 0; first != OAM_UNKNOWN && i < oams->count; i++) {
		if (oams->list[i].number != OAM_UNKNOWN || slot[i] == OAM_UNKNOWN)
			continue;
		oams->list[i].number = slot[i] - first;
		oams->list[i].origin = OAM_BY_SLOT;
	}
	free(slots.list);
	free(slot);
}

/**
 * oam_find() - find out the number of each GPU
 * @oams: empty; receives an entry for each GPU, in their order, to be freed by the caller
 * @gpus: GPUs
 * @conf: numbers of monitor.conf, for oam_parse(), or ""
 *
 * The number comes from monitor.conf, from the module, from amdgpu, from an earlier record, or from
 * the firmware's name of the slot, in this order, and from nothing else. A name counts only if it is
 * known where the firmware begins to count.
 */
void oam_find(struct oams *oams, const struct devices *gpus, const char *conf)
{
	struct oams named = { 0 }, record = { 0 };
	struct devices managed = { 0 };
	size_t i, k;

	oam_parse(conf, &named);
	read_record(&record);
	inventory_managed(&managed);
	for (i = 0; i < gpus->count; i++)
		find_one(oam_add(oams, gpus->list[i].bdf, OAM_UNKNOWN, OAM_BY_NOTHING), &gpus->list[i],
			 devices_find_as(&managed, gpus->list[i].bdf, false, false), &named, &record);
	find_by_slot(oams);
	for (i = 0; i < oams->count; i++)
		for (k = 0; k < oams->count; k++)
			oams->list[i].twice |= i != k && oams->list[i].number != OAM_UNKNOWN &&
					       oams->list[i].number == oams->list[k].number;
	devices_free(&managed);
	oam_free(&record);
	oam_free(&named);
}

/**
 * oam_number() - get the number of a GPU
 * @oams: from oam_find()
 * @gpu: the GPU's index in its list
 *
 * Return: the number; OAM_UNKNOWN if it is not known, or if another GPU has the same.
 */
int oam_number(const struct oams *oams, size_t gpu)
{
	return gpu < oams->count && !oams->list[gpu].twice ? oams->list[gpu].number : OAM_UNKNOWN;
}

/**
 * oam_list() - tell the known numbers, as in "0000:05:00.0 is OAM 7 (amdgpu) and 3 more"
 * @oams: from oam_find()
 * @text: set, to "" if none is known
 * @size: of @text in bytes
 */
void oam_list(const struct oams *oams, char *text, size_t size)
{
	size_t at = 0, left_out = 0, i;
	char one[ONE_BYTES];

	*text = '\0';
	for (i = 0; i < oams->count; i++) {
		const struct oam *oam = &oams->list[i];

		if (oam->number == OAM_UNKNOWN)
			continue;
		snprintf(one, sizeof(one), "%s%s is OAM %d (%s%s)", at ? ", " : "", oam->bdf, oam->number,
			 name_of(&oam_origin_names, oam->origin), oam->twice ? ", as another GPU" : "");
		if (left_out || at + strlen(one) + MORE_BYTES > size)
			left_out++;
		else
			at += snprintf(text + at, size - at, "%s", one);
	}
	if (left_out)
		snprintf(text + at, size - at, " and %zu more", left_out);
}

/**
 * oam_record() - remember the numbers for the time when no driver tells them
 * @oams: numbers; those of amdgpu and of the module are remembered
 *
 * Entries of other GPUs stay.
 *
 * Return: 0 or a negative errno.
 */
int oam_record(const struct oams *oams)
{
	struct oams record = { 0 };
	bool changed = false;
	char *text = NULL, path[PATH_MAX];
	size_t size, i;
	int ret = 0;
	FILE *out;

	if (*opt_sysroot)
		return 0;
	record_path(path, sizeof(path));
	read_record(&record);
	for (i = 0; i < oams->count; i++) {
		const struct oam *oam = &oams->list[i];
		struct oam *known = find(&record, oam->bdf);
		struct device self = { .serial = oam->serial };

		if (oam->twice || (oam->origin != OAM_BY_AMDGPU && oam->origin != OAM_BY_MODULE))
			continue;
		snprintf(self.bdf, sizeof(self.bdf), "%s", oam->bdf);
		if (!self.serial && oam->origin == OAM_BY_AMDGPU)
			sysfs_identify(&self);
		if (known && known->number == oam->number && known->serial == self.serial)
			continue;
		if (!known)
			known = oam_add(&record, oam->bdf, oam->number, OAM_BY_RECORD);
		known->number = oam->number;
		known->serial = self.serial;
		changed = true;
	}
	out = changed ? open_memstream(&text, &size) : NULL;
	for (i = 0; out && i < record.count; i++)
		fprintf(out, "%s %d %016" PRIx64 "\n", record.list[i].bdf, record.list[i].number,
			record.list[i].serial);
	if (out && !fclose(out))
		ret = textfile_store(path, text);
	free(text);
	oam_free(&record);
	return ret;
}
