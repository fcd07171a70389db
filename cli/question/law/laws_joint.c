/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tables of joint measurements for the occurrences of a bound (laws.h). They come from files, from
 * the stores of a run, or from what `import` kept.
 */
#include <string.h>
#include <unistd.h>

#include "base/asker.h"
#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "cli/question/law/span_table.h"
#include "cli/question/replay/replay.h"
#include "cli/question/replay/stores.h"
#include "cli/question/verify/protocol.h"
#include "dist/source/joint.h"
#include "dist/source/stem.h"
#include "dist/statistics/between_runs.h"

static struct joint *new_table(struct laws *laws) {
  struct joint *joint = mem_alloc(1, sizeof *joint);
  joint_init(joint);
  vector_push(&laws->tables, joint);
  return joint;
}

static void add_notes(struct ledger *ledger, struct source_notes *notes) {
  for (size_t i = 0; i < notes->count; i++)
    ledger_note(ledger, LEDGER_DATA, "%s", notes->lines[i]);
  source_notes_clear(notes);
}

static enum status read_table(struct laws *laws, const char *path, struct ledger *ledger,
                              struct text *message) {
  struct source_notes notes;
  source_notes_init(&notes);
  const struct source_options options = {.unit = settings_find(&laws->request->units, "joint"),
                                         .select = settings_find(&laws->request->selects, "joint")};
  enum status status = joint_read_with(new_table(laws), &notes, path, &options, message);
  add_notes(ledger, &notes);
  return status;
}

/* All stores that are named are of one run, as with `tailproof replay`. */
static enum status read_stores(struct laws *laws, const struct protocol *protocol,
                               const struct bound *bound, const texts *paths, struct ledger *ledger,
                               struct text *message) {
  struct text table;
  struct source_notes notes;
  text_init(&table);
  source_notes_init(&notes);
  const struct calculation_request *of = laws->request;
  const struct replay_request request = {.asker = of->asker, .path = of->path, .set = of->set};
  enum status status = stores_table(&table, &notes, protocol->model, bound, &request, paths->data,
                                    paths->count, message);
  if (status == STATUS_OK)
    status = joint_parse(new_table(laws), &notes, paths->data[0], table.data, table.length, NULL,
                         message);
  add_notes(ledger, &notes);
  text_clear(&table);
  return status;
}

/* Traces, of which a map says which spans are which occurrences. */
static enum status read_traces(struct laws *laws, struct ledger *ledger, struct text *message) {
  const struct calculation_request *of = laws->request;
  const struct span_table_request request = {.map = of->spans,
                                             .traces = (const char *const *)of->joint.data,
                                             .trace_count = of->joint.count,
                                             .asker = of->asker};
  struct text table;
  struct source_notes notes;
  text_init(&table);
  source_notes_init(&notes);
  enum status status = span_table_make(&table, &request, ledger);
  if (status == STATUS_OK)
    status = joint_parse(new_table(laws), &notes, of->joint.data[0], table.data, table.length, NULL,
                         message);
  add_notes(ledger, &notes);
  text_clear(&table);
  return status;
}

static bool is_none(const char *word) {
  return strcmp(word, "none") == 0;
}

/* The first occurrence without a column and without a law of --law; NULL: none. */
static const struct occurrence *find_lacking(const struct laws *laws, const struct joint *joint,
                                             const struct expression_table *occurrences) {
  for (size_t i = 0; i < occurrences->occurrences.count; i++) {
    const struct occurrence *occurrence = occurrences->occurrences.data[i];
    if (joint_find(joint, occurrence) == SIZE_MAX && !laws_has_composed(laws, occurrence))
      return occurrence;
  }
  return NULL;
}

/* A table that lacks some was perhaps recorded with other indices than those of the protocol. */
static void leave_out(struct laws *laws, const struct occurrence *lacking, struct ledger *ledger) {
  struct joint *joint = laws->tables.data[--laws->tables.count];
  ledger_warn(ledger, LEDGER_DATA,
              "%s is not used, as it has no column for %s; `tailproof replay --out` writes one "
              "with the protocol's names",
              joint->path, lacking->label);
  joint_clear(joint);
  mem_free(joint);
}

/* What `import` keeps beside the series of a folder; *found: there is one. */
static enum status read_beside(struct laws *laws, bool *found, const char *folder,
                               struct ledger *ledger, struct text *message) {
  static const char *const names[] = {"joint.csv", "joint.csv.gz"};
  enum status status = STATUS_OK;
  *found = false;
  for (size_t i = 0; i < 2 && !*found; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%s/%s", folder, names[i]);
    *found = access(path.data, F_OK) == 0;
    if (*found)
      status = read_table(laws, path.data, ledger, message);
    text_clear(&path);
  }
  return status;
}

static enum status read_kept(struct laws *laws, const struct expression_table *occurrences,
                             struct ledger *ledger, struct text *message) {
  bool found;
  enum status status = read_beside(laws, &found, laws->request->data, ledger, message);
  if (!found || status != STATUS_OK)
    return status;
  const struct occurrence *lacking = find_lacking(laws, laws->tables.data[0], occurrences);
  if (lacking != NULL)
    leave_out(laws, lacking, ledger);
  return STATUS_OK;
}

/* The table that was read last is a further run of the one before it. */
static enum status append_run(struct laws *laws, const struct expression_table *occurrences,
                              struct text *message) {
  struct joint *run = laws->tables.data[--laws->tables.count];
  struct joint *joint = laws->tables.data[laws->tables.count - 1];
  const struct occurrence *lacking = find_lacking(laws, run, occurrences);
  enum status status = STATUS_DATA;
  if (lacking != NULL && joint_find(joint, lacking) != SIZE_MAX)
    text_format(message, "%s has no column for %s, as %s has, of which it is to be a further run",
                run->path, lacking->label, joint->path);
  else
    status = joint_add_run(joint, run, message);
  joint_clear(run);
  mem_free(run);
  return status;
}

/* Further runs of the one table that there is. */
static enum status read_runs(struct laws *laws, const struct protocol *protocol,
                             const struct bound *bound, const struct expression_table *occurrences,
                             struct ledger *ledger, struct text *message) {
  const texts *runs = &laws->request->runs;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < runs->count && status == STATUS_OK; i++) {
    texts one = {.data = &runs->data[i], .count = 1};
    bool found = true;
    if (laws->request->data != NULL)
      status = read_beside(laws, &found, runs->data[i], ledger, message);
    else if (stores_are_at(runs->data[i]))
      status = read_stores(laws, protocol, bound, &one, ledger, message);
    else
      status = read_table(laws, runs->data[i], ledger, message);
    if (!found) {
      text_format(message, "%s has no joint.csv, as %s has, of which it is to be a further run",
                  runs->data[i], laws->request->data);
      status = STATUS_NO_INPUT;
    }
    if (status == STATUS_OK)
      status = append_run(laws, occurrences, message);
  }
  return status;
}

enum status laws_read_tables(struct laws *laws, const struct protocol *protocol,
                             const struct bound *bound, const struct expression_table *occurrences,
                             struct ledger *ledger, struct text *message) {
  const texts *given = &laws->request->joint;
  texts stores = {0};
  enum status status = STATUS_OK;
  if (laws->request->spans != NULL && given->count > 0)
    return read_traces(laws, ledger, message);
  for (size_t i = 0; i < given->count && status == STATUS_OK; i++) {
    if (stores_are_at(given->data[i]))
      vector_push(&stores, given->data[i]);
    else if (!is_none(given->data[i]))
      status = read_table(laws, given->data[i], ledger, message);
  }
  if (status == STATUS_OK && stores.count != 0)
    status = read_stores(laws, protocol, bound, &stores, ledger, message);
  vector_clear(&stores);
  if (given->count == 0 && laws->request->data != NULL)
    status = read_kept(laws, occurrences, ledger, message);
  if (status == STATUS_OK && laws->tables.count == 1)
    status = read_runs(laws, protocol, bound, occurrences, ledger, message);
  return status;
}

bool laws_has_column(const struct laws *laws, size_t *table, size_t *column,
                     const struct occurrence *occurrence) {
  for (*table = 0; *table < laws->tables.count; ++*table) {
    *column = joint_find(laws->tables.data[*table], occurrence);
    if (*column != SIZE_MAX)
      return true;
  }
  return false;
}

enum status laws_check_column(const struct laws *laws, const struct occurrence *occurrence,
                              struct text *message) {
  size_t table, column;
  if (!laws_has_column(laws, &table, &column, occurrence))
    return STATUS_OK;
  for (size_t i = table + 1; i < laws->tables.count; i++)
    if (joint_find(laws->tables.data[i], occurrence) != SIZE_MAX) {
      text_format(message, "%s has a column in %s and in %s; leave one of them out",
                  occurrence->label, laws->tables.data[table]->path, laws->tables.data[i]->path);
      return STATUS_DATA;
    }
  return STATUS_OK;
}

/* By itself, out of the expression, what did not happen in a request may have taken any time. */
void laws_fill_column(struct law_entry *entry, const struct joint *joint) {
  const struct joint_column *column = &joint->columns.data[entry->column];
  for (size_t i = 0; i < joint->rows; i++) {
    struct joint_cell cell = column->cells[i];
    if (cell.lower_ns > cell.upper_ns)
      cell = (struct joint_cell){0, SAMPLE_NS_MAX};
    if (cell.lower_ns == SAMPLE_NS_MAX)
      sample_add_beyond(&entry->sample, 1);
    else
      sample_add_range(&entry->sample, cell.lower_ns, cell.upper_ns, 1);
    sample_add_range_to_series(&entry->sample, cell.lower_ns, cell.upper_ns);
  }
  sample_finish(&entry->sample);
  evidence_copy(&entry->sample.evidence, &joint->evidence);
  entry->sample.evidence.draws = entry->sample.real;
  laws_regard_runs(&entry->sample, joint);
}

void laws_regard_runs(struct sample *sample, const struct joint *joint) {
  if (joint->run_ends.count != 0)
    between_stretches(sample, joint->run_ends.data, joint->run_ends.count);
}

/* The length of the folder that a table is, or lies in. */
static size_t folder_length(const char *table) {
  size_t length = strlen(table);
  const char *slash = strrchr(table, '/');
  if (stem_length(slash == NULL ? table : slash + 1) != 0)
    return slash == NULL ? 0 : (size_t)(slash - table);
  while (length > 1 && table[length - 1] == '/')
    length--;
  return length;
}

/* A file of that folder: by its name, or what `import` calls the request in the table. */
static size_t find_file(const struct joint *joint, const char *file) {
  struct text name;
  text_init(&name);
  text_format(&name, "request.%.*s", (int)stem_length(file), file);
  size_t at =
      stem_length(file) == 0 ? SIZE_MAX : joint_find_name(joint, name.data + strlen("request."));
  if (at == SIZE_MAX)
    at = joint_find_name(joint, name.data);
  text_clear(&name);
  return at;
}

size_t joint_find_observed(const struct joint *joint, const char *observed) {
  size_t at = joint_find_name(joint, observed), folder = folder_length(joint->path);
  const char *slash = strrchr(observed, '/');
  bool beside = slash != NULL && (size_t)(slash - observed) == folder &&
                strncmp(observed, joint->path, folder) == 0;
  return at == SIZE_MAX && beside ? find_file(joint, slash + 1) : at;
}

enum status laws_refuse_halved(struct text *message, const struct joint *joint, size_t column) {
  text_format(message,
              "%s: the file of %s has round trips (a column called rtt), half of which is taken "
              "for a delay d(...), and nothing else; call the column latency with its unit if all "
              "of it is what is measured here",
              joint->path, joint->columns.data[column].name);
  return STATUS_DATA;
}
