/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/find_symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/outside/chooser.h"
#include "measure/outside/chosen_in.h"
#include "measure/outside/elf_functions.h"
#include "measure/outside/go_functions.h"
#include "measure/profile/debug_file.h"

/* A place that has the name. */
struct meant {
  uint64_t start, size;
  bool old, chosen;
  char version[64]; /* "": none */
  char source[64];  /* of a local one; "" */
};

struct search {
  const char *wanted, *version; /* without its version; NULL: none was given */
  size_t length;
  VECTOR(struct meant) all;  /* every place of the name, */
  VECTOR(struct meant) list; /* and those that are meant, one each */
  bool elsewhere;            /* the name is used here, and defined in another file */
  char nearest[200];
  size_t distance;
};

/* --- all places --- */

static void consider_name(struct search *search, const char *name, size_t length) {
  char text[sizeof search->nearest];
  if (length >= sizeof text)
    return;
  memcpy(text, name, length);
  text[length] = '\0';
  char wanted[ELF_FUNCTION_NAME];
  snprintf(wanted, sizeof wanted, "%.*s", (int)search->length, search->wanted);
  size_t apart = length > search->length ? length - search->length : search->length - length;
  bool holds = strstr(text, wanted) != NULL; /* a part of its name was given */
  if (!holds && apart >= search->distance)
    return;
  size_t distance = holds ? 1 : text_distance(text, wanted);
  if (distance < search->distance) {
    search->distance = distance;
    memcpy(search->nearest, text, length + 1);
  }
}

static void add(struct search *search, const struct elf_function *function) {
  struct meant meant = {.start = function->start,
                        .size = function->size,
                        .old = function->old,
                        .chosen = function->chosen};
  if (function->version != NULL)
    snprintf(meant.version, sizeof meant.version, "%s", function->version);
  if (function->source != NULL)
    snprintf(meant.source, sizeof meant.source, "%s", function->source);
  vector_push(&search->all, meant);
}

static bool consider(void *context, const struct elf_function *function) {
  struct search *search = context;
  bool same = function->length == search->length &&
              memcmp(function->name, search->wanted, search->length) == 0;
  if (same && function->defined)
    add(search, function);
  else if (same)
    search->elsewhere = true;
  else if (function->defined)
    consider_name(search, function->name, function->length);
  return true;
}

static bool consider_go(void *context, const char *name, uint64_t start, uint64_t end) {
  struct elf_function function = {.name = name,
                                  .length = (uint32_t)strnlen(name, ELF_FUNCTION_NAME),
                                  .start = start,
                                  .size = end - start,
                                  .defined = true};
  return consider(context, &function);
}

static void search_all(struct search *search, const struct image *image, const char *path) {
  struct image debug;
  elf_functions(image->elf, consider, search);
  go_functions(image, consider_go, search);
  if (!debug_file_open(&debug, image, path))
    return;
  elf_functions(debug.elf, consider, search);
  image_clear(&debug);
}

/* --- the one that is meant --- */

/* By place; of those at one place first what says most of it. */
static int by_place(const void *a, const void *b) {
  const struct meant *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->old != y->old)
    return x->old - y->old;
  if ((x->version[0] == '\0') != (y->version[0] == '\0'))
    return x->version[0] == '\0' ? 1 : -1;
  return x->size > y->size ? -1 : x->size < y->size;
}

/* Several names of one place are one. */
static void merge(struct search *search) {
  size_t kept = 0;
  for (size_t i = 0; i < search->list.count; i++) {
    const struct meant *at = &search->list.data[i];
    struct meant *last = kept == 0 ? NULL : &search->list.data[kept - 1];
    if (last == NULL || last->start != at->start) {
      search->list.data[kept++] = *at;
      continue;
    }
    last->chosen |= at->chosen;
    last->size = at->size > last->size ? at->size : last->size;
    if (last->source[0] == '\0')
      memcpy(last->source, at->source, sizeof last->source);
  }
  search->list.count = kept;
}

static bool is_meant(const struct search *search, const struct meant *meant, bool current) {
  return search->version != NULL ? strcmp(meant->version, search->version) == 0
                                 : !meant->old || !current;
}

/* Those of the version that was given; else all but old ones, or of an old version alone those. */
static void choose(struct search *search) {
  bool current = false;
  for (size_t i = 0; i < search->all.count; i++)
    current = current || !search->all.data[i].old;
  for (size_t i = 0; i < search->all.count; i++)
    if (is_meant(search, &search->all.data[i], current))
      vector_push(&search->list, search->all.data[i]);
  if (search->list.count == 0)
    return;
  qsort(search->list.data, search->list.count, sizeof *search->list.data, by_place);
  merge(search);
}

/* --- what is refused --- */

static enum status say_none(struct text *message, const struct outside_site *site,
                            const struct search *search) {
  const char *name = site->symbol;
  if (search->elsewhere)
    text_format(message,
                "%s: it calls %s, which is a function of a library: probe it there (`ldd %s` lists "
                "the libraries, `nm -D --defined-only FILE` their functions)",
                site->path, name, site->path);
  else if (search->nearest[0] == '\0' && search->distance == SIZE_MAX)
    text_format(message,
                "%s: it has no symbols (stripped): install its debug symbols, or give the place as "
                "\"%s+0xOFFSET build-id=ID\"",
                site->path, site->path);
  else
    text_format(message,
                "%s: no function %s; the nearest name is %s; a function may have been inlined, "
                "then probe one that calls it",
                site->path, name, search->nearest);
  return STATUS_DATA;
}

/* "NAME@OLD, NAME@@DEFAULT" */
static enum status say_versions(struct text *message, const struct outside_site *site,
                                const struct search *search) {
  const char *between = "";
  text_format(message, "%s: no version %s of %.*s; it has ", site->path, search->version,
              (int)search->length, search->wanted);
  for (size_t i = 0; i < search->all.count; i++) {
    const struct meant *meant = &search->all.data[i];
    bool told = false;
    for (size_t k = 0; k < i && !told; k++)
      told = strcmp(search->all.data[k].version, meant->version) == 0;
    if (told)
      continue;
    text_format(message, "%s%.*s", between, (int)search->length, search->wanted);
    if (meant->version[0] != '\0')
      text_format(message, "%s%s", meant->old ? "@" : "@@", meant->version);
    between = ", ";
  }
  text_append(message, "; name one of these");
  return STATUS_DATA;
}

static uint64_t offset_or(const struct image *image, uint64_t address) {
  uint64_t offset;
  return image_offset(image, address, &offset) ? offset : address;
}

/* How a place is written in a probe file. */
static void append_place(struct text *text, const struct outside_site *site,
                         const struct image *image, uint64_t address) {
  text_format(text, "\"%s+0x%" PRIx64 " build-id=%s\"", site->path, offset_or(image, address),
              image->build_id[0] == '\0' ? "ID" : image->build_id);
}

static enum status say_several(struct text *message, const struct outside_site *site,
                               const struct image *image, const struct search *search) {
  enum { TOLD = 12 };
  bool versions = true;
  const char *between = "";
  text_format(message, "%s: %zu functions have the name %s: ", site->path, search->list.count,
              site->symbol);
  for (size_t i = 0; i < search->list.count; i++) {
    const struct meant *meant = &search->list.data[i];
    versions = versions && meant->version[0] != '\0';
    if (i == TOLD)
      text_format(message, " and %zu more", search->list.count - i);
    if (i >= TOLD)
      continue;
    text_format(message, "%s+0x%" PRIx64 " (%" PRIu64 " bytes%s%s%s%s)", between,
                offset_or(image, meant->start), meant->size,
                meant->version[0] != '\0' ? ", version " : "", meant->version,
                meant->source[0] != '\0' ? ", of " : "", meant->source);
    between = ", ";
  }
  text_append(message, "; name one by its place, as in ");
  append_place(message, site, image, search->list.data[0].start);
  if (versions)
    text_format(message, ", or by its version, as in %.*s@%s", (int)search->length, search->wanted,
                search->list.data[0].version);
  else if (image->build_id[0] == '\0')
    text_append(message,
                "; the file has no build-id, which that needs: link it with -Wl,--build-id");
  return STATUS_DATA;
}

static enum status say_chosen(struct text *message, const struct outside_site *site,
                              const struct image *image, const struct code_starts *starts,
                              const struct meant *meant) {
  chooser_list list = {0};
  const char *between = "";
  text_format(message,
              "%s: which code %s is, is chosen when the program starts (IFUNC, by the processor): "
              "at that name stands only what chooses; ",
              site->path, site->symbol);
  chooser_find(&list, image, starts, site->path, meant->start, meant->size);
  if (list.count != 0)
    text_append(message, "probe the one that is used here, or a probe each: ");
  else
    text_append(message, "probe a function that calls it");
  for (size_t i = 0; i < list.count; i++) {
    text_append(message, between);
    if (list.data[i].name[0] != '\0')
      text_format(message, "%s (+0x%" PRIx64 ")", list.data[i].name,
                  offset_or(image, list.data[i].address));
    else
      text_format(message, "+0x%" PRIx64, offset_or(image, list.data[i].address));
    between = ", ";
  }
  if (list.count != 0) {
    text_append(message, "; written as ");
    append_place(message, site, image, list.data[0].address);
  }
  if (list.count == 1)
    text_append(message, "; it may be none of this file: the kernel has code of its own for the "
                         "time (vDSO), which has no probes");
  vector_clear(&list);
  return STATUS_DATA;
}

/* What the process uses. False: that is not known. */
static bool find_chosen(struct meant *meant, const struct outside_site *site,
                        const struct image *image, const struct code_starts *starts) {
  chooser_list list = {0};
  if (site->process == 0)
    return false;
  chooser_find(&list, image, starts, site->path, meant->start, meant->size);
  const struct chooser_choice *choice = chosen_in(&list, image, site->process);
  const struct code_start *function =
      choice == NULL ? NULL : code_starts_find(starts, choice->address);
  if (function != NULL) {
    meant->start = function->start;
    meant->size = function->end - function->start;
  }
  vector_clear(&list);
  return function != NULL;
}

enum status find_symbol(uint64_t *start, uint64_t *end, const struct outside_site *site,
                        const struct image *image, const struct code_starts *starts,
                        struct text *message) {
  struct search search = {
      .wanted = site->symbol, .length = strlen(site->symbol), .distance = SIZE_MAX};
  const char *at = strchr(site->symbol, '@');
  enum status status = STATUS_OK;
  if (at != NULL && at != site->symbol && at[1] != '\0') {
    search.length = (size_t)(at - site->symbol);
    search.version = at + (at[1] == '@' ? 2 : 1);
  }
  search_all(&search, image, site->path);
  choose(&search);
  if (search.list.count == 0 && search.all.count != 0)
    status = say_versions(message, site, &search);
  else if (search.list.count == 0)
    status = say_none(message, site, &search);
  else if (search.list.count > 1)
    status = say_several(message, site, image, &search);
  else if (search.list.data[0].chosen && !find_chosen(&search.list.data[0], site, image, starts))
    status = say_chosen(message, site, image, starts, &search.list.data[0]);
  if (status == STATUS_OK) {
    *start = search.list.data[0].start;
    *end = *start + search.list.data[0].size;
  }
  vector_clear(&search.all);
  vector_clear(&search.list);
  return status;
}
