/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognises files of other programs by their beginning, to read them or to say what they are. */
#ifndef TEXT_KIND_H
#define TEXT_KIND_H

#include <stddef.h>

/**
 * enum text_kind - a file of another program
 * @TEXT_OTHER: text of an unknown kind
 * @TEXT_BINARY: no text
 * @TEXT_EMPTY: nothing but blanks
 * @TEXT_XML_LIBVIRT: a domain of libvirt
 * @TEXT_XML_HWLOC: a topology of hwloc, written by lstopo
 * @TEXT_XML_NCCL: a topology file of NCCL or RCCL
 * @TEXT_XML_OTHER: any other XML
 * @TEXT_JSON: JSON
 * @TEXT_LSPCI_HEX: lspci with config spaces
 * @TEXT_LSPCI: lspci without config spaces
 * @TEXT_LSPCI_TREE: lspci -t
 * @TEXT_INFO_PCI: "info pci" of QEMU's monitor
 * @TEXT_INFO_QTREE: "info qtree" of QEMU's monitor
 * @TEXT_PROXMOX: qm config, or the file that it prints
 * @TEXT_COMMAND: a command line of QEMU, or qm showcmd
 * @TEXT_CLOUD: options of Cloud Hypervisor
 */
enum text_kind {
	TEXT_OTHER,
	TEXT_BINARY,
	TEXT_EMPTY,
	TEXT_XML_LIBVIRT,
	TEXT_XML_HWLOC,
	TEXT_XML_NCCL,
	TEXT_XML_OTHER,
	TEXT_JSON,
	TEXT_LSPCI_HEX,
	TEXT_LSPCI,
	TEXT_LSPCI_TREE,
	TEXT_INFO_PCI,
	TEXT_INFO_QTREE,
	TEXT_PROXMOX,
	TEXT_COMMAND,
	TEXT_CLOUD,
	TEXT_KINDS,
};

extern const char *const text_kind_titles[TEXT_KINDS];

enum text_kind text_kind_of(const char *text, size_t size);

#endif /* TEXT_KIND_H */
