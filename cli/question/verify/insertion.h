/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What an inference found, written into the protocol's text: invariants behind the last one of the
 * file (or before its first bound), and expressions in place of the "?" of bounds that ask for
 * them. All else stays as it is, comments too. Expressions that a verification refuted are left
 * out.
 */
#ifndef CLI_QUESTION_VERIFY_INSERTION_H
#define CLI_QUESTION_VERIFY_INSERTION_H

#include "base/status.h"
#include "base/text.h"

struct ast;
struct inference;
struct source;
struct verification;

/* Owned by who made it, until insertion_clear. */
struct insertion {
  struct text text; /* the whole file; as it was when nothing is inserted */
  size_t invariants, bounds;
};

/* `verification` is of the inferred model. STATUS_INTERNAL, with one line in `message`, when the
 * text would not be a protocol without mistakes; then nothing counts as inserted. */
enum status insertion_init(struct insertion *insertion, const struct source *source,
                           const struct ast *ast, const struct inference *inference,
                           const struct verification *verification, struct text *message);
void insertion_clear(struct insertion *insertion);

/* Appends "2 invariants and 1 bound". */
void insertion_count(struct text *text, const struct insertion *insertion);

/* Replaces the file, unless it is no longer what was read: STATUS_DATA then. On failure `message`
 * gets one line and the file stays as it is. */
enum status insertion_write(const struct insertion *insertion, const char *file,
                            const struct source *source, struct text *message);

#endif
