// SPDX-License-Identifier: GPL-2.0-or-later
/* NCCL's side of nccl-pairs: CUDA and NVML answer as in a guest with the given GPUs. */
#include "core.h"
#include "graph.h"
#include "topo.h"
#include "comm.h"
#include "nvmlwrap.h"
#include "pairs.h"

const char *const library_name = "nccl";
struct ncclTransport *ncclTransports[2];

int ncclNvmlDeviceCount;
ncclNvmlDeviceInfo ncclNvmlDevices[ncclNvmlMaxDevices];
ncclNvmlDevicePairInfo ncclNvmlDevicePairs[ncclNvmlMaxDevices][ncclNvmlMaxDevices];

static std::vector<std::vector<char>> rank_trees;
static bool collecting;

/* Parameters keep their defaults; the caller's environment must not change them. */
int64_t ncclLoadParam(const char *, int64_t value, int64_t, int64_t *cache, int8_t *)
{
	return *cache = value;
}

void ncclOsCpuZero(ncclAffinity &affinity)
{
	CPU_ZERO(&affinity);
}

void ncclOsCpuSet(ncclAffinity &affinity, int cpu)
{
	CPU_SET(cpu, &affinity);
}

const char *cudaGetErrorString(cudaError_t)
{
	return "stand-in";
}

cudaError_t cudaGetLastError()
{
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int)
{
	return cudaErrorUnknown;
}

const char *ncclGetEnv(const char *name)
{
	return getenv(name);
}

ncclResult_t ncclNvmlEnsureInitialized()
{
	return ncclSuccess;
}

ncclResult_t ncclNvmlDeviceGetHandleByPciBusId(const char *busid, nvmlDevice_t *device)
{
	int64_t id, other;

	*device = NULL;
	NCCLCHECK(busIdToInt64(busid, &id));
	for (size_t i = 0; i < guest.gpus.size(); i++) {
		NCCLCHECK(busIdToInt64(guest.gpus[i].c_str(), &other));
		if (other == id)
			*device = (nvmlDevice_t)(i + 1);
	}
	return *device ? ncclSuccess : ncclSystemError;
}

ncclResult_t ncclNvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
	*index = (uintptr_t)device - 1;
	return ncclSuccess;
}

/* The GPUs are H200. */
ncclResult_t ncclNvmlDeviceGetCudaComputeCapability(nvmlDevice_t, int *major, int *minor)
{
	*major = 9;
	*minor = 0;
	return ncclSuccess;
}

/* Without NVLink NCCL reaches no NIC through another GPU, which would hide the NIC's place. */
ncclResult_t ncclNvmlDeviceGetNvLinkCapability(nvmlDevice_t, unsigned int, nvmlNvLinkCapability_t,
					       unsigned int *)
{
	return ncclInternalError;
}

ncclResult_t ncclNvmlDeviceGetNvLinkState(nvmlDevice_t, unsigned int, nvmlEnableState_t *)
{
	return ncclInternalError;
}

ncclResult_t ncclNvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t, unsigned int, nvmlPciInfo_t *)
{
	return ncclInternalError;
}

ncclResult_t ncclNvmlDeviceGetFieldValues(nvmlDevice_t, int, nvmlFieldValue_t *)
{
	return ncclInternalError;
}

ncclResult_t ncclNetGetDevCount(int, int *physical, int *virt)
{
	*physical = guest.nets.size();
	*virt = NCCL_UNDEF_DEV_COUNT;
	return ncclSuccess;
}

ncclResult_t ncclNetSetVirtDevCount(int, int)
{
	return ncclSuccess;
}

ncclResult_t ncclCollNetGetDevCount(int, int *, int *)
{
	return ncclInternalError;
}

ncclResult_t ncclCollNetSetVirtDevCount(int, int)
{
	return ncclInternalError;
}

ncclResult_t ncclGinGetDevCount(int, int *, int *)
{
	return ncclInternalError;
}

/*
 * Each rank sees its own GPU and gathers the other ranks' trees. Here the ranks run one after the
 * other: the first round keeps each rank's tree and stops the rank, the second round returns all
 * trees.
 */
ncclResult_t bootstrapIntraNodeAllGather(void *, int *, int rank, int count, void *data, int size)
{
	char *trees = (char *)data;

	if (collecting) {
		rank_trees[rank].assign(trees + (size_t)rank * size, trees + (size_t)(rank + 1) * size);
		return ncclRemoteError;
	}
	for (int i = 0; i < count; i++)
		memcpy(trees + (size_t)i * size, rank_trees[i].data(), size);
	return ncclSuccess;
}

/*
 * NCCL's InfiniBand transport takes the functions of a NIC for its ports and,
 * unless NCCL_IB_MERGE_VFS=0, all devices of its bus for its virtual functions
 * (transport/net_ib/init.cc).
 */
void library_fold_path(std::string &path)
{
	const char *merge = getenv("NCCL_IB_MERGE_VFS");

	path[path.size() - 1] = '0';
	if (!merge || strtol(merge, NULL, 0))
		path[path.size() - 3] = path[path.size() - 4] = '0';
}

ncclResult_t library_load(struct ncclTopoSystem **system)
{
	std::vector<struct ncclPeerInfo> peers(guest.gpus.size());
	struct stand_in_shared shared = stand_in_shared();
	struct ncclComm comm = ncclComm();

	for (size_t i = 0; i < peers.size(); i++) {
		peers[i].rank = peers[i].cudaDev = peers[i].nvmlDev = i;
		peers[i].gdrSupport = 1;
		peers[i].hostHash = getHostHash();
		NCCLCHECK(busIdToInt64(guest.gpus[i].c_str(), &peers[i].busId));
	}
	comm.nRanks = peers.size();
	comm.peerInfo = peers.data();
	comm.sharedRes = &shared;
	comm.ncclNet = &guest_net;

	rank_trees.resize(peers.size());
	collecting = true;
	for (comm.rank = 0; comm.rank < comm.nRanks; comm.rank++) {
		ncclResult_t result = ncclTopoGetSystem(&comm, system);

		if (result != ncclRemoteError)
			return result == ncclSuccess ? ncclInternalError : result;
	}
	collecting = false;
	comm.rank = 0;
	return ncclTopoGetSystem(&comm, system);
}

ncclResult_t library_pick_nets(struct ncclTopoSystem *system, int rank, std::vector<int> &nets)
{
	for (int channel = 0; channel < MAXCHANNELS; channel++) {
		int dev;

		NCCLCHECK(ncclTopoGetLocalNet(system, rank, channel, NULL, &dev));
		if (!nets.empty() && dev == nets[0])
			break;
		nets.push_back(dev);
	}
	return ncclSuccess;
}

int library_rank(const struct ncclTopoNode *gpu)
{
	return gpu->gpu.rank;
}

float library_bandwidth(const struct ncclTopoLinkList *path)
{
	return path->bw;
}
