/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `profile simulate`: what would cheaper ways to sample have shown of a program
 * that was sampled at full rate?
 */
#ifndef CLI_QUESTION_SIMULATE_SIMULATE_H
#define CLI_QUESTION_SIMULATE_SIMULATE_H

#include "base/asker.h"
#include "base/ledger.h"
#include "base/text.h"
#include "trace/stacks/prune.h"
#include "trace/stacks/simulate.h"

struct simulate_request {
  const char *path;
  const char *window;   /* "250ms", or NULL */
  const char *overhead; /* "1%" of a processor, or NULL: none */
  const char *error;    /* of the top functions that pruning may make: "0.58%", or NULL */
  unsigned floor;       /* samples a second; 0: that of adapt_defaults */
  unsigned cost;        /* ns a sample; 0: 30000 */
  unsigned rate;        /* of the recording, samples a second; 0: find out */
  unsigned seed;
  const struct asker *asker;
};

struct simulate_answer {
  const struct simulate_request *request;
  enum status status;
  bool found; /* whether there is the rest: */
  bool timed; /* whether samples have their times, and so there is a simulation */
  bool said;  /* the rate, by the profile */
  struct simulate_options options;
  struct stack_simulation simulation;
  struct prune_curve curve;
  double limit;      /* of the curve's error: 0.0058 */
  struct text worst; /* of the chosen point: the function that loses most; empty: none does */
  struct ledger ledger;
};

/* Initialises the answer in any case. */
enum status simulate_ask(struct simulate_answer *answer, const struct simulate_request *request);
void simulate_clear_answer(struct simulate_answer *answer);

#endif
