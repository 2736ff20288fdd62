// SPDX-License-Identifier: GPL-2.0-only
#include <linux/msi.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "hardware/config.h"
#include "hardware/path.h"

#define CHANGE_TRIES	3
/* Registers that give a function its place in the address space: BARs, bus numbers, windows. */
#define CONFIG_PLACE	GENMASK(INSTINCT_CONFIG_MEM, INSTINCT_CONFIG_BAR)
#define COMMAND_DECODES	(PCI_COMMAND_IO | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER)

/**
 * instinct_endpoint_other() - what answers config reads in place of a function?
 * @pdev: function
 *
 * Return: 0 if the function answers, with its own IDs; else the IDs that were read, and all ones for
 * IDs of 0.
 */
u32 instinct_endpoint_other(struct pci_dev *pdev)
{
	u32 id;

	pci_read_config_dword(pdev, PCI_VENDOR_ID, &id);
	return id == (pdev->device << 16 | pdev->vendor) ? 0 : id ?: ~0u;
}

/* Does this BAR hold the upper half of the address in the BAR before it? */
static bool is_upper_half(struct pci_dev *pdev, unsigned int bar)
{
	return bar > 0 && pdev->resource[bar - 1].flags & IORESOURCE_MEM_64 &&
	       resource_size(&pdev->resource[bar - 1]);
}

/* The bits of a BAR's dword that hold an address. */
static u32 bar_bits(struct pci_dev *pdev, int bar)
{
	struct resource *res = &pdev->resource[bar];

	if (is_upper_half(pdev, bar))
		return ~(resource_size(&pdev->resource[bar - 1]) - 1) >> 32;
	if (!(res->flags & IORESOURCE_MEM) || res->flags & IORESOURCE_UNSET || !resource_size(res))
		return 0;
	return (u32)~(resource_size(res) - 1) & (u32)PCI_BASE_ADDRESS_MEM_MASK;
}

/* A broken function may claim a capability whose registers reach past the end of config space. */
static u16 ext_cap(struct pci_dev *pdev, int id, int bytes)
{
	u16 at = instinct_endpoint_answers(pdev) ? pci_find_ext_capability(pdev, id) : 0;

	return at <= PCI_CFG_SPACE_EXP_SIZE - bytes ? at : 0;
}

/**
 * instinct_config_setup() - find the registers of a function
 * @config: wanted state, set
 * @pdev: function with a PCIe capability; the caller holds a reference
 * @port: the port of the GPU's package that the function is, or NULL for the GPU
 * @lock: the GPU's reset_lock
 *
 * A lost function does not show its extended capabilities. The module then does not verify them
 * until the next bind.
 *
 * Context: may sleep.
 */
void instinct_config_setup(struct instinct_config *config, struct pci_dev *pdev,
			   const struct instinct_port *port, struct mutex *lock)
{
	struct instinct_config_facts facts = {
		.bridge = port,
		.window = pdev->pref_64_window,
		.pm = pdev->pm_cap,
		.msix = pdev->msix_cap,
		.exp = pci_pcie_cap(pdev),
		.aer = ext_cap(pdev, PCI_EXT_CAP_ID_ERR, PCI_ERR_HEADER_LOG),
		.rebar = ext_cap(pdev, PCI_EXT_CAP_ID_REBAR, PCI_REBAR_CTRL + 4),
	};
	u16 flags;
	int i;

	/* All these GPUs have 64-bit MSI addresses; one that does not answer reads as ones. */
	pci_read_config_word(pdev, pdev->msi_cap + PCI_MSI_FLAGS, &flags);
	if (flags & PCI_MSI_FLAGS_64BIT)
		facts.msi = pdev->msi_cap;
	if (port)
		facts.acs = pdev->acs_cap;
	for (i = 0; !port && i < INSTINCT_CONFIG_BARS; i++)
		facts.bar[i] = bar_bits(pdev, i);
	*config = (struct instinct_config) { .lock = lock, .pdev = pdev, .port = port };
	instinct_config_table_build(&config->table, &facts);
	/* Wanted value of Command until the module has seen the function in order. */
	config->base[config->table.count - 1] = PCI_COMMAND_MEMORY | (port ? PCI_COMMAND_MASTER : 0);
	memcpy(config->want, config->base, sizeof(config->want));
}

static u32 field_read(const struct instinct_config *config,
		      const struct instinct_config_field *field)
{
	u32 val;
	u16 word;

	if (field->size == sizeof(val)) {
		pci_read_config_dword(config->pdev, field->where, &val);
		return val;
	}
	pci_read_config_word(config->pdev, field->where, &word);
	return word;
}

static void field_write(const struct instinct_config *config,
			const struct instinct_config_field *field, u32 val)
{
	val &= ~field->avoid;
	if (field->size == sizeof(val))
		pci_write_config_dword(config->pdev, field->where, val);
	else
		pci_write_config_word(config->pdev, field->where, val);
}

static u32 wanted_bar(struct pci_dev *pdev, unsigned int bar)
{
	struct pci_bus_region region;
	bool upper = is_upper_half(pdev, bar);

	pcibios_resource_to_bus(pdev->bus, &region, &pdev->resource[bar - upper]);
	return upper ? upper_32_bits(region.start) : lower_32_bits(region.start);
}

/* Linux's window of a port; it ends before its start if the port forwards nothing through it. */
static struct pci_bus_region port_window(const struct instinct_port *port, bool pref)
{
	struct resource *res = &port->pdev->resource[pref ? PCI_BRIDGE_PREF_MEM_WINDOW :
							    PCI_BRIDGE_MEM_WINDOW];
	struct pci_bus_region region = { .start = INSTINCT_BRIDGE_CLOSED };

	if (res->flags & IORESOURCE_MEM && !(res->flags & IORESOURCE_UNSET) &&
	    !(res->flags & IORESOURCE_DISABLED) && resource_size(res))
		pcibios_resource_to_bus(port->pdev->bus, &region, res);
	return region;
}

/* The wanted value of a register; only its verified bits mean anything. */
static u32 field_wanted(const struct instinct_config *config, unsigned int i)
{
	const struct instinct_config_field *field = &config->table.field[i];
	struct pci_bus_region window;
	struct msi_msg msg = { };

	switch (field->source) {
	case INSTINCT_CONFIG_BAR ... INSTINCT_CONFIG_BAR_LAST:
		return wanted_bar(config->pdev, field->source - INSTINCT_CONFIG_BAR);
	case INSTINCT_CONFIG_BUSES:
		return instinct_port_buses(config->port);
	case INSTINCT_CONFIG_MEM ... INSTINCT_CONFIG_PREF_LIMIT:
		window = port_window(config->port, field->source != INSTINCT_CONFIG_MEM);
		return instinct_window_register(window.start, window.end, field->source);
	case INSTINCT_CONFIG_POWER:
		return 0;
	case INSTINCT_CONFIG_MSI:
		return config->pdev->msi_enabled ? field->holds : 0;
	case INSTINCT_CONFIG_MSI_LOW ... INSTINCT_CONFIG_MSI_DATA:
		get_cached_msi_msg(config->pdev->irq, &msg);
		return field->source == INSTINCT_CONFIG_MSI_LOW ? msg.address_lo :
		       field->source == INSTINCT_CONFIG_MSI_HIGH ? msg.address_hi : msg.data & 0xffff;
	case INSTINCT_CONFIG_MSIX:
		return config->pdev->msix_enabled ? field->holds : 0;
	default:
		return config->want[i];
	}
}

/* The bits of a register that the module verifies. */
static u32 field_verified(const struct instinct_config *config, unsigned int i)
{
	const struct instinct_config_field *field = &config->table.field[i];
	u32 holds = field->holds;

	if (field->source >= INSTINCT_CONFIG_MSI_LOW && field->source <= INSTINCT_CONFIG_MSI_DATA)
		return config->pdev->msi_enabled ? holds : 0;
	if (field->source != INSTINCT_CONFIG_SEEN)
		return holds;
	/*
	 * The module brings decoding on, never off: while vfio-pci-core has a user's BARs mapped,
	 * decoding has to be on (CVE-2020-12888), and while it has not, decoding does no harm.
	 */
	if (field->where == PCI_COMMAND)
		holds &= config->want[i] | ~PCI_COMMAND_MEMORY;
	return config->baseline ? holds | (field->optional & ~config->fixed[i]) : 0;
}

/**
 * instinct_config_keep() - save the config space of a function that is in order
 * @config: wanted state of a function that answers; it takes the values that the function holds
 *
 * Context: may sleep; under the GPU's reset_lock.
 *
 * Return: the saved state, which the caller frees with kfree(), or NULL without memory.
 */
struct pci_saved_state *instinct_config_keep(struct instinct_config *config)
{
	bool saved = config->pdev->state_saved;
	struct pci_saved_state *state;
	unsigned int i;

	lockdep_assert_held(config->lock);
	pci_save_state(config->pdev);
	state = pci_store_saved_state(config->pdev);
	/* The PCI core goes by this flag: pcie_portdrv_slot_reset() restores nothing without it. */
	config->pdev->state_saved = saved;
	for (i = 0; i < config->table.count; i++)
		if (config->table.field[i].source == INSTINCT_CONFIG_SEEN)
			config->want[i] = field_read(config, &config->table.field[i]);
	return state;
}

/**
 * instinct_config_set_base() - make the current config space of a function its baseline
 * @config: wanted state of a function that answers, and is in order
 *
 * Context: as instinct_config_keep().
 */
void instinct_config_set_base(struct instinct_config *config)
{
	struct pci_saved_state *state = instinct_config_keep(config);

	memcpy(config->base, config->want, sizeof(config->base));
	if (!state)
		return;
	kfree(config->baseline);
	config->baseline = state;
}

/**
 * instinct_config_intact() - does a function hold its place in the address space?
 * @config: wanted state of a function that answers
 *
 * Return: false if a BAR of the GPU, or the bus numbers or a window of a port, differ from the
 * values that Linux believes: something has reset the function and not restored it.
 */
bool instinct_config_intact(const struct instinct_config *config)
{
	unsigned int i;

	for (i = 0; i < config->table.count; i++) {
		const struct instinct_config_field *field = &config->table.field[i];

		/* A closed window may hold another base and limit that forward nothing either. */
		if (field->source == INSTINCT_CONFIG_MEM &&
		    !port_window(config->port, false).end)
			continue;
		if (BIT(field->source) & CONFIG_PLACE &&
		    (field_read(config, field) ^ field_wanted(config, i)) & field->holds)
			return false;
	}
	return true;
}

/*
 * Writes the verified registers of the header without a look at the values that read back.
 * pci_restore_state() writes only registers that read back different, and switches on MI300X boards
 * go on answering with the values that a function held before it lost them (Linux commit
 * 30d1cda8ce31). This function writes BARs while decoding is off, and Command last.
 */
static void config_force(const struct instinct_config *config)
{
	unsigned int i, last = config->table.count - 1;

	pci_write_config_word(config->pdev, PCI_COMMAND, config->want[last] & ~COMMAND_DECODES);
	for (i = 0; i <= last; i++) {
		const struct instinct_config_field *field = &config->table.field[i];

		if (field->where < PCI_STD_HEADER_SIZEOF &&
		    (i == last || field_verified(config, i)))
			field_write(config, field, field_wanted(config, i));
	}
}

/**
 * instinct_config_restore() - write a function's config space back
 * @config: wanted state of a function that answers
 * @state: state from instinct_config_keep(), or NULL if the module never saved one
 * @force: write the header even where it already reads back as wanted
 *
 * The capabilities come first, since the size of a resizable BAR decides which bits of the BAR hold
 * an address; then the header; then MSI-X, whose table is out of reach until now if a switch has
 * lied about the BARs. Without @state the PCI core writes the registers of which it keeps values of
 * its own, such as ATS and ACS, and Max_Payload_Size comes from the port above, which no reset has
 * touched.
 *
 * Context: may sleep; under the GPU's reset_lock.
 */
void instinct_config_restore(struct instinct_config *config, struct pci_saved_state *state, bool force)
{
	struct pci_dev *pdev = config->pdev, *above = pci_upstream_bridge(pdev);

	lockdep_assert_held(config->lock);
	if (state)
		pci_load_saved_state(pdev, state);
	else
		pci_save_state(pdev);
	/* Decoding waits for whole BARs, unless pci_restore_state() writes MSI-X's table in one. */
	if (force && !pdev->msix_enabled)
		pdev->saved_config_space[PCI_COMMAND / 4] &= ~COMMAND_DECODES;
	/* The function may have gone during pci_save_state(), which has then saved ones. */
	if (state || instinct_endpoint_answers(pdev))
		pci_restore_state(pdev);
	else
		pci_load_saved_state(pdev, NULL);
	if (config->no_l1 && instinct_endpoint_answers(pdev))
		pcie_capability_clear_word(pdev, PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_ASPM_L1);
	if (force || !state)
		config_force(config);
	if (!state && above)
		pcie_set_mps(pdev, pcie_get_mps(above));
	pci_restore_msi_state(pdev);
	/* A port's own driver may have to restore the port later, and this was its saved state. */
	if (config->port && state)
		pci_load_saved_state(pdev, state);
}

/* Writes again until the register reads different from @before: a switch may drop some writes. */
static u32 field_change(struct instinct_config *config,
			const struct instinct_config_field *field, u32 val, u32 before)
{
	unsigned int tries = CHANGE_TRIES;
	u32 now;

	do {
		field_write(config, field, val);
		now = field_read(config, field);
	} while (now == before && --tries);
	return now;
}

/*
 * Some optional bits did not take the written value: either the function hardwires them, or a
 * switch has swallowed the write. If other optional bits of the register follow a write, writes
 * arrive, so the function hardwires the rest.
 */
static bool field_is_hardwired(struct instinct_config *config, unsigned int i, u32 val, u32 have)
{
	const struct instinct_config_field *field = &config->table.field[i];
	u32 bits = field->optional & field->passes, other, after;

	other = field_change(config, field, val ^ bits, have);
	after = field_change(config, field, val, other);
	if (!((other ^ after) & bits) || (after ^ val) & field->holds & field->passes)
		return false;
	config->fixed[i] |= (after ^ val) & bits;
	return true;
}

/*
 * Writes a register that differs from its wanted value. Returns true if it then holds the value; false
 * also for a function that is gone, which reads as all ones.
 */
static bool field_push(struct instinct_config *config, unsigned int i, u64 *retried)
{
	const struct instinct_config_field *field = &config->table.field[i];
	u32 verified = field_verified(config, i), want, have;
	bool differs;

	if (!verified)
		return true;
	want = field_wanted(config, i);
	have = field_read(config, field);
	differs = (have ^ want) & verified;
	if ((differs || have == BIT_ULL(8 * field->size) - 1) &&
	    !instinct_endpoint_answers(config->pdev))
		return false;
	if (!differs)
		return true;
	(*retried)++;
	if (field->source != INSTINCT_CONFIG_SEEN)
		want = (have & ~verified) | (want & verified);
	else if (field->where == PCI_COMMAND)
		want |= have & PCI_COMMAND_MEMORY;
	have = field_change(config, field, want, have);
	verified &= have ^ want;
	return !verified || (field->passes && !(verified & field->holds) &&
			     field_is_hardwired(config, i, want, have));
}

/**
 * instinct_config_push() - try once to bring a function to its wanted state
 * @config: wanted state of a function that answers
 * @sources: BIT(enum instinct_config_source) of the registers to look at
 * @retried: counts the registers that the function writes again
 *
 * Context: may sleep; under the GPU's reset_lock.
 *
 * Return: NULL if each register holds its wanted value, or the first one that does not.
 */
const struct instinct_config_field *
instinct_config_push(struct instinct_config *config, unsigned long sources, u64 *retried)
{
	unsigned int i;

	lockdep_assert_held(config->lock);
	for (i = 0; i < config->table.count; i++)
		if (sources & BIT(config->table.field[i].source) && !field_push(config, i, retried))
			return &config->table.field[i];
	return NULL;
}

/**
 * instinct_config_written() - take a user's config write into the wanted state, and verify it
 * @config: wanted state of the GPU
 * @where: offset of the write
 * @bytes: length of the write
 * @val: written bytes, from a copy that the caller made after the write
 * @decodes: Memory Space Enable as vfio-pci-core has accepted it
 * @retried: counts the registers that the function writes again; NULL to verify nothing
 *
 * The user may change its memory between the write and the copy. vfio-pci-core goes by Memory Space
 * Enable when it lets the user at the BARs, so that bit counts as it has accepted it. Any other bit
 * that it passes on is the user's to choose, by this write or by the next.
 *
 * The register counts, and not the value wanted before: a guest's driver may have reset the GPU by the
 * SMU's mailbox, which no host sees, and now writes back what it had.
 *
 * Context: may sleep; under the GPU's reset_lock.
 *
 * Return: NULL if the GPU holds the written value, or a register that does not.
 */
const struct instinct_config_field *
instinct_config_written(struct instinct_config *config, u64 where, u64 bytes,
			const u8 *val, u16 decodes, u64 *retried)
{
	const struct instinct_config_field *field, *bad = NULL;
	unsigned int i, at;
	u32 want;

	lockdep_assert_held(config->lock);
	for (i = 0; i < config->table.count; i++) {
		field = &config->table.field[i];
		if (!field->passes || !instinct_config_overlaps(field, where, bytes))
			continue;
		want = config->want[i];
		for (at = 0; at < field->size; at++)
			if (field->where + at - where < bytes)
				want = (want & ~(0xffu << (8 * at))) |
				       (u32)val[field->where + at - where] << (8 * at);
		if (field->where == PCI_COMMAND)
			want = (want & ~PCI_COMMAND_MEMORY) | decodes;
		/* The PCI core owns all other bits. */
		config->want[i] = (config->want[i] & ~field->passes) | (want & field->passes);
		if (retried && !field_push(config, i, retried))
			bad = field;
	}
	return bad;
}
