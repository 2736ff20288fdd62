/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI devices as the sysfs of this host, or of a captured host (--sysroot), shows them. */
#ifndef SYSFS_H
#define SYSFS_H

#include <dirent.h>
#include <sys/types.h>

#include "bdf.h"
#include "model.h"

#define DRIVER_NAME	"instinct_vfio_pci"
#define DROPIN_NAME	"vfio-pci"	/* the drop-in has the name of the kernel's driver */
#define SYSFS_NUMBER_BYTES	64	/* longer than any number */

bool sysfs_exists(const char *bdf, const char *file);
ssize_t sysfs_read(const char *path, void *data, size_t size);
bool sysfs_line(const char *path, char *text, size_t size);
bool sysfs_parse_number(char *text, ssize_t bytes, int base, long long *val);
bool sysfs_number(const char *path, int base, long long *val);
bool sysfs_read_number(const char *bdf, const char *file, long long *val);
bool sysfs_read_link(const char *bdf, const char *link, char *name, size_t size);
void sysfs_make_plain(char *text);
void sysfs_last_part(const char *target, char *name, size_t size);
int sysfs_write(const char *path, const char *text);
void sysfs_device_path(const char *bdf, const char *file, char *path, size_t size);
int sysfs_list(struct dirent ***entries);
bool sysfs_has_dropin(void);
bool sysfs_is_ours(const char *driver);
int sysfs_gpus(struct devices *devices);
void sysfs_identify(struct device *dev);
void sysfs_listen(struct device *dev);
void sysfs_fill(struct device *dev);
void sysfs_place(struct device *dev);

#endif /* SYSFS_H */
