// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile VMM that opens a GPU and does two things at once for some seconds:
 *
 *	race command BDF SECONDS	writes Command from memory that another thread flips between
 *		"nothing" and "memory space and bus master". "open-off N" counts how often VFIO let
 *		it read a BAR afterwards while the hardware's Memory Space was off.
 *	race hive BDF,BDF SECONDS	resets two GPUs at the same moment, again and again. "failed N"
 *		counts the resets that failed or took more than four seconds.
 *	race kill BDF SECONDS	resets the GPU while another process, which writes Command, waits
 *		for a write to arrive, and kills that process. "killed after N ms" says when it is gone.
 *	race msi BDF SECONDS	switches MSI on and off, while another thread writes registers that
 *		the module verifies, and a third asks for resets
 *
 * Exit status: 0 at the end, 2 for a wrong call or an error.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fds.h"

static struct vfio_fds fds = { -1, -1, -1 };
static uint64_t config, bar;
static int host;
static atomic_bool done;
static volatile uint16_t flipped;

static void *flip(void *unused)
{
	while (!done)
		flipped ^= PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	return unused;
}

static void write_command(uint16_t value)
{
	(void)!pwrite(fds.fd, &value, sizeof(value), config + PCI_COMMAND);
}

/* May the user read a BAR that the hardware does not decode? */
static bool open_but_off(void)
{
	uint16_t command;
	uint32_t word;

	if (pread(fds.fd, &word, sizeof(word), bar) != sizeof(word))
		return false;
	if (pread(host, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		err(2, "config space");
	return !(command & PCI_COMMAND_MEMORY);
}

static void race_command(time_t until)
{
	unsigned int found = 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, flip, NULL))
		errx(2, "no thread");
	while (time(NULL) < until) {
		(void)!pwrite(fds.fd, (const void *)&flipped, sizeof(flipped), config + PCI_COMMAND);
		found += open_but_off();
	}
	done = true;
	pthread_join(thread, NULL);
	printf("open-off %u\n", found);
}

static void set_msi(bool on)
{
	char buffer[sizeof(struct vfio_irq_set) + sizeof(int)] __attribute__((aligned(8))) = { };
	struct vfio_irq_set *set = (struct vfio_irq_set *)buffer;
	int fd = on ? eventfd(0, 0) : -1;

	set->argsz = on ? sizeof(buffer) : sizeof(*set);
	set->flags = VFIO_IRQ_SET_ACTION_TRIGGER |
		     (on ? VFIO_IRQ_SET_DATA_EVENTFD : VFIO_IRQ_SET_DATA_NONE);
	set->index = VFIO_PCI_MSI_IRQ_INDEX;
	set->count = on;
	memcpy(set->data, &fd, on ? sizeof(fd) : 0);
	if (ioctl(fds.fd, VFIO_DEVICE_SET_IRQS, set) && on && !done)
		err(2, "VFIO_DEVICE_SET_IRQS");
	if (on)
		close(fd);
}

static void *verify(void *unused)
{
	unsigned int n = 0;

	while (!done)
		write_command(PCI_COMMAND_MEMORY | (n++ & 1 ? PCI_COMMAND_MASTER : 0));
	return unused;
}

static void *reset(void *unused)
{
	while (!done) {
		ioctl(fds.fd, VFIO_DEVICE_RESET);
		usleep(100 * 1000);
	}
	return unused;
}

static void race_msi(time_t until)
{
	pthread_t threads[2];
	unsigned int n = 0;

	if (pthread_create(&threads[0], NULL, verify, NULL) ||
	    pthread_create(&threads[1], NULL, reset, NULL))
		errx(2, "no thread");
	for (; time(NULL) < until; n++) {
		set_msi(true);
		set_msi(false);
	}
	done = true;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("switched %u\n", n);
}

static void race_kill(void)
{
	struct timespec from, to;
	pthread_t thread;
	pid_t child = fork();

	if (!child)
		for (;;)
			verify(NULL);
	if (child < 0 || usleep(500 * 1000) || pthread_create(&thread, NULL, reset, NULL))
		errx(2, "no process");
	sleep(2);
	clock_gettime(CLOCK_MONOTONIC, &from);
	kill(child, SIGKILL);
	if (waitpid(child, NULL, 0) != child)
		err(2, "waitpid");
	clock_gettime(CLOCK_MONOTONIC, &to);
	done = true;
	pthread_join(thread, NULL);
	printf("killed after %ld ms\n", (to.tv_sec - from.tv_sec) * 1000 +
	       (to.tv_nsec - from.tv_nsec) / 1000000);
}

struct member {
	struct vfio_fds fds;
	uint64_t config;
	pthread_barrier_t *both;
	unsigned int failed;
};

static void *reset_member(void *arg)
{
	struct member *member = arg;
	uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	time_t began;

	for (;;) {
		/* Otherwise the module spares the reset. */
		(void)!pwrite(member->fds.fd, &command, sizeof(command), member->config + PCI_COMMAND);
		pthread_barrier_wait(member->both);
		if (done)
			break;
		began = time(NULL);
		if (ioctl(member->fds.fd, VFIO_DEVICE_RESET) || time(NULL) > began + 4)
			member->failed++;
		pthread_barrier_wait(member->both);
	}
	return NULL;
}

static int race_hive(char *bdfs, time_t until)
{
	struct member members[2] = { { .fds = VFIO_FDS_NONE }, { .fds = VFIO_FDS_NONE } };
	char *second = strchr(bdfs, ',');
	struct vfio_region_info info;
	pthread_barrier_t both;
	pthread_t threads[2];
	unsigned int i, rounds;

	if (!second)
		errx(2, "hive needs two GPUs");
	*second++ = '\0';
	pthread_barrier_init(&both, NULL, 3);
	for (i = 0; i < 2; i++) {
		if (vfio_open(&members[i].fds, i ? second : bdfs))
			errx(2, "a GPU cannot be opened");
		if (vfio_region(&members[i].fds, VFIO_PCI_CONFIG_REGION_INDEX, &info))
			err(2, "config region");
		members[i].config = info.offset;
		members[i].both = &both;
		if (pthread_create(&threads[i], NULL, reset_member, &members[i]))
			errx(2, "no thread");
	}
	for (rounds = 0; time(NULL) < until; rounds++) {
		pthread_barrier_wait(&both);
		pthread_barrier_wait(&both);
	}
	done = true;
	pthread_barrier_wait(&both);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		vfio_close(&members[i].fds);
	}
	printf("failed %u of %u\n", members[0].failed + members[1].failed, 2 * rounds);
	return 0;
}

int main(int argc, char **argv)
{
	struct vfio_region_info info;
	char path[128];
	time_t until;

	if (argc != 4)
		errx(2, "usage: race command|hive|kill|msi BDF[,BDF] SECONDS");
	until = time(NULL) + atoi(argv[3]);
	if (!strcmp(argv[1], "hive"))
		return race_hive(argv[2], until);
	if (vfio_open(&fds, argv[2]))
		errx(2, "%s cannot be opened", argv[2]);
	if (vfio_region(&fds, VFIO_PCI_CONFIG_REGION_INDEX, &info))
		err(2, "config region");
	config = info.offset;
	if (vfio_region(&fds, VFIO_PCI_BAR0_REGION_INDEX, &info))
		err(2, "BAR 0");
	bar = info.offset;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", argv[2]);
	host = open(path, O_RDONLY);
	if (host < 0)
		err(2, "%s", path);
	write_command(PCI_COMMAND_MEMORY);
	if (!strcmp(argv[1], "command"))
		race_command(until);
	else if (!strcmp(argv[1], "msi"))
		race_msi(until);
	else if (!strcmp(argv[1], "kill"))
		race_kill();
	else
		errx(2, "race does not know \"%s\"", argv[1]);
	vfio_close(&fds);
	return 0;
}
