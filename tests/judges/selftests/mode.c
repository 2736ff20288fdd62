// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linked into the kernel's VFIO selftests: the environment variable IOMMU_MODE names the mode of
 * the tests that have no variant for each mode. These want iommufd otherwise, and Linux 6.1 has
 * none.
 */
#include <stdlib.h>

extern const char *default_iommu_mode;

static __attribute__((constructor)) void choose_mode(void)
{
	const char *mode = getenv("IOMMU_MODE");

	if (mode)
		default_iommu_mode = mode;
}
