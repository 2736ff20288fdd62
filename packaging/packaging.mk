# SPDX-License-Identifier: GPL-2.0-only
# Targets that make a release. Only dkms.conf holds the version.

.PHONY: dist
dist: ##r make the release's tarball from its tag, in build/dist
	@packaging/source dist $(BUILD)/dist/instinct-vfio-$(VERSION).tar.xz
	@echo $(BUILD)/dist/instinct-vfio-$(VERSION).tar.xz

# The same tarball of the tree as it is; packaging/source chooses the files.
SOURCE := $(BUILD)/source/instinct-vfio-$(VERSION).tar.xz

.PHONY: FORCE
$(SOURCE): FORCE
	@packaging/source tarball $@

.PHONY: deb
deb: ##u make Debian packages of the tree as it is, in build/deb
	@packaging/deb $(BUILD)/deb

.PHONY: rpm
rpm: $(SOURCE) ##u make RPMs of the tree as it is, in build/rpm
	@rm -f $(BUILD)/rpm/*.rpm
	@packaging/rpm/build $(SOURCE) $(BUILD)/rpm
	@ls $(BUILD)/rpm/*.rpm

SBOM := $(BUILD)/sbom/instinct-vfio-$(VERSION).spdx

.PHONY: sbom
sbom: $(SOURCE) ##r make the bill of materials, file by file, as SPDX, in build/sbom
	@mkdir -p $(dir $(SBOM))
	@packaging/sbom $(SOURCE) >$(SBOM)
	@echo $(SBOM)
