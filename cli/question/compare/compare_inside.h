/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the question of `compare` share; private to cli/question/compare.
 */
#ifndef CLI_QUESTION_COMPARE_COMPARE_INSIDE_H
#define CLI_QUESTION_COMPARE_COMPARE_INSIDE_H

#include "cli/question/compare/compare.h"
#include "dist/source/source.h"

struct operand;

/* Of the chance of error, what each of the four ends gets that a verdict can rest on: two of A and
 * two of B. As compare_samples splits it. */
enum { COMPARE_ENDS = 4 };

bool compare_is_folder(const char *path);

/* The chance of error of all together, in units of 10^-18. */
uint64_t compare_alpha(const struct compare *compare);

/* Adds to the ledger with what confidence the intervals hold. */
void compare_add_confidence(struct compare *compare);

/* Adds a subject; valid until the next one is added. `name`: NULL, or copied. */
struct subject *compare_add_subject(struct compare *compare, const char *name);

/* Adds what is found of two samples, which is wrong with chance `alpha` (units of 10^-18) at most.
 * Takes what a picture needs out of both, where the request keeps it. */
void compare_two_samples(struct compare *compare, const char *name, struct operand *a,
                         struct operand *b, uint64_t alpha);

/* STATUS_USAGE, with one line in `message`, where --unit or --select name something else. */
enum status compare_check_names(const struct compare *compare, const char *const *names,
                                size_t count, struct text *message);

/* What --unit and --select say of that name. */
struct source_options compare_options(const struct compare *compare, const char *name);

/* A (`which` 0) or B (1), and the further runs of it. To be cleared; the paths are the request's. */
texts compare_runs(const struct compare *compare, size_t which);

/* Two folders (compare_folders.c); on failure one line in `message`. */
enum status compare_folders(struct compare *compare, struct text *message);

/* A bound with two folders or tables (compare_bounds.c); on failure the asker knows why. */
enum status compare_bounds(struct compare *compare);
void compare_clear_proof(struct compare_proof *proof);

#endif
