/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/law/laws.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "cli/question/law/request.h"
#include "dist/evaluate/compose.h"
#include "dist/source/joint.h"
#include "dist/statistics/between_runs.h"
#include "dist/statistics/levels.h"

struct reading {
  struct laws *laws;
  const struct model *model;
  struct ledger *ledger;
  struct text *message;
};

static size_t index_of_path(const struct laws *laws, const char *path) {
  size_t i = 0;
  while (i < laws->entries.count &&
         (laws->entries.data[i]->path == NULL || strcmp(laws->entries.data[i]->path, path) != 0))
    i++;
  return i;
}

/* Under which name --law would have to give it: the most specific one that is given, or none. */
static size_t index_of_composed(const struct laws *laws, const struct occurrence *occurrence,
                                const char *component) {
  struct text name;
  text_init(&name);
  text_append(&name, occurrence != NULL ? occurrence->component : component);
  if (occurrence != NULL && occurrence->message != NULL)
    text_format(&name, ".%s", occurrence->message);
  for (size_t i = 0; occurrence != NULL && i < occurrence->index_count; i++)
    text_format(&name, ".%" PRId64, occurrence->indices[i]);
  size_t found = laws->entries.count;
  while (found == laws->entries.count) {
    for (size_t i = 0; i < laws->entries.count && found == laws->entries.count; i++)
      if (laws->entries.data[i]->compose != NULL &&
          strcmp(laws->entries.data[i]->name, name.data) == 0)
        found = i;
    char *dot = strrchr(name.data, '.');
    if (dot == NULL)
      break;
    *dot = '\0';
  }
  text_clear(&name);
  return found;
}

bool laws_has_composed(const struct laws *laws, const struct occurrence *occurrence) {
  return index_of_composed(laws, occurrence, NULL) != laws->entries.count;
}

static enum status find_path(const struct laws *laws, struct text *path,
                             const struct occurrence *occurrence, const char *component,
                             struct text *message) {
  const char *directory = laws->request->data;
  if (directory == NULL) {
    text_format(message, "%s: name the folder of its measurements with --data DIR", component);
    return STATUS_NO_INPUT;
  }
  if (occurrence == NULL)
    return source_find(path, directory, component, NULL, NULL, 0, message);
  return source_find(path, directory, occurrence->component, occurrence->message,
                     occurrence->indices, occurrence->index_count, message);
}

struct law_entry *laws_new_entry(struct laws *laws) {
  struct law_entry *entry = mem_alloc(1, sizeof *entry);
  sample_init(&entry->sample);
  entry->serial = serial_independent();
  entry->table = TABLE_NONE;
  rational_init(&entry->cap_ns);
  vector_push(&laws->entries, entry);
  return entry;
}

static bool is_delay(const struct reading *r, const char *component) {
  for (size_t i = 0; i < r->model->components.count; i++)
    if (strcmp(r->model->components.items[i]->name, component) == 0)
      return r->model->components.items[i]->kind == COMPONENT_DELAY;
  return false;
}

/* The files of further runs that have the entry's name. */
static enum status read_runs(struct reading *r, struct law_entry *entry,
                             const struct source_options *options, struct source_notes *notes) {
  const texts *folders = &r->laws->request->runs;
  struct sample *runs = mem_alloc(1 + folders->count, sizeof *runs);
  enum status status = STATUS_OK;
  runs[0] = entry->sample;
  sample_init(&entry->sample);
  for (size_t i = 0; i < folders->count; i++)
    sample_init(&runs[i + 1]);
  for (size_t i = 0; i < folders->count && status == STATUS_OK; i++) {
    struct text path;
    text_init(&path);
    status = source_find(&path, folders->data[i], entry->name, NULL, NULL, 0, r->message);
    if (status == STATUS_OK)
      status = source_read_with(&runs[i + 1], notes, NULL, path.data, options, r->message);
    text_clear(&path);
  }
  if (status == STATUS_OK && !between_runs(&entry->sample, runs, 1 + folders->count, r->message))
    status = STATUS_DATA;
  for (size_t i = 0; i <= folders->count; i++)
    sample_clear(&runs[i]);
  mem_free(runs);
  return status;
}

static enum status read_file(struct reading *r, const char *path, const char *component) {
  struct law_entry *entry = laws_new_entry(r->laws);
  entry->path = mem_copy_text(path, strlen(path));
  entry->name = laws_stem(path);
  entry->component = mem_copy_text(component, strlen(component));
  r->laws->measured++;
  struct source_notes notes;
  source_notes_init(&notes);
  struct source_options options = laws_options(r->laws->request, path, component);
  options.is_delay = is_delay(r, component);
  enum status status = source_read_with(&entry->sample, &notes, NULL, path, &options, r->message);
  if (status == STATUS_OK && r->laws->request->runs.count != 0)
    status = read_runs(r, entry, &options, &notes);
  for (size_t i = 0; i < notes.count; i++)
    ledger_note(r->ledger, LEDGER_DATA, "%s", notes.lines[i]);
  source_notes_clear(&notes);
  return status;
}

/* The measured entry, read if it is new. */
static enum status need_file(struct reading *r, size_t *index, const struct occurrence *occurrence,
                             const char *component) {
  struct text path;
  text_init(&path);
  enum status status = find_path(r->laws, &path, occurrence, component, r->message);
  *index = status == STATUS_OK ? index_of_path(r->laws, path.data) : 0;
  if (status == STATUS_OK && *index == r->laws->entries.count)
    status = read_file(r, path.data, occurrence ? occurrence->component : component);
  text_clear(&path);
  return status;
}

/* An entry of its own for each occurrence that a table has a column of. */
static bool need_column(struct reading *r, const struct occurrence *occurrence,
                        enum status *status) {
  size_t table, column;
  if (occurrence == NULL)
    return false;
  *status = laws_check_column(r->laws, occurrence, r->message);
  if (*status != STATUS_OK || !laws_has_column(r->laws, &table, &column, occurrence))
    return false;
  const struct joint *joint = r->laws->tables.data[table];
  if (joint->columns.data[column].halved && !is_delay(r, occurrence->component)) {
    *status = laws_refuse_halved(r->message, joint, column);
    return false;
  }
  struct law_entry *entry = laws_new_entry(r->laws);
  struct text path;
  text_init(&path);
  text_format(&path, "%s, column %s", joint->path, joint->columns.data[column].name);
  entry->path = mem_copy_text(path.data, path.length);
  text_clear(&path);
  entry->name =
      mem_copy_text(joint->columns.data[column].name, strlen(joint->columns.data[column].name));
  entry->component = mem_copy_text(occurrence->component, strlen(occurrence->component));
  entry->table = table;
  entry->column = column;
  laws_fill_column(entry, joint);
  r->laws->measured++;
  return true;
}

/* A law that the user writes comes first, then a table, then a file. */
static enum status need(struct reading *r, const struct occurrence *occurrence,
                        const char *component) {
  size_t index = index_of_composed(r->laws, occurrence, component);
  enum status status = STATUS_OK;
  if (index == r->laws->entries.count && !need_column(r, occurrence, &status) &&
      status == STATUS_OK)
    status = need_file(r, &index, occurrence, component);
  if (status == STATUS_OK)
    r->laws->entries.data[index]->is_used = true;
  if (status == STATUS_OK && occurrence != NULL)
    vector_push(&r->laws->by_occurrence, index);
  return status;
}

static enum status need_bare(struct reading *r, const struct expression *e) {
  if (e->kind == EXPRESSION_BARE)
    return need(r, NULL, e->component);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < e->count && status == STATUS_OK; i++)
    status = need_bare(r, e->parts[i]);
  return status;
}

/* --- what is missing -------------------------------------------------------------------------- */

typedef VECTOR(struct source_wanted) wanted_type;

static void want(const struct reading *r, wanted_type *wanted, const struct occurrence *occurrence,
                 const char *component) {
  size_t index = index_of_composed(r->laws, occurrence, component), table, column;
  if (index != r->laws->entries.count) {
    r->laws->entries.data[index]->is_used = true;
    return;
  }
  if (occurrence != NULL && laws_has_column(r->laws, &table, &column, occurrence))
    return;
  if (occurrence == NULL)
    vector_push(wanted, (struct source_wanted){.name = component});
  else
    vector_push(wanted, (struct source_wanted){occurrence->component, occurrence->message,
                                               occurrence->indices, occurrence->index_count});
}

static void want_bare(const struct reading *r, wanted_type *wanted, const struct expression *e) {
  if (e->kind == EXPRESSION_BARE)
    want(r, wanted, NULL, e->component);
  for (size_t i = 0; i < e->count; i++)
    want_bare(r, wanted, e->parts[i]);
}

/* No folder, and no table has it. */
static enum status complain_tables(const struct reading *r, const wanted_type *wanted) {
  enum { SHOWN = 8 };
  if (r->laws->tables.count == 1)
    text_format(r->message, "%s has no column for ", r->laws->tables.data[0]->path);
  else
    text_append(r->message, "no table of --joint has a column for ");
  for (size_t i = 0; i < wanted->count && i < SHOWN; i++) {
    const struct source_wanted *w = &wanted->data[i];
    text_format(r->message, "%s%s", i == 0 ? "" : ", ", w->name);
    if (w->message_name != NULL)
      text_format(r->message, ".%s", w->message_name);
    for (size_t k = 0; k < w->index_count; k++)
      text_format(r->message, ".%" PRId64, w->indices[k]);
  }
  if (wanted->count > SHOWN)
    text_format(r->message, " and %zu more", wanted->count - SHOWN);
  text_append(r->message, r->laws->request->compared
                              ? "; a table that is compared needs all occurrences of the bound"
                              : "; name the folder of what is measured apart with --data DIR, or "
                                "give a law with --law, such as --law Queuing=0ns");
  return STATUS_NO_INPUT;
}

/* All files that are missing are named at once, and before any is read. */
static enum status find_all(const struct reading *r, const struct expression *expression,
                            const struct expression_table *table) {
  wanted_type wanted = {0};
  for (size_t i = 0; i < table->occurrences.count; i++)
    want(r, &wanted, table->occurrences.data[i], NULL);
  if (r->laws->request->fresh)
    want_bare(r, &wanted, expression);
  for (size_t i = 0; i < r->laws->entries.count; i++) {
    const struct law_entry *entry = r->laws->entries.data[i];
    for (size_t j = 0; entry->is_used && j < compose_name_count(entry->compose); j++)
      vector_push(&wanted, (struct source_wanted){.name = compose_name(entry->compose, j)});
  }
  enum status status = STATUS_OK;
  if (r->laws->request->data != NULL)
    status = source_find_all(r->laws->request->data, wanted.data, wanted.count, r->message);
  else if (wanted.count != 0)
    status = complain_tables(r, &wanted);
  vector_clear(&wanted);
  return status;
}

/* ---------------------------------------------------------------------------------------------- */

/* --law: parsed first, so that occurrences find them; the files they name are read afterwards. */
static enum status parse_composed(struct reading *r) {
  const settings *laws = &r->laws->request->laws;
  for (size_t i = 0; i < laws->count; i++) {
    struct compose *compose;
    struct text why;
    text_init(&why);
    enum status status = compose_parse(&compose, laws->data[i].value, &why);
    if (status != STATUS_OK)
      text_format(r->message, "--law %s: %s", laws->data[i].name, text_get(&why));
    text_clear(&why);
    if (status != STATUS_OK)
      return status;
    struct law_entry *entry = laws_new_entry(r->laws);
    entry->name = mem_copy_text(laws->data[i].name, strlen(laws->data[i].name));
    entry->component = mem_copy_text(entry->name, strlen(entry->name));
    entry->compose = compose;
  }
  return STATUS_OK;
}

static enum status need_names(struct reading *r) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < r->laws->request->laws.count && status == STATUS_OK; i++) {
    const struct law_entry *entry = r->laws->entries.data[i];
    if (!entry->is_used) {
      text_format(r->message, "--law %s: the bound has no occurrence that is called so",
                  entry->name);
      return STATUS_USAGE;
    }
    for (size_t j = 0; j < compose_name_count(entry->compose) && status == STATUS_OK; j++) {
      size_t index;
      status = need_file(r, &index, NULL, compose_name(entry->compose, j));
    }
    ledger_note(r->ledger, LEDGER_DATA, "the law of %s is %s (given with --law)", entry->name,
                r->laws->request->laws.data[i].value);
  }
  return status;
}

/* A unit for no file is a slip that would leave another file a thousand times too fast. */
static enum status check_names(struct reading *r, const char *option, const settings *units) {
  for (size_t i = 0; i < units->count; i++) {
    const char *name = units->data[i].name;
    bool used = (r->laws->request->observed != NULL && strcmp(name, "observed") == 0) ||
                (r->laws->tables.count != 0 && strcmp(name, "joint") == 0);
    for (size_t j = 0; j < r->laws->entries.count && !used; j++) {
      const struct law_entry *entry = r->laws->entries.data[j];
      used = entry->compose == NULL &&
             (strcmp(entry->name, name) == 0 || strcmp(entry->component, name) == 0);
    }
    if (!used) {
      text_format(r->message, "--%s %s=%s: no file of measurements that is read is called so",
                  option, name, units->data[i].value);
      return STATUS_USAGE;
    }
  }
  return STATUS_OK;
}

size_t laws_entry_of(const struct laws *laws, const struct occurrence *occurrence,
                     const char *component) {
  if (occurrence != NULL)
    return laws->by_occurrence.data[occurrence->id];
  size_t index = index_of_composed(laws, NULL, component);
  if (index == laws->entries.count) {
    struct text path, message;
    text_init(&path);
    text_init(&message);
    if (find_path(laws, &path, NULL, component, &message) == STATUS_OK)
      index = index_of_path(laws, path.data);
    text_clear(&path);
    text_clear(&message);
  }
  return index;
}

/* The evaluator's question, about files that were all read before. */
static enum status answer(void *context, size_t *law, const struct survival **survival,
                          const struct occurrence *occurrence, const char *component,
                          struct text *message) {
  (void)message;
  struct laws *laws = context;
  *law = laws_entry_of(laws, occurrence, component);
  if (*law >= laws->entries.count)
    bug("no law was read for %s", occurrence ? occurrence->label : component);
  const struct law_entry *entry = laws->entries.data[*law];
  if (entry->instead[laws->side] != NULL)
    *survival = entry->instead[laws->side];
  else if (laws->use_models && laws->side == SIDE_UPPER && entry->modelled.tail != NULL)
    *survival = &entry->modelled;
  else
    *survival = &entry->band[laws->side];
  return STATUS_OK;
}

bool laws_are_settled(const struct laws *laws) {
  for (size_t i = 0; i < laws->entries.count; i++)
    if (!laws->entries.data[i]->serial.settled)
      return false;
  return true;
}

const char *law_draws_words(const struct sample *sample) {
  return sample_has_order(sample)
             ? "so few observations (less than 64) do not show whether they came in bursts; they "
               "are taken as independent draws of one law"
             : "the order of the observations is not known; they are taken as independent draws of "
               "one law";
}

bool laws_assume_draws(const struct laws *laws) {
  for (size_t i = 0; i < laws->entries.count; i++)
    if (laws->entries.data[i]->order_unknown)
      return true;
  return false;
}

static void judge_order(struct laws *laws) {
  for (size_t i = 0; i < laws->entries.count; i++) {
    struct law_entry *entry = laws->entries.data[i];
    if (entry->compose != NULL)
      continue;
    struct levels *levels = levels_new(&entry->sample, false);
    entry->serial = levels_overall(levels);
    entry->order_unknown = !levels_tell(&entry->sample);
    levels_free(levels);
  }
}

enum status laws_init(struct laws *laws, const struct calculation_request *request,
                      const struct protocol *protocol, const struct bound *bound,
                      const struct expression *expression, const struct expression_table *table,
                      struct joint *stream, struct ledger *ledger, struct text *message) {
  *laws = (struct laws){.request = request, .grid = grid_default};
  if (stream != NULL)
    vector_push(&laws->tables, stream);
  laws->find = (struct evaluate_laws){.find = answer, .context = laws};
  struct reading reading = {laws, protocol->model, ledger, message};
  enum status status = parse_composed(&reading);
  if (status == STATUS_OK)
    status = laws_read_tables(laws, protocol, bound, table, ledger, message);
  if (status == STATUS_OK)
    status = find_all(&reading, expression, table);
  for (size_t i = 0; i < table->occurrences.count && status == STATUS_OK; i++)
    status = need(&reading, table->occurrences.data[i], NULL);
  if (status == STATUS_OK && request->fresh)
    status = need_bare(&reading, expression);
  if (status == STATUS_OK)
    status = need_names(&reading);
  if (status == STATUS_OK)
    status = check_names(&reading, "unit", &reading.laws->request->units);
  if (status == STATUS_OK)
    status = check_names(&reading, "select", &reading.laws->request->selects);
  for (size_t i = 0; i < request->caps.count && status == STATUS_OK; i++)
    status = laws_read_cap(laws, &request->caps.data[i], reading.ledger, reading.message);
  if (!request->exchangeable && rational_sign(&request->confidence) > 0)
    judge_order(laws);
  return status;
}

void laws_clear(struct laws *laws) {
  for (size_t i = 0; i < laws->entries.count; i++) {
    struct law_entry *entry = laws->entries.data[i];
    mem_free(entry->name);
    mem_free(entry->path);
    mem_free(entry->component);
    mem_free(entry->family);
    sample_clear(&entry->sample);
    if (entry->compose != NULL)
      compose_clear(entry->compose);
    rational_clear(&entry->cap_ns);
    survival_clear(&entry->band[SIDE_UPPER]);
    survival_clear(&entry->band[SIDE_LOWER]);
    survival_clear(&entry->modelled);
    mem_free(entry);
  }
  for (size_t i = 0; i < laws->tables.count; i++) {
    joint_clear(laws->tables.data[i]);
    mem_free(laws->tables.data[i]);
  }
  vector_clear(&laws->tables);
  vector_clear(&laws->entries);
  vector_clear(&laws->by_occurrence);
}
