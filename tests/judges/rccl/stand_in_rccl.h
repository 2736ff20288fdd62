/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STAND_IN_RCCL_H
#define STAND_IN_RCCL_H

/* These headers of RCCL need HIP; with their guards defined they stay empty. */
#define NCCL_ALLOC_H_
#define NCCL_CHANNEL_H_
#define NCCL_COMM_H_
#define NCCL_DEVICE_H_
#define NCCL_INFO_H_
#define NCCL_ROCMWRAP_H_
#define ROCM_SMI_WRAP_H_

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <algorithm>

typedef struct ihipStream_t *hipStream_t;
typedef enum { hipSuccess, hipErrorUnknown } hipError_t;
typedef struct { unsigned int bits; } hipDeviceArch_t;
typedef struct {
	int major, minor, gcnArch;
	hipDeviceArch_t arch;
} hipDeviceProp_t;

typedef enum {
	hipDeviceAttributeComputeCapabilityMajor,
	hipDeviceAttributeComputeCapabilityMinor,
} hipDeviceAttribute_t;

const char *hipGetErrorString(hipError_t err);
hipError_t hipGetDevice(int *dev);
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attr, int dev);
hipError_t hipDeviceGetPCIBusId(char *busid, int len, int dev);
hipError_t hipDeviceGetByPCIBusId(int *dev, const char *busid);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *prop, int dev);

#include "nccl.h"
#include "nccl_net.h"
#include "checks.h"
#include "stand_in.h"

typedef enum { RSMI_IOLINK_TYPE_PCIEXPRESS = 1, RSMI_IOLINK_TYPE_XGMI } RSMI_IO_LINK_TYPE;

ncclResult_t rocm_smi_init();
ncclResult_t rocm_smi_getNumDevice(uint32_t *num);
ncclResult_t rocm_smi_getDevicePciBusIdString(uint32_t dev, char *busid, size_t len);
ncclResult_t rocm_smi_getDeviceIndexByPciBusId(const char *busid, uint32_t *dev);
ncclResult_t rocm_smi_getLinkInfo(int a, int b, RSMI_IO_LINK_TYPE *type, int *hops, int *count);

#define MAXCHANNELS 32
#define TRANSPORT_P2P 0
#define TRANSPORT_SHM 1

struct ncclTopoGraph;
struct ncclInfo;
struct ncclConnect;

struct ncclPeerInfo {
	int rank, cudaDev, gdrSupport;
	uint64_t hostHash;
	int64_t busId;
};

struct ncclTransport {
	ncclResult_t (*canConnect)(int *ret, struct ncclTopoSystem *system, struct ncclTopoGraph *graph,
				   struct ncclPeerInfo *a, struct ncclPeerInfo *b);
};

extern struct ncclTransport *ncclTransports[];

/* The members that topo.cc and paths.cc use. */
struct ncclComm {
	int rank, nRanks, localRanks, nChannels;
	int p2pnChannels, p2pnChannelsPerPeer, p2pChannels[MAXCHANNELS];
	int64_t busId;
	bool dmaBufSupport;
	struct ncclPeerInfo *peerInfo;
	struct ncclTopoSystem *topo;
	ncclNet_t *ncclNet;
	ncclCollNet_t *ncclCollNet;
	void *collTraceThread;
};

ncclResult_t initChannel(struct ncclComm *comm, int channel);

#endif
