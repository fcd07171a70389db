/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A certificate tried again: files against their digests, queries with another solver, the list of
 * obligations against the protocol.
 */
#ifndef CLI_QUESTION_CERTIFY_RECHECK_H
#define CLI_QUESTION_CERTIFY_RECHECK_H

#include "cli/command/command.h"

/* Checks the folder of --check and prints a report. STATUS_OK: every query is there, unchanged and
 * unsat; STATUS_REFUTED: one is changed, missing, surplus, or the solver says sat;
 * STATUS_UNKNOWN: nothing worse than queries without an answer in time. */
enum status recheck(const struct options *options);

#endif
