/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/code_starts.h"

#include <gelf.h>
#include <stdlib.h>

#include "measure/outside/elf_functions.h"
#include "measure/outside/go_functions.h"
#include "measure/profile/cfi.h"
#include "measure/profile/debug_file.h"
#include "measure/profile/functions.h"

static bool add_symbol(void *context, const struct elf_function *function) {
  struct code_starts *starts = context;
  if (function->defined)
    vector_push(&starts->list,
                (struct code_start){function->start, function->start + function->size, true});
  return true;
}

static bool add_go(void *context, const char *name, uint64_t start, uint64_t end) {
  struct code_starts *starts = context;
  (void)name;
  vector_push(&starts->list, (struct code_start){start, end, true});
  return true;
}

static int by_start(const void *a, const void *b) {
  const struct code_start *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->end > y->end ? -1 : x->end < y->end;
}

static void merge(struct code_starts *starts) {
  size_t kept = 0;
  qsort(starts->list.data, starts->list.count, sizeof *starts->list.data, by_start);
  for (size_t i = 0; i < starts->list.count; i++) {
    struct code_start *at = &starts->list.data[i];
    if (kept != 0 && starts->list.data[kept - 1].start == at->start)
      starts->list.data[kept - 1].named |= at->named;
    else
      starts->list.data[kept++] = *at;
  }
  starts->list.count = kept;
}

/* By the unwind table. The code that signals return to is left out: its entry begins one byte
 * before the code, in something else (glibc: __restore_rt). */
static void add_unwound(struct code_starts *starts, const struct image *image) {
  struct symbols unwound = {.debug = {.descriptor = -1}};
  struct Dwarf_CFI_s *cfi = cfi_new(image);
  functions_add(&unwound, image);
  for (size_t i = 0; i < unwound.list.count; i++) {
    struct cfi_row row;
    cfi_find(&row, cfi, unwound.list.data[i].start);
    if (!row.interrupted)
      vector_push(&starts->list,
                  (struct code_start){unwound.list.data[i].start, unwound.list.data[i].end, false});
  }
  cfi_free(cfi);
  symbols_clear(&unwound);
}

/* Segments that are executed may have data, too: read-only, and the file's headers. */
static void add_code(struct code_starts *starts, const struct image *image) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(image->elf, section)) != NULL) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != NULL && (header.sh_flags & SHF_EXECINSTR) != 0 &&
        header.sh_type != SHT_NOBITS)
      vector_push(&starts->code,
                  (struct code_range){header.sh_addr, header.sh_addr + header.sh_size});
  }
  for (size_t i = 0; starts->code.count == 0 && i < image->segments.count; i++) {
    const struct image_segment *segment = &image->segments.data[i];
    if (segment->executable)
      vector_push(&starts->code,
                  (struct code_range){segment->address, segment->address + segment->size});
  }
}

void code_starts_load(struct code_starts *starts, const struct image *image, const char *path) {
  struct image debug;
  *starts = (struct code_starts){0};
  add_code(starts, image);
  elf_functions(image->elf, add_symbol, starts);
  if (debug_file_open(&debug, image, path)) {
    elf_functions(debug.elf, add_symbol, starts);
    image_clear(&debug);
  }
  go_functions(image, add_go, starts);
  add_unwound(starts, image);
  if (starts->list.count != 0)
    merge(starts);
}

void code_starts_clear(struct code_starts *starts) {
  vector_clear(&starts->list);
  vector_clear(&starts->code);
}

bool code_starts_are_code(const struct code_starts *starts, uint64_t address) {
  for (size_t i = 0; i < starts->code.count; i++)
    if (address >= starts->code.data[i].start && address < starts->code.data[i].end)
      return true;
  return false;
}

const struct code_start *code_starts_find(const struct code_starts *starts, uint64_t address) {
  size_t low = 0, high = starts->list.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (starts->list.data[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  const struct code_start *found = low == 0 ? NULL : &starts->list.data[low - 1];
  return found == NULL || (found->end != found->start && found->end <= address) ? NULL : found;
}
