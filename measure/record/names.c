/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Registering names. A name is complete before it is counted as used, so that a reader of a live or
 * killed store sees whole names only.
 */
#include "measure/core/header.h"
#include "measure/record/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = FORMAT_NAME_TEXT - 1 };

struct new_name {
  enum format_kind kind;
  char name[TEXT_MAX + 1], series[TEXT_MAX + 1];
};

/* Copies text, with a prefix and a dot before it where the prefix is not NULL; 0 or -errno. */
static int text_copy(char to[TEXT_MAX + 1], const char *prefix, const char *text) {
  int size = prefix == NULL ? snprintf(to, TEXT_MAX + 1, "%s", text)
                            : snprintf(to, TEXT_MAX + 1, "%s.%s", prefix, text);
  if (size > TEXT_MAX)
    return fail(ENAMETOOLONG, "the name '%s%s%s' has more than %d bytes; choose a shorter one",
                prefix == NULL ? "" : prefix, prefix == NULL ? "" : ".", text, TEXT_MAX);
  return 0;
}

static int text_check(const char *text) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  if (text == NULL || text[0] == '\0')
    return fail(EINVAL, "a name is missing or empty");
  if (text[strspn(text, allowed)] != '\0')
    return fail(EINVAL, "the name '%.80s' has other characters than letters, digits, '_' and '.'",
                text);
  return 0;
}

/* The number of a name of this kind, or -1. */
static int find(const struct tailproof_store *store, enum format_kind kind, const char *name) {
  for (uint32_t i = 0; i < store->names_used; i++)
    if (store->kinds[i] == kind && strcmp(store->names[i].name, name) == 0)
      return (int)i;
  return -1;
}

/* The number that `count` names have already, or -EEXIST where they have it with other series, or
 * -ENOENT. */
static int find_all(const struct tailproof_store *store, const struct new_name *names,
                    uint32_t count) {
  int first = find(store, names[0].kind, names[0].name);
  if (first < 0)
    return -ENOENT;
  for (uint32_t i = 0; i < count; i++) {
    const struct format_name *old = &store->names[(uint32_t)first + i];
    if (strcmp(old->series, names[i].series) != 0)
      return fail(EEXIST, "'%s' is registered already, with '%s' instead of '%s'", names[i].name,
                  old->series, names[i].series);
  }
  return first;
}

static void append(struct tailproof_store *store, uint32_t at, const struct new_name *name) {
  struct format_name *entry = &store->names[at];
  memset(entry, 0, sizeof *entry);
  entry->kind = name->kind;
  memcpy(entry->name, name->name, sizeof entry->name);
  memcpy(entry->series, name->series, sizeof entry->series);
  name_seal(entry);
  store->kinds[at] = (uint8_t)name->kind;
  store->has_series[at] = name->series[0] != '\0';
}

/* Registers consecutive names; the first one's number, or -errno. */
static int add(struct tailproof_store *store, const struct new_name *names, uint32_t count) {
  if (store == NULL)
    return fail(EINVAL, "there is no store to register '%s' in", names[0].name);
  stores_lock();
  int result;
  if (!store->alive) {
    result = fail(ESTALE, "the store belongs to the parent process; open another after fork()");
    goto done;
  }
  result = find_all(store, names, count);
  if (result != -ENOENT)
    goto done;
  if (count > FORMAT_NAMES_MAX - store->names_used) {
    result = fail(ENOSPC, "no space for the name '%s': a store has at most %d (a message is 5)",
                  names[0].name, FORMAT_NAMES_MAX);
    goto done;
  }
  for (uint32_t i = 0; i < count; i++)
    append(store, store->names_used + i, &names[i]);
  result = (int)store->names_used;
  __atomic_store_n(&store->header->mutable.names_used, store->names_used + count, __ATOMIC_RELEASE);
  __atomic_store_n(&store->names_used, store->names_used + count, __ATOMIC_RELEASE);
done:
  stores_unlock();
  return result;
}

/* Registers one name with the series `series`, which may be "". */
static int add_one(struct tailproof_store *store, enum format_kind kind, const char *name,
                   const char *series) {
  struct new_name new_name = {.kind = kind};
  int error = text_check(name);
  if (error == 0 && series[0] != '\0')
    error = text_check(series);
  if (error == 0)
    error = text_copy(new_name.name, NULL, name);
  if (error == 0)
    error = text_copy(new_name.series, NULL, series);
  return error != 0 ? error : add(store, &new_name, 1);
}

int tailproof_component(struct tailproof_store *store, const char *component) {
  return add_one(store, FORMAT_COMPONENT, component, component == NULL ? "" : component);
}

int tailproof_action(struct tailproof_store *store, const char *action, const char *component) {
  return add_one(store, FORMAT_ACTION, action, component == NULL ? "" : component);
}

int tailproof_request(struct tailproof_store *store, const char *request) {
  return add_one(store, FORMAT_REQUEST, request, request == NULL ? "" : request);
}

int tailproof_message(struct tailproof_store *store, const char *message, const char *delay,
                      const char *queueing) {
  static const enum format_kind kinds[] = {FORMAT_SEND, FORMAT_DELAY, FORMAT_WAIT, FORMAT_ROUNDTRIP,
                                           FORMAT_ARRIVAL};
  enum { COUNT = sizeof kinds / sizeof kinds[0] };
  if (queueing != NULL && queueing[0] == '\0')
    queueing = NULL;
  int error = text_check(message);
  if (error == 0)
    error = text_check(delay);
  if (error == 0 && queueing != NULL)
    error = text_check(queueing);
  const char *const prefixes[COUNT] = {NULL, delay, queueing, "rtt", NULL};
  struct new_name names[COUNT];
  memset(names, 0, sizeof names);
  for (int i = 0; i < COUNT && error == 0; i++) {
    names[i].kind = kinds[i];
    error = text_copy(names[i].name, NULL, message);
    if (error == 0 && prefixes[i] != NULL)
      error = text_copy(names[i].series, prefixes[i], message);
  }
  return error != 0 ? error : add(store, names, COUNT);
}
