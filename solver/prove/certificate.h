/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The obligations of a protocol as queries that another solver can try: their texts, their
 * digests, and, when asked for, a file each.
 */
#ifndef SOLVER_PROVE_CERTIFICATE_H
#define SOLVER_PROVE_CERTIFICATE_H

#include <stdbool.h>

#include "base/digest.h"
#include "base/status.h"
#include "base/vector.h"
#include "solver/prove/proof.h"

struct certificate_entry {
  const char *kind;    /* "initial", "step", ...; lives for ever */
  char *subject;       /* the name of the invariant or bound; owned, or NULL */
  const char *concern; /* what the subject is: "invariant", "generated", "bound"; or NULL */
  char *text;          /* "action primary.Collect keeps bound reply"; owned */
  uint64_t facts;      /* a bit for each schema that it takes for granted (solver/encode/fact.h) */
  char file[32];       /* "00001.smt2", in the folder */
  char digest[DIGEST_LENGTH + 1];
};

struct certificate {
  VECTOR(struct certificate_entry) entries; /* in the order of text, then digest */
  char *refused;    /* why the obligations would show nothing, whatever they are; owned, or NULL */
  size_t open;      /* obligations that were not proved */
  char *first_open; /* text of one of them; owned, or NULL */
  bool interrupted;
};

/* Proves the obligations of the model, noting each query, and writes each into `folder` (which
 * exists; NULL: write nothing). The options' own on_query is not called. STATUS_OK also when some
 * are not proved; STATUS_INTERNAL with a line in `message` when a file could not be written.
 * `certificate` is initialised in any case. */
enum status certificate_init(struct certificate *certificate, const struct model *model,
                             const struct proof_options *options, const char *folder,
                             struct text *message);

/* The same, and then `proved` gets the proof before it is gone; NULL: nobody does. */
typedef void (*certificate_reader)(void *context, const struct certificate *certificate,
                                   const struct proof *proof);
enum status certificate_init_and(struct certificate *certificate, const struct model *model,
                                 const struct proof_options *options, const char *folder,
                                 struct text *message, certificate_reader proved, void *context);
/* Whether some entry's kind may be this text. */
bool certificate_is_kind(const char *text);
void certificate_clear(struct certificate *certificate);

#endif
