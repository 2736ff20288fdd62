/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding out which resets a GPU survives: the trials, in order, and what follows them. */
#ifndef QUALIFY_H
#define QUALIFY_H

#include "advice.h"
#include "nl.h"
#include "recovery.h"
#include "trial.h"

#define QUALIFY_ROUNDS	3
#define QUALIFY_WAIT_MS	120000
#define QUALIFY_POLL_MS	100

struct qualify;

/**
 * struct qualify_calls - what is asked of the host and of the module; but in tests
 *	qualify_live
 * @list: as nl_devices_get()
 * @plan: as nl_reset_plan()
 * @reset: as nl_reset_asked()
 * @release: as nl_release()
 * @newest: number of the newest event
 * @replay: as nl_events_replay()
 * @message: as nl_message()
 * @config: the config space of a GPU
 * @open: as vfio_open_try()
 * @now: as now_ms()
 * @pause: time is to pass, ms
 */
struct qualify_calls {
	int (*list)(struct nl *nl, struct devices *devices);
	int (*plan)(struct nl *nl, const char *bdf, int method, struct nl_reset_done *done);
	int (*reset)(struct nl *nl, const char *bdf, const struct nl_reset_asked *asked,
		     struct nl_reset_done *done);
	int (*release)(struct nl *nl, const char *bdf);
	int (*newest)(struct nl *nl, uint64_t *seq);
	int (*replay)(struct nl *nl, uint64_t from, nl_event_t call, void *data);
	const char *(*message)(const struct nl *nl);
	void (*config)(const char *bdf, struct config_image *image);
	int (*open)(const char *bdf, char *why, size_t size);
	int64_t (*now)(void);
	void (*pause)(unsigned int ms);
};

extern const struct qualify_calls qualify_live;

enum ended {
	ENDED_UNDER_WAY,	/* it has not ended */
	ENDED_COMPLETE,		/* all was tried that could be */
	ENDED_LOST,		/* a method lost the GPU */
	ENDED_NOT_READY,	/* a method left it so that nothing more can be tried */
	ENDED_DECLINED,		/* the operator went no further */
	ENDED_INTERRUPTED,	/* by a signal */
	ENDED_BUSY,		/* somebody else came between */
};

extern const struct names ended_names;

/**
 * struct qualify - one run
 * @calls: see there
 * @nl: for them
 * @bdf: GPU
 * @max_risk: how far to go
 * @rounds: times that each method is tried
 * @wait: how long a method has to bring the GPU back, ms; 0: QUALIFY_WAIT_MS, or as policy
 *	says if that is longer
 * @serials: serial numbers are to be seen
 * @operator: who answers for it
 * @note: what else he says, or ""
 * @module: its version
 * @ask: may this be tried? or NULL
 * @stopped: is it to end? or NULL
 * @tell: a line for who watches, without a newline; or NULL
 * @step: which of the trials is under way, from 1; or NULL
 * @save: a trial begins that may take the host with it; or NULL
 * @before: the GPU before the first trial
 * @after: and at the end
 * @others: the other GPUs of its hive, before the first trial
 * @others_after: and at the end
 * @image: its config space before the first trial
 * @config: at the end, against that
 * @trial: of each kind
 * @recovery: what was done to bring it back, or another one of its hive
 * @recoveries: how many
 * @ended: how
 * @why: the same, for people, or ""
 * @began: s since 1970
 * @finished: the same
 */
struct qualify {
	const struct qualify_calls *calls;
	struct nl *nl;
	char bdf[BDF_BYTES];
	enum risk max_risk;
	unsigned int rounds;
	uint32_t wait;
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

/* Of the trials and the recovery. */
int qualify_look(const struct qualify *qualify, const char *bdf, struct device *dev);
int qualify_settle(const struct qualify *qualify, bool wide, struct device *dev,
		   struct device *mate);
bool qualify_concerns(const struct qualify *qualify, const char *bdf);
void qualify_tell(const struct qualify *qualify, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* QUALIFY_H */
