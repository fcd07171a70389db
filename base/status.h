/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Exit codes, which are also the status a fallible function returns (docs/manual.md, "Exit codes").
 * Unknown is never 0: a verdict that could not be reached must not look like a proof.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

enum status {
  STATUS_OK = 0,          /* all proved, or done */
  STATUS_REFUTED = 1,     /* a bound is refuted, or an observation is not dominated */
  STATUS_UNKNOWN = 2,     /* a verdict could not be reached */
  STATUS_CONDITIONAL = 3, /* it holds on an assumption that nothing here confirms */
  STATUS_OF_RUN = 4,    /* it holds of the run that was measured, and promises nothing of others */
  STATUS_USAGE = 64,    /* wrong command line */
  STATUS_DATA = 65,     /* a model or data file with mistakes */
  STATUS_NO_INPUT = 66, /* a file that cannot be read */
  STATUS_UNAVAILABLE = 69,  /* a solver or tool is missing */
  STATUS_INTERNAL = 70,     /* a bug, or the machine failed (no memory, full disk) */
  STATUS_INTERRUPTED = 130, /* SIGINT */
};

/* The worse of two: what a command over several files exits with. Refuted outranks unknown, unknown
 * what is conditional or of one run, and any failure to run outranks all of them. */
static inline enum status status_worst(enum status a, enum status b) {
  if (a >= STATUS_USAGE || b >= STATUS_USAGE)
    return a > b ? a : b;
  if (a == STATUS_REFUTED || b == STATUS_REFUTED)
    return STATUS_REFUTED;
  if (a == STATUS_UNKNOWN || b == STATUS_UNKNOWN)
    return STATUS_UNKNOWN;
  return a > b ? a : b;
}

#endif
