// SPDX-License-Identifier: GPL-2.0-only
/*
 * Acts as a hostile VMM: several threads of several processes share VFIO's fds of a device, and
 * use them in all ways, at random:
 *
 *	vfio SEED SECONDS BDF
 *
 * In each life the program opens the device by its group, or by its character device and iommufd.
 * It forks processes that inherit the fds or get them by a socket. Their threads choose actions
 * at random: ioctls with senseless sizes and pointers, config and BAR accesses at any offset,
 * interrupts, DMA mappings, and FLRs and resets during page faults of mappings. The program kills
 * some processes half way, waits for the others, and begins the next life.
 *
 * The program goes on for up to six times SECONDS until each action has succeeded once. It prints
 * how often it took each action, and how often the action succeeded. The exit status is 0, or 1 if
 * a life did not end in time or an action never succeeded, which stderr names.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dice.h"
#include "vfio_deeds.h"
#include "vfio_open.h"

#define PROCESSES	3
#define THREADS		3
#define LIFE_MS		400
#define PATIENCE	5
/* One open in three uses the character device, so some of this many lives must have done so. */
#define MANY_LIVES	30
#define LATE_SECONDS	110	/* for all of a life's processes to end */

static const char *bdf;
static uint64_t until;

static void *work(void *data)
{
	struct worker *w = data;

	w->scratch = mmap(NULL, SCRATCH + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w->scratch == MAP_FAILED || mprotect(w->scratch + SCRATCH, 4096, PROT_NONE))
		err(1, "scratch");
	while (now_ns() < until)
		deed(w);
	return NULL;
}

/* Runs the threads of a process that has the fds. */
static void misbehave(struct vfio_fds *device, uint64_t seed)
{
	struct worker workers[THREADS] = { 0 };
	pthread_t threads[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		workers[i].device = device;
		workers[i].state = dice_next(&seed);
		if (pthread_create(&threads[i], NULL, work, &workers[i]))
			err(1, "thread");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static int send_fd(int socket, int fd)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec nothing = { .iov_base = "", .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &nothing, .msg_iovlen = 1,
		.msg_control = control.room, .msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(socket, &message, 0) < 0 ? -errno : 0;
}

static int receive_fd(int socket)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	struct iovec nothing = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &nothing, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	struct cmsghdr *cmsg;
	int fd = -1;

	if (recvmsg(socket, &message, 0) < 0)
		return -1;
	cmsg = CMSG_FIRSTHDR(&message);
	if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

/* Forks a process that gets the fds by a socket. */
static pid_t fork_stranger(struct vfio_fds *device, uint64_t seed)
{
	struct vfio_fds given;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		err(1, "socketpair");
	pid = fork();
	if (!pid) {
		given = (struct vfio_fds) { receive_fd(pair[1]), -1, receive_fd(pair[1]) };
		vfio_close(device);
		misbehave(&given, seed);
	}
	send_fd(pair[0], device->fd);
	send_fd(pair[0], device->container);
	close(pair[0]);
	close(pair[1]);
	return pid;
}

static pid_t fork_relative(struct vfio_fds *device, uint64_t seed)
{
	pid_t pid = fork();

	if (!pid)
		misbehave(device, seed);
	return pid;
}

/* Waits for all of a life's processes; returns false if one does not end in time. */
static bool all_end(const pid_t *pids)
{
	uint64_t late = now_ns() + LATE_SECONDS * 1000000000ull;
	unsigned int left = PROCESSES, i;

	while (left && now_ns() < late) {
		while (left && waitpid(-1, NULL, WNOHANG) > 0)
			left--;
		if (left && now_ns() > until + 20000000000ull)
			for (i = 0; i < PROCESSES; i++)
				kill(pids[i], SIGKILL);
		usleep(2000);
	}
	return !left;
}

static bool life(uint64_t *state)
{
	struct vfio_fds device;
	pid_t pids[PROCESSES];
	unsigned int i;

	if (!open_somehow(&device, bdf, state)) {
		/* A reset may be under way, or the device is lost: try again later. */
		usleep(20000);
		return false;
	}
	until = now_ns() + (50 + dice(state, LIFE_MS)) * 1000000ull;
	for (i = 0; i < PROCESSES; i++)
		pids[i] = once_in(state, 3) ? fork_stranger(&device, dice_next(state)) :
					      fork_relative(&device, dice_next(state));
	if (once_in(state, 2))
		vfio_close(&device);
	usleep(dice(state, LIFE_MS) * 1000);
	if (once_in(state, 2))
		kill(pids[dice(state, PROCESSES)], SIGKILL);
	if (!all_end(pids)) {
		fprintf(stderr, "not so: all processes of a life end within %d s\n", LATE_SECONDS);
		exit(1);
	}
	vfio_close(&device);
	return true;
}

int main(int argc, char *argv[])
{
	unsigned int lives = 0;
	uint64_t state, length, end;

	if (argc != 4)
		errx(2, "usage: vfio SEED SECONDS BDF");
	state = strtoull(argv[1], NULL, 0);
	length = strtoull(argv[2], NULL, 0) * 1000000000ull;
	end = now_ns() + length;
	bdf = argv[3];
	deeds_begin();
	/* On a busy machine fewer actions succeed in the same time. */
	while (now_ns() < end || (!deeds_as_wanted() && now_ns() < end + PATIENCE * length))
		lives += life(&state);
	printf("lives: %u\n", lives);
	printf("lives by character device: %u\n", opened_by_cdev);
	if (lives > MANY_LIVES && !opened_by_cdev && !access("/dev/iommu", F_OK))
		errx(1, "not so: some lives open the character device");
	deeds_tell();
	if (deeds_as_wanted())
		return 0;
	fprintf(stderr, "not so: each action succeeds at least once, and a forbidden one never\n");
	return 1;
}
