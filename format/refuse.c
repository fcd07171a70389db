/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sentence that says what a file is and what to do with it. */
#include "format/tell.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/shown.h"

enum { KEYS_SHOWN = 4, SHOWN_MOST = 60 };

static bool is_within(const struct format_entry *row, const struct format_wanted *wanted) {
  return row->yields != YIELDS_NOTHING && (wanted->yields >> row->yields & 1) != 0;
}

bool format_is_wanted(const struct format_told *told, const struct format_wanted *wanted) {
  return told->id != KNOWN_NONE && told->other == KNOWN_NONE &&
         is_within(format_row(told->id), wanted);
}

/* A name that a shell takes as one word. */
static bool is_plain(const char *path) {
  if (*path == '\0' || *path == '-')
    return false;
  for (; *path != '\0'; path++)
    if (!isalnum((unsigned char)*path) && strchr("/._-+,:@%", *path) == NULL)
      return false;
  return true;
}

/* The word FILE of a command is the file's name. */
static void put_way(struct text *message, const char *way, const char *path) {
  for (const char *at; (at = strstr(way, "FILE")) != NULL; way = at + 4) {
    bool word = at[4] == '\0' || strchr(" ,:;)'", at[4]) != NULL;
    text_append_bytes(message, way, (size_t)(at - way));
    text_append(message, word && is_plain(path) ? path : "FILE");
  }
  text_append(message, way);
}

static void put_shown(struct text *message, struct slice what) {
  if (what.length > SHOWN_MOST)
    what.length = SHOWN_MOST;
  size_t start = message->length;
  text_append_bytes(message, what.start, what.length);
  for (size_t i = start; i < message->length; i++)
    if ((unsigned char)message->data[i] < 32 || (unsigned char)message->data[i] >= 127 ||
        message->data[i] == '"')
      message->data[i] = '?';
}

/* The first keys of the document itself, or of what it lists. */
static size_t put_keys(struct text *message, const struct format_paths *paths, const char *prefix) {
  size_t shown = 0, length = strlen(prefix);
  for (size_t i = 0; i < paths->all.count && shown < KEYS_SHOWN; i++) {
    struct slice path = {paths->texts.data + paths->all.data[i].start, paths->all.data[i].length};
    if (path.length <= length || memcmp(path.start, prefix, length) != 0)
      continue;
    path = (struct slice){path.start + length, path.length - length};
    if (memchr(path.start, '.', path.length) != NULL || slice_holds(path, "[]"))
      continue;
    text_append(message, shown == 0 ? " with the keys \"" : ", \"");
    put_shown(message, path);
    text_append(message, "\"");
    shown++;
  }
  return shown;
}

static void put_what(struct text *message, const struct format_entry *row,
                     const struct format_beginning *beginning) {
  text_format(message, "is %s", row->name);
  if (row->id == KNOWN_JSON_TEXT && put_keys(message, &beginning->paths, "") == 0)
    put_keys(message, &beginning->paths, "[].");
  if ((row->id == KNOWN_TABLE || row->id == KNOWN_TEXT) && beginning->line_count != 0) {
    text_append(message, " that begins \"");
    put_shown(message, slice_trim(beginning->lines[0]));
    text_append(message, "\"");
  }
  if (row->id == KNOWN_BINARY) {
    text_append(message, " that begins with the bytes");
    for (size_t i = 0; i < 8 && i < beginning->bytes.length; i++)
      text_format(message, " %02x", (unsigned char)beginning->bytes.start[i]);
  }
}

void format_refuse(struct text *message, const char *path, const struct format_told *told,
                   const struct format_beginning *beginning, const struct format_wanted *wanted) {
  const struct format_entry *row = format_row(told->id), *other = format_row(told->other);
  if (told->id == KNOWN_NONE) {
    text_format(message, "holds no %s: it is empty; write it again", wanted->what);
  } else if (told->other != KNOWN_NONE) {
    bool named =
        row->suffix != NULL && other->suffix != NULL && strcmp(row->suffix, other->suffix) != 0;
    text_format(message, "may be %s or %s, and nothing in it tells which; ", row->name,
                other->name);
    if (named)
      text_format(message, "end its name in %s or %s", row->suffix, other->suffix);
    else
      text_append(message, "leave it out");
  } else if (row->rank == FORMAT_FALLBACK) {
    put_what(message, row, beginning);
    text_format(message, ", and holds no %s that are known here; %s", wanted->what, wanted->read);
  } else if (row->yields == YIELDS_NOTHING) {
    text_format(message, "is %s; ", row->name);
    put_way(message, row->way, path);
  } else {
    text_format(message, "is %s, and holds no %s; give it to: %s", row->name, wanted->what,
                format_commands(row->yields));
  }
}

bool format_refuse_bytes(struct text *message, const char *path, struct slice bytes,
                         const struct format_wanted *wanted) {
  struct format_beginning beginning;
  format_beginning_init(&beginning, bytes);
  struct format_told told = format_tell(&beginning, path);
  bool known = told.id != KNOWN_NONE && format_row(told.id)->rank != FORMAT_FALLBACK;
  bool refused = known && !is_within(format_row(told.id), wanted) &&
                 (told.other == KNOWN_NONE || !is_within(format_row(told.other), wanted));
  if (refused) {
    text_format(message, "%s: ", file_name(path));
    format_refuse(message, path, &told, &beginning, wanted);
  }
  format_beginning_clear(&beginning);
  return refused;
}

bool format_refuse_file(struct text *message, const char *path,
                        const struct format_wanted *wanted) {
  char *bytes;
  size_t length;
  format_read_beginning(&bytes, &length, path);
  bool refused = format_refuse_bytes(message, path, (struct slice){bytes, length}, wanted);
  mem_free(bytes);
  return refused;
}

void format_refuse_bytes_any(struct text *message, const char *path, struct slice bytes,
                             const struct format_wanted *wanted) {
  struct format_beginning beginning;
  format_beginning_init(&beginning, bytes);
  struct format_told told = format_tell(&beginning, path);
  text_format(message, "%s: ", file_name(path));
  format_refuse(message, path, &told, &beginning, wanted);
  format_beginning_clear(&beginning);
}
