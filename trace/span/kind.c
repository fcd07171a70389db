/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/kind.h"

#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct slice without(struct slice word, const char *prefix) {
  size_t length = strlen(prefix);
  if (word.length > length && memcmp(word.start, prefix, length) == 0)
    return (struct slice){word.start + length, word.length - length};
  return word;
}

/* The place of a word or a digit in a list of words. */
static size_t place_of(struct slice word, const char *const *words, size_t count) {
  if (word.length == 1 && *word.start >= '0' && (size_t)(*word.start - '0') < count)
    return (size_t)(*word.start - '0');
  for (size_t i = 0; i < count; i++)
    if (word.length == strlen(words[i]) && strncasecmp(word.start, words[i], word.length) == 0)
      return i;
  return 0;
}

enum span_kind kind_of_word(struct slice word) {
  static const char *const words[] = {"unspecified", "internal", "server",
                                      "client",      "producer", "consumer"};
  return (enum span_kind)place_of(without(word, "SPAN_KIND_"), words, COUNT(words));
}

enum span_status status_of_word(struct slice word) {
  static const char *const words[] = {"unset", "ok", "error"};
  return (enum span_status)place_of(without(word, "STATUS_CODE_"), words, COUNT(words));
}

uint8_t kind_instance_rank(struct slice key) {
  static const char *const keys[] = {"ip",           "net.host.ip",         "container.id",
                                     "k8s.pod.name", "service.instance.id", "hostname",
                                     "host.name"};
  for (size_t i = 0; i < COUNT(keys); i++)
    if (slice_is(key, keys[i]))
      return (uint8_t)(i + 1);
  return 0;
}
