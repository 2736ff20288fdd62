/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <stdlib.h>

/* The libraries' own allocation helpers need HIP or CUDA for device memory. */
template <typename T>
static inline ncclResult_t ncclCalloc(T **ptr, size_t count)
{
	*ptr = (T *)calloc(count ? count : 1, sizeof(T));
	return *ptr ? ncclSuccess : ncclSystemError;
}

template <typename T>
static inline ncclResult_t ncclRealloc(T **ptr, size_t old_count, size_t count)
{
	T *grown = (T *)reallocarray(*ptr, count ? count : 1, sizeof(T));

	if (!grown)
		return ncclSystemError;
	for (size_t i = old_count; i < count; i++)
		grown[i] = T();
	*ptr = grown;
	return ncclSuccess;
}

#endif
