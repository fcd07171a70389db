/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The laws of a bound's occurrences: which file measures which, read once each, with its confidence
 * bands; or the law that --law writes. The registry owns all of it.
 */
#ifndef CLI_QUESTION_LAW_LAWS_H
#define CLI_QUESTION_LAW_LAWS_H

#include "cli/question/setting.h"
#include "dist/evaluate/evaluate.h"
#include "dist/source/sample.h"
#include "dist/statistics/serial.h"
#include "base/expression.h"

struct calculation_request;
struct compose;
struct joint;
struct ledger;

struct bound;
struct protocol;
struct together;

#define TABLE_NONE SIZE_MAX

/* A measured law, from a file or a column of a joint table, or one that is composed of measured
 * ones. */
struct law_entry {
  char *name;      /* the file's, without folder and endings, "d.Ack"; or that of --law */
  char *path;      /* NULL: composed; of a column: "FILE, column NAME" */
  char *component; /* that the file was first found for */
  struct sample sample;
  struct serial serial; /* of a measured one: what the order of its observations says */
  bool order_unknown;   /* nobody knows whether its observations came in bursts; false where that
                            * does not matter, or the user says so */
  char *family; /* of a column: its name without indices, where no row has two such; or NULL */
  size_t table, column;    /* of laws.tables; TABLE_NONE: a file of its own, or composed */
  struct compose *compose; /* NULL: measured */
  bool is_covered;         /* a column that the convolution has only in sums of rows (reduce.h) */
  const struct expression *rows_of; /* not NULL: no component, but this for each row of the table */
  bool is_used;                     /* by an occurrence or a bare name, not only in other laws */
  bool has_cap;
  struct rational cap_ns;
  struct survival band[2];           /* by side, on the grid; made by laws_make_bands */
  struct survival modelled;          /* upper, with a modelled tail; without one it has no array */
  const struct survival *instead[2]; /* by side: what counts for the time being, or NULL */
};

struct laws {
  const struct calculation_request *request;
  struct grid grid;
  size_t measured; /* entries that are not composed */
  uint64_t alpha;  /* of each of them, as a chance; 0: the sample is the whole truth */
  uint64_t budget; /* of all of them together */
  bool banded;     /* the bands are made */
  VECTOR(struct joint *) tables; /* measurements that belong together row by row */
  VECTOR(struct law_entry *) entries;
  VECTOR(size_t) by_occurrence; /* by occurrence id: index of its entry */
  enum survival_side side;      /* of the laws that `find` gives */
  bool use_models;              /* whether they have their modelled tails */
  struct evaluate_laws find;    /* for evaluate_survival; its context is this */
  struct together *together;    /* of the calculation; for its groups */
};

/* Finds and reads a file for every occurrence of the bound's table, every bare name of the
 * expression that is drawn and every name in laws that are composed; adds to the ledger. `stream`,
 * which it takes over, is a table that was read before, or NULL. On failure one line in `message`.
 * `laws` is initialised in any case. */
enum status laws_init(struct laws *laws, const struct calculation_request *request,
                      const struct protocol *protocol, const struct bound *bound,
                      const struct expression *expression, const struct expression_table *table,
                      struct joint *stream, struct ledger *ledger, struct text *message);
void laws_clear(struct laws *laws);

/* Whether the observations of every measured entry look stationary, or the user says so: else no
 * confidence can be promised. */
bool laws_are_settled(const struct laws *laws);

/* Why, as the ledger says it behind the file's name. */
const char *law_draws_words(const struct sample *sample);

/* Whether some measured entry is only taken for independent draws, as its order is not known. */
bool laws_assume_draws(const struct laws *laws);

/* Of a measured entry: how many independent observations there are, as far as their order tells. */
uint64_t law_entry_worth(const struct law_entry *entry);

/* An entry without anything, at the end. */
struct law_entry *laws_new_entry(struct laws *laws);

/* Whether --law gives the law of the occurrence. */
bool laws_has_composed(const struct laws *laws, const struct occurrence *occurrence);

/* Reads the tables of --joint, and those that recorded stores make when the run follows the
 * protocol up to the bound (cli/question/replay/stores.h); without any, the one that a folder of
 * imported measurements keeps, if it has a column for each of `occurrences` that --law gives no law
 * of: else a warning says what it lacks. */
enum status laws_read_tables(struct laws *laws, const struct protocol *protocol,
                             const struct bound *bound, const struct expression_table *occurrences,
                             struct ledger *ledger, struct text *message);

/* The first table with a column of the occurrence; false: none has. */
bool laws_has_column(const struct laws *laws, size_t *table, size_t *column,
                     const struct occurrence *occurrence);

/* STATUS_DATA, with one line in `message`, where two tables have it. */
enum status laws_check_column(const struct laws *laws, const struct occurrence *occurrence,
                              struct text *message);

/* The cells of a column as observations, in the order of the rows. */
void laws_fill_column(struct law_entry *entry, const struct joint *joint);

/* Of a table of several runs: what the rows' values, a series in their order, are worth. */
void laws_regard_runs(struct sample *sample, const struct joint *joint);

/* STATUS_DATA, with a line in `message`: a file of a folder of series has round trips, which only a
 * delay takes half of. */
enum status laws_refuse_halved(struct text *message, const struct joint *joint, size_t column);

/* The column of a table that --observed means: by its name, or as the file of the table's folder;
 * SIZE_MAX: none. */
size_t joint_find_observed(const struct joint *joint, const char *observed);

/* "d.Ack" of "DIR/d.Ack.csv.gz", owned by the caller. */
char *laws_stem(const char *path);

/* What --unit says of a file, by its name ("d.Ack") or that of its component; NULL: nothing. */
const char *laws_unit(const settings *units, const char *path, const char *component);

/* What the request says of how a file is to be read. */
struct source_options laws_options(const struct calculation_request *request, const char *path,
                                   const char *component);

/* The file's entry that a composed law means by a name; no column of a table, whose rows may be
 * drawn too. A bug where none was read. */
size_t laws_entry_called(const struct laws *laws, const char *name);

/* The entry of an occurrence, or of a bare name when `occurrence` is NULL. */
size_t laws_entry_of(const struct laws *laws, const struct occurrence *occurrence,
                     const char *component);

/* Splits the chance of error `budget` over what is measured (0: the samples are the whole truth)
 * and makes both bands of each entry on laws->grid; before any evaluation, and again after a change
 * of the grid or the budget. `samples`, by entry: as if that many observations with the same shares
 * had been made; NULL: as there are. Adds to the ledger. */
enum status laws_make_bands(struct laws *laws, uint64_t budget, const uint64_t *samples,
                            struct ledger *ledger, struct text *message);

/* A --cap is put into all entries that it names. STATUS_USAGE, STATUS_DATA with one line in `message`:
 * it is none, names none, or is exceeded by an observation. */
struct setting;
enum status laws_read_cap(struct laws *laws, const struct setting *cap, struct ledger *ledger,
                          struct text *message);

/* Warns in the ledger of what makes the samples doubtful: units that are not plausible,
 * observations that do not look independent. `observed` may be NULL. */
void laws_warn(const struct laws *laws, const struct sample *observed, struct ledger *ledger);

/* The largest finite observation or cap of a measured entry, in ns. */
uint64_t law_entry_largest(const struct law_entry *entry);

#endif
