/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A line being printed: its text, and where it may be broken. print.c and print_model.c share it.
 */
#ifndef LANG_PRINTER_H
#define LANG_PRINTER_H

#include "base/text.h"
#include "base/vector.h"
#include "lang/ast.h"

enum { LINE_WIDTH = 100 };

/* A space that may become a line break; those of the lowest level are taken first. */
struct line_break {
  size_t position;
  unsigned level;
};

struct line {
  struct text text;
  VECTOR(struct line_break) breaks;
  unsigned nesting; /* open parentheses */
};

void line_init(struct line *line);
void line_clear(struct line *line);
void line_truncate(struct line *line, size_t length); /* to that many bytes */
void line_break(struct line *line, unsigned level);   /* appends a space that may be a line break */

void line_term(struct line *line, const struct syntax *term);
void line_place(struct line *line, const struct syntax *term); /* behind `at` */
void line_terms(struct line *line, const struct list *terms);
void line_binders(struct line *line, const struct list *binders);
/* name or name(args) */
void line_message(struct line *line, const struct name *name, const struct list *args);

void line_type(struct line *line, const struct type_syntax *type);
void line_for_all(struct line *line, const struct list *binders); /* nothing without binders */
void line_listed(struct line *line, const struct declaration *const *list, size_t count);
void line_declaration(struct line *line, const struct declaration *declaration);

/* Characters of UTF-8 text. */
size_t line_columns(const char *text, size_t length);

/* Appends the line, with `indent` spaces before it, broken to 100 columns, and a newline. */
void line_flush(struct text *out, const struct line *line, size_t indent);

#endif
