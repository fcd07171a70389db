/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/target.h"

#include <stdio.h>
#include <string.h>

#include "measure/outside/bystanders.h"
#include "measure/outside/find_returns.h"
#include "measure/outside/find_symbol.h"
#include "measure/outside/go_functions.h"
#include "measure/outside/place_check.h"
#include "measure/outside/stepped.h"

/* --- places --- */

static bool add_place(struct outside_target *target, const struct image *image, uint64_t address) {
  struct target_place place = {0};
  if (!image_offset(image, address, &place.offset))
    return false;
  vector_push(&target->places, place);
  return true;
}

enum { STACK = 1 << 4 };

/* The registers that a value is in or hangs on, numbered as in stepped_avoid. */
static unsigned kept_by(const struct read_value *value, bool go) {
  static const unsigned char of_c[] = {7, 6, 2, 1, 8, 9}, of_go[] = {0, 3, 1, 7, 6, 8, 9, 10, 11};
  const unsigned char *registers = go ? of_go : of_c;
  size_t count = go ? sizeof of_go : sizeof of_c;
  if (value->base == READ_ARGUMENT && value->number >= 1)
    return value->number <= count ? 1u << registers[value->number - 1] : STACK;
  return value->base == READ_STACK ? STACK : value->base == READ_GOROUTINE ? 1u << 14 : 0;
}

/* A return is waited for where its address is on top of the stack, and what is kept from the entry
 * for it may be any argument. */
static unsigned kept_for(const struct outside_site *site) {
  enum { ALL = 0xffff & ~(1 << 0 | 1 << 11) };
  unsigned kept = site->go ? STACK | 1u << 14 : 0;
  if (site->kind != SITE_UPROBE)
    return ALL;
  for (size_t i = 0; i < OUTSIDE_FIELDS; i++) {
    const struct read_expression *read = &site->read[i];
    kept |= kept_by(&read->value, site->go) | kept_by(&read->length, site->go);
  }
  return kept;
}

/* Where a probe sees what one at the beginning sees, and costs least. */
static uint64_t cheapest(const struct target_file *file, const struct outside_site *site,
                         uint64_t start, uint64_t end) {
  bool known = end > start && target_file_is_wide(file);
  const unsigned char *code = known ? image_bytes(&file->image, start, end - start) : NULL;
  return code == NULL ? start : start + stepped_avoid(code, end - start, kept_for(site));
}

/* --- what was asked for --- */

static enum status say(struct text *message, const struct outside_site *site, const char *what) {
  text_format(message, "%s: %s", site->path, what);
  return STATUS_DATA;
}

static enum status find_usdt(struct outside_target *target, const struct outside_site *site,
                             struct target_file *file, struct text *message) {
  usdt_places places = {0};
  char other[200];
  enum status status = STATUS_OK;
  usdt_find(&places, &file->image, site->group, site->name, other);
  for (size_t i = 0; i < places.count && status == STATUS_OK; i++) {
    struct target_place place = {.arguments = places.data[i].arguments};
    status = place_check_note(file, site, places.data[i].address, message);
    if (status == STATUS_OK && image_offset(&file->image, places.data[i].address, &place.offset) &&
        (places.data[i].semaphore == 0 ||
         image_offset(&file->image, places.data[i].semaphore, &place.semaphore)))
      vector_push(&target->places, place);
  }
  vector_clear(&places);
  if (status != STATUS_OK || target->places.count != 0)
    return status;
  text_format(message, "%s: no USDT probe %s:%s; %s%s%s", site->path, site->group, site->name,
              other[0] == '\0'
                  ? "it has none: was it built with them (PostgreSQL: --enable-dtrace)?"
                  : "it has ",
              other, other[0] == '\0' ? "" : " and perhaps others (readelf -n)");
  return STATUS_DATA;
}

/* A uretprobe in a file that says itself that it switches stacks. */
static enum status check_stacks(const struct outside_site *site, const struct target_file *file,
                                struct text *message) {
  bool waits = site->kind == SITE_URETPROBE && !site->each_return && !site->nested;
  const char *switches = waits ? stacks_switched_by(&file->image) : NULL;
  const char *throws = waits ? exceptions_by(&file->image) : NULL;
  if (switches == NULL && throws != NULL) {
    text_format(message,
                "%s: has exceptions (%s): one that leaves a function with a uretprobe ends the "
                "program; say returns: each, which probes the return instructions instead, or "
                "returns: nested, if none leaves this one",
                site->path, throws);
    return STATUS_DATA;
  }
  if (switches == NULL)
    return STATUS_OK;
  text_format(
      message,
      "%s: switches stacks (%s), so that functions do not return in the order in which they "
      "were called, and a uretprobe would crash it: say returns: each, which probes the "
      "return instructions instead",
      site->path, switches);
  return STATUS_DATA;
}

/* Functions that keep where they return to, and are returned from again by another one: what would be
 * kept is where the kernel waits, which lets nobody return there twice. By whatever name, or place, it
 * was asked for. Tried with Linux 6.18: the program is killed. */
static enum status check_returns_once(const struct outside_site *site, struct target_file *file,
                                      uint64_t address, struct text *message) {
  static const char *const names[] = {"setjmp",        "_setjmp",     "__setjmp",
                                      "sigsetjmp",     "__sigsetjmp", "__sigsetjmp_cancel",
                                      "getcontext",    "swapcontext", "__getcontext",
                                      "__swapcontext", "vfork",       "__vfork"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s", names[i]);
    const struct outside_site other = {.kind = SITE_UPROBE, .path = site->path, .symbol = name};
    struct text none = {0};
    uint64_t start, end;
    bool same = find_symbol(&start, &end, &other, &file->image, target_file_starts(file), &none) ==
                    STATUS_OK &&
                start == address;
    text_clear(&none);
    if (!same)
      continue;
    text_format(message,
                "%s: %s returns more than once to where it was called, and a uretprobe would kill "
                "the program; take a uprobe at its beginning",
                site->path, names[i]);
    return STATUS_DATA;
  }
  return STATUS_OK;
}

static enum status find_function(struct outside_target *target, const struct outside_site *site,
                                 struct target_file *file, struct text *message) {
  struct place_name name = {.site = site};
  uint64_t address;
  enum status status =
      find_symbol(&name.start, &name.end, site, &file->image, target_file_starts(file), message);
  if (status != STATUS_OK)
    return status;
  if (site->kind == SITE_URETPROBE && (site->from_entry != 0 || site->begun)) {
    address = cheapest(file, site, name.start, name.end);
    status = place_check_start(file, &name, address, message);
    if (status != STATUS_OK || !image_offset(&file->image, address, &target->entry.offset))
      return status == STATUS_OK ? say(message, site, "its entry is not in the file") : status;
  }
  if (site->kind == SITE_URETPROBE && site->each_return)
    return find_returns(target, site, file, &name, message);
  if (site->offset != 0) {
    address = name.start + site->offset;
    status = place_check(file, &name, address, message);
  } else {
    address = cheapest(file, site, name.start, name.end);
    status = place_check_start(file, &name, address, message);
    if (status == STATUS_OK && site->kind == SITE_URETPROBE)
      status = place_check_return(file, &name, name.start, message);
    if (status == STATUS_OK && site->kind == SITE_URETPROBE)
      status = check_returns_once(site, file, name.start, message);
  }
  if (status == STATUS_OK && !add_place(target, &file->image, address))
    return say(message, site, "this symbol is not in the code of the file; probe another one");
  return status;
}

static enum status find_offset(struct outside_target *target, const struct outside_site *site,
                               struct target_file *file, struct text *message) {
  struct place_name name = {.site = site};
  uint64_t address;
  if (!image_address(&file->image, site->offset, &address))
    return say(message, site, "the offset is not in what is loaded of the file; give another one");
  enum status status = place_check(file, &name, address, message);
  if (status == STATUS_OK && site->kind == SITE_URETPROBE)
    status = place_check_return(file, &name, address, message);
  if (status == STATUS_OK && site->kind == SITE_URETPROBE)
    status = check_returns_once(site, file, address, message);
  target->entry.offset = site->offset;
  if (status == STATUS_OK)
    vector_push(&target->places, (struct target_place){.offset = site->offset});
  return status;
}

static enum status find_places(struct outside_target *target, const struct outside_site *site,
                               struct target_file *file, struct text *message) {
  const struct image *image = &file->image;
  memcpy(target->build_id, image->build_id, sizeof target->build_id);
  size_t given = strlen(site->build_id);
  if (given != 0 && strncmp(image->build_id, site->build_id, given) != 0) {
    text_format(message,
                "%s: its build-id is %s, not %s: this is another build, in which the place is "
                "another one; find the place again, or bring back the build",
                site->path, image->build_id[0] == '\0' ? "none" : image->build_id, site->build_id);
    return STATUS_DATA;
  }
  if (site->kind == SITE_URETPROBE && !site->each_return && go_is(image))
    return say(
        message, site,
        "a program in Go, whose stack moves under a uretprobe: add abi: go, which probes the "
        "return instructions instead");
  if (site->kind == SITE_USDT)
    return find_usdt(target, site, file, message);
  enum status status = check_stacks(site, file, message);
  if (status != STATUS_OK)
    return status;
  return site->symbol != NULL ? find_function(target, site, file, message)
                              : find_offset(target, site, file, message);
}

static void find_stepped(struct outside_target *target, const struct image *image) {
  enum { LONGEST = 15 };
  for (size_t i = 0; i < target->places.count; i++) {
    struct target_place *place = &target->places.data[i];
    uint64_t address;
    const unsigned char *code = NULL;
    if (image_address(image, place->offset, &address))
      code = image_bytes(image, address, LONGEST);
    place->stepped = code == NULL || stepped(code, LONGEST);
  }
}

enum status target_find_in(struct outside_target *target, const struct outside_site *site,
                           struct target_files *files, struct text *message) {
  enum status status;
  *target = (struct outside_target){.device = 0};
  struct target_file *file = target_files_open(files, site->path, &status, message);
  if (file == NULL)
    return status;
  target->device = file->device;
  target->inode = file->inode;
  target->file = file;
  status = find_places(target, site, file, message);
  if (status == STATUS_OK)
    find_stepped(target, &file->image);
  return status;
}

enum status target_find(struct outside_target *target, const struct outside_site *site,
                        struct text *message) {
  struct target_files *files = target_files_new();
  enum status status = target_find_in(target, site, files, message);
  target->file = NULL;
  target_files_free(files);
  return status;
}

void target_path(char path[TARGET_PATH], const struct outside_target *target) {
  snprintf(path, TARGET_PATH, "/proc/self/fd/%d", target->file->descriptor);
}

void target_clear(struct outside_target *target) {
  vector_clear(&target->places);
}
