// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/instinct_vfio.h>
#include <stddef.h>
#include <syslog.h>

#include "message_id.h"

#define E(name)	[INSTINCT_VFIO_EVENT_##name]

/* These IDs never change; helper/monitoring/instinct-vfio.catalog has them too. */
static const struct message events[] = {
	E(DEVICE_ADDED) = { "bec24c4e7bca4b5fbd60d41c081b5292", LOG_NOTICE },
	E(DEVICE_REMOVED) = { "3a57da0b754d47b08750d9da30f8c2d2", LOG_NOTICE },
	E(RESET_BEGUN) = { "92133212c492495c8f08f8a3c8acb158", LOG_INFO },
	E(RESET_DONE) = { "c8ef7cb6357944a8a486da3fa0c5e3da", LOG_INFO },
	E(RESET_FAILED) = { "25124b179dfe4bb4a33ff6e4534539e3", LOG_ERR },
	E(RESET_COALESCED) = { "807348db17a54961b3b8f48898ea2752", LOG_INFO },
	E(DEVICE_LOST) = { "a78e5d5b270a4bc491d1e2142a7f111a", LOG_CRIT },
	E(DEVICE_RECOVERED) = { "ee1ccadbce3f4f53bc9607b0f42275bc", LOG_NOTICE },
	E(DEVICE_QUARANTINED) = { "628bd9b345ad419fb0db1bb0a65c4c96", LOG_ERR },
	E(DEVICE_RELEASED) = { "c67155a4154c4348a32aa48741d26184", LOG_NOTICE },
	E(POLICY_APPLIED) = { "136c1c6fbb614b89bb9f12f4655e8e3c", LOG_NOTICE },
	E(POLICY_REJECTED) = { "cd094f02f05f4b0ca3ba6c24e8e7220c", LOG_WARNING },
	E(CONFIG_BLOCKED) = { "45cfe639cc7b4dd7a997a17aa6f49725", LOG_NOTICE },
	E(CONFIG_VERIFIED) = { "f78dc3924f244cf588cfb501769c139d", LOG_INFO },
	E(CONFIG_FAILED) = { "c15c9a80b9414f1584f5975b1a8d0536", LOG_ERR },
	E(ACS_DRIFT) = { "c9cac78d6d864bd9a3e6df60e978f45b", LOG_WARNING },
	E(ACS_REPAIRED) = { "3d70e66f39e9493881a68e51bbec59a8", LOG_NOTICE },
	E(ACS_FAILED) = { "297018b3ad8a42b5b861e4f38c5bc3aa", LOG_ERR },
	E(ATS_DRIFT) = { "72adc33437e8456bbc1ef9482854a047", LOG_WARNING },
	E(ATS_REPAIRED) = { "7f45da1996c042b894e804baaccfbb07", LOG_NOTICE },
	E(ATS_UNMET) = { "c38137d82216497ca992279bb41d1185", LOG_ERR },
	E(THERMAL_WARNING) = { "b962e8b4b3884cdb9e0a10c689ba7273", LOG_WARNING },
	E(THERMAL_CRITICAL) = { "c64b5c69b7094fe7a5a61291d2e2a99d", LOG_CRIT },
	E(THERMAL_CLEARED) = { "e4f0c5d93e574c4eb568706f3eba389d", LOG_NOTICE },
	E(THERMAL_STALE) = { "a685a56e11d94346abd2e3e9ac5bf4f5", LOG_WARNING },
	E(THERMAL_FRESH) = { "f2210ea120774d7b83f180d226db936b", LOG_NOTICE },
	E(OPEN_REFUSED) = { "465953f757b947aab0bb9e354eb5ba43", LOG_ERR },
	E(DEVICE_CHANGED) = { "5934b19a3e1d4e218ab05b1c22e9fa28", LOG_WARNING },
	E(RESET_POSTPONED) = { "87694c15304a499bb058174e1b482886", LOG_INFO },
	E(DEVICE_UNSCRUBBED) = { "a1c0c59ae1394fb2a92e925e713e4929", LOG_WARNING },
};

_Static_assert(sizeof(events) / sizeof(events[0]) == __INSTINCT_VFIO_EVENT_MAX,
	       "each kind of event has its message");

const struct message own_messages[OWN_MESSAGES] = {
	[OWN_EVENT_UNKNOWN] = { "9027fa2c05ce4528b407dcd4ec533318", LOG_NOTICE },
	[OWN_EVENTS_LOST] = { "fd93ec6b7eac46d0b37622a38590c2dc", LOG_ERR },
	[OWN_MODULE_COME] = { "74999f0e11574c4b800c16a0bf0f6e29", LOG_NOTICE },
	[OWN_MODULE_GONE] = { "10cb32a8e0c24fe48cc6a710a490c449", LOG_NOTICE },
	[OWN_SINK_FAILED] = { "c2d7e87c144e467d8234212600708a02", LOG_ERR },
	[OWN_SINK_BACK] = { "654e25e69dd345f79d37317e035a041c", LOG_NOTICE },
	[OWN_HOOK_DONE] = { "1b7f513b54d948cf9504fbfff42d936e", LOG_INFO },
	[OWN_HOOK_FAILED] = { "cbfc9d3103754c90b669a8ab13631574", LOG_WARNING },
	[OWN_HOOK_TIMEOUT] = { "9da87ea44777473e98e791822092c619", LOG_ERR },
	[OWN_HOOK_REFUSED] = { "c734691993504740a3dcac2e0b20137f", LOG_WARNING },
	[OWN_SAMPLE_REFUSED] = { "38a1a464beee4f22b24c338e19bcc683", LOG_WARNING },
	[OWN_SAMPLER_ENDED] = { "085a2f22607847b9910d3f16008cf9a2", LOG_WARNING },
	[OWN_SAMPLER_SAYS] = { "a28bd1d3151e4b6d9952669794bc5cd6", LOG_WARNING },
	[OWN_METRICS_FAILED] = { "31768a95ede644dfa6ce358ae7724ec8", LOG_WARNING },
	[OWN_ALARM_REFUSED] = { "6d4f1c0b9a5e4d33b7c80f2e51a96d74", LOG_ERR },
	[OWN_ALARM_UNASSIGNED] = { "d9b0b9b105de4a4c961bbcaefb38af5b", LOG_WARNING },
};

/**
 * message_of_event() - find the message of a kind of event
 * @kind: enum instinct_vfio_event, or a kind that is newer than this helper
 *
 * Return: the message, never NULL.
 */
const struct message *message_of_event(uint32_t kind)
{
	if (kind < sizeof(events) / sizeof(events[0]))
		return &events[kind];
	return &own_messages[OWN_EVENT_UNKNOWN];
}
