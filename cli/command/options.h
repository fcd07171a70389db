/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command line, read by the tables options.def and commands.def.
 */
#ifndef CLI_COMMAND_OPTIONS_H
#define CLI_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/rational.h"
#include "base/status.h"
#include "base/vector.h"
#include "dist/statistics/confidence.h"

struct setting {
  const char *name, *value; /* of NAME=VALUE; the name is owned by the options */
};
typedef VECTOR(struct setting) settings;

typedef VECTOR(const char *) texts; /* of an option that may be repeated */

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_SARIF, OUTPUT_JUNIT };

enum dependence_wish { WISH_INDEPENDENT, WISH_UNKNOWN, WISH_BOTH };
enum grid_wish { WISH_AUTO, WISH_LOG, WISH_LINEAR };
enum tail_wish { TAIL_INFINITE, TAIL_GPD };

struct findings;

/* Strings point into argv, except for the names of settings. */
struct options {
  char *line; /* what was typed, for a shell; owned */
  size_t jobs;
  unsigned timeout_ms, seed, every;
  bool explain, all_goals, infer, forget_timing;
  bool json, fresh, write, help, preload;
  const char *bound, *data, *observed, *percentiles, *out, *check, *with;
  const char *protocol, *margin;                           /* of compare */
  const char *slack, *request;                             /* of replay */
  const char *by, *node;                                   /* of import and merge; of record */
  const char *name, *listen, *key, *pause, *proxy, *ready; /* of poker */
  bool count_pipe;
  texts neighbours;
  /* of whatif */
  const char *svg, *journal, *resume, *throughput, *saved, *calls, *noise, *points;
  texts scale_out, workers;
  bool uncoordinated;
  enum output_format format;
  struct findings *findings; /* with SARIF and JUnit, where results go; otherwise NULL */
  struct rational confidence;
  /* of percentiles and plan: what is only read by those who use it */
  const char *contributions, *save, *plot, *budget, *minimum, *factor;
  texts together, together_each, slo, above, joint;
  bool assume_independent, exchangeable;
  enum dependence_wish dependence;
  enum grid_wish grid;
  enum confidence_band band;
  enum tail_wish tail;
  settings set, units, caps, laws, rates;
  const char *const *files;
  size_t file_count;
};

/* Reads what follows the command's name. On a mistake one line goes to stderr and STATUS_USAGE
 * comes back. `options` is initialised in any case. */
enum status options_read(struct options *options, const char *command, int argc, char **argv);
void options_clear(struct options *options);

/* The value set for a name, or NULL. */
const char *settings_find(const settings *list, const char *name);

/* Whether the word is one of the words, which blanks separate. */
bool options_has_word(const char *words, const char *word);

void options_help(FILE *out);
void options_command_help(FILE *out, const char *command);

#endif
