// SPDX-License-Identifier: GPL-2.0-only
#include <linux/pci_regs.h>

#include "keeper.h"

/* At once, before a write is kept: some switches swallow one now and then. */
#define TRIES_AT_ONCE	3
/* So often is a soft bit tried before it is asked whether it is hardwired. */
#define TRIES_SOFT	12
/* A kept write is repeated after a sixteenth of the time that has passed. */
#define PATIENCE	16

enum verdict { LANDED, SOFT_MISSING, MISSING, ABSENT };

static u32 bits_that_hold(const struct instinct_keeper *keeper,
			  const struct instinct_write *write)
{
	return instinct_config_map_firm(&keeper->map, write->where, write->size,
					write->val) |
	       instinct_config_map_soft(&keeper->map, write->where, write->size);
}

/**
 * instinct_keeper_told() - a write is passed on, and not by the keeper
 * @keeper: of the function
 * @write: it
 */
void instinct_keeper_told(struct instinct_keeper *keeper, const struct instinct_write *write)
{
	instinct_probe_told(&keeper->probe, &keeper->map.facts, write);
}

static void pass_on(struct instinct_keeper *keeper, const struct instinct_config_io *io,
		    const struct instinct_write *write)
{
	instinct_keeper_told(keeper, write);
	io->write(io->data, write->where, write->size, write->val);
}

static enum verdict look_at(struct instinct_keeper *keeper,
			    const struct instinct_config_io *io,
			    const struct instinct_write *write, u32 *missing)
{
	u32 firm = instinct_config_map_firm(&keeper->map, write->where,
					    write->size, write->val);
	u32 found = io->read(io->data, write->where, write->size);
	u32 hidden = instinct_probe_toggled(&keeper->probe, write);

	*missing = (found ^ write->val) & bits_that_hold(keeper, write) & ~hidden;
	if (found == instinct_config_ones(write->size) && instinct_config_absent(io))
		return ABSENT;
	if (*missing & firm)
		return MISSING;
	if (*missing)
		return SOFT_MISSING;
	if (!hidden)
		instinct_config_map_landed(&keeper->map, write->where, write->size,
					   write->val);
	return LANDED;
}

/**
 * instinct_keeper_learn() - what is in the probes' registers, of which nobody was told
 * @keeper: of the function
 * @io: how it is reached
 *
 * Before probes are needed, while nothing is amiss.
 */
void instinct_keeper_learn(struct instinct_keeper *keeper, const struct instinct_config_io *io)
{
	instinct_probe_learn(&keeper->probe, &keeper->map.facts, io);
}

/**
 * instinct_keeper_survey() - learn what can be learnt of a good function
 * @keeper: of the function
 * @io: how it is reached
 *
 * Nobody uses the function, and it answers.
 */
void instinct_keeper_survey(struct instinct_keeper *keeper,
			    const struct instinct_config_io *io)
{
	instinct_probe_survey(&keeper->probe, &keeper->map, io);
}

static void count_blocked(struct instinct_keeper *keeper,
			  const struct instinct_write *write)
{
	keeper->counts.blocked++;
	keeper->blocked = *write;
}

static void fail(struct instinct_keeper *keeper)
{
	keeper->last = keeper->kept[keeper->first];
	keeper->counts.failed += keeper->count;
	WRITE_ONCE(keeper->count, 0);
	keeper->probe.stage = INSTINCT_PROBE_NONE;
	WRITE_ONCE(keeper->failed, true);
}

static enum instinct_keeper_result keep(struct instinct_keeper *keeper,
					const struct instinct_config_io *io,
					const struct instinct_write *write)
{
	unsigned int end;

	if (keeper->count == INSTINCT_KEPT_MAX) {
		keeper->crowded = true;
		keeper->counts.failed++;
		count_blocked(keeper, write);
		fail(keeper);
		return INSTINCT_KEEPER_FAILED;
	}
	if (!keeper->count) {
		keeper->since = io->now(io->data);
		keeper->first_since = keeper->since;
		keeper->repeated = keeper->since;
		keeper->tries = 0;
	}
	end = (keeper->first + keeper->count) % INSTINCT_KEPT_MAX;
	keeper->kept[end] = *write;
	WRITE_ONCE(keeper->count, keeper->count + 1);
	return INSTINCT_KEEPER_KEPT;
}

/**
 * instinct_keeper_power() - does a write change the power state?
 * @keeper: of the function
 * @where: offset
 * @size: bytes
 *
 * Return: true if so; it takes 10 ms, within which the function is not to be
 * looked at.
 */
bool instinct_keeper_power(const struct instinct_keeper *keeper, int where,
			   int size)
{
	u16 at = keeper->map.pmcsr;

	return at && where <= at && where + size > at;
}

/*
 * Repeat a write that has not landed, and keep it if that does not help. Who is not there
 * is not asked again and again: each time may take until the completion timeout.
 */
static enum instinct_keeper_result insist(struct instinct_keeper *keeper,
					  const struct instinct_config_io *io,
					  const struct instinct_write *write,
					  enum verdict verdict)
{
	enum instinct_config_part part = instinct_config_part(write->where);
	u32 missing;
	int i;

	for (i = 0; i < TRIES_AT_ONCE && verdict != ABSENT; i++) {
		keeper->counts.retried++;
		pass_on(keeper, io, write);
		verdict = look_at(keeper, io, write, &missing);
		if (verdict == LANDED)
			return INSTINCT_KEEPER_DONE;
	}
	if (verdict == SOFT_MISSING && keeper->probe.held[part] &&
	    instinct_probe_lands(&keeper->probe, &keeper->map.facts, io, part)) {
		pass_on(keeper, io, write);
		verdict = look_at(keeper, io, write, &missing);
		if (verdict < MISSING) {
			instinct_config_map_hardwired(&keeper->map, write->where,
						      write->size, missing);
			return INSTINCT_KEEPER_DONE;
		}
	}
	return keeper->keep ? keep(keeper, io, write) : INSTINCT_KEEPER_DONE;
}

static enum instinct_keeper_result settle(struct instinct_keeper *keeper,
					  const struct instinct_config_io *io,
					  const struct instinct_write *write)
{
	enum verdict verdict;
	u32 missing;

	verdict = look_at(keeper, io, write, &missing);
	if (verdict == LANDED)
		return INSTINCT_KEEPER_DONE;
	if (verdict >= MISSING)
		count_blocked(keeper, write);
	return insist(keeper, io, write, verdict);
}

/**
 * instinct_keeper_write() - a config write by software
 * @keeper: of the function
 * @io: how it is reached
 * @write: the write
 *
 * Return: what became of it. FAILED means that it was refused.
 */
enum instinct_keeper_result
instinct_keeper_write(struct instinct_keeper *keeper,
		      const struct instinct_config_io *io,
		      const struct instinct_write *write)
{
	if (keeper->failed)
		return INSTINCT_KEEPER_FAILED;
	if (keeper->count)
		return keep(keeper, io, write);
	pass_on(keeper, io, write);
	if (!keeper->verify || !instinct_config_map_any(&keeper->map, write->where,
							write->size))
		return INSTINCT_KEEPER_DONE;
	return settle(keeper, io, write);
}

/**
 * instinct_keeper_recheck() - look at what was passed on without a look
 * @keeper: of the function
 * @io: how it is reached
 * @write: the write
 *
 * Return: DONE if it has landed, KEPT if it is repeated until it does, FAILED.
 */
enum instinct_keeper_result
instinct_keeper_recheck(struct instinct_keeper *keeper,
			const struct instinct_config_io *io,
			const struct instinct_write *write)
{
	u32 missing;

	if (keeper->failed)
		return INSTINCT_KEEPER_FAILED;
	if (!keeper->count)
		return settle(keeper, io, write);
	if (look_at(keeper, io, write, &missing) == LANDED)
		return INSTINCT_KEEPER_DONE;
	return keep(keeper, io, write);
}

/**
 * instinct_keeper_read() - a config read by software
 * @keeper: of the function
 * @io: how it is reached
 * @where: offset
 * @size: bytes: 1, 2 or 4
 *
 * Whoever has written reads back what he wrote, though it may be kept still:
 * the bits of kept writes that hold, over what the function answers. A function
 * that does not answer does not answer.
 *
 * Return: the value.
 */
u32 instinct_keeper_read(struct instinct_keeper *keeper,
			 const struct instinct_config_io *io, int where,
			 int size)
{
	u32 val = io->read(io->data, where, size);
	unsigned int i;

	if (!keeper->count || (val == instinct_config_ones(size) && instinct_config_absent(io)))
		return val;
	for (i = 0; i < keeper->count; i++) {
		const struct instinct_write *write =
			&keeper->kept[(keeper->first + i) % INSTINCT_KEPT_MAX];

		val = instinct_write_over(write, bits_that_hold(keeper, write), where,
					  size, val);
	}
	return val;
}

static void pop(struct instinct_keeper *keeper,
		const struct instinct_config_io *io)
{
	u64 now = io->now(io->data), age = now - keeper->since;

	keeper->first = (keeper->first + 1) % INSTINCT_KEPT_MAX;
	WRITE_ONCE(keeper->count, keeper->count - 1);
	keeper->tries = 0;
	keeper->first_since = now;
	keeper->probe.stage = INSTINCT_PROBE_NONE;
	if (!keeper->count && age > keeper->counts.longest)
		keeper->counts.longest = age;
}

/*
 * Firm bits of the first kept write hold, or it has none; soft ones do not, and
 * nor did they when it was repeated. Where a probe beside it lands they are
 * hardwired; where nobody can tell, let it be. One thing at a step: it may land
 * late.
 */
static bool settle_soft(struct instinct_keeper *keeper,
			const struct instinct_config_io *io, u32 missing,
			bool repeat)
{
	const struct instinct_write *write = &keeper->kept[keeper->first];
	enum instinct_config_part part = instinct_config_part(write->where);
	struct instinct_probe *probe = &keeper->probe;
	enum verdict verdict;

	if (!probe->held[part]) {
		instinct_config_map_doubt(&keeper->map, write->where,
					  write->size, missing);
		return true;
	}
	switch (probe->stage) {
	case INSTINCT_PROBE_NONE:
		if (!instinct_probe_begin(probe, &keeper->map.facts, io, part))
			count_blocked(keeper, write);
		return false;
	case INSTINCT_PROBE_TOGGLED:
		if (!instinct_probe_shows(probe, io))
			break;
		instinct_probe_turn(probe);
		repeat = true;
		break;
	case INSTINCT_PROBE_PUT_BACK:
		if (!instinct_probe_shows(probe, io))
			break;
		/* The write was repeated before the probe, so it has landed too. */
		probe->stage = INSTINCT_PROBE_NONE;
		verdict = look_at(keeper, io, write, &missing);
		instinct_config_map_hardwired(&keeper->map, write->where,
					      write->size, missing);
		return verdict < MISSING;
	}
	if (repeat) {
		pass_on(keeper, io, write);
		instinct_probe_repeat(probe, io);
	}
	return false;
}

/*
 * A switch may have it still, and be late: patience grows with the time that it
 * takes.
 */
static bool repeat_first(struct instinct_keeper *keeper, u64 now, bool again)
{
	u64 age = now - keeper->first_since;

	if (!again && keeper->tries && now - keeper->repeated < age / PATIENCE)
		return false;
	keeper->repeated = now;
	return true;
}

/* Has the first of the kept writes landed? Else it is tried once more. */
static bool try_first(struct instinct_keeper *keeper,
		      const struct instinct_config_io *io, bool again)
{
	const struct instinct_write *write = &keeper->kept[keeper->first];
	bool repeat = repeat_first(keeper, io->now(io->data), again);
	enum verdict verdict;
	u32 missing;

	if (!bits_that_hold(keeper, write)) {
		pass_on(keeper, io, write);
		return true;
	}
	/* It may have landed late. */
	if (keeper->tries) {
		verdict = look_at(keeper, io, write, &missing);
		/* Not before what was toggled for it is back. */
		if (verdict < MISSING && keeper->probe.stage)
			return settle_soft(keeper, io, missing, repeat);
		if (verdict == LANDED)
			return true;
	}
	if (!repeat)
		return false;
	keeper->tries++;
	keeper->counts.retried++;
	pass_on(keeper, io, write);
	verdict = look_at(keeper, io, write, &missing);
	if (verdict == LANDED)
		return true;
	return verdict == SOFT_MISSING && keeper->tries >= TRIES_SOFT &&
	       settle_soft(keeper, io, missing, true);
}

/**
 * instinct_keeper_step() - try once to get rid of the first that is kept
 * @keeper: of the function
 * @io: how it is reached
 * @deadline: how long it may be the turn of any, ns
 * @again: something has been done to let it land: repeat it now
 *
 * Return: DONE if nothing is kept any more; MORE if there is, and the next step
 * may follow at once; KEPT if the first write cannot land yet; FAILED if it
 * could not for too long.
 */
enum instinct_keeper_result
instinct_keeper_step(struct instinct_keeper *keeper,
		     const struct instinct_config_io *io, u64 deadline,
		     bool again)
{
	if (keeper->failed)
		return INSTINCT_KEEPER_FAILED;
	if (!keeper->count)
		return INSTINCT_KEEPER_DONE;
	if (try_first(keeper, io, again)) {
		keeper->counts.replayed++;
		pop(keeper, io);
		return keeper->count ? INSTINCT_KEEPER_MORE : INSTINCT_KEEPER_DONE;
	}
	if (io->now(io->data) - keeper->first_since <= deadline)
		return INSTINCT_KEEPER_KEPT;
	fail(keeper);
	return INSTINCT_KEEPER_FAILED;
}

/**
 * instinct_keeper_forget() - the function is being reset: begin anew
 * @keeper: of the function
 *
 * What was kept is dropped, and a failure is over.
 */
void instinct_keeper_forget(struct instinct_keeper *keeper)
{
	WRITE_ONCE(keeper->count, 0);
	keeper->probe.stage = INSTINCT_PROBE_NONE;
	WRITE_ONCE(keeper->failed, false);
	keeper->crowded = false;
	instinct_config_map_trust(&keeper->map);
}
