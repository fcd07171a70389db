/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of formats, made of format/formats.def. */
#include "format/format.h"

#include "format/shapes.h"

#define BYTES(text) .magic = (text), .magic_length = sizeof(text) - 1
#define MAGIC(text)                                                                                \
  { BYTES(text) }
#define MAGIC_AT(where, text)                                                                      \
  { BYTES(text), .offset = (where) }
#define JSON(text)                                                                                 \
  { .keys = (text) }
#define COLUMNS(text)                                                                              \
  { .columns = (text) }
#define FIRST(text)                                                                                \
  { .first = (text) }
#define BODY(text)                                                                                 \
  { .body = (text) }
#define LINES(text)                                                                                \
  { .lines = (text) }
#define TELL(function)                                                                             \
  { .tell = (function) }

#define FORMAT(id_, yields_, rank_, suffix_, name_, way_, ...)                                     \
  [KNOWN_##                                                                                        \
      id_] = {KNOWN_##id_, YIELDS_##yields_, FORMAT_##rank_, name_, suffix_, way_, {__VA_ARGS__}},

static const struct format_entry rows[KNOWN_COUNT] = {
#include "format/formats.def"
};

const struct format_entry *format_row(enum format_id id) {
  return &rows[id];
}

const char *format_commands(enum format_yield yields) {
  static const char *const commands[] = {
      [YIELDS_SAMPLES] = "tailproof percentiles --data FOLDER, compare or import",
      [YIELDS_SPANS] = "tailproof tail, or trace path",
      [YIELDS_LOOP] = "tailproof tail, or trace path",
      [YIELDS_STACKS] = "tailproof profile show, or diff",
      [YIELDS_STORE] = "tailproof import, or trace path",
      [YIELDS_FOLD] = "tailproof trace path, or trace merge",
      [YIELDS_PROTOCOL] = "tailproof verify",
  };
  return commands[yields];
}

const char *format_yield_words(enum format_yield yields) {
  static const char *const words[] = {"",
                                      "measured times",
                                      "recorded requests",
                                      "what an event loop did",
                                      "sampled stacks",
                                      "a recording",
                                      "a summary of traces",
                                      "a protocol"};
  return words[yields];
}
