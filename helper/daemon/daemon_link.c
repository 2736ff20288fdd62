// SPDX-License-Identifier: GPL-2.0-or-later
#include <systemd/sd-daemon.h>

#include "daemon_parts.h"
#include "journal.h"

/* Read kept events for sinks that lag, and then new events. */
static int follow(const struct nl_info *info, void *data)
{
	struct daemon *daemon = data;
	int ret;

	daemon->stream.next = daemon_sinks_begin(daemon, info);
	ret = stream_look_back(&daemon->stream);
	daemon_sinks_settle(daemon);
	return ret;
}

static int linked(const struct nl_info *info, void *data)
{
	struct daemon *daemon = data;

	journal_tell(OWN_MODULE_COME, NULL, "listening to the module %s", info->version);
	daemon_heat_begin(daemon->heat, info);
	daemon_samples_start(daemon->samples);
	sd_notifyf(0, "READY=1\nSTATUS=listening to the module %s", info->version);
	return 0;
}

static void settle(void *data)
{
	daemon_sinks_settle(data);
}

static void gone(void *data)
{
	(void)data;
	journal_tell(OWN_MODULE_GONE, NULL, "the module has been unloaded: waiting for it");
}

static void waiting(void *data)
{
	(void)data;
	sd_notify(0, "READY=1\nSTATUS=waiting for the module to be loaded");
}

/* The service counts as started, and its status names the failure. */
static void failed(const char *why, void *data)
{
	(void)data;
	sd_notifyf(0, "READY=1\nSTATUS=%s", why);
}

static void closing(void *data)
{
	struct daemon *daemon = data;

	if (daemon->samples)
		daemon_samples_stop(daemon->samples);
	if (daemon->heat)
		daemon_heat_stop(daemon->heat);
}

/**
 * daemon_link_init() - prepare the link to the module
 * @daemon: the daemon, with its event loop and its stream
 */
void daemon_link_init(struct daemon *daemon)
{
	static const struct link_calls calls = {
		.follow = follow,
		.linked = linked,
		.read = settle,
		.gone = gone,
		.waiting = waiting,
		.failed = failed,
		.closing = closing,
	};

	daemon->link = (struct link){
		.loop = daemon->loop,
		.stream = &daemon->stream,
		.calls = &calls,
		.data = daemon,
	};
}
