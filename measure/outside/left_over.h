/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a pairing could not pair, as a file `left_over` beside the stores that it wrote, so that who
 * reads them later can say what they lack:
 *
 *   tailproof-left-over 1
 *   requests 1000
 *   unpaired 50
 *   excluded no
 *   lost 0
 *   request put
 *   reason 49 at moment answered: what it belongs to came again before it
 *   doubtful 17-19
 *   doubtful 400-400
 *   end
 *
 * Doubtful are those, by their numbers, that may have ended: their events were lost, or are not
 * told apart. The others have no end. Files of earlier versions name none.
 *
 * Stores that a program recorded itself have none.
 */
#ifndef MEASURE_OUTSIDE_LEFT_OVER_H
#define MEASURE_OUTSIDE_LEFT_OVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"

/* Numbers of requests, both included. */
struct left_over_range {
  uint32_t first, last;
};

struct left_over {
  uint64_t requests, unpaired; /* 0 and 0: nothing was paired here */
  uint64_t lost;               /* events that the recorder had no space for */
  bool excluded;               /* what is not paired is in no store; else its beginning is */
  struct text request;         /* the name of the request */
  struct text reasons;         /* "49 at moment ...", a line each */
  VECTOR(struct left_over_range) doubtful; /* rising */
};

void left_over_init(struct left_over *left);
void left_over_clear(struct left_over *left);

/* Writes the file into a folder. STATUS_INTERNAL with one line in `message`. */
enum status left_over_write(const struct left_over *left, const char *folder, struct text *message);

/* Reads it from the folder of the store at this path; all is 0 where there is none. *left is
 * initialised. STATUS_DATA with one line in `message` for a file that cannot be read. */
enum status left_over_read(struct left_over *left, const char *store, struct text *message);

/* Adds the next larger number; how many there are; and whether a number is one of them. */
void left_over_add_doubtful(struct left_over *left, uint32_t request);
uint64_t left_over_doubtful(const struct left_over *left);
void left_over_take_doubtful(struct left_over *to,
                             const struct left_over *from); /* if it has none */
bool left_over_is_doubtful(const struct left_over *left, uint32_t request);

/* Appends, in one line, how many requests could not be paired and why, and what became of them, or
 * nothing: "50 of 1000 requests (5.00 %) could not be paired (...): ...". */
void left_over_tell(struct text *text, const struct left_over *left);

#endif
