// SPDX-License-Identifier: GPL-2.0-only
#include <linux/io.h>
#include <linux/ktime.h>

#include "device.h"
#include "hwmon.h"
#include "name.h"
#include "thermometer.h"

/* How many times as long as it takes to be stale. */
#define FORGET_AFTER	10

static bool is_old(const struct instinct_thermal *thermal,
		   const struct instinct_sample *sample, u64 now)
{
	return now - sample->at > thermal->policy.stale * (u64)NSEC_PER_MSEC;
}

/* The first source that is not stale counts; if all are, the one that spoke last. */
static const struct instinct_sample *sample_of(const struct instinct_thermal *thermal,
					       struct instinct_sensor *sensor, u64 now)
{
	const struct instinct_sample *best = NULL;
	unsigned int i;

	for (i = 0; i < INSTINCT_SOURCES; i++) {
		const struct instinct_sample *sample = &sensor->sample[i];

		if (!sample->known || (best && sample->at <= best->at))
			continue;
		best = sample;
		sensor->source = i;
		if (!is_old(thermal, sample, now))
			break;
	}
	return best;
}

static void tell(struct instinct_device *dev, enum instinct_vfio_sensor which,
		 enum instinct_vfio_event kind, s32 temperature,
		 const struct instinct_thermal_change *change, const char *reason)
{
	struct instinct_event event = {
		.kind = kind,
		.thermal = true,
		.sensor = which,
		.source = dev->thermal.sensor[which].source,
		.temperature = temperature,
	};

	if (change) {
		event.alarm = change->alarm;
		event.threshold = change->threshold;
	}
	strscpy(event.reason, reason, sizeof(event.reason));
	instinct_device_emit(dev, &event);
}

static void tell_change(struct instinct_device *dev, enum instinct_vfio_sensor which,
			const struct instinct_thermal_change *change, s32 temperature)
{
	bool critical = change->alarm == INSTINCT_VFIO_ALARM_CRITICAL;
	enum instinct_vfio_event kind = INSTINCT_VFIO_EVENT_THERMAL_CLEARED;

	if (change->raised && critical)
		kind = INSTINCT_VFIO_EVENT_THERMAL_CRITICAL;
	else if (change->raised)
		kind = INSTINCT_VFIO_EVENT_THERMAL_WARNING;
	if (change->raised)
		pci_warn(dev->pdev, "%s %d C has reached its %s threshold of %d C\n",
			 instinct_name_sensor(which), temperature / 1000,
			 instinct_name_alarm(change->alarm), change->threshold / 1000);
	else
		pci_info(dev->pdev, "%s %d C, %s cleared\n", instinct_name_sensor(which),
			 temperature / 1000, instinct_name_alarm(change->alarm));
	tell(dev, which, kind, temperature, change, "");
	instinct_hwmon_notify(dev, which, change->alarm);
}

/* Under thermal->lock: alarms of which there is nothing more to be known. */
static void end_alarms(struct instinct_device *dev, enum instinct_vfio_sensor which,
		       const char *reason)
{
	struct instinct_sensor *sensor = &dev->thermal.sensor[which];
	const struct instinct_thermal_limits *limits = &dev->thermal.policy.limits[which];
	s32 temperature = sensor->sample[sensor->source].temperature;
	unsigned int alarm;

	for (alarm = INSTINCT_ALARMS; alarm; alarm--) {
		struct instinct_thermal_change change = {
			.alarm = alarm,
			.threshold = instinct_thermal_threshold(limits, alarm),
		};

		if (!(sensor->alarms.raised & BIT(alarm)))
			continue;
		sensor->alarms.raised &= ~BIT(alarm);
		tell(dev, which, INSTINCT_VFIO_EVENT_THERMAL_CLEARED, temperature,
		     &change, reason);
		instinct_hwmon_notify(dev, which, alarm);
	}
}

/* Under thermal->lock: what a new sample, or none for too long, amounts to. */
static void judge(struct instinct_device *dev, enum instinct_vfio_sensor which, u64 now)
{
	struct instinct_thermal *thermal = &dev->thermal;
	struct instinct_sensor *sensor = &thermal->sensor[which];
	const struct instinct_thermal_limits *limits = &thermal->policy.limits[which];
	struct instinct_thermal_change change[INSTINCT_ALARMS];
	const struct instinct_sample *sample = sample_of(thermal, sensor, now);
	unsigned int changes, i;
	bool stale;

	if (!sample) {
		end_alarms(dev, which, "nobody measures it any more");
		sensor->stale &= sensor->expected;
		return;
	}
	stale = is_old(thermal, sample, now);
	if (stale != sensor->stale) {
		sensor->stale = stale;
		tell(dev, which, stale ? INSTINCT_VFIO_EVENT_THERMAL_STALE :
					 INSTINCT_VFIO_EVENT_THERMAL_FRESH,
		     sample->temperature, NULL, "");
	}
	if (stale && (limits->warning || limits->critical))
		return;
	changes = instinct_thermal_step(&thermal->policy, which, &sensor->alarms,
					sample->temperature, now, change);
	for (i = 0; i < changes; i++)
		tell_change(dev, which, &change[i], sample->temperature);
}

static void keep(struct instinct_sensor *sensor, enum instinct_vfio_source source,
		 s32 temperature, u64 now)
{
	sensor->sample[source] = (struct instinct_sample) {
		.known = true, .temperature = temperature, .at = now,
	};
}

/* Policy names a register that has held no temperature since. */
static void tell_useless(struct instinct_device *dev, enum instinct_vfio_sensor which)
{
	struct instinct_sensor *sensor = &dev->thermal.sensor[which];

	/* What another source says counts. */
	if (sample_of(&dev->thermal, sensor, ktime_get_boottime_ns()))
		return;
	sensor->source = INSTINCT_VFIO_SOURCE_MMIO;
	sensor->stale = true;
	tell(dev, which, INSTINCT_VFIO_EVENT_THERMAL_STALE, 0, NULL,
	     "its register holds no temperature");
}

/*
 * A register that may not be read now, since nobody uses the device or it is being
 * reset, says nothing, and that is as it should be: in time the sample is forgotten,
 * and nobody is told. But an alarm is not left standing on a reading long past: then
 * the source is stale.
 */
static void sample_register(struct instinct_device *dev, enum instinct_vfio_sensor which,
			    u64 now)
{
	struct instinct_thermal *thermal = &dev->thermal;
	struct instinct_sensor *sensor = &thermal->sensor[which];
	struct instinct_sample *sample = &sensor->sample[INSTINCT_VFIO_SOURCE_MMIO];
	s32 temperature;
	u32 read;

	if (!sample->known && !sample->at)
		sample->at = now;
	if (!instinct_thermometer_read(dev, &thermal->policy.mmio[which],
				       thermal->maps.map[which], &read)) {
		if (!sensor->alarms.raised && is_old(thermal, sample, now))
			sample->known = false;
		if (!sample->known)
			sample->at = now;
		return;
	}
	if (instinct_thermal_register_value(&thermal->policy.mmio[which], read,
					    &temperature))
		keep(sensor, INSTINCT_VFIO_SOURCE_MMIO, temperature, now);
	else if (!sample->known && !sensor->stale && is_old(thermal, sample, now))
		tell_useless(dev, which);
}

/* A source that does not come back is none any more. */
static void forget(const struct instinct_thermal *thermal, struct instinct_sensor *sensor,
		   u64 now)
{
	u64 limit = FORGET_AFTER * thermal->policy.stale * (u64)NSEC_PER_MSEC;
	unsigned int i;

	for (i = 0; i < INSTINCT_SOURCES; i++)
		if (sensor->sample[i].known && now - sensor->sample[i].at > limit)
			sensor->sample[i].known = false;
}

/* Under thermal->lock. */
static unsigned long next_look(struct instinct_thermal *thermal, u64 now)
{
	unsigned int i;

	for (i = 0; i < INSTINCT_MMIO_SENSORS; i++)
		if (thermal->maps.map[i])
			return msecs_to_jiffies(thermal->policy.interval);
	for (i = 0; i < INSTINCT_SENSORS; i++)
		if (sample_of(thermal, &thermal->sensor[i], now))
			return msecs_to_jiffies(thermal->policy.stale / 2);
	return 0;
}

static void look_again(struct instinct_thermal *thermal)
{
	unsigned long delay = next_look(thermal, ktime_get_boottime_ns());

	if (thermal->running && delay)
		queue_delayed_work(system_freezable_power_efficient_wq, &thermal->work, delay);
}

static void thermal_look(struct work_struct *work)
{
	struct instinct_thermal *thermal =
		container_of(to_delayed_work(work), struct instinct_thermal, work);
	struct instinct_device *dev =
		container_of(thermal, struct instinct_device, thermal);
	unsigned int i;
	u64 now;

	mutex_lock(&thermal->lock);
	now = ktime_get_boottime_ns();
	for (i = 0; i < INSTINCT_MMIO_SENSORS; i++)
		if (thermal->maps.map[i])
			sample_register(dev, i, now);
	for (i = 0; i < INSTINCT_SENSORS; i++) {
		forget(thermal, &thermal->sensor[i], now);
		judge(dev, i, now);
	}
	look_again(thermal);
	mutex_unlock(&thermal->lock);
}

/**
 * instinct_thermal_setup() - a new device's
 * @dev: device
 */
void instinct_thermal_setup(struct instinct_device *dev)
{
	mutex_init(&dev->thermal.lock);
	INIT_DELAYED_WORK(&dev->thermal.work, thermal_look);
}

/* Under thermal->lock. What was read in another register, or otherwise, is forgotten. */
static void set_policy(struct instinct_thermal *thermal,
		       const struct instinct_thermal_policy *policy)
{
	unsigned int i;

	for (i = 0; i < INSTINCT_MMIO_SENSORS; i++) {
		struct instinct_sample *sample =
			&thermal->sensor[i].sample[INSTINCT_VFIO_SOURCE_MMIO];

		thermal->sensor[i].expected = thermal->maps.map[i];
		if (!thermal->maps.map[i] ||
		    !instinct_thermal_register_same(&thermal->policy.mmio[i],
						    &policy->mmio[i]))
			*sample = (struct instinct_sample) { };
	}
	thermal->policy = *policy;
}

/**
 * instinct_thermal_unmap() - let go of registers
 * @maps: of a policy
 *
 * Context: may sleep.
 */
void instinct_thermal_unmap(struct instinct_thermal_maps *maps)
{
	unsigned int i;

	for (i = 0; i < INSTINCT_MMIO_SENSORS; i++) {
		if (maps->map[i])
			iounmap(maps->map[i]);
		maps->map[i] = NULL;
	}
}

/**
 * instinct_thermal_map() - can a device have this policy? map its registers
 * @dev: device
 * @policy: of its heat, by instinct_policy_check()
 * @maps: set, to be handed to instinct_thermal_apply() or instinct_thermal_unmap()
 * @why: set to the reason, for people, when it cannot
 *
 * Context: may sleep.
 *
 * Return: 0, -ERANGE for a register outside of its BAR or one of the mailbox, -ENOMEM.
 */
int instinct_thermal_map(struct instinct_device *dev,
			 const struct instinct_thermal_policy *policy,
			 struct instinct_thermal_maps *maps, const char **why)
{
	unsigned int i;
	int ret = 0;

	*maps = (struct instinct_thermal_maps) { };
	for (i = 0; i < INSTINCT_MMIO_SENSORS && !ret; i++)
		if (policy->mmio[i].set)
			ret = instinct_thermometer_map(dev, &policy->mmio[i],
						       &maps->map[i], why);
	if (ret)
		instinct_thermal_unmap(maps);
	return ret;
}

/**
 * instinct_thermal_apply() - change the policy
 * @dev: device
 * @policy: of its heat
 * @maps: its registers; set to those that are read no more, which is the caller's to
 *	unmap
 *
 * Context: may sleep.
 */
void instinct_thermal_apply(struct instinct_device *dev,
			    const struct instinct_thermal_policy *policy,
			    struct instinct_thermal_maps *maps)
{
	struct instinct_thermal *thermal = &dev->thermal;
	unsigned int i;

	mutex_lock(&thermal->lock);
	if (thermal->running) {
		swap(thermal->maps, *maps);
		set_policy(thermal, policy);
		for (i = 0; i < INSTINCT_SENSORS; i++)
			judge(dev, i, ktime_get_boottime_ns());
		mod_delayed_work(system_freezable_power_efficient_wq, &thermal->work, 0);
	}
	mutex_unlock(&thermal->lock);
}

/**
 * instinct_thermal_start() - take samples from now on
 * @dev: device, which nobody finds yet
 *
 * Context: may sleep.
 *
 * Return: why its registers are not read, for people, or NULL.
 */
const char *instinct_thermal_start(struct instinct_device *dev)
{
	struct instinct_thermal *thermal = &dev->thermal;
	struct instinct_thermal_maps maps;
	struct instinct_status status;
	const char *why = NULL;

	/* A policy that has waited, or was kept over an unbind; a BAR may have shrunk. */
	instinct_device_status(dev, &status);
	if (instinct_thermal_map(dev, &status.policy.thermal, &maps, &why))
		pci_warn(dev->pdev, "temperatures are not read from registers: %s\n", why);
	instinct_hwmon_register(dev);
	mutex_lock(&thermal->lock);
	thermal->maps = maps;
	set_policy(thermal, &status.policy.thermal);
	thermal->running = true;
	mutex_unlock(&thermal->lock);
	return why;
}

/**
 * instinct_thermal_begin() - read registers from now on
 * @dev: device, registered, so that what is told comes after that
 *
 * Context: may sleep.
 */
void instinct_thermal_begin(struct instinct_device *dev)
{
	mutex_lock(&dev->thermal.lock);
	look_again(&dev->thermal);
	mutex_unlock(&dev->thermal.lock);
}

/**
 * instinct_thermal_stop() - no more samples; what is raised is cleared
 * @dev: device, still registered
 *
 * Context: may sleep; waits for readers of the hwmon device.
 */
void instinct_thermal_stop(struct instinct_device *dev)
{
	struct instinct_thermal *thermal = &dev->thermal;
	unsigned int i;

	mutex_lock(&thermal->lock);
	thermal->running = false;
	mutex_unlock(&thermal->lock);
	cancel_delayed_work_sync(&thermal->work);
	instinct_hwmon_unregister(dev);
	mutex_lock(&thermal->lock);
	for (i = 0; i < INSTINCT_SENSORS; i++)
		end_alarms(dev, i, "the driver lets go of the device");
	mutex_unlock(&thermal->lock);
	instinct_thermal_unmap(&thermal->maps);
}

/**
 * instinct_thermal_push() - a temperature that user space has read
 * @dev: device
 * @sensor: which
 * @source: whence
 * @temperature: millidegrees Celsius, in its range
 *
 * Context: may sleep.
 *
 * Return: 0, -ENODEV if the driver has let go of the device.
 */
int instinct_thermal_push(struct instinct_device *dev,
			  enum instinct_vfio_sensor sensor,
			  enum instinct_vfio_source source, s32 temperature)
{
	struct instinct_thermal *thermal = &dev->thermal;
	int ret = -ENODEV;
	u64 now;

	mutex_lock(&thermal->lock);
	now = ktime_get_boottime_ns();
	if (thermal->running) {
		keep(&thermal->sensor[sensor], source, temperature, now);
		judge(dev, sensor, now);
		look_again(thermal);
		ret = 0;
	}
	mutex_unlock(&thermal->lock);
	return ret;
}

/**
 * instinct_thermal_read() - a sensor as it is now
 * @dev: device
 * @sensor: which
 * @reading: set
 *
 * Context: may sleep.
 */
void instinct_thermal_read(struct instinct_device *dev,
			   enum instinct_vfio_sensor sensor,
			   struct instinct_reading *reading)
{
	struct instinct_thermal *thermal = &dev->thermal;
	struct instinct_sensor *found = &thermal->sensor[sensor];
	const struct instinct_sample *sample;
	u64 now;

	mutex_lock(&thermal->lock);
	now = ktime_get_boottime_ns();
	sample = sample_of(thermal, found, now);
	*reading = (struct instinct_reading) {
		.source = found->source,
		.expected = found->expected || sample,
		.known = sample,
		.stale = found->stale,
		.raised = found->alarms.raised,
		.limits = thermal->policy.limits[sensor],
		.hysteresis = thermal->policy.hysteresis,
	};
	if (sample) {
		reading->temperature = sample->temperature;
		reading->age = now - sample->at;
	}
	mutex_unlock(&thermal->lock);
}
