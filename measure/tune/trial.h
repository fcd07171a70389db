/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One run of a server with a setting of its heap, under the user's load: the server is started,
 * the load runs once it listens, and both are gone afterwards.
 *
 * The load is a command of the shell. It writes the latencies of its requests to the file that the
 * environment calls LATENCIES, or to its standard output, in any of the formats of
 * dist/source/source.h. Exit code 2 is that of a command which is not sure of what it has measured, as
 * `tailproof load` is when it could not send as it should have: its latencies count, and that is said.
 */
#ifndef MEASURE_TUNE_TRIAL_H
#define MEASURE_TUNE_TRIAL_H

#include "base/asker.h"
#include "base/rational.h"
#include "measure/tune/search.h"

struct heap_trial_request {
  const struct asker *asker;
  const char *const *words; /* of the server's command */
  size_t word_count;
  const char *load;
  const char *unit; /* of latencies, where their format states none; or NULL */
  const struct rational *share;
};

struct heap_trial {
  const struct heap_trial_request *request;
  char *program;        /* the path of the first word */
  char folder[64];      /* for logs and latencies; "": none */
  size_t least;         /* observations of the run that had fewest */
  enum status status;   /* why it was given up */
  struct text unusable; /* why a setting was last unusable */
  size_t unsure;     /* runs whose load said so (exit code 2), and wrote latencies all the same */
  struct text doubt; /* how it last ended, with its last words */
};

/* To be cleared in any case. STATUS_OK, or another after the asker was told: no such program, no
 * room for a folder. */
enum status trial_init(struct heap_trial *trial, const struct heap_trial_request *request);
void trial_clear(struct heap_trial *trial);

/* TUNE_STOPPED leaves the reason in trial->status, after the asker was told. */
enum tune_outcome trial_run(struct heap_trial *trial, const struct heap_setting *setting,
                            struct tune_measured *measured);

#endif
