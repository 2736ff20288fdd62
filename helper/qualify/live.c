// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "now.h"
#include "pattern.h"
#include "pci_config.h"
#include "qualify.h"
#include "vfio_open.h"

#define MS_PER_S	1000
#define NS_PER_MS	1000000

static int newest(struct nl *nl, uint64_t *seq)
{
	struct nl_info info;
	int ret = nl_info_get(nl, &info);

	*seq = ret ? 0 : info.newest;
	return ret;
}

static void read_config(const char *bdf, struct config_image *image)
{
	struct pci_config config;
	unsigned int where;

	pci_config_open(&config, bdf);
	image->bytes = config.bytes < sizeof(image->dword) ? config.bytes : sizeof(image->dword);
	for (where = 0; where < image->bytes; where += 4)
		image->dword[where / 4] = pci_config_dword(&config, where);
	pci_config_close(&config);
}

static void pause_ms(unsigned int ms)
{
	struct timespec left = { ms / MS_PER_S, ms % MS_PER_S * NS_PER_MS };

	while (nanosleep(&left, &left))
		;
}

const struct qualify_calls qualify_live = {
	.list = nl_devices_get,
	.plan = nl_reset_plan,
	.reset = nl_reset_asked,
	.release = nl_release,
	.newest = newest,
	.replay = nl_events_replay,
	.message = nl_message,
	.config = read_config,
	.open = vfio_open_try,
	.write = pattern_write,
	.read = pattern_read,
	.now = now_ms,
	.pause = pause_ms,
};
