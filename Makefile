# SPDX-License-Identifier: GPL-2.0-only
# Kbuild, beside this file, builds the module; `make help` says the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

BUILD   ?= build
PREFIX  ?= /usr/local
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

# The newest installed kernel that modules can be built for.
KVER ?= $(shell tests/lab/kernel)
KDIR ?= /lib/modules/$(KVER)/build

MODULE      := $(BUILD)/kmod/$(KVER)/instinct-vfio-pci.ko
MODULE_SRCS := Kbuild dkms.conf $(wildcard kmod/*.[ch] kmod/compat/*) \
	$(wildcard include/uapi/linux/*.h)

.PHONY: help
help: ## show this
	@echo 'instinct-vfio $(VERSION): AMD Instinct GPUs for KVM guests that survive their resets'
	@echo
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | \
		sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/' | expand -t 24
	@echo
	@echo 'Variables: KVER=$(KVER) KDIR=… BUILD=$(BUILD) PREFIX=$(PREFIX) DESTDIR='

.PHONY: deps
deps: ## install what building, the lab and the tests need (Debian)
	@tests/deps

.PHONY: all
all: module helper ## build the module for KVER and build/instinctctl

.PHONY: module
module: $(MODULE) ## build the module for KVER

# Built in a copy, so that several kernels can be built for at once. A plain
# `make -C KDIR M=$PWD modules` works too, as DKMS does it.
$(MODULE): $(MODULE_SRCS)
	@mkdir -p $(@D)
	@cp -a --parents $^ $(@D)/
	@$(MAKE) -s -C $(KDIR) M=$(abspath $(@D)) W=1 $(MODULE_ARGS) modules

include helper/helper.mk
include tests/tests.mk

.PHONY: install
install: all install-helper ## install helper, module, udev rule (PREFIX, DESTDIR)
	install -D -m 644 $(MODULE) \
		$(DESTDIR)/lib/modules/$(KVER)/updates/instinct-vfio-pci.ko
	$(if $(DESTDIR),,depmod $(KVER))

.PHONY: uninstall
uninstall: uninstall-helper ## undo install
	rm -f $(DESTDIR)/lib/modules/$(KVER)/updates/instinct-vfio-pci.ko
	$(if $(DESTDIR),,depmod $(KVER))

.PHONY: dkms-install
dkms-install: ## add the module to DKMS, build and install it for KVER
	mkdir -p /usr/src/instinct-vfio-$(VERSION)
	cp -a --parents $(MODULE_SRCS) /usr/src/instinct-vfio-$(VERSION)/
	dkms status instinct-vfio/$(VERSION) | grep -q . || \
		dkms add instinct-vfio/$(VERSION)
	dkms install --force instinct-vfio/$(VERSION) -k $(KVER)

.PHONY: clean
clean: ## remove everything built
	rm -rf $(BUILD)
	rm -f *.o *.ko *.mod *.mod.c .*.cmd Module.symvers modules.order
	rm -f kmod/*.o kmod/.*.cmd
