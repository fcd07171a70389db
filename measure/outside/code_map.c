/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/code_map.h"

#include <gelf.h>
#include <string.h>

#include "measure/outside/code_pads.h"
#include "measure/outside/code_walk.h"

/* --- bytes --- */

unsigned char *code_flags(const struct code_map *map, uint64_t address, uint64_t *left) {
  for (size_t i = 0; i < map->regions.count; i++) {
    const struct code_region *region = &map->regions.data[i];
    if (address < region->address || address - region->address >= region->size)
      continue;
    if (left != NULL)
      *left = region->size - (address - region->address);
    return region->flags + (address - region->address);
  }
  return NULL;
}

size_t code_function_of(const struct code_map *map, uint64_t address) {
  const struct code_start *found = code_starts_find(map->starts, address);
  return found == NULL ? SIZE_MAX : (size_t)(found - map->starts->list.data);
}

static void mark_edge(struct code_map *map, uint64_t address) {
  unsigned char *flags = code_flags(map, address, NULL);
  if (flags != NULL)
    *flags |= BYTE_EDGE;
}

/* Of functions that stand in another one its edges count alone. */
static void mark_edges(struct code_map *map) {
  uint64_t outer = 0;
  for (size_t i = 0; i < map->starts->list.count; i++) {
    const struct code_start *at = &map->starts->list.data[i];
    if (at->start >= outer)
      mark_edge(map, at->start);
    if (at->end < outer)
      continue;
    mark_edge(map, at->end);
    outer = at->end;
  }
}

static void go_on_at(struct code_map *map, uint64_t address) {
  const unsigned char *flags = code_flags(map, address, NULL);
  if (flags != NULL && (*flags & BYTE_BEGINS) == 0)
    vector_push(&map->ahead, address);
}

/* --- one instruction --- */

struct walked {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  uint64_t address, next;
};

/* What no program does without the right to, and zeros: here data is taken for code. */
static bool is_strange(const struct walked *at, const unsigned char *bytes, uint64_t left) {
  static const unsigned char zeros[4];
  return at->instruction.meta.category == ZYDIS_CATEGORY_IO ||
         at->instruction.meta.category == ZYDIS_CATEGORY_IOSTRINGOP ||
         ((at->instruction.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) != 0 &&
          at->instruction.mnemonic != ZYDIS_MNEMONIC_HLT) ||
         (left >= sizeof zeros && memcmp(bytes, zeros, sizeof zeros) == 0);
}

static bool decode(struct walked *at, const struct code_map *map, uint64_t address) {
  uint64_t left;
  const unsigned char *flags = code_flags(map, address, &left);
  if (flags == NULL)
    return false;
  const unsigned char *bytes = NULL;
  for (size_t i = 0; i < map->regions.count && bytes == NULL; i++)
    if (flags >= map->regions.data[i].flags &&
        flags < map->regions.data[i].flags + map->regions.data[i].size)
      bytes = map->regions.data[i].bytes + (flags - map->regions.data[i].flags);
  if (!ZYAN_SUCCESS(
          ZydisDecoderDecodeFull(&map->decoder, bytes, left, &at->instruction, at->operands)))
    return false;
  at->address = address;
  at->next = address + at->instruction.length;
  return !is_strange(at, bytes, left);
}

/* Where a jump or call with its aim in the instruction leads. */
static bool aim_of(const struct walked *at, uint64_t *aim) {
  if (at->instruction.operand_count == 0 || at->operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
      !at->operands[0].imm.is_relative)
    return false;
  *aim = at->next + at->operands[0].imm.value.u;
  if (at->instruction.machine_mode != ZYDIS_MACHINE_MODE_LONG_64)
    *aim &= UINT32_MAX;
  return true;
}

static void note_base(struct code_map *map, size_t function, uint64_t address) {
  uint64_t known;
  if (function != SIZE_MAX && (image_bytes(map->image, address, 4) != NULL) &&
      !(code_flags(map, address, &known) != NULL &&
        code_starts_find(map->starts, address) != NULL &&
        code_starts_find(map->starts, address)->start == address))
    vector_push(&map->bases, (struct code_base){address, function, false});
}

/* Addresses of data that an instruction takes, or reads with an index. */
static void note_bases(struct code_map *map, size_t function, const struct walked *at) {
  for (size_t i = 0; i < at->instruction.operand_count_visible; i++) {
    const ZydisDecodedOperand *operand = &at->operands[i];
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
      bool taken =
          at->instruction.mnemonic == ZYDIS_MNEMONIC_LEA && operand->mem.base == ZYDIS_REGISTER_RIP;
      bool indexed = operand->mem.index != ZYDIS_REGISTER_NONE &&
                     operand->mem.base == ZYDIS_REGISTER_NONE && operand->mem.disp.value > 0;
      if (taken)
        note_base(map, function, at->next + (uint64_t)operand->mem.disp.value);
      else if (indexed && map->fixed)
        note_base(map, function, (uint64_t)operand->mem.disp.value);
    } else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && map->fixed &&
               at->instruction.mnemonic == ZYDIS_MNEMONIC_MOV &&
               operand->imm.value.u <= UINT32_MAX) {
      note_base(map, function, operand->imm.value.u);
    }
  }
}

/* --- from one to the next --- */

static void mark(struct code_map *map, const struct walked *at) {
  unsigned char *flags = code_flags(map, at->address, NULL);
  flags[0] |= BYTE_BEGINS;
  for (unsigned i = 1; i < at->instruction.length; i++)
    flags[i] |= BYTE_COVERED;
  vector_push(&map->doubtful, (struct code_step){at->address, at->instruction.length});
}

/* What follows the last call was no code. */
static void take_back(struct code_map *map, size_t ahead, size_t bases) {
  for (size_t i = 0; i < map->doubtful.count; i++) {
    unsigned char *flags = code_flags(map, map->doubtful.data[i].address, NULL);
    flags[0] &= (unsigned char)~BYTE_BEGINS;
    for (unsigned k = 1; k < map->doubtful.data[i].length; k++)
      flags[k] &= (unsigned char)~BYTE_COVERED;
  }
  map->doubtful.count = 0;
  map->ahead.count = ahead;
  map->bases.count = bases;
}

/* Whether the code behind the instruction is reached through it. */
static bool falls_through(const struct walked *at) {
  switch (at->instruction.mnemonic) {
  case ZYDIS_MNEMONIC_HLT:
  case ZYDIS_MNEMONIC_UD0:
  case ZYDIS_MNEMONIC_UD1:
  case ZYDIS_MNEMONIC_UD2:
  case ZYDIS_MNEMONIC_INT3:
    return false;
  default:
    return at->instruction.meta.category != ZYDIS_CATEGORY_UNCOND_BR &&
           at->instruction.meta.category != ZYDIS_CATEGORY_RET;
  }
}

/* Notes where an instruction leads; whether it may lead behind itself. */
static bool lead(struct code_map *map, size_t function, const struct walked *at) {
  uint64_t aim;
  bool calls = at->instruction.meta.category == ZYDIS_CATEGORY_CALL, falls = falls_through(at);
  if (aim_of(at, &aim)) {
    size_t other = code_function_of(map, aim);
    bool within =
        other == function && other != SIZE_MAX && map->starts->list.data[other].start != aim;
    go_on_at(map, aim);
    if (other != SIZE_MAX && other != function && !calls)
      map->entered[other] = true;
    return falls && !(calls && within); /* such a call jumps over data, and does not return */
  }
  if (!falls && at->instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR && function != SIZE_MAX)
    map->indirect[function] = true;
  note_bases(map, function, at);
  return falls;
}

static void follow(struct code_map *map, uint64_t address) {
  size_t ahead = map->ahead.count, bases = map->bases.count;
  size_t function = code_function_of(map, address);
  bool called = false, good = true, falls = true;
  map->doubtful.count = 0;
  for (bool first = true; good && falls; first = false) {
    struct walked at;
    const unsigned char *flags = code_flags(map, address, NULL);
    if (flags != NULL && (*flags & BYTE_BEGINS) != 0)
      return;
    if (!first && flags != NULL && (*flags & BYTE_EDGE) != 0) {
      good = map->doubtful.count == 0;
      break;
    }
    if (flags == NULL || (called && (*flags & BYTE_COVERED) != 0) || !decode(&at, map, address)) {
      good = false;
      break;
    }
    mark(map, &at);
    falls = lead(map, function, &at);
    if (at.instruction.meta.category == ZYDIS_CATEGORY_CALL) {
      called = true;
      map->doubtful.count = 0;
      ahead = map->ahead.count;
      bases = map->bases.count;
    }
    address = at.next;
  }
  if (!good && called)
    take_back(map, ahead, bases);
}

static void follow_all(struct code_map *map) {
  while (map->ahead.count != 0)
    follow(map, map->ahead.data[--map->ahead.count]);
}

/* Also where exceptions lead, to what stands in a function and is no part of an instruction. */
static void follow_pads(struct code_map *map) {
  code_pads pads = {0};
  code_pads_find(&pads, map->image);
  for (size_t i = 0; i < pads.count; i++) {
    const unsigned char *flags = code_flags(map, pads.data[i], NULL);
    if (flags != NULL && (*flags & BYTE_COVERED) == 0 &&
        code_function_of(map, pads.data[i]) != SIZE_MAX)
      go_on_at(map, pads.data[i]);
  }
  follow_all(map);
  vector_clear(&pads);
}

bool code_is_in_line(struct code_map *map, size_t function, uint64_t address) {
  const struct code_start *known = &map->starts->list.data[function];
  uint64_t end = function + 1 < map->starts->list.count ? known[1].start : UINT64_MAX;
  if (known->end != known->start && known->end < end)
    end = known->end;
  struct walked at;
  if (!map->in_line[function])
    for (uint64_t next = known->start; next < end && decode(&at, map, next); next = at.next)
      *code_flags(map, next, NULL) |= BYTE_IN_LINE;
  map->in_line[function] = true;
  return (*code_flags(map, address, NULL) & BYTE_IN_LINE) != 0;
}

/* --- the map --- */

static void add_regions(struct code_map *map) {
  for (size_t i = 0; i < map->starts->code.count; i++) {
    struct code_region region = {.address = map->starts->code.data[i].start};
    region.size = map->starts->code.data[i].end - region.address;
    region.bytes = image_bytes(map->image, region.address, region.size);
    if (region.bytes == NULL || region.size == 0)
      continue;
    region.flags = mem_alloc(region.size, 1);
    memset(region.flags, 0, region.size);
    vector_push(&map->regions, region);
  }
}

struct code_map *code_map_new(const struct image *image, const struct code_starts *starts) {
  struct code_map *map = mem_alloc(1, sizeof *map);
  GElf_Ehdr header = {.e_machine = EM_NONE};
  (void)gelf_getehdr(image->elf, &header);
  bool wide = header.e_machine == EM_X86_64;
  *map = (struct code_map){.image = image, .starts = starts, .fixed = header.e_type == ET_EXEC};
  ZydisDecoderInit(&map->decoder, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
                   wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
  bool **const marks[] = {&map->indirect, &map->entered, &map->in_line};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    *marks[i] = mem_alloc(starts->list.count + 1, sizeof **marks[i]);
    memset(*marks[i], 0, (starts->list.count + 1) * sizeof **marks[i]);
  }
  add_regions(map);
  mark_edges(map);
  for (size_t i = 0; i < starts->list.count; i++)
    go_on_at(map, starts->list.data[i].start);
  follow_all(map);
  follow_pads(map);
  code_relocations_follow(map);
  follow_all(map);
  while (code_tables_follow(map))
    follow_all(map);
  return map;
}

void code_map_free(struct code_map *map) {
  if (map == NULL)
    return;
  for (size_t i = 0; i < map->regions.count; i++)
    mem_free(map->regions.data[i].flags);
  vector_clear(&map->regions);
  vector_clear(&map->ahead);
  vector_clear(&map->doubtful);
  vector_clear(&map->bases);
  vector_clear(&map->labels);
  mem_free(map->indirect);
  mem_free(map->entered);
  mem_free(map->in_line);
  mem_free(map);
}

enum code_found code_map_at(const struct code_map *map, uint64_t address, uint64_t *nearest) {
  enum { LONGEST = 15 };
  const unsigned char *flags = code_flags(map, address, NULL);
  *nearest = 0;
  if (flags == NULL)
    return CODE_NOWHERE;
  bool covered = (*flags & BYTE_COVERED) != 0;
  for (uint64_t back = covered ? 1 : 0; back < LONGEST && back <= address; back++) {
    const unsigned char *at = code_flags(map, address - back, NULL);
    if (at == NULL)
      break;
    if ((*at & BYTE_BEGINS) == 0)
      continue;
    *nearest = address - back;
    break;
  }
  if (covered)
    return CODE_INSIDE;
  return (*flags & BYTE_BEGINS) != 0 ? CODE_BEGINS : CODE_UNREACHED;
}
