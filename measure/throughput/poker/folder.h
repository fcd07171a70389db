/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The private folder that a poker makes for its service (measure/record/count_page.h), in memory
 * where there is /dev/shm, so that no disk makes the service wait; else in TMPDIR or /tmp.
 */
#ifndef MEASURE_THROUGHPUT_POKER_FOLDER_H
#define MEASURE_THROUGHPUT_POKER_FOLDER_H

#include "measure/record/count_page.h"

#include <stdbool.h>

#define FOLDER_PATH 256
#define FOLDER_MESSAGE 512

struct poker_folder {
  char path[FOLDER_PATH]; /* "" when there is none */
  struct poker_page *page;
  int wake, count; /* the FIFOs, never blocking; open for writing too, so that they never end.
                    * count: -1 where it is not wanted */
};

/* Also removes folders that pokers which were killed have left, once nobody has them open. 0; or
 * an errno value with `message`, one line; then nothing is left behind. */
int folder_make(struct poker_folder *folder, bool with_count, char message[FOLDER_MESSAGE]);

/* The service keeps what it has mapped and open. A folder without a path is left alone. */
void folder_remove(struct poker_folder *folder);

/* Its files and itself, in the order in which they are to be removed. */
void folder_paths(const struct poker_folder *folder, char paths[4][FOLDER_PATH + 8]);

/* Takes all bytes that are in a FIFO; how many. */
uint64_t folder_drain(int descriptor);

/* Requests that began. */
uint64_t folder_begun(const struct poker_folder *folder);

/* The times of the request that ended as number `number` (from 1). */
enum folder_times {
  FOLDER_TIMES,      /* here they are */
  FOLDER_TIMES_NONE, /* it has not ended */
  FOLDER_TIMES_LOST, /* they were written over */
};
enum folder_times folder_times(const struct poker_folder *folder, uint64_t number,
                               uint64_t *start_ns, uint64_t *end_ns);

/* Asks for a byte in `wake` when `begun` is at least this (UINT64_MAX: never). False when it
 * already is; a byte may come all the same. */
bool folder_arm(struct poker_folder *folder, uint64_t begun);

/* The neighbour in a slot of the page: true when there is one, which the caller has to check like
 * everything that a service wrote. */
bool folder_neighbour(const struct poker_folder *folder, uint32_t slot,
                      char text[PAGE_NEIGHBOUR_TEXT]);

#endif
