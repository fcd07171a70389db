/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/code_pads.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <string.h>

enum { FORMAT = 0x0f, APPLIED = 0x70, PADS_MOST = 1 << 20 };

/* Bytes of the image from an address on, read one after the other. */
struct reading {
  const struct image *image;
  uint64_t address;
  bool wide, broken;
};

static uint64_t fixed(struct reading *r, unsigned size, bool is_signed) {
  const unsigned char *bytes = image_bytes(r->image, r->address, size);
  uint64_t value = 0;
  if (bytes == NULL) {
    r->broken = true;
    return 0;
  }
  for (unsigned i = 0; i < size; i++)
    value |= (uint64_t)bytes[i] << 8 * i;
  if (is_signed && size < 8 && (bytes[size - 1] & 0x80) != 0)
    value |= UINT64_MAX << 8 * size;
  r->address += size;
  return value;
}

static uint64_t leb(struct reading *r, bool is_signed) {
  uint64_t value = 0, byte = 0;
  unsigned shift = 0;
  do {
    byte = fixed(r, 1, false);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
    shift += 7;
  } while ((byte & 0x80) != 0 && !r->broken && shift < 70);
  r->broken = r->broken || (byte & 0x80) != 0;
  if (is_signed && shift < 64 && (byte & 0x40) != 0)
    value |= UINT64_MAX << shift;
  return value;
}

static uint64_t number(struct reading *r, unsigned format) {
  switch (format & FORMAT) {
  case DW_EH_PE_absptr:
    return fixed(r, r->wide ? 8 : 4, false);
  case DW_EH_PE_uleb128:
    return leb(r, false);
  case DW_EH_PE_sleb128:
    return leb(r, true);
  case DW_EH_PE_udata2:
  case DW_EH_PE_sdata2:
    return fixed(r, 2, (format & FORMAT) == DW_EH_PE_sdata2);
  case DW_EH_PE_udata4:
  case DW_EH_PE_sdata4:
    return fixed(r, 4, (format & FORMAT) == DW_EH_PE_sdata4);
  case DW_EH_PE_udata8:
  case DW_EH_PE_sdata8:
    return fixed(r, 8, false);
  default:
    r->broken = true;
    return 0;
  }
}

/* An address that is written as `encoding` says; 0: none. */
static uint64_t pointer(struct reading *r, unsigned encoding) {
  uint64_t here = r->address, value = number(r, encoding);
  if ((encoding & DW_EH_PE_indirect) != 0 ||
      ((encoding & APPLIED) != DW_EH_PE_absptr && (encoding & APPLIED) != DW_EH_PE_pcrel)) {
    r->broken = true;
    return 0;
  }
  if (value != 0 && (encoding & APPLIED) == DW_EH_PE_pcrel)
    value += here;
  return r->wide ? value : value & UINT32_MAX;
}

/* The table of one function: for parts of it, where an exception that passes there goes on. */
static void read_table(code_pads *pads, struct reading r, uint64_t function) {
  uint64_t base = function;
  unsigned encoding = (unsigned)fixed(&r, 1, false);
  if (encoding != DW_EH_PE_omit)
    base = pointer(&r, encoding);
  if (fixed(&r, 1, false) != DW_EH_PE_omit)
    leb(&r, false); /* where the types are that are caught */
  encoding = (unsigned)fixed(&r, 1, false);
  uint64_t length = leb(&r, false), end = r.address + length;
  while (!r.broken && r.address < end && pads->count < PADS_MOST) {
    number(&r, encoding);
    number(&r, encoding);
    uint64_t pad = number(&r, encoding);
    leb(&r, false);
    if (!r.broken && pad != 0)
      vector_push(pads, base + pad);
  }
}

/* How the entries of a CIE are written. */
struct entries {
  unsigned start, table; /* encodings; table DW_EH_PE_omit: they have none */
  bool known;
};

static struct entries entries_of(const Dwarf_CIE *cie, struct reading r) {
  struct entries found = {DW_EH_PE_absptr, DW_EH_PE_omit, cie->augmentation[0] == 'z'};
  for (const char *at = cie->augmentation; found.known && *at != '\0'; at++) {
    if (*at == 'R')
      found.start = (unsigned)fixed(&r, 1, false);
    else if (*at == 'L')
      found.table = (unsigned)fixed(&r, 1, false);
    else if (*at == 'P')
      number(&r, (unsigned)fixed(&r, 1, false));
    else
      found.known = *at == 'z' || *at == 'S' || *at == 'B';
  }
  found.known = found.known && !r.broken;
  return found;
}

struct frame_table {
  const unsigned char *ident;
  Elf_Data *data;
  uint64_t address;
};

static uint64_t address_in(const struct frame_table *table, const unsigned char *at) {
  return table->address + (uint64_t)(at - (const unsigned char *)table->data->d_buf);
}

static void read_entry(code_pads *pads, const struct frame_table *table, const Dwarf_FDE *fde,
                       struct reading r) {
  Dwarf_CFI_Entry cie;
  Dwarf_Off next;
  if (dwarf_next_cfi(table->ident, table->data, true, fde->CIE_pointer, &next, &cie) != 0 ||
      !dwarf_cfi_cie_p(&cie) || cie.cie.augmentation_data == NULL)
    return;
  r.address = address_in(table, cie.cie.augmentation_data);
  struct entries entries = entries_of(&cie.cie, r);
  if (!entries.known || entries.table == DW_EH_PE_omit)
    return;
  r.address = address_in(table, fde->start);
  uint64_t function = pointer(&r, entries.start);
  number(&r, entries.start);
  if (leb(&r, false) == 0)
    return;
  r.address = pointer(&r, entries.table);
  if (!r.broken && r.address != 0)
    read_table(pads, r, function);
}

static bool find_table(struct frame_table *table, const struct image *image) {
  size_t names;
  Elf_Scn *section = NULL;
  if (elf_getshdrstrndx(image->elf, &names) != 0)
    return false;
  while ((section = elf_nextscn(image->elf, section)) != NULL) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) == NULL
                           ? NULL
                           : elf_strptr(image->elf, names, header.sh_name);
    if (name == NULL || strcmp(name, ".eh_frame") != 0 || header.sh_type == SHT_NOBITS)
      continue;
    table->data = elf_rawdata(section, NULL);
    table->address = header.sh_addr;
    table->ident = (const unsigned char *)elf_getident(image->elf, NULL);
    return table->data != NULL && table->data->d_buf != NULL && table->ident != NULL;
  }
  return false;
}

void code_pads_find(code_pads *pads, const struct image *image) {
  struct frame_table table = {0};
  if (!find_table(&table, image))
    return;
  struct reading r = {.image = image, .wide = table.ident[EI_CLASS] == ELFCLASS64};
  Dwarf_CFI_Entry entry;
  for (Dwarf_Off at = 0, next; at < table.data->d_size; at = next) {
    int found = dwarf_next_cfi(table.ident, table.data, true, at, &next, &entry);
    if (found == 1 || next <= at)
      return;
    if (found == 0 && !dwarf_cfi_cie_p(&entry))
      read_entry(pads, &table, &entry.fde, r);
  }
}
