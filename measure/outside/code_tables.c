/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where jumps through tables lead (measure/outside/code_map.h). A compiler's table for a `switch`
 * has for each case either the distance from the table to the code, 4 bytes, or its address; its
 * length is nowhere. It ends where the next table begins, and where an entry leads to no code. An
 * entry counts that leads to what is the beginning of an instruction also when the function is read
 * in line: what is behind a table's end, taken for an entry, hardly ever does.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "measure/outside/code_walk.h"

/* Whether a jump of this function can lead there: into itself, or into a part of it that stands
 * elsewhere, which others jump into. */
static bool can_lead(struct code_map *map, size_t function, uint64_t aim) {
  size_t other = code_function_of(map, aim);
  const unsigned char *flags = code_flags(map, aim, NULL);
  return flags != NULL && (*flags & BYTE_COVERED) == 0 && other != SIZE_MAX &&
         (other == function || map->entered[other]) && code_is_in_line(map, other, aim);
}

static bool add(struct code_map *map, uint64_t aim) {
  if ((*code_flags(map, aim, NULL) & BYTE_BEGINS) != 0)
    return false;
  vector_push(&map->ahead, aim);
  return true;
}

/* A table of addresses, or of distances from `origin`. */
static bool follow_table(struct code_map *map, const struct code_base *base, uint64_t end,
                         unsigned width, uint64_t origin) {
  bool added = false;
  for (uint64_t at = base->address; at < end; at += width) {
    const unsigned char *bytes = image_bytes(map->image, at, width);
    uint64_t aim = 0;
    int32_t apart;
    if (bytes == NULL)
      break;
    if (width == sizeof apart) {
      memcpy(&apart, bytes, sizeof apart);
      aim = origin + (uint64_t)(int64_t)apart;
    } else {
      memcpy(&aim, bytes, sizeof aim);
    }
    if (code_flags(map, aim, NULL) == NULL)
      break;
    added |= can_lead(map, base->function, aim) && add(map, aim);
  }
  return added;
}

/* Whether the code takes the address of one of its own labels. */
static bool is_label(struct code_map *map, const struct code_base *base) {
  return code_function_of(map, base->address) == base->function &&
         code_flags(map, base->address, NULL) != NULL &&
         can_lead(map, base->function, base->address);
}

/* Tables of distances from a label of the function. */
static bool follow_from_labels(struct code_map *map, const struct code_base *base, uint64_t end) {
  bool added = false;
  for (size_t i = 0; i < map->labels.count; i++)
    if (map->labels.data[i].function == base->function)
      added |= follow_table(map, base, end, sizeof(int32_t), map->labels.data[i].address);
  return added;
}

static int by_address(const void *a, const void *b) {
  const struct code_base *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return x->function < y->function ? -1 : x->function > y->function;
}

bool code_tables_follow(struct code_map *map) {
  bool added = false;
  if (map->bases.count == 0)
    return false;
  qsort(map->bases.data, map->bases.count, sizeof *map->bases.data, by_address);
  for (size_t i = 0; i < map->bases.count; i++) {
    struct code_base *base = &map->bases.data[i];
    size_t next = i + 1;
    while (next < map->bases.count && map->bases.data[next].address == base->address)
      next++;
    if (base->done || !map->indirect[base->function])
      continue;
    base->done = true;
    if (is_label(map, base)) {
      vector_push(&map->labels, *base);
      added |= add(map, base->address);
      continue;
    }
    uint64_t end = next < map->bases.count ? map->bases.data[next].address : UINT64_MAX;
    added |= follow_table(map, base, end, sizeof(int32_t), base->address);
    added |= follow_table(map, base, end, sizeof(uint64_t), 0);
    added |= follow_from_labels(map, base, end);
  }
  return added;
}

/* Labels of which an address stands in data: what a relocation without a symbol leads to, within a
 * function. */
void code_relocations_follow(struct code_map *map) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(map->image->elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_RELA ||
        header.sh_entsize == 0 || (header.sh_flags & SHF_ALLOC) == 0)
      continue;
    Elf_Data *data = elf_getdata(section, NULL);
    for (size_t i = 0; data != NULL && i < header.sh_size / header.sh_entsize; i++) {
      GElf_Rela relocation;
      if (gelf_getrela(data, (int)i, &relocation) == NULL ||
          GELF_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE)
        continue;
      uint64_t aim = (uint64_t)relocation.r_addend;
      size_t function = code_function_of(map, aim);
      if (function != SIZE_MAX && can_lead(map, function, aim))
        add(map, aim);
    }
  }
}
