/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a program or library (ELF) of somebody else: its functions, what was inlined into
 * them, how frames are left, probes that it declares, the functions of Go, and where instructions
 * begin; or, behind a J, as a map of compiled code. Refused, or answers within the file. With clang
 * -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the files it is
 * given.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "measure/outside/code_map.h"
#include "measure/outside/code_starts.h"
#include "measure/outside/elf_functions.h"
#include "measure/outside/go_functions.h"
#include "measure/outside/usdt.h"
#include "measure/profile/cfi.h"
#include "measure/profile/image.h"
#include "measure/profile/inlined.h"
#include "measure/profile/jit.h"
#include "measure/profile/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PLACES = 24, NAMES = 100000 };

static void require(bool condition) {
  if (!condition)
    abort();
}

static void take_map(const char *bytes, size_t size) {
  struct jit jit = {0};
  require(jit_add_lines(&jit, bytes, size) <= size);
  struct jit_code *code = jit_find(&jit, 0x1000);
  require(code == NULL || (code->start <= 0x1000 && 0x1000 < code->end && code->name != NULL));
  jit_clear(&jit);
}

static bool count_name(void *context, const char *name, uint64_t start, uint64_t end) {
  (void)start, (void)end;
  size_t *count = context;
  require(strlen(name) < SIZE_MAX);
  return ++*count < NAMES;
}

static bool count_function(void *context, const struct elf_function *function) {
  size_t *count = context;
  require(strnlen(function->name, ELF_FUNCTION_NAME) >= function->length);
  return ++*count < NAMES;
}

/* Where a segment begins, its middle, its end, and places in none. */
static size_t places_of(uint64_t places[PLACES], const struct image *image) {
  size_t count = 0;
  places[count++] = 0;
  places[count++] = UINT64_MAX;
  for (size_t i = 0; i < image->segments.count && count + 3 <= PLACES; i++) {
    const struct image_segment *segment = &image->segments.data[i];
    places[count++] = segment->address;
    places[count++] = segment->address + segment->size / 2;
    places[count++] = segment->address + segment->size - 1;
  }
  return count;
}

static void ask_names(const struct image *image, const uint64_t *places, size_t count) {
  struct symbols symbols = {0};
  symbols_load(&symbols, image, "/nonexistent");
  for (size_t i = 0; i < count; i++) {
    const struct code_symbol *at = symbols_find(&symbols, places[i]);
    require(at == NULL || at->start <= places[i]);
  }
  symbols_clear(&symbols);
  size_t names = 0;
  elf_functions(image->elf, count_function, &names);
  names = 0;
  if (go_is(image))
    go_functions(image, count_name, &names);
  usdt_places probes = {0};
  char other[200];
  usdt_find(&probes, image, "python", "line", other);
  vector_clear(&probes);
}

static void ask_frames(const struct image *image, const uint64_t *places, size_t count) {
  struct Dwarf_CFI_s *cfi = cfi_new(image);
  for (size_t i = 0; i < count && cfi != NULL; i++) {
    struct cfi_row row;
    cfi_find(&row, cfi, places[i]);
    cfi_keeps_frame(&row);
  }
  if (cfi != NULL)
    cfi_free(cfi);
  struct inlined *inlined = inlined_new(image);
  for (size_t i = 0; i < count && inlined != NULL; i++) {
    struct text names;
    text_init(&names);
    inlined_find(inlined, places[i], &names);
    text_clear(&names);
  }
  inlined_free(inlined);
}

static void ask_code(const struct image *image, const uint64_t *places, size_t count) {
  struct code_starts starts = {0};
  code_starts_load(&starts, image, "/nonexistent");
  struct code_map *map = code_map_new(image, &starts);
  for (size_t i = 0; i < count; i++) {
    uint64_t nearest = 0;
    require(code_map_at(map, places[i], &nearest) != CODE_BEGINS ||
            code_starts_are_code(&starts, places[i]));
    image_bytes(image, places[i], 16);
    require(image_bytes(image, places[i], SIZE_MAX) == NULL);
  }
  code_map_free(map);
  code_starts_clear(&starts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size != 0 && data[0] == 'J') {
    take_map((const char *)data + 1, size - 1);
    return 0;
  }
  int descriptor = memfd_create("image", MFD_CLOEXEC);
  require(descriptor >= 0);
  struct image image;
  if (write(descriptor, data, size) != (ssize_t)size) {
    close(descriptor);
    return 0;
  }
  if (!image_open(&image, descriptor))
    return 0;
  uint64_t places[PLACES];
  size_t count = places_of(places, &image);
  ask_names(&image, places, count);
  ask_frames(&image, places, count);
  ask_code(&image, places, count);
  image_clear(&image);
  return 0;
}

#include "tests/fuzz/standalone.h"
