/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The C of a protocol's roles, with contracts in ACSL that follow the file and that Frama-C/WP
 * proves of the bodies.
 *
 * For protocol PROTO: PROTO.h has its parameters; PROTO_ROLE.h and PROTO_ROLE.c have one function
 * for each action. The files include the library in steps/. The same model gives the same text.
 */
#ifndef GENERATE_GENERATE_H
#define GENERATE_GENERATE_H

#include "base/text.h"
#include "base/vector.h"
#include "lang/ast.h"
#include "lang/model.h"

/* A stretch of a file that a declaration of the protocol stands for: up to the next one. */
struct generated_section {
  char *name;    /* "node.Accept", "role node", "parameters"; owned */
  size_t offset; /* in the text */
};

struct generated_sections {
  struct generated_section *data;
  size_t count, capacity;
};

struct generated_file {
  char *name, *text;       /* owned */
  bool own;                /* a template to be filled in, which a later run must not replace */
  bool body;               /* of the steps: somebody may write another, which the proof looks at */
  bool around;             /* the loop around the steps, or a program, which is not proved */
  struct source_span span; /* of the role; of what all roles share nothing */
  struct generated_sections sections; /* of contracts; of other files none */
};

struct generated {
  VECTOR(struct generated_file) files;
  struct source_span refused_at; /* what has no C, if anything: */
  struct text refusal;           /* empty: nothing; else there are no files */
};

struct generate_request {
  const struct model *model;
  const struct ast *ast;
  const char *source;      /* what the first line of each file calls the protocol's file */
  const struct role *role; /* NULL: all that take steps */
  bool contracts_only;     /* instead of bodies templates of them */
  bool loop;               /* also a loop around each role, and a program */
  bool own_state;          /* templates, and a part of each state that is the user's */
};

/* Initialises *generated in any case, which the caller clears. False: something was refused. */
bool generate(struct generated *generated, const struct generate_request *request);
/* Appends a line for each section of the file that `text`, which is what the file holds on disk,
 * does not have as it is now, or one for a file without sections that is another; `path` names the
 * file. Bodies and what is the user's are not compared, nor is the heading, which names the
 * protocol's file. True: nothing to say. */
bool generated_compare(struct text *out, const struct generated_file *file, const char *text,
                       const char *path);

void generated_clear(struct generated *generated);

#endif
