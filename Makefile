# SPDX-License-Identifier: GPL-2.0-only
# Kbuild, beside this file, builds the modules; `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

BUILD   ?= build
PREFIX  ?= /usr/local
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

# KVER is the newest installed kernel with headers, or INSTINCT_KERNEL.
KVER ?= $(shell tests/lab/kernel)
KDIR ?= $(if $(INSTINCT_KERNEL),$(shell tests/lab/kernel --modules),/lib/modules/$(KVER))/build

MODULE      := $(BUILD)/kmod/$(KVER)/instinct-vfio-pci.ko
MODULE_SRCS := Kbuild dkms.conf $(wildcard kmod/*.[ch] kmod/*/*) \
	$(wildcard include/uapi/linux/*.h)

# A target's comment names its readers: ##u users, ##d developers, ##r releasers.
help_of = echo '$(2):'; grep -hE '^[a-z0-9-]+:.*\#\#$(1) ' $(MAKEFILE_LIST) | \
	sed -E 's/^([a-z0-9-]+):.*\#\#$(1) (.*)/  make \1\t\2/' | expand -t 24; echo

.PHONY: help
help: ##u show this
	@echo 'instinct-vfio $(VERSION): AMD Instinct GPUs for KVM guests that survive their resets'
	@echo
	@$(call help_of,u,For users)
	@$(call help_of,d,For developers)
	@$(call help_of,r,For releasers)
	@echo 'Variables: KVER=$(KVER) KDIR=… BUILD=$(BUILD) PREFIX=$(PREFIX) DESTDIR='

.PHONY: deps
deps: ##d install what building, the lab and the tests need (Debian)
	@tests/deps

.PHONY: all
all: module helper ##u build the modules for KVER and build/instinctctl

.PHONY: module
module: $(MODULE) ##u build the module, and the drop-in vfio-pci.ko beside it, for KVER

# Kbuild works in a copy, so that make can build for several kernels at once. DKMS runs a plain
# `make -C KDIR M=$PWD modules`, which works too.
$(MODULE): $(MODULE_SRCS)
	@mkdir -p $(@D)
	@cp -a --parents $^ $(@D)/
	+@tests/tools/kbuild $(KDIR) $(@D) -s W=1 $(MODULE_ARGS) modules

include helper/helper.mk
include packaging/packaging.mk
include tests/tests.mk

.PHONY: install
install: install-helper install-module ##u install helper, module, udev rule (PREFIX, DESTDIR)

.PHONY: uninstall
uninstall: uninstall-helper uninstall-module ##u undo install

.PHONY: install-module
install-module: $(MODULE)
	install -D -m 644 $(MODULE) \
		$(DESTDIR)/lib/modules/$(KVER)/updates/instinct-vfio-pci.ko
	$(if $(DESTDIR),,depmod $(KVER))

.PHONY: uninstall-module
uninstall-module:
	rm -f $(DESTDIR)/lib/modules/$(KVER)/updates/instinct-vfio-pci.ko
	$(if $(DESTDIR),,depmod $(KVER))

# DKMS looks here, independently of PREFIX. The target first removes files of an older tree.
DKMS_SOURCE := /usr/src/instinct-vfio-$(VERSION)

install_sources = rm -rf $(DESTDIR)$(1) && for file in $(MODULE_SRCS); do \
	install -D -m 644 "$$file" "$(DESTDIR)$(1)/$$file"; done

.PHONY: install-dkms-source
install-dkms-source:
	$(call install_sources,$(DKMS_SOURCE))

# The drop-in is in the same sources, and a DKMS module of its own, since an operator chooses it. Where
# VFIO_PCI is built in, its name cannot be had.
DROPIN_SOURCE := /usr/src/instinct-vfio-dropin-$(VERSION)
define DROPIN_CONF
s/^PACKAGE_NAME=.*/PACKAGE_NAME="instinct-vfio-dropin"/
s/^BUILT_MODULE_NAME\[0\]=.*/BUILT_MODULE_NAME[0]="vfio-pci"/
$$a ! grep -qs "^CONFIG_VFIO_PCI=y" "$$kernel_source_dir/.config" || BUILD_EXCLUSIVE_KERNEL="^a kernel with VFIO_PCI as a module$$"
endef
export DROPIN_CONF

.PHONY: install-dropin-source
install-dropin-source:
	$(call install_sources,$(DROPIN_SOURCE))
	sed "$$DROPIN_CONF" dkms.conf >$(DESTDIR)$(DROPIN_SOURCE)/dkms.conf

.PHONY: dkms-install
dkms-install: install-dkms-source ##u add the module to DKMS, build and install it for KVER
	dkms status instinct-vfio/$(VERSION) | grep -q . || \
		dkms add instinct-vfio/$(VERSION)
	dkms install --force instinct-vfio/$(VERSION) -k $(KVER)

.PHONY: dkms-uninstall
dkms-uninstall: ##u undo dkms-install
	dkms remove instinct-vfio/$(VERSION) --all
	rm -rf $(DKMS_SOURCE)

.PHONY: clean
clean: ##u remove everything built
	rm -rf $(BUILD)
	rm -f *.o *.ko *.mod *.mod.c .*.cmd Module.symvers modules.order
	rm -f kmod/*.o kmod/.*.cmd kmod/*/*.o kmod/*/.*.cmd
