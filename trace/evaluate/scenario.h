/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes (change.h) with the measurements they name, and what they do to the flows of a graph.
 *
 * A call is a span with all that happens below it. What a law says of a call it says of all of it:
 * its tail then waits for its lead alone and takes as long as is drawn, whatever it called. Factors
 * are for own work: the tail of a call and the leads of its calls, but no network. What makes an
 * answer later is added to the call's lead; what makes it earlier is taken from the network before
 * it, then from its tail, as far as there is any.
 *
 * Changes apply in the order they are given, after what load, fail and shards choose.
 */
#ifndef TRACE_EVALUATE_SCENARIO_H
#define TRACE_EVALUATE_SCENARIO_H

#include "base/asker.h"
#include "base/ledger.h"
#include "dist/source/sample.h"
#include "trace/evaluate/change.h"
#include "trace/graph/graph.h"

struct compose;

struct scenario_request {
  const struct asker *asker;
  const char *const *changes;
  size_t change_count;
  const char *folder; /* of the files that laws name; NULL: the current one */
  /* The unit of a file that states none, or NULL; may be NULL. */
  const char *(*unit)(void *context, const char *path);
  void *context;
};

/* A file of measurements, read once. */
struct scenario_sample {
  char *path;
  struct sample sample;
  uint64_t *below; /* by bin: observations in it and before */
};

#define SAMPLE_RECORDED SIZE_MAX /* as the call was recorded: the name `recorded` in laws */

struct scenario_law {
  char *text; /* what it was made of */
  struct compose *compose;
  bool is_file;           /* nothing but the sample of one file */
  VECTOR(size_t) samples; /* by name of compose */
};

/* How much longer own work takes when the processor is so busy; rising percentages. */
struct slowdown {
  double percent, factor;
};

struct change_of { /* of one change, what was read for it */
  size_t law;      /* LAW; PROFILE: of a single file */
  double factor;   /* CPU: measured, or between two measured ones */
  uint64_t calls;  /* how many calls of recorded requests it means */
};

struct scenario {
  const struct scenario_request *request;
  VECTOR(struct request_change) changes;
  VECTOR(struct change_of) of; /* by change */
  VECTOR(struct scenario_sample *) samples;
  VECTOR(struct scenario_law *) laws;
  struct ledger ledger; /* what the files and choices take for granted */
};

/* Reads changes and files. What is wrong is said to the asker: STATUS_USAGE or as
 * dist/source/source.h. Initialised in any case; `request` outlives it. */
enum status scenario_read(struct scenario *scenario, const struct scenario_request *request);
void scenario_clear(struct scenario *scenario);

/* The law of this text, made when it is new; SIZE_MAX after the asker was told. */
size_t scenario_law(struct scenario *scenario, const char *expression, const char *place);

enum edit_kind { EDIT_SCALE, EDIT_ADD, EDIT_DRAW };

/* A new duration of an activity; edits apply one after the other. */
struct edit {
  enum edit_kind kind;
  uint32_t activity;
  const struct rational *factor; /* SCALE; NULL: `number` */
  double number;                 /* SCALE: the factor. */
  int64_t ns;                    /* ADD; a duration stays at least 0 */
  uint32_t other;                /* ADD of less than 0: what is left of it comes from here */
  size_t law;                    /* DRAW */
  uint32_t lead;                 /* DRAW: of the same call, or SPAN_NONE */
};

/* A flow under a scenario. */
struct flow_variant {
  const struct request_flow *recorded;
  struct request_flow flow; /* its activities and waits are its own, the rest is `recorded`'s */
  VECTOR(struct edit) edits;
  VECTOR(uint32_t)
  limit_of; /* by position: index of a LIMIT among the changes, or SPAN_NONE; empty
               without any limit */
};

struct variants {
  VECTOR(struct flow_variant) flows; /* as those of the graph */
};

/* What the changes do to a graph of the store. A change that means no call is an error that names
 * the nearest names: STATUS_USAGE. Adds to scenario->ledger. Initialised in any case; graph, store
 * and scenario outlive it. */
enum status scenario_apply(struct variants *variants, struct scenario *scenario,
                           const struct request_graph *graph, const struct span_store *store);
void variants_clear(struct variants *variants);

struct editing {
  int64_t (*draw)(void *context, const struct edit *edit); /* NULL: what is drawn is left alone */
  void *context;
  int64_t longest;    /* durations are at most that */
  uint64_t shortened; /* durations that had less than was to be taken from them; counted up */
};

/* A duration so long that a sum of one of each activity is no overflow. */
int64_t edits_longest(const struct flow_variant *variant);

/* What becomes of the durations of a request. */
void edits_apply(int64_t *durations, const struct flow_variant *variant, struct editing *editing);

/* --- for the files of trace/evaluate ---------------------------------------------------------- */

/* The law that load, fail and shards choose for a call; SIZE_MAX with STATUS_OK: none, it stays as
 * recorded. `calls`: the most calls of this name that one request has at once. */
enum status load_choose(size_t *law, struct scenario *scenario, const char *service,
                        const char *operation, uint64_t calls);

/* Whether there is a change of such a kind. */
bool scenario_has(const struct scenario *scenario, enum change_kind kind);

/* Reads a table of factors and sets that of CPU. */
enum status slowdown_read(double *factor, const char *path, double percent,
                          const struct asker *asker);

#endif
