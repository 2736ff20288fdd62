/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads temperatures from the host's BMC, in band, with libipmimonitoring. */
#ifndef SOURCE_IPMI_H
#define SOURCE_IPMI_H

#include <ipmi_monitoring.h>

#include "found.h"

struct ipmi;

/* The functions of libipmimonitoring that are used, with the prototypes of its header. */
struct ipmi_calls {
	int (*init)(unsigned int flags, int *error);
	ipmi_monitoring_ctx_t (*create)(void);
	void (*destroy)(ipmi_monitoring_ctx_t context);
	int (*error)(ipmi_monitoring_ctx_t context);
	char *(*message)(ipmi_monitoring_ctx_t context);
	int (*cache_directory)(ipmi_monitoring_ctx_t context, const char *directory);
	int (*by_record)(ipmi_monitoring_ctx_t context, const char *host,
			 struct ipmi_monitoring_ipmi_config *config, unsigned int flags,
			 unsigned int *records, unsigned int count,
			 Ipmi_Monitoring_Callback call, void *data);
	int (*by_type)(ipmi_monitoring_ctx_t context, const char *host,
		       struct ipmi_monitoring_ipmi_config *config, unsigned int flags,
		       unsigned int *types, unsigned int count,
		       Ipmi_Monitoring_Callback call, void *data);
	int (*record)(ipmi_monitoring_ctx_t context);
	char *(*name)(ipmi_monitoring_ctx_t context);
	int (*units)(ipmi_monitoring_ctx_t context);
	int (*reading_type)(ipmi_monitoring_ctx_t context);
	void *(*reading)(ipmi_monitoring_ctx_t context);
};

const struct ipmi_calls *ipmi_library(char *why, size_t size);
struct ipmi *ipmi_open(const struct ipmi_calls *calls, const char *cache,
		       char *why, size_t size);
int ipmi_scan(struct ipmi *ipmi, struct found *found);
int ipmi_read(struct ipmi *ipmi, struct found *found, const bool *wanted);
const char *ipmi_message(const struct ipmi *ipmi);
void ipmi_close(struct ipmi *ipmi);
bool ipmi_temperature(int units, int type, const void *reading, int32_t *temperature);

#endif /* SOURCE_IPMI_H */
