/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The commands, one file each, and what they share. Results go to stdout, all else to stderr.
 */
#ifndef CLI_COMMAND_COMMAND_H
#define CLI_COMMAND_COMMAND_H

#include "cli/command/options.h"
#include "lang/diagnostic.h"
#include "lang/model.h"
#include "solver/infer/infer.h"
#include "solver/verify.h"
#include "version.h" /* TAILPROOF_VERSION, made from the file VERSION */

#define COMMAND(name, function, arguments, summary)                                                \
  enum status function(const struct options *options);
#include "cli/command/commands.def"
#undef COMMAND

/* A protocol file, read and checked. */
struct protocol {
  struct source *source;
  struct ast *ast;
  struct model *model; /* NULL when there were mistakes */
};

/* Reads and checks; diagnostics (also warnings) go to stderr, or with --json to stdout. */
enum status protocol_load(struct protocol *protocol, const char *path,
                          const struct options *options);
void protocol_clear(struct protocol *protocol);
void protocol_print_diagnostics(const struct diagnostics *diagnostics, const struct source *source,
                                const struct options *options);

/* The bound of that name; without a name the only bound. NULL after a message on stderr. */
const struct bound *protocol_bound(const struct protocol *protocol, const char *name);

/* STATUS_USAGE, after a message, when there are not between `least` and `most` files. */
enum status need_files(const struct options *options, const char *command, size_t least,
                       size_t most);

/* Verify options from the command line; Ctrl-C sets the stop flag, see command_interrupted. */
struct verify_options verify_options(const struct options *options);
bool command_interrupted(void);

/* cli/question/verify/infer.c: looks for the timing invariants and bounds that the file leaves out
 * (for `only`, or NULL: for all of its bounds); the model to verify is inference->model. Afterwards
 * `infer_report` prints what was found, less what was refuted, and says in the reports why a bound
 * that is unknown was not found; a bound asked for whose expression was refuted becomes unknown. */
void infer_protocol(struct inference *inference, const struct model *model,
                    const struct bound *only, const struct options *options);
void infer_report(struct verification *verification, const struct inference *inference,
                  const char *file, const struct options *options);

/* cli/present/report.c: one bound's verdict, as text or JSON. */
void report_bound(const struct bound_report *report, const struct model *model,
                  const struct source *source, const struct options *options);
enum status report_status(enum verdict verdict);

#endif
