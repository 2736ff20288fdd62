/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbered events: a ring of the last ones, and word to who listens. */
#ifndef _INSTINCT_EVENT_H
#define _INSTINCT_EVENT_H

#include <linux/types.h>
#include <linux/instinct_vfio.h>

#define INSTINCT_BDF_BYTES	24
#define INSTINCT_REASON_BYTES	96
#define INSTINCT_PHASES		__INSTINCT_VFIO_PHASE_MAX
#define INSTINCT_EVENTS_KEPT	4096

/**
 * struct instinct_event - one thing that happened
 * @seq: number, from 1, set by instinct_event_emit()
 * @time: ns of CLOCK_BOOTTIME, set by instinct_event_emit()
 * @serial: PCIe Device Serial Number of the device
 * @duration: of the whole reset, until then if a method has failed, in ns
 * @phase: time spent in each enum instinct_vfio_phase, in ns
 * @phases_passed: BIT(enum instinct_vfio_phase)
 * @kind: what
 * @state: of the device, after it
 * @cause: who asked
 * @method: how
 * @error: positive errno, or 0
 * @config_register: offset in the config space, of config events only
 * @found: ACS or ATS Control, or speed and width as in Link Status, of events of
 *	these only
 * @wanted: what it should be
 * @port: port or function that has it, or above the link
 * @thermal: it is about a temperature
 * @sensor: where, and so on: of such events only
 * @source: who has read it
 * @temperature: millidegrees Celsius
 * @alarm: that is raised or cleared, or NONE
 * @threshold: of that, millidegrees
 * @bdf: name of the device
 * @reason: for people, or empty
 */
struct instinct_event {
	u64 seq;
	u64 time;
	u64 serial;
	u64 duration;
	u64 phase[INSTINCT_PHASES];
	u32 phases_passed;
	enum instinct_vfio_event kind;
	enum instinct_vfio_state state;
	enum instinct_vfio_cause cause;
	enum instinct_vfio_method method;
	int error;
	u32 config_register;
	u16 found;
	u16 wanted;
	bool thermal;
	enum instinct_vfio_sensor sensor;
	enum instinct_vfio_source source;
	s32 temperature;
	enum instinct_vfio_alarm alarm;
	s32 threshold;
	char port[INSTINCT_BDF_BYTES];
	char bdf[INSTINCT_BDF_BYTES];
	char reason[INSTINCT_REASON_BYTES];
};

int instinct_event_init(void);
void instinct_event_exit(void);
void instinct_event_emit(struct instinct_event *event);
bool instinct_event_read(u64 from, struct instinct_event *event);
u64 instinct_event_epoch(void);
void instinct_event_bounds(u64 *oldest, u64 *newest);

#endif /* _INSTINCT_EVENT_H */
