/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The config space of a PCI function, of this host or of a captured one. */
#ifndef PCI_CONFIG_H
#define PCI_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct pci_config - the open config space of a function
 * @fd: file descriptor of sysfs' config file, negative if it cannot be opened
 * @bytes: readable size: 0, 64, 256 or 4096
 *
 * The accessors read registers one by one instead of the whole space: each access takes time
 * on the bus, and a host has hundreds of functions.
 */
struct pci_config {
	int fd;
	unsigned int bytes;
};

void pci_config_open(struct pci_config *config, const char *bdf);
void pci_config_open_in(struct pci_config *config, int folder);
void pci_config_close(struct pci_config *config);
uint8_t pci_config_byte(const struct pci_config *config, unsigned int at);
uint16_t pci_config_word(const struct pci_config *config, unsigned int at);
uint32_t pci_config_dword(const struct pci_config *config, unsigned int at);
unsigned int pci_config_capability(const struct pci_config *config, unsigned int id);
unsigned int pci_config_extended(const struct pci_config *config, unsigned int id);
int pci_config_port_type(const struct pci_config *config);
bool pci_config_is_whole(const struct pci_config *config);
bool pci_config_is_silent(const struct pci_config *config);
uint64_t pci_config_serial(const struct pci_config *config);

#endif /* PCI_CONFIG_H */
