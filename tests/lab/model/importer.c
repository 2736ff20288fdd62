// SPDX-License-Identifier: GPL-2.0-only
/*
 * The neighbour driver imports a dma-buf for its device, as a NIC's driver does for RDMA. Sysfs
 * attribute "dmabuf" of the device:
 *
 *	write FD	import the dma-buf of that fd of the writer, and map it for the device
 *	write "map"	map it again after a revocation
 *	write "drop"	release it
 *	read		"none", "mapped ADDRESS", or "revoked", and the number of revocations
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/pci.h>

#include "model.h"

/* Linux before 6.19 has no dma-bufs of BARs. */
#if IS_ENABLED(CONFIG_VFIO_PCI_DMABUF)
MODULE_IMPORT_NS("DMA_BUF");

/* A lab has one importer. The lock guards all that follows but revoked and table. */
static DEFINE_MUTEX(import_lock);
static struct dma_buf_attachment *import;
/* The dma-buf's reservation lock guards these two. */
static struct sg_table *table;
static unsigned int revoked;

static void import_unmap(struct dma_buf_attachment *attachment)
{
	dma_resv_assert_held(attachment->dmabuf->resv);
	if (table)
		dma_buf_unmap_attachment(attachment, table, DMA_BIDIRECTIONAL);
	table = NULL;
}

static void import_invalidate(struct dma_buf_attachment *attachment)
{
	revoked += !!table;
	import_unmap(attachment);
}

static const struct dma_buf_attach_ops import_ops = {
	.allow_peer2peer = true,
	.invalidate_mappings = import_invalidate,
};

static int import_map(void)
{
	struct sg_table *mapped;

	if (!import)
		return -ENOENT;
	dma_resv_lock(import->dmabuf->resv, NULL);
	import_unmap(import);
	mapped = dma_buf_map_attachment(import, DMA_BIDIRECTIONAL);
	table = IS_ERR(mapped) ? NULL : mapped;
	dma_resv_unlock(import->dmabuf->resv);
	return PTR_ERR_OR_ZERO(mapped);
}

static void import_drop(void)
{
	struct dma_buf *buffer;

	if (!import)
		return;
	buffer = import->dmabuf;
	dma_resv_lock(buffer->resv, NULL);
	import_unmap(import);
	dma_resv_unlock(buffer->resv);
	dma_buf_detach(buffer, import);
	dma_buf_put(buffer);
	import = NULL;
}

static int import_take(struct device *dev, int fd)
{
	struct dma_buf *buffer = dma_buf_get(fd);

	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	import_drop();
	revoked = 0;
	import = dma_buf_dynamic_attach(buffer, dev, &import_ops, NULL);
	if (IS_ERR(import)) {
		int ret = PTR_ERR(import);

		import = NULL;
		dma_buf_put(buffer);
		return ret;
	}
	return import_map();
}

static ssize_t dmabuf_store(struct device *dev, struct device_attribute *attribute,
			    const char *text, size_t count)
{
	int fd, ret;

	mutex_lock(&import_lock);
	if (sysfs_streq(text, "map")) {
		ret = import_map();
	} else if (sysfs_streq(text, "drop")) {
		import_drop();
		ret = 0;
	} else {
		ret = kstrtoint(text, 0, &fd) ?: import_take(dev, fd);
	}
	mutex_unlock(&import_lock);
	return ret ?: count;
}

static ssize_t dmabuf_show(struct device *dev, struct device_attribute *attribute, char *text)
{
	ssize_t ret;

	mutex_lock(&import_lock);
	if (!import) {
		ret = sysfs_emit(text, "none\n");
	} else {
		/* During a revocation the exporter holds the reservation lock, for a moment. */
		dma_resv_lock(import->dmabuf->resv, NULL);
		if (table)
			ret = sysfs_emit(text, "mapped %pad %u\n",
					 &sg_dma_address(table->sgl), revoked);
		else
			ret = sysfs_emit(text, "revoked %u\n", revoked);
		dma_resv_unlock(import->dmabuf->resv);
	}
	mutex_unlock(&import_lock);
	return ret;
}
static DEVICE_ATTR_RW(dmabuf);

static struct attribute *import_attributes[] = {
	&dev_attr_dmabuf.attr,
	NULL
};

static const struct attribute_group import_group = {
	.attrs = import_attributes,
};

const struct attribute_group *im_import_groups[] = {
	&import_group,
	NULL
};

/**
 * im_import_end() - release the imported dma-buf, since its device goes away
 */
void im_import_end(void)
{
	mutex_lock(&import_lock);
	import_drop();
	mutex_unlock(&import_lock);
}
#endif
