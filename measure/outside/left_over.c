/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/left_over.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/slice.h"

static const char head[] = "tailproof-left-over 1";

enum { BYTES_MAX = 1 << 26 };

/* Bits of what was seen of a file: three numbers, then these. */
enum { EXCLUDED = 8, END = 16, WHOLE = 31 };

void left_over_init(struct left_over *left) {
  *left = (struct left_over){0};
  text_init(&left->request);
  text_init(&left->reasons);
}

void left_over_clear(struct left_over *left) {
  text_clear(&left->request);
  text_clear(&left->reasons);
  vector_clear(&left->doubtful);
  left_over_init(left);
}

enum status left_over_write(const struct left_over *left, const char *folder,
                            struct text *message) {
  struct text path, text;
  text_init(&path);
  text_init(&text);
  text_format(&path, "%s/left_over", folder);
  text_format(&text,
              "%s\nrequests %" PRIu64 "\nunpaired %" PRIu64 "\nexcluded %s\nlost %" PRIu64
              "\nrequest %s\n",
              head, left->requests, left->unpaired, left->excluded ? "yes" : "no", left->lost,
              text_get(&left->request));
  for (const char *line = text_get(&left->reasons); *line != '\0'; line += strcspn(line, "\n") + 1)
    text_format(&text, "reason %.*s\n", (int)strcspn(line, "\n"), line);
  for (size_t i = 0; i < left->doubtful.count; i++)
    text_format(&text, "doubtful %" PRIu32 "-%" PRIu32 "\n", left->doubtful.data[i].first,
                left->doubtful.data[i].last);
  text_append(&text, "end\n");
  enum status status = file_write(path.data, text.data, text.length, message);
  text_clear(&path);
  text_clear(&text);
  return status;
}

void left_over_add_doubtful(struct left_over *left, uint32_t request) {
  size_t count = left->doubtful.count;
  if (count != 0 && left->doubtful.data[count - 1].last + 1 == request)
    left->doubtful.data[count - 1].last = request;
  else
    vector_push(&left->doubtful, (struct left_over_range){request, request});
}

void left_over_take_doubtful(struct left_over *to, const struct left_over *from) {
  for (size_t i = 0; to->doubtful.count == i && i < from->doubtful.count; i++)
    vector_push(&to->doubtful, from->doubtful.data[i]);
}

uint64_t left_over_doubtful(const struct left_over *left) {
  uint64_t count = 0;
  for (size_t i = 0; i < left->doubtful.count; i++)
    count += left->doubtful.data[i].last - left->doubtful.data[i].first + 1;
  return count;
}

bool left_over_is_doubtful(const struct left_over *left, uint32_t request) {
  size_t low = 0, high = left->doubtful.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (left->doubtful.data[middle].last < request)
      low = middle + 1;
    else
      high = middle;
  }
  return low < left->doubtful.count && left->doubtful.data[low].first <= request;
}

/* "17-19", behind those that were read. */
static bool take_range(struct left_over *left, struct slice text) {
  struct slice first, rest = text;
  uint64_t ends[2];
  size_t count = left->doubtful.count;
  uint64_t before = count == 0 ? 0 : left->doubtful.data[count - 1].last;
  if (!slice_field(&first, &rest, '-') || rest.start == NULL ||
      decimal_whole(&ends[0], first) != DECIMAL_OK || decimal_whole(&ends[1], rest) != DECIMAL_OK ||
      ends[0] <= before || ends[1] < ends[0] || ends[1] > UINT32_MAX)
    return false;
  vector_push(&left->doubtful, (struct left_over_range){(uint32_t)ends[0], (uint32_t)ends[1]});
  return true;
}

/* One "KEY VALUE"; `seen` gets a bit for each key. */
static bool take_line(struct left_over *left, unsigned *seen, struct slice line) {
  struct slice key, rest = line;
  if (slice_is(line, "end") && (*seen & END) == 0) {
    *seen |= END;
    return true;
  }
  if (*seen >= END || !slice_field(&key, &rest, ' ') || rest.start == NULL)
    return false;
  rest = slice_trim(rest);
  uint64_t *const numbers[] = {&left->requests, &left->unpaired, &left->lost};
  static const char *const keys[] = {"requests", "unpaired", "lost"};
  for (unsigned i = 0; i < 3; i++)
    if (slice_is(key, keys[i])) {
      *seen |= 1u << i;
      return decimal_whole(numbers[i], rest) == DECIMAL_OK;
    }
  if (slice_is(key, "excluded")) {
    *seen |= EXCLUDED;
    left->excluded = slice_is(rest, "yes");
    return left->excluded || slice_is(rest, "no");
  }
  if (slice_is(key, "request"))
    text_append_bytes(&left->request, rest.start, rest.length);
  else if (slice_is(key, "reason"))
    text_format(&left->reasons, "%.*s\n", (int)rest.length, rest.start);
  else
    return slice_is(key, "doubtful") && take_range(left, rest);
  return true;
}

static enum status read_text(struct left_over *left, const char *path, const char *bytes,
                             size_t length, struct text *message) {
  const char *end = bytes + length;
  unsigned seen = 0;
  size_t number = 0;
  bool good = length != 0 && end[-1] == '\n';
  for (const char *at = bytes; at < end && good; number++) {
    struct slice line = {at, strcspn(at, "\n")};
    at += line.length + 1;
    good = number == 0 ? slice_is(line, head) : take_line(left, &seen, line);
  }
  if (good && seen == WHOLE && left->unpaired <= left->requests &&
      left_over_doubtful(left) <= left->unpaired)
    return STATUS_OK;
  text_format(message,
              "%s:%zu: is not what `pair` writes of requests that it could not pair, or is cut "
              "off; copy it again with its stores, or pair again",
              path, number == 0 ? 1 : number);
  return STATUS_DATA;
}

enum status left_over_read(struct left_over *left, const char *store, struct text *message) {
  const char *slash = strrchr(store, '/');
  struct text path;
  struct stat about;
  char *bytes = NULL;
  size_t length = 0;
  enum status status = STATUS_OK;
  left_over_clear(left);
  text_init(&path);
  text_format(&path, "%.*s%s", slash == NULL ? 0 : (int)(slash - store + 1), store, "left_over");
  if (stat(path.data, &about) == 0)
    status = file_read(path.data, BYTES_MAX, &bytes, &length, message);
  if (bytes != NULL)
    status = read_text(left, path.data, bytes, length, message);
  mem_free(bytes);
  text_clear(&path);
  return status;
}

void left_over_tell(struct text *text, const struct left_over *left) {
  if (left->unpaired != 0) {
    text_format(text, "%" PRIu64 " of %" PRIu64 " requests (%.2f %%) could not be paired",
                left->unpaired, left->requests,
                100.0 * (double)left->unpaired / (double)left->requests);
    const char *between = " (";
    for (const char *line = text_get(&left->reasons); *line != '\0';
         line += strcspn(line, "\n") + 1, between = "; ")
      text_format(text, "%s%.*s", between, (int)strcspn(line, "\n"), line);
    text_format(text, "%s: %s", left->reasons.length == 0 ? "" : ")",
                left->excluded
                    ? "nothing of them is counted, and percentiles are those of the others"
                    : "the requests count as infinite, and of their steps and messages only the "
                      "beginning is counted");
    uint64_t doubtful = left_over_doubtful(left);
    if (doubtful != 0 && !left->excluded)
      text_format(text,
                  "; %" PRIu64 " of them may have ended, which their events do not tell: how long "
                  "they took is not known, and no objective counts as broken because of them",
                  doubtful);
  }
  if (left->lost != 0)
    text_format(text, "%s%" PRIu64 " event%s lost while recording", left->unpaired == 0 ? "" : "; ",
                left->lost, left->lost == 1 ? " was" : "s were");
}
