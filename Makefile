# SPDX-License-Identifier: GPL-2.0-only
# Kbuild, beside this file, builds the module; `make help` says the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

BUILD   ?= build
PREFIX  ?= /usr/local
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

# The newest installed kernel that modules can be built for, or INSTINCT_KERNEL.
KVER ?= $(shell tests/lab/kernel)
KDIR ?= $(if $(INSTINCT_KERNEL),$(shell tests/lab/kernel --modules),/lib/modules/$(KVER))/build

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
	+@tests/kbuild $(KDIR) $(@D) -s W=1 $(MODULE_ARGS) modules

include helper/helper.mk
include packaging/packaging.mk
include tests/tests.mk

.PHONY: install
install: install-helper install-module ## install helper, module, udev rule (PREFIX, DESTDIR)

.PHONY: uninstall
uninstall: uninstall-helper uninstall-module ## undo install

.PHONY: install-module
install-module: $(MODULE)
	install -D -m 644 $(MODULE) \
		$(DESTDIR)/lib/modules/$(KVER)/updates/instinct-vfio-pci.ko
	$(if $(DESTDIR),,depmod $(KVER))

.PHONY: uninstall-module
uninstall-module:
	rm -f $(DESTDIR)/lib/modules/$(KVER)/updates/instinct-vfio-pci.ko
	$(if $(DESTDIR),,depmod $(KVER))

# Where DKMS looks, whatever PREFIX is. No file of an older tree is left in it.
DKMS_SOURCE := /usr/src/instinct-vfio-$(VERSION)

.PHONY: install-dkms-source
install-dkms-source:
	rm -rf $(DESTDIR)$(DKMS_SOURCE)
	for file in $(MODULE_SRCS); do \
		install -D -m 644 "$$file" "$(DESTDIR)$(DKMS_SOURCE)/$$file"; done

.PHONY: dkms-install
dkms-install: install-dkms-source ## add the module to DKMS, build and install it for KVER
	dkms status instinct-vfio/$(VERSION) | grep -q . || \
		dkms add instinct-vfio/$(VERSION)
	dkms install --force instinct-vfio/$(VERSION) -k $(KVER)

.PHONY: dkms-uninstall
dkms-uninstall: ## undo dkms-install
	dkms remove instinct-vfio/$(VERSION) --all
	rm -rf $(DKMS_SOURCE)

.PHONY: clean
clean: ## remove everything built
	rm -rf $(BUILD)
	rm -f *.o *.ko *.mod *.mod.c .*.cmd Module.symvers modules.order
	rm -f kmod/*.o kmod/.*.cmd
