/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is wrong with a user's protocol: a queue of diagnostics, each with a code from
 * diagnostic.def, a place, a message, and where they help a second place and a hint.
 *
 * At most 50 are kept; the rest is only counted. One report per code and place. The queue owns its
 * texts until diagnostics_clear.
 */
#ifndef LANG_DIAGNOSTIC_H
#define LANG_DIAGNOSTIC_H

#include <stdbool.h>

#include "base/text.h"
#include "base/vector.h"
#include "lang/model.h"

struct source;

enum diagnostic_code {
#define DIAGNOSTIC(code, severity, title) DIAGNOSTIC_##code,
#include "lang/diagnostic.def"
#undef DIAGNOSTIC
  DIAGNOSTIC_COUNT
};

struct diagnostic {
  enum diagnostic_code code;
  struct source_span span;
  char *message;
  struct source_span note_span; /* meaningful with a note */
  char *note;                   /* or NULL */
  char *hint;                   /* or NULL */
};

enum { DIAGNOSTIC_LIMIT = 50 };

struct diagnostics {
  VECTOR(struct diagnostic) items;
  size_t errors, warnings, omitted; /* omitted: counted in errors or warnings, not kept */
};

void diagnostics_init(struct diagnostics *queue);
void diagnostics_clear(struct diagnostics *queue);

/* Adds one. The result, valid until the next one is added, takes a note and a hint; it is NULL when
 * the queue is full or has this code at this place, which the two functions below accept. */
struct diagnostic *diagnostics_add(struct diagnostics *queue, enum diagnostic_code code,
                                   struct source_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diagnostic_note(struct diagnostic *diagnostic, struct source_span span, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
void diagnostic_hint(struct diagnostic *diagnostic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* In order of their places. */
void diagnostics_sort(struct diagnostics *queue);

size_t error_count(const struct diagnostics *queue);
size_t warning_count(const struct diagnostics *queue);

bool diagnostic_is_error(enum diagnostic_code code);
bool diagnostic_needs_proof(enum diagnostic_code code);      /* only verify gives it, not check */
const char *diagnostic_code_name(enum diagnostic_code code); /* "E0203" */
const char *diagnostic_title(enum diagnostic_code code);

/* What JSON needs of one; the strings belong to the queue. */
struct diagnostic_view {
  const char *code, *severity, *message, *hint; /* hint may be NULL */
  size_t line, column;
};
struct diagnostic_view diagnostics_view(const struct diagnostics *queue, size_t index,
                                        const struct source *source);

/* Appends all as a terminal shows them: place, message, source line, caret span, note, hint. */
void diagnostics_print(struct text *out, const struct diagnostics *queue,
                       const struct source *source, bool colour);

#endif
