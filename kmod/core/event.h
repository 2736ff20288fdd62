/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbered events: a ring keeps the last ones, a listener gets each of them, and counters count. */
#ifndef _INSTINCT_EVENT_H
#define _INSTINCT_EVENT_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/instinct_vfio.h>

#define INSTINCT_BDF_BYTES	24
#define INSTINCT_REASON_BYTES	96
#define INSTINCT_PHASES		__INSTINCT_VFIO_PHASE_MAX
#define INSTINCT_EVENTS_KEPT	4096

#define INSTINCT_EVENT_KINDS	__INSTINCT_VFIO_EVENT_MAX
#define INSTINCT_METHODS	__INSTINCT_VFIO_METHOD_MAX
#define INSTINCT_CAUSES		__INSTINCT_VFIO_CAUSE_MAX
#define INSTINCT_RESULTS	__INSTINCT_VFIO_RESULT_MAX

/**
 * struct instinct_event - one event
 * @seq: number, from 1, set by instinct_event_emit()
 * @time: ns of CLOCK_BOOTTIME, set by instinct_event_emit()
 * @serial: PCIe Device Serial Number of the device
 * @duration: ns that the whole reset took, or passed until a method failed
 * @phase: time spent in each enum instinct_vfio_phase, in ns; 0 for one that the reset did not pass
 * @kind: kind of the event
 * @state: state of the device after the event
 * @cause: reason for the reset
 * @method: reset method
 * @error: positive errno, or 0
 * @config_register: offset of a register in the config space; set in config events only
 * @found: value of ACS Control or ATS Control; set in acs and ats events only
 * @wanted: the value that @found should have
 * @port: port or function with that register
 * @sensor: the place of a temperature; this and the others of a temperature are set in thermal events only
 * @source: the source of a temperature
 * @temperature: millidegrees Celsius
 * @alarm: the alarm that is raised or cleared, or NONE
 * @secure_os: the secure OS that the next guest finds; set in reset-done and reset-coalesced only
 * @threshold: threshold of @alarm, millidegrees Celsius
 * @bdf: address of the device
 * @reason: text that tells the reason, or empty
 */
struct instinct_event {
	u64 seq;
	u64 time;
	u64 serial;
	u64 duration;
	u64 phase[INSTINCT_PHASES];
	enum instinct_vfio_event kind;
	enum instinct_vfio_state state;
	enum instinct_vfio_cause cause;
	enum instinct_vfio_method method;
	int error;
	u32 config_register;
	u16 found;
	u16 wanted;
	enum instinct_vfio_sensor sensor;
	enum instinct_vfio_source source;
	s32 temperature;
	enum instinct_vfio_alarm alarm;
	enum instinct_vfio_secure_os secure_os;
	s32 threshold;
	char port[INSTINCT_BDF_BYTES];
	char bdf[INSTINCT_BDF_BYTES];
	char reason[INSTINCT_REASON_BYTES];
};

/**
 * struct instinct_stats - counts of one device since the driver took it
 * @event: events, by kind
 * @reset: resets, by method, cause and result
 * @policy_time: time of the last policy that was applied, s since 1970; 0 if none was
 */
struct instinct_stats {
	atomic64_t event[INSTINCT_EVENT_KINDS];
	atomic64_t reset[INSTINCT_METHODS][INSTINCT_CAUSES][INSTINCT_RESULTS];
	atomic64_t policy_time;
};

/**
 * struct instinct_duration - a duration that was measured several times
 * @count: number of measurements
 * @sum: sum of the measurements, ns
 */
struct instinct_duration {
	atomic64_t count;
	atomic64_t sum;
};

/**
 * struct instinct_durations - durations of resets that ended well, of all devices since the
 *	module load
 * @method: whole resets, by method
 * @phase: phases of these resets
 */
struct instinct_durations {
	struct instinct_duration method[INSTINCT_METHODS];
	struct instinct_duration phase[INSTINCT_PHASES];
};

extern struct instinct_durations instinct_durations;

void instinct_event_listen(void (*listener)(const struct instinct_event *event));
void instinct_event_emit(struct instinct_event *event, struct instinct_stats *stats);
bool instinct_event_read(u64 from, struct instinct_event *event);
u64 instinct_event_newest(void);

#endif /* _INSTINCT_EVENT_H */
