# SPDX-License-Identifier: GPL-2.0-only
# What a release is made of. The version is in dkms.conf, and nowhere else.

.PHONY: dist
dist: ## the release's tarball, from its tag, in build/dist
	@packaging/source dist $(BUILD)/dist/instinct-vfio-$(VERSION).tar.xz
	@echo $(BUILD)/dist/instinct-vfio-$(VERSION).tar.xz

.PHONY: deb
deb: ## Debian packages of the tree as it is, in build/deb
	@packaging/deb $(BUILD)/deb

include packaging/rpm/rpm.mk
