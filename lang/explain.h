/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The long text of each diagnostic: what it means, a small wrong example, the same put right. A
 * test gives every example to the checker.
 */
#ifndef LANG_EXPLAIN_H
#define LANG_EXPLAIN_H

#include "lang/diagnostic.h"

enum explain_context {
  EXPLAIN_LINES, /* the examples are lines at the end of explain_frame() */
  EXPLAIN_WHOLE, /* the examples are whole files */
};

struct diagnostic_explanation {
  enum explain_context context;
  const char *meaning;       /* one paragraph, lines without line ends inside */
  const char *wrong, *right; /* with a newline behind each line */
};

/* NULL when the code has no text, which a test forbids. */
const struct diagnostic_explanation *explanation_of(enum diagnostic_code code);

/* A protocol without mistakes, to which most examples are added. */
const char *explain_frame(void);

/* Appends the whole file that one of the examples is. */
void explain_source(struct text *out, const struct diagnostic_explanation *explanation,
                    const char *example);

/* The code of that name ("E0203"; also in lower case); false: there is none. */
bool diagnostic_code_find(enum diagnostic_code *code, const char *name);

/* Appends code, title, meaning, examples and, where they are lines, the frame. */
void explain_print(struct text *out, enum diagnostic_code code);

#endif
