# SPDX-License-Identifier: GPL-2.0-only
# What a release is made of. The version is in dkms.conf, and nowhere else.

.PHONY: dist
dist: ## the release's tarball, from its tag, in build/dist
	@packaging/source dist $(BUILD)/dist/instinct-vfio-$(VERSION).tar.xz
	@echo $(BUILD)/dist/instinct-vfio-$(VERSION).tar.xz

# The same of the tree as it is; packaging/source knows what is in it.
SOURCE := $(BUILD)/source/instinct-vfio-$(VERSION).tar.xz

.PHONY: FORCE
$(SOURCE): FORCE
	@packaging/source tarball $@

.PHONY: deb
deb: ## Debian packages of the tree as it is, in build/deb
	@packaging/deb $(BUILD)/deb

.PHONY: rpm
rpm: $(SOURCE) ## RPMs of the tree as it is, in build/rpm
	@rm -f $(BUILD)/rpm/*.rpm
	@packaging/rpm/build $(SOURCE) $(BUILD)/rpm
	@ls $(BUILD)/rpm/*.rpm

SBOM := $(BUILD)/sbom/instinct-vfio-$(VERSION).spdx

.PHONY: sbom
sbom: $(SOURCE) ## what the sources are made of, file by file, as SPDX, in build/sbom
	@mkdir -p $(dir $(SBOM))
	@packaging/sbom $(SOURCE) >$(SBOM)
	@echo $(SBOM)
