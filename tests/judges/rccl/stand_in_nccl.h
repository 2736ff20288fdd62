/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STAND_IN_NCCL_H
#define STAND_IN_NCCL_H

/* These headers of NCCL need CUDA; with their guards defined they stay empty. */
#define NCCL_ALLOC_H_
#define NCCL_BOOTSTRAP_H_
#define NCCL_CHANNEL_H_
#define NCCL_COMM_H_
#define NCCL_CUDAWRAP_H_
#define NCCL_DEVICE_H_
#define NCCL_NVTX_H_
#define NCCL_TRANSPORT_H_

#define __host__
#define __device__
#define NCCL_OS_LINUX 1

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <algorithm>

typedef struct CUstream_st *cudaStream_t;
typedef enum { cudaSuccess, cudaErrorUnknown } cudaError_t;
typedef struct { int major, minor; } cudaDeviceProp;

typedef enum {
	cudaDevAttrComputeCapabilityMajor,
	cudaDevAttrComputeCapabilityMinor,
} cudaDeviceAttr;

const char *cudaGetErrorString(cudaError_t err);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDevice(int *dev);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int dev);
cudaError_t cudaDeviceGetPCIBusId(char *busid, int len, int dev);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int dev);

#include "nccl.h"
#include "nccl_net.h"
#include "nccl_gin.h"
#include "checks.h"
#include "nvmlwrap.h"
#include "stand_in.h"

#define MAXCHANNELS 64
#define NCCL_MAX_DEV_WORK_P2P_PER_BATCH 8
#define TRANSPORT_P2P 0
#define TRANSPORT_SHM 1

struct ncclTopoGraph;
struct ncclConnect;

struct ncclPeerInfo {
	int rank, cudaDev, nvmlDev, gdrSupport;
	uint64_t hostHash;
	dev_t shmDev;
	int64_t busId;
	nvmlGpuFabricInfoV_t fabricInfo;
	bool crossNicSupport;
};

struct ncclTransport {
	ncclResult_t (*canConnect)(int *ret, struct ncclComm *comm, struct ncclTopoGraph *graph,
				   struct ncclPeerInfo *a, struct ncclPeerInfo *b);
};

extern struct ncclTransport *ncclTransports[];

struct stand_in_shared {
	struct ncclComm *owner;
	int tpP2pNChannels;
	struct {
		ncclGin_t *ncclGin;
	} ginState;
};

/* The members that topo.cc and paths.cc use. */
struct ncclComm {
	int rank, nRanks, nNodes, nChannels, cliqueRank;
	int p2pnChannels, p2pnChannelsPerPeer;
	int MNNVL, ncclNetVer, netPluginIndex, ginPluginIndex;
	bool dmaBufSupport;
	struct {
		int size, *ranks;
	} clique;
	struct {
		int nChannelsPerNetPeer;
	} config;
	struct stand_in_shared *sharedRes;
	struct ncclPeerInfo *peerInfo;
	struct ncclTopoSystem *topo;
	ncclNet_t *ncclNet;
	ncclCollNet_t *ncclCollNet;
	void *collNetContext;
	void *bootstrap;
};

int ncclDevMaxChannelsForArgsBytes(size_t bytes);
ncclResult_t initChannel(struct ncclComm *comm, int channel);
ncclResult_t bootstrapIntraNodeAllGather(void *state, int *ranks, int rank, int count, void *data,
					 int size);
const char *ncclGetEnv(const char *name);

#endif
