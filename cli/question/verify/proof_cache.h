/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Answers kept in files of the user's cache, $XDG_CACHE_HOME/tailproof or ~/.cache/tailproof, each
 * under the question that it answers. An answer is believed where its file is the user's own, is
 * about that very question, and has the checksum it was written with; a file that is damaged in any
 * way counts as missing. Files appear whole (base/file.h), so processes may read and write at once.
 * There are at most PROOF_CACHE_FILES; those not read for longest go first.
 */
#ifndef CLI_QUESTION_VERIFY_PROOF_CACHE_H
#define CLI_QUESTION_VERIFY_PROOF_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/text.h"

enum { PROOF_CACHE_FILES = 512, PROOF_CACHE_BYTES = 256 * 1024 /* of one answer */ };

/* Appends the answer that was kept, and sets *asked to when it was. False: there is none. The
 * question is one line. */
bool proof_cache_find(struct text *answer, time_t *asked, const char *question);

/* False, with one line in `message` unless the answer is just too long, where it cannot be kept. */
bool proof_cache_keep(const char *question, const struct text *answer, struct text *message);

#endif
