/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/chart_names.h"

#include <math.h>
#include <string.h>

#include "cli/present/figure/trace_chart.h"

#define LEAST_WIDTH 200.0
#define MOST_SHARE 0.4 /* of a picture's width */
#define GAP 14.0       /* behind names */

void chart_names_init(struct chart_names *names, double width) {
  *names = (struct chart_names){.width = LEAST_WIDTH, .most = MOST_SHARE * width};
}

void chart_names_clear(struct chart_names *names) {
  for (size_t i = 0; i < names->names.count; i++)
    mem_free(names->names.data[i]);
  vector_clear(&names->names);
}

void chart_names_add(struct chart_names *names, double before, const char *name) {
  struct text clean;
  text_init(&clean);
  plot_clean_text(&clean, name);
  double wanted = before + drawing_text_width(CHART_TEXT, clean.data) + GAP;
  names->width = fmin(names->most, fmax(names->width, wanted));
  vector_push(&names->names, text_take(&clean));
}

static bool is_continued(char byte) {
  return ((unsigned char)byte & 0xC0) == 0x80;
}

static size_t characters(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += !is_continued(text[i]);
  return count;
}

/* Bytes of the first characters, of which the text has as many. */
static size_t bytes_of(const char *text, size_t count) {
  size_t at = 0;
  for (; count > 0; count--)
    do
      at++;
    while (is_continued(text[at]));
  return at;
}

/* A name without what is between its first and its last characters. */
struct cut {
  const char *name, *tail;
  size_t head, tail_length; /* bytes */
};

static struct cut cut_at(const char *name, size_t length, size_t head, size_t room) {
  struct cut cut = {.name = name, .head = bytes_of(name, head)};
  size_t left_out = length - (room - 1 - head);
  cut.tail = name + bytes_of(name, left_out);
  cut.tail_length = strlen(cut.tail);
  return cut;
}

/* Whether another name has the same characters there. */
static bool is_ambiguous(const struct cut *cut, const struct chart_names *names) {
  for (size_t i = 0; names != NULL && i < names->names.count; i++) {
    const char *other = names->names.data[i];
    size_t length = strlen(other);
    if (length >= cut->head + cut->tail_length && strncmp(other, cut->name, cut->head) == 0 &&
        strcmp(other + length - cut->tail_length, cut->tail) == 0 && strcmp(other, cut->name) != 0)
      return true;
  }
  return false;
}

/* Characters of the beginning to begin with: the service, where it leaves as much to the rest. */
static size_t service_length(const char *name, size_t room) {
  const char *slash = strchr(name, '/');
  size_t service = slash == NULL ? 0 : characters(name, (size_t)(slash - name) + 1);
  return service <= room / 2 ? service : room / 2;
}

void chart_names_shorten(struct text *out, const struct chart_names *names, const char *name,
                         size_t room) {
  size_t length = characters(name, strlen(name));
  if (length <= room) {
    text_append(out, name);
    return;
  }
  size_t service = service_length(name, room);
  struct cut best = cut_at(name, length, service, room);
  for (size_t i = 1; i < room && is_ambiguous(&best, names); i++) {
    size_t head = service + i < room ? service + i : room - 1 - i; /* more of it, then less */
    struct cut other = cut_at(name, length, head, room);
    if (!is_ambiguous(&other, names))
      best = other;
  }
  text_append_bytes(out, name, best.head);
  text_append(out, "\u2026");
  text_append(out, best.tail);
}

size_t chart_name_break(const char *name, size_t room) {
  size_t length = strlen(name);
  for (size_t at = room; at > 0 && length - at <= room; at--)
    if (strchr("./:_- ", name[at - 1]) != NULL)
      return at;
  return 0;
}
