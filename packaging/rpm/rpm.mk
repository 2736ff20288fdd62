# SPDX-License-Identifier: GPL-2.0-only
# RPMs of what `make dist` wrote.

# The tarball has it too, in packaging/rpm/, for `rpmbuild -ta`.
RPM_SPEC := $(BUILD)/rpm/instinct-vfio.spec

$(RPM_SPEC): packaging/rpm/instinct-vfio.spec.in dkms.conf
	@mkdir -p $(@D)
	@sed 's/@VERSION@/$(VERSION)/' $< >$@

.PHONY: rpm
rpm: $(DIST) ## build source and binary RPMs into build/rpm
	@rm -f $(BUILD)/rpm/*.rpm
	@packaging/rpm/build $(DIST) $(BUILD)/rpm
	@ls $(BUILD)/rpm/*.rpm
