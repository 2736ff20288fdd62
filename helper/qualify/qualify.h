/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run: trials of reset methods on a GPU in order of risk, with recovery after each failure. */
#ifndef QUALIFY_H
#define QUALIFY_H

#include "advice.h"
#include "nl.h"
#include "pattern.h"
#include "recovery.h"
#include "trial.h"

#define QUALIFY_ROUNDS	3
#define QUALIFY_WAIT_MS	300000	/* as long as amdgpu waits for the firmware */
#define QUALIFY_POLL_MS	100

struct qualify;

/**
 * struct qualify_calls - calls to the host and the module; qualify_live, or a mock in tests
 * @list: nl_devices_get()
 * @plan: nl_reset_plan()
 * @reset: nl_reset_asked()
 * @release: nl_release()
 * @newest: read the number of the newest event
 * @replay: nl_events_replay()
 * @message: nl_message()
 * @config: read the config space of a GPU
 * @open: vfio_open_try()
 * @write: pattern_write()
 * @read: pattern_read()
 * @now: now_ms()
 * @pause: sleep, ms
 */
struct qualify_calls {
	int (*list)(struct nl *nl, struct devices *devices);
	int (*plan)(struct nl *nl, const char *bdf, int method, struct nl_reset_done *done);
	int (*reset)(struct nl *nl, const char *bdf, const struct nl_reset_asked *asked,
		     struct nl_reset_done *done);
	int (*release)(struct nl *nl, const char *bdf, uint32_t methods);
	int (*newest)(struct nl *nl, uint64_t *seq);
	int (*replay)(struct nl *nl, uint64_t from, nl_event_t call, void *data);
	const char *(*message)(const struct nl *nl);
	void (*config)(const char *bdf, struct config_image *image);
	int (*open)(const char *bdf, char *why, size_t size);
	int (*write)(struct pattern *pattern, char *why, size_t size);
	int (*read)(struct pattern *pattern, char *why, size_t size);
	int64_t (*now)(void);
	void (*pause)(unsigned int ms);
};

extern const struct qualify_calls qualify_live;

enum ended {
	ENDED_UNDER_WAY,	/* the run has not ended */
	ENDED_COMPLETE,		/* the run tried all methods that it could */
	ENDED_LOST,		/* a method lost the GPU */
	ENDED_NOT_READY,	/* a method left the GPU not ready, so no other can be tried */
	ENDED_DECLINED,		/* the operator declined a method */
	ENDED_INTERRUPTED,	/* a signal stopped the run */
	ENDED_BUSY,		/* another user opened, reset or removed the GPU */
	ENDED_NO_RESET,		/* under load: no guest has reset the GPU in time */
};

extern const struct names ended_names;

/**
 * struct qualify - a run
 * @calls: calls to the host and the module
 * @nl: socket for these calls
 * @bdf: address of the GPU
 * @max_risk: highest risk that the operator accepts
 * @rounds: number of times that each method is tried
 * @wait: time for a method to bring the GPU back, ms; 0 for QUALIFY_WAIT_MS, or the timeout of
 *	policy if that is longer
 * @under_load: the run tries no method, and watches the resets of a guest under load; @wait is the
 *	time for each of them to begin then, ms
 * @serials: the report shows serial numbers
 * @operator: name of the operator who signs the report
 * @note: note of the operator, or ""
 * @module: version of the module
 * @ask: callback that asks the operator before a trial, or NULL
 * @stopped: callback that tells whether the user wants the run to end, or NULL
 * @tell: callback that prints a line without a newline, or NULL
 * @step: callback at the begin of a trial, with its number from 1, or NULL
 * @save: callback that saves the report before a trial that may take the host down, or NULL
 * @before: state of the GPU before the first trial
 * @after: state of the GPU at the end
 * @others: other members of the hive before the first trial
 * @others_after: other members of the hive at the end
 * @image: config space of the GPU before the first trial
 * @config: differences of the config space at the end from @image
 * @trial: trials, one for each kind
 * @load: resets under load; it has no kind
 * @recovery: recoveries of the GPU and of other members of its hive
 * @recoveries: number of recoveries
 * @ended: reason why the run ended
 * @why: explanation of @ended, or ""
 * @began: begin of the run, seconds since 1970
 * @finished: end of the run, seconds since 1970
 */
struct qualify {
	const struct qualify_calls *calls;
	struct nl *nl;
	char bdf[BDF_BYTES];
	enum risk max_risk;
	unsigned int rounds;
	uint32_t wait;
	bool under_load;
	bool serials;
	const char *operator;
	const char *note;
	char module[TEXT_BYTES];
	bool (*ask)(const struct qualify *qualify, const struct trial *trial);
	bool (*stopped)(void);
	void (*tell)(const char *text);
	void (*step)(const char *what, size_t number, size_t count);
	void (*save)(const struct qualify *qualify);
	struct device before;
	struct device after;
	struct devices others;
	struct devices others_after;
	struct config_image image;
	struct comparison config;
	struct trial trial[KINDS];
	struct trial load;
	struct recovery *recovery;
	size_t recoveries;
	enum ended ended;
	char why[TEXT_BYTES];
	int64_t began;
	int64_t finished;
};

int qualify_prepare(struct qualify *qualify);
void qualify_run(struct qualify *qualify);
bool qualify_is_stopped(const struct qualify *qualify);
bool qualify_is_clean(const struct qualify *qualify);
void qualify_free(struct qualify *qualify);

/* For trial.c, memory.c, under_load.c and recovery.c only. */
void qualify_end(struct qualify *qualify, enum ended ended, const char *why);
int qualify_look(const struct qualify *qualify, const char *bdf, struct device *dev);
int qualify_settle(const struct qualify *qualify, bool wide, struct device *dev,
		   struct device *mate);
bool qualify_concerns(const struct qualify *qualify, const char *bdf);
void qualify_tell(const struct qualify *qualify, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* QUALIFY_H */
