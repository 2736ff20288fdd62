// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the NIC that RCCL or NCCL picks for each GPU of a guest: the library's own code reads the
 * topology file, finds the devices in sysfs and measures the paths.
 */
#include "core.h"
#include "graph.h"
#include "topo.h"
#include "pairs.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

struct guest guest;

int ncclDebugLevel = NCCL_LOG_WARN;
uint64_t ncclDebugMask = ~0ULL;
thread_local int ncclDebugNoWarn;

static const char *sysroot = "";
static bool verbose;

void ncclDebugLog(ncclDebugLogLevel level, unsigned long, const char *, int, const char *fmt, ...)
{
	va_list args;

	if (!verbose && (level != NCCL_LOG_WARN || ncclDebugNoWarn))
		return;
	fprintf(stderr, "%s: ", library_name);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

extern "C" {
char *__real_realpath(const char *path, char *resolved);
FILE *__real_fopen(const char *path, const char *mode);

static std::string host_path(const char *path)
{
	bool system = !strncmp(path, "/sys/", 5) || !strncmp(path, "/var/run/", 9);

	return system ? std::string(sysroot) + path : path;
}

char *__wrap_realpath(const char *path, char *resolved)
{
	return __real_realpath(host_path(path).c_str(), resolved);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return __real_fopen(host_path(path).c_str(), mode);
}
}

static ncclResult_t net_count(int *count)
{
	*count = guest.nets.size();
	return ncclSuccess;
}

static ncclResult_t net_properties(int dev, ncclNetProperties_t *props)
{
	*props = ncclNetProperties_t();
	props->name = &guest.nets[dev][0];
	props->pciPath = &guest.paths[dev][0];
	props->guid = dev + 1;
	props->ptrSupport = NCCL_PTR_HOST | NCCL_PTR_CUDA;
	props->speed = 400000;
	props->maxComms = 1 << 16;
	props->maxRecvs = 1;
	return ncclSuccess;
}

static ncclNet_t make_net(void)
{
	ncclNet_t net = ncclNet_t();

	net.name = "guest";
	net.devices = net_count;
	net.getProperties = net_properties;
	return net;
}

ncclNet_t guest_net = make_net();

static int find_nets(void)
{
	for (const std::string &net : guest.nets) {
		std::string link = "/sys/bus/pci/devices/" + net;
		char *path = __wrap_realpath(link.c_str(), NULL);

		if (!path) {
			fprintf(stderr, "%s-pairs: the guest has no device %s\n", library_name,
				net.c_str());
			return -1;
		}
		guest.paths.push_back(path);
		library_fold_path(guest.paths.back());
		free(path);
	}
	return 0;
}

/* The library keeps its NET nodes in the order of the topology file. */
static void print_pair(struct ncclTopoSystem *system, struct ncclTopoNode *gpu, int dev,
		       bool bandwidth)
{
	struct ncclTopoLinkList *path;
	int n;

	if (ncclTopoIdToIndex(system, NET, dev, &n) != ncclSuccess)
		return;
	path = gpu->paths[NET] + n;
	printf("gpu %s net %s %s", guest.gpus[library_rank(gpu)].c_str(),
	       guest.nets[dev].c_str(), topoPathTypeStr[path->type]);
	if (bandwidth)
		printf(" %g GB/s", library_bandwidth(path));
	putchar('\n');
}

static struct ncclTopoNode *find_gpu(struct ncclTopoSystem *system, int rank)
{
	for (int g = 0; g < system->nodes[GPU].count; g++) {
		if (library_rank(&system->nodes[GPU].nodes[g]) == rank)
			return &system->nodes[GPU].nodes[g];
	}
	return NULL;
}

static ncclResult_t print_pairs(struct ncclTopoSystem *system, bool all)
{
	for (size_t rank = 0; rank < guest.gpus.size(); rank++) {
		struct ncclTopoNode *gpu = find_gpu(system, rank);
		std::vector<int> nets;

		if (!gpu)
			return ncclInternalError;
		for (size_t dev = 0; all && dev < guest.nets.size(); dev++)
			nets.push_back(dev);
		if (!all)
			NCCLCHECK(library_pick_nets(system, rank, nets));
		if (nets.empty())
			printf("gpu %s none\n", guest.gpus[rank].c_str());
		for (int dev : nets)
			print_pair(system, gpu, dev, all);
	}
	return ncclSuccess;
}

static int usage(FILE *out, int code)
{
	fprintf(out,
		"usage: %s-pairs [--all] [--verbose] [--sysroot DIR] [--file XML] --gpu BDF... --net BDF...\n"
		"Prints the NICs that the library picks for each GPU of a guest, with the path's type.\n"
		"Without --file the library reads only the guest's sysfs (DIR/sys).\n",
		library_name);
	return code;
}

/*
 * The libraries go on without a file that they cannot open, and read the file more than once, so
 * this program checks it first.
 */
static int set_file(const char *file)
{
	struct stat st;

	if (stat(file, &st) || !S_ISREG(st.st_mode) || access(file, R_OK)) {
		fprintf(stderr, "%s-pairs: cannot read %s, or it is no regular file\n",
			library_name, file);
		return -1;
	}
	return setenv("NCCL_TOPO_FILE", file, 1);
}

static int take_option(int opt, bool *all)
{
	switch (opt) {
	case 'a':
		*all = true;
		return 0;
	case 'f':
		return set_file(optarg) ? 1 : 0;
	case 'g':
		guest.gpus.push_back(optarg);
		return 0;
	case 'n':
		guest.nets.push_back(optarg);
		return 0;
	case 's':
		sysroot = optarg;
		return 0;
	case 'v':
		verbose = true;
		ncclDebugLevel = NCCL_LOG_INFO;
		return 0;
	default:
		return usage(stderr, 2);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "file", required_argument, NULL, 'f' },
		{ "gpu", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ "net", required_argument, NULL, 'n' },
		{ "sysroot", required_argument, NULL, 's' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 }
	};
	struct ncclTopoSystem *system;
	bool all = false;
	int opt, code;

	unsetenv("NCCL_TOPO_FILE");
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 'h')
			return usage(stdout, 0);
		code = take_option(opt, &all);
		if (code)
			return code;
	}
	if (optind != argc || guest.gpus.empty() || guest.nets.empty())
		return usage(stderr, 2);
	if (find_nets() || library_load(&system) != ncclSuccess ||
	    ncclTopoComputePaths(system, NULL) != ncclSuccess ||
	    print_pairs(system, all) != ncclSuccess) {
		fprintf(stderr, "%s-pairs: the library gave up\n", library_name);
		return 1;
	}
	return 0;
}
