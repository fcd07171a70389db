/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The histogram text of our own recorder:
 *
 *   tailproof-histogram 1
 *   name Grant
 *   unit ns
 *   sub_buckets 1024
 *   total 12
 *   saturated 1
 *   from store 7f3a ...  a recording that is counted here; any number of them, for `merge`
 *   evidence failed 3    what else is known of the measurements (base/evidence.h); any number
 *   note the clock ...   what the data rest on; any number of them, for the ledger
 *   worth all 7 settled  what the order of the observations said (base/order.h): as many
 *                        independent draws for limits of the whole law (and "wanders" where the
 *                        level moves more slowly than the run lasted); then, as upper and lower
 *   worth 90000 6 7 unsettled   limit, for each level (in 1/100000) that is worth another number
 *   counts
 *   1001 4               observations in (previous edge, 1001], edges strictly increasing
 *   2048 7 2046          observations in [2046, 2048]
 *   end
 *
 * Each other key exactly once, in any order; total = saturated + sum of the counts. `end` shows
 * that the file is whole. Without `worth all` the order is not known, as of files of older
 * versions; a level without a line is worth all observations. What no line `evidence` says is not
 * known either.
 *
 * Written here, read by tph_read (dist/source/tph_read.c).
 */
#ifndef DIST_SOURCE_TPH_H
#define DIST_SOURCE_TPH_H

#include "base/text.h"
#include "dist/source/sample.h"
#include "dist/source/stem.h"

/* What a histogram says besides its counts and their evidence; texts as they stand behind the key.
 */
struct tph_about {
  uint64_t sub_buckets; /* 0: it was none of these files */
  names_type notes;     /* owned */
};

void tph_about_clear(struct tph_about *about);

/* Appends the file of a sample that is finished. */
void tph_print(struct text *text, const char *name, const struct sample *sample,
               const struct tph_about *about);

#endif
