/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/inlined.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "measure/profile/demangle.h"

enum { DEEPEST = 200 /* blocks within blocks that are followed */ };

/* Code of a function that was put into another one, at a depth: 0 is put into no such function. */
struct inlined_code {
  uint64_t start, end;
  uint32_t depth;
  Dwarf_Off entry;
};

struct inlined_unit {
  Dwarf_Off entry;
  VECTOR(struct inlined_code) codes; /* the outer one of two before the inner one */
};

struct inlined {
  Dwarf *dwarf;
  VECTOR(struct inlined_unit) units;
};

struct inlined *inlined_new(const struct image *image) {
  Dwarf *dwarf = image->elf == NULL ? NULL : dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
  if (dwarf == NULL)
    return NULL;
  struct inlined *inlined = mem_alloc(1, sizeof *inlined);
  inlined->dwarf = dwarf;
  return inlined;
}

void inlined_free(struct inlined *inlined) {
  if (inlined == NULL)
    return;
  for (size_t i = 0; i < inlined->units.count; i++)
    vector_clear(&inlined->units.data[i].codes);
  vector_clear(&inlined->units);
  dwarf_end(inlined->dwarf);
  mem_free(inlined);
}

static void add_code(struct inlined_unit *unit, Dwarf_Die *entry, uint32_t depth) {
  Dwarf_Addr base, start, end;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(entry, at, &base, &start, &end)) > 0;)
    vector_push(&unit->codes, (struct inlined_code){start, end, depth, dwarf_dieoffset(entry)});
}

static bool may_hold_code(int tag) {
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
         tag == DW_TAG_lexical_block || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
         tag == DW_TAG_structure_type || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static void read_below(struct inlined_unit *unit, Dwarf_Die *parent, uint32_t depth,
                       unsigned level) {
  Dwarf_Die entry;
  if (level > DEEPEST || dwarf_child(parent, &entry) != 0)
    return;
  do {
    int tag = dwarf_tag(&entry);
    bool put = tag == DW_TAG_inlined_subroutine;
    if (!may_hold_code(tag))
      continue;
    if (put)
      add_code(unit, &entry, depth);
    read_below(unit, &entry, tag == DW_TAG_subprogram ? 0 : depth + put, level + 1);
  } while (dwarf_siblingof(&entry, &entry) == 0);
}

static const struct inlined_unit *unit_of(struct inlined *inlined, uint64_t address) {
  Dwarf_Die entry;
  if (dwarf_addrdie(inlined->dwarf, address, &entry) == NULL)
    return NULL;
  Dwarf_Off number = dwarf_dieoffset(&entry);
  for (size_t i = 0; i < inlined->units.count; i++)
    if (inlined->units.data[i].entry == number)
      return &inlined->units.data[i];
  struct inlined_unit unit = {.entry = number};
  read_below(&unit, &entry, 0, 0);
  vector_push(&inlined->units, unit);
  return &inlined->units.data[inlined->units.count - 1];
}

/* Without a name false: what is put into it is then of no known function. */
static bool append_name(struct inlined *inlined, Dwarf_Off number, struct text *names) {
  Dwarf_Die entry;
  Dwarf_Attribute attribute;
  if (dwarf_offdie(inlined->dwarf, number, &entry) == NULL)
    return false;
  const char *name = dwarf_formstring(dwarf_attr_integrate(&entry, DW_AT_linkage_name, &attribute));
  if (name == NULL)
    name = dwarf_diename(&entry);
  if (name == NULL)
    return false;
  text_append_bytes(names, "", 1);
  demangle(names, name);
  return true;
}

uint32_t inlined_find(struct inlined *inlined, uint64_t address, struct text *names) {
  uint32_t found = 0;
  const struct inlined_unit *unit = inlined == NULL ? NULL : unit_of(inlined, address);
  for (size_t i = 0; unit != NULL && i < unit->codes.count; i++) {
    const struct inlined_code *code = &unit->codes.data[i];
    if (address < code->start || address >= code->end || code->depth != found)
      continue;
    if (!append_name(inlined, code->entry, names))
      return found;
    found++;
  }
  return found;
}
