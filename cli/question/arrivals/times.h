/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded moments of one kind: when messages of a name were sent or delivered, as stores have it,
 * or a column of a table. Whole ns of one clock, in order.
 */
#ifndef CLI_QUESTION_ARRIVALS_TIMES_H
#define CLI_QUESTION_ARRIVALS_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ledger.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "cli/question/setting.h"

enum times_place { TIMES_SENT, TIMES_DELIVERED };

struct times_wanted {
  const char *message; /* of stores; NULL: the only one that they have */
  enum times_place place;
  const char *column;    /* of a table; NULL: the only one with a unit */
  const settings *units; /* of columns whose names have none: "due" = "s" */
  bool by_node;          /* a stream for each node that sends, or to which it is delivered */
};

struct times_stream {
  char *node; /* NULL: of all nodes */
  VECTOR(int64_t) ns;
};

struct times {
  VECTOR(struct times_stream) streams;
  char *what;         /* "Request, when it was sent", "column due_ns of load.csv" */
  bool lacks;         /* some arrivals that happened are not here, nobody knows when */
  int64_t reading_ns; /* what a time may be off by, as resolution and cost of the clock have it */
};

/* Initialises *times in any case. Adds to the ledger what the recording cannot tell. A status that
 * is not STATUS_OK comes with one line in `message` that names the file and the remedy. */
enum status times_read(struct times *times, const char *const *paths, size_t count,
                       const struct times_wanted *wanted, struct ledger *ledger,
                       struct text *message);
void times_clear(struct times *times);

/* Private to the readers: adds a moment to the stream of a node (NULL: of all). */
void times_add(struct times *times, const char *node, int64_t ns);

/* Private: each source by itself. */
enum status times_read_table(struct times *times, const char *path,
                             const struct times_wanted *wanted, struct ledger *ledger,
                             struct text *message);
enum status times_read_stores(struct times *times, const char *const *paths, size_t count,
                              const struct times_wanted *wanted, struct ledger *ledger,
                              struct text *message);

#endif
