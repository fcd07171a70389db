/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurements whose rows belong together: one row per request, one column per occurrence of the
 * bound, so that the bound can be evaluated on each row. Two forms are read:
 *
 *   a table (.csv, also .gz)
 *
 *       instance,Grant.0_us,d.Transfer.1_us,"d(Ack(2, 3))_us"
 *       1,1.5,210,-
 *       2,1.25,,timeout
 *
 *     A latency column is named as the files of a folder are ("d.Transfer.1", dist/source/source.h)
 *     or as a bound writes the occurrence ("d(Ack(2, 3))", "Receive[0]", quoted where it holds a
 *     comma), followed by its unit: _ns, _us, _ms or _s. Other columns, and those whose name is one
 *     of a time stamp ("start", "timestamp", "time"), are no latency: they are only listed.
 *     Cells: a number, rounded outward to ns; two, as 1234..1240, where it is only known to lie
 *     between them; nothing, where it was not measured; "-", where it did not happen in this
 *     request; "inf" or "timeout", where it never ended; "unpaired", where it is not known whether
 *     and when it ended, as its events were lost or could not be told from those of others.
 *
 *   a folder with a series in each file (a .csv, in the order of the requests), named for its
 *     occurrence; all have equally many rows. If it holds a joint.csv (.gz), that table is meant.
 *
 * The joint owns its names and cells until joint_clear.
 */
#ifndef DIST_SOURCE_JOINT_H
#define DIST_SOURCE_JOINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "dist/source/source.h"
#include "base/expression.h"

/* The most cells (rows times latency columns), of 16 bytes each, and the most latency columns. */
#define JOINT_CELLS_MAX ((size_t)1 << 28)
#define JOINT_COLUMNS_MAX ((size_t)4096)

/* The value lies between lower_ns and upper_ns. Not measured: 0 and SAMPLE_NS_MAX. Never ended:
 * SAMPLE_NS_MAX twice. Did not happen in this request: JOINT_ABSENT, which alone has lower_ns >
 * upper_ns. */
struct joint_cell {
  uint64_t lower_ns, upper_ns;
};
#define JOINT_ABSENT ((struct joint_cell){1, 0})
#define JOINT_MISSING ((struct joint_cell){0, SAMPLE_NS_MAX})

struct joint_column {
  char *name;               /* "d.Wal.0": component, message, indices, joined by dots */
  struct joint_cell *cells; /* one for each row */
  bool halved;              /* of round trips: it is a delay's */
  uint64_t missing, absent; /* cells that are not measured, that did not happen */
  uint64_t unpaired;        /* of those that are not measured */
};

struct joint {
  char *path;                          /* of the table or the folder */
  size_t rows;                         /* at least 1 */
  VECTOR(struct joint_column) columns; /* at least 1; no name twice */
  VECTOR(char *) ignored;              /* names of the columns (files) that are no latency */
  VECTOR(size_t) run_ends;             /* of several runs: the row behind each one's last */
  struct evidence evidence;            /* of its requests, each a draw in the order of the rows */
};

void joint_init(struct joint *joint);
void joint_clear(struct joint *joint);

/* Reads a table or a folder into *out (initialised; its old content is dropped) and adds to *notes.
 * `unit` ("ns", "us", "ms", "s", or NULL) is the unit of the columns whose names end in none: then
 * all of them are latencies whose names are occurrences, but for time stamps and identities
 * ("instance", "trace_id"). On failure *out is empty, *notes unchanged, and `message` gets one line
 * that says where, what was found and the remedy: STATUS_NO_INPUT, STATUS_DATA, or STATUS_USAGE for
 * a `unit` that is none. */
enum status joint_read(struct joint *out, struct source_notes *notes, const char *path,
                       const char *unit, struct text *message);

/* The same with `select`, which kind of requests is meant where rows are of several. */
enum status joint_read_with(struct joint *out, struct source_notes *notes, const char *path,
                            const struct source_options *options, struct text *message);

/* The same without the file: `bytes` are a table, followed by a NUL; `path` is what a user knows it
 * by. */
enum status joint_parse(struct joint *out, struct source_notes *notes, const char *path,
                        const char *bytes, size_t length, const char *unit, struct text *message);

/* Appends the rows of a further run of what *joint measured; a column that the run lacks was not
 * measured in it, one that it alone has is left out. STATUS_USAGE, with one line in `message`: it is
 * in it already; STATUS_DATA: the rows are too many, or a column is halved in one of them alone. Then
 * *joint is unchanged. */
enum status joint_add_run(struct joint *joint, const struct joint *run, struct text *message);

/* The index of the occurrence's column, whose name must match in full ("Receive.0" is Receive[0],
 * "Receive" is not); SIZE_MAX when there is none. */
size_t joint_find(const struct joint *joint, const struct occurrence *occurrence);

/* The same by name ("request.put"). */
size_t joint_find_name(const struct joint *joint, const char *name);

#endif
