/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides for every command alike which PCI functions are GPUs, accelerators and the like. */
#ifndef KIND_H
#define KIND_H

#include <stdbool.h>
#include <stdint.h>

#define KIND_VENDOR_NVIDIA	0x10de
#define KIND_VENDOR_INTEL	0x8086
#define KIND_VENDOR_MELLANOX	0x15b3

bool kind_is_emulated(uint32_t vendor);
bool kind_is_gpu(uint32_t vendor, uint32_t device, uint32_t class, uint64_t bdf);
bool kind_is_nic(uint32_t vendor, uint32_t class);
bool kind_has_rdma(uint32_t vendor, uint32_t device, uint32_t class);
bool kind_is_accelerator(uint32_t class);
bool kind_is_amd_accelerator(uint32_t vendor, uint32_t class);
bool kind_is_data_direct(uint32_t vendor, uint32_t device);
bool kind_is_gpu_at(const char *bdf);

#endif /* KIND_H */
