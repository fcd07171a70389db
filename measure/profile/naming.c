/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/profile/naming.h"

#include "measure/profile/demangle.h"
#include "measure/profile/inlined.h"

struct named_image {
  struct symbols symbols;
  struct inlined *inlined; /* NULL: it has no debug information */
};

void naming_clear(struct namer *naming) {
  for (size_t i = 0; i < naming->images.count; i++)
    if (naming->images.data[i] != NULL) {
      inlined_free(naming->images.data[i]->inlined);
      symbols_clear(&naming->images.data[i]->symbols);
      mem_free(naming->images.data[i]);
    }
  vector_clear(&naming->images);
  if (naming->kernel_loaded)
    symbols_clear(&naming->kernel);
  naming->kernel_loaded = false;
}

static struct named_image *need_image(struct namer *naming, uint32_t number,
                                      const struct image *image, const char *path) {
  while (naming->images.count <= number)
    vector_push(&naming->images, NULL);
  if (naming->images.data[number] == NULL) {
    struct named_image *named = mem_alloc(1, sizeof *named);
    symbols_load(&named->symbols, image, path);
    named->inlined = inlined_new(named->symbols.debug.elf != NULL ? &named->symbols.debug : image);
    naming->images.data[number] = named;
  }
  return naming->images.data[number];
}

bool naming_find(struct namer *naming, uint32_t number, const struct image *image, const char *path,
                 uint64_t address, struct text *name, uint64_t *start) {
  *start = address;
  if (image->elf == NULL)
    return false;
  const struct named_image *named = need_image(naming, number, image, path);
  const struct code_symbol *symbol = symbols_find(&named->symbols, address);
  if (symbol == NULL)
    return false;
  *start = symbol->start;
  if (symbol->name == NULL)
    return false;
  demangle(name, symbol->name);
  return true;
}

uint32_t naming_find_inlined(struct namer *naming, uint32_t number, uint64_t address,
                             struct text *names) {
  return inlined_find(naming->images.data[number]->inlined, address, names);
}

bool naming_find_kernel(struct namer *naming, uint64_t address, struct text *name) {
  if (!naming->kernel_loaded)
    symbols_load_kernel(&naming->kernel);
  naming->kernel_loaded = true;
  const struct code_symbol *symbol = symbols_find(&naming->kernel, address);
  if (symbol != NULL)
    text_append(name, symbol->name);
  return symbol != NULL;
}

bool naming_in_scheduler(struct namer *naming, uint64_t address) {
  if (!naming->scheduler_found)
    symbols_find_scheduler(&naming->scheduler, &naming->scheduler_end);
  naming->scheduler_found = true;
  return naming->scheduler <= address && address < naming->scheduler_end;
}
