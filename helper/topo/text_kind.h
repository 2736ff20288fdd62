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
 * @TEXT_LSPCI_M: lspci -m or -vmm
 * @TEXT_LOG: the kernel log
 * @TEXT_SMI: nvidia-smi, amd-smi or rocm-smi
 * @TEXT_LSTOPO: lstopo without --of xml
 * @TEXT_LSCPU: lscpu
 * @TEXT_DMI: dmidecode
 * @TEXT_HTML: a web page
 * @TEXT_INI: sections of keys and values
 * @TEXT_SCRIPT: a program of a shell or another interpreter
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
	TEXT_LSPCI_M,
	TEXT_LOG,
	TEXT_SMI,
	TEXT_LSTOPO,
	TEXT_LSCPU,
	TEXT_DMI,
	TEXT_HTML,
	TEXT_INI,
	TEXT_SCRIPT,
	TEXT_KINDS,
};

extern const char *const text_kind_titles[TEXT_KINDS];

enum text_kind text_kind_of(const char *text, size_t size);
const char *text_lspci_function(const char *line, char *bdf);
const char *text_hostpci(const char *line, unsigned int *index);
const char *text_lspci_hex(const char *line, unsigned int *offset);

#endif /* TEXT_KIND_H */
