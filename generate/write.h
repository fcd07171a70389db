/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the printers of generated files share: names, and terms of a protocol as C and as ACSL.
 */
#ifndef GENERATE_WRITE_H
#define GENERATE_WRITE_H

#include "generate/generate.h"
#include "generate/layout.h"
#include "generate/plan.h"
#include "base/vector.h"

/* How a state variable is written. */
enum dialect {
  DIALECT_C,     /* self->x, in a function */
  DIALECT_LOGIC, /* self->x, in a predicate */
  DIALECT_AFTER, /* \old(self->x), in what holds after a function */
  DIALECT_STEP,  /* \at(self->x, K), in a relation between the states K and L */
};

struct code_writer {
  struct plan_context *context;
  const struct plan_role *plan; /* NULL: of no role */
  struct text *out;             /* the file */
  struct text line;             /* the line being made */
  enum dialect dialect;
  unsigned nesting;
  const char *params; /* "params", or what a macro calls them */
  bool old;           /* parameters as they were before the function, which changes none */
  struct generated_sections *sections;
  size_t part; /* where in the line the part of a relation begins that is being made */
};

void writer_init(struct code_writer *w, struct plan_context *context, const struct plan_role *plan,
                 struct text *out);
void writer_clear(struct code_writer *w);

/* Around the functions of a header: C++ calls them, too. */
void write_linkage(struct code_writer *w);
void write_linkage_end(struct code_writer *w);

/* What follows is another part of the file. */
void begin_section(struct code_writer *w, const char *name);

/* Appends to the line. */
void put(struct code_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the line; write_line makes a whole one. */
void end_line(struct code_writer *w, size_t indent, size_t continuation);
void write_line(struct code_writer *w, size_t indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text that stays until the arena goes. */
const char *kept_text(struct code_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The members of a struct, each with a comment or NULL: the line becomes the next one, and all are
 * written. */
struct code_member {
  const char *declaration, *comment;
};
struct code_members {
  struct code_member *data;
  size_t count, capacity;
};
void add_member(struct code_writer *w, struct code_members *members, const char *comment);
void write_members(struct code_writer *w, struct code_members *members);

/* A name of the protocol as C can have it: with a _ behind it where it is a word of C, of ACSL or
 * ours. It stays until the arena goes. */
const char *plain(struct code_writer *w, const char *name);
/* The same in capitals. */
const char *capital(struct code_writer *w, const char *name);
const char *protocol_name(struct code_writer *w);

/* "int32_t", "bool", "enum Stage", "tp_set", "int64_t"; of a map that of its elements. */
const char *type_name(struct code_writer *w, const struct type *type);

/* What is put around a parameter: "\\at(" and ", K)" in a relation. */
const char *parameter_begin(const struct code_writer *w);
const char *parameter_end(const struct code_writer *w);

/* PROTO_ROLE_COUNT(params) */
void put_count(struct code_writer *w, const struct role *role);

/* A BOOL term as a condition; negative: its negation. */
enum code_level {
  LEVEL_OPEN,
  LEVEL_OR,
  LEVEL_AND,
  LEVEL_COMPARISON,
  LEVEL_SUM,
  LEVEL_PRODUCT,
  LEVEL_UNARY
};
void put_truth(struct code_writer *w, const struct term *term, bool negative,
               enum code_level level);
/* Whether it is printed as a chain of || (either), or of &&. */
bool is_chain(const struct term *term, bool negative, bool either);
/* Any other term but a map. */
void put_value(struct code_writer *w, const struct term *term, enum code_level level);
/* Computed in 64 bits where 32 may not do. */
void put_wide(struct code_writer *w, const struct term *term, enum code_level level);

/* " &&" and where a line may end; and the same of any word. */
void put_break(struct code_writer *w, const char *before, unsigned level);

/* Whether a value of the type is one: "0 <= x < n"; nothing of a bool. True when something was put.
 */
bool put_valid(struct code_writer *w, const struct type *type, const char *place, bool more);

#endif
