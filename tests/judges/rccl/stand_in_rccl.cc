// SPDX-License-Identifier: GPL-2.0-or-later
/* RCCL's side of rccl-pairs: HIP and ROCm SMI answer as in a guest with the given GPUs. */
#include "core.h"
#include "graph.h"
#include "topo.h"
#include "pairs.h"

#include <stdio.h>

const char *const library_name = "rccl";
struct ncclTransport *ncclTransports[2];

/* Parameters keep their defaults; the caller's environment must not change them. */
void ncclLoadParam(const char *, int64_t value, int64_t, int64_t *cache)
{
	*cache = value;
}

static int find_gpu(const char *busid)
{
	int64_t id, other;

	busIdToInt64(busid, &id);
	for (size_t i = 0; i < guest.gpus.size(); i++) {
		busIdToInt64(guest.gpus[i].c_str(), &other);
		if (other == id)
			return i;
	}
	return -1;
}

const char *hipGetErrorString(hipError_t)
{
	return "stand-in";
}

hipError_t hipDeviceGetByPCIBusId(int *dev, const char *busid)
{
	*dev = find_gpu(busid);
	return *dev < 0 ? hipErrorUnknown : hipSuccess;
}

/* The GPUs are MI300X. */
hipError_t hipGetDeviceProperties(hipDeviceProp_t *prop, int)
{
	*prop = hipDeviceProp_t();
	prop->major = 9;
	prop->minor = 4;
	prop->gcnArch = 942;
	return hipSuccess;
}

ncclResult_t rocm_smi_init()
{
	return ncclSuccess;
}

ncclResult_t rocm_smi_getNumDevice(uint32_t *num)
{
	*num = guest.gpus.size();
	return ncclSuccess;
}

ncclResult_t rocm_smi_getDevicePciBusIdString(uint32_t dev, char *busid, size_t len)
{
	snprintf(busid, len, "%s", guest.gpus[dev].c_str());
	return ncclSuccess;
}

ncclResult_t rocm_smi_getDeviceIndexByPciBusId(const char *busid, uint32_t *dev)
{
	*dev = find_gpu(busid);
	return *dev == (uint32_t)-1 ? ncclInternalError : ncclSuccess;
}

/* The hive does not matter for NICs: by default RCCL does not send through another GPU. */
ncclResult_t rocm_smi_getLinkInfo(int, int, RSMI_IO_LINK_TYPE *, int *, int *)
{
	return ncclInternalError;
}

int ncclNetVersion(struct ncclComm *)
{
	return 6;
}

/*
 * RCCL's InfiniBand transport takes the functions of a NIC for its ports and
 * neighbouring device numbers for its virtual functions (transport/net_ib.cc).
 */
void library_fold_path(std::string &path)
{
	path[path.size() - 1] = '0';
	path[path.size() - 3] = '0';
}

ncclResult_t library_load(struct ncclTopoSystem **system)
{
	std::vector<struct ncclPeerInfo> peers(guest.gpus.size());
	struct ncclComm comm = ncclComm();

	for (size_t i = 0; i < peers.size(); i++) {
		peers[i].rank = peers[i].cudaDev = i;
		peers[i].gdrSupport = 1;
		NCCLCHECK(busIdToInt64(guest.gpus[i].c_str(), &peers[i].busId));
	}
	comm.nRanks = peers.size();
	comm.peerInfo = peers.data();
	comm.ncclNet = &guest_net;
	NCCLCHECK(ncclTopoGetSystem(&comm, system));
	(*system)->netGdrLevel = -2;
	return ncclSuccess;
}

ncclResult_t library_pick_nets(struct ncclTopoSystem *system, int rank, std::vector<int> &nets)
{
	int dev;

	NCCLCHECK(ncclTopoGetLocalNet(system, rank, &dev));
	if (dev >= 0)
		nets.push_back(dev);
	return ncclSuccess;
}

int library_rank(const struct ncclTopoNode *gpu)
{
	return gpu->gpu.rank[0];
}

float library_bandwidth(const struct ncclTopoLinkList *path)
{
	return path->width;
}
