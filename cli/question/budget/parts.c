/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/budget/parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cli/question/law/laws.h"
#include "dist/statistics/confidence.h"
#include "dist/survival/combine.h"

static enum status complain(const struct budget *b, const char *option, const char *value,
                            const char *remedy) {
  return asker_fail(b->request->of.asker, STATUS_USAGE, "--%s %s: %s", option, value, remedy);
}

/* --- which there are -------------------------------------------------------------------------- */

/* The group that lists the name, or its component ("d" of "d.Ack"), or the name. */
static const char *group_of(const settings *groups, const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < groups->count; i++)
    for (const char *at = groups->data[i].value; *at != '\0'; at += strspn(at, ", ")) {
      size_t item = strcspn(at, ", ");
      if (item <= length && strncmp(at, name, item) == 0 &&
          (name[item] == '\0' || name[item] == '.'))
        return groups->data[i].name;
      at += item;
    }
  return name;
}

static char *grouped(struct text *own, const settings *groups) {
  const char *name = group_of(groups, text_get(own));
  char *copy = mem_copy_text(name, strlen(name));
  text_clear(own);
  return copy;
}

char *part_name(const struct occurrence *occurrence, const settings *groups) {
  struct text text;
  text_init(&text);
  text_append(&text, occurrence->component);
  if (occurrence->message != NULL)
    text_format(&text, ".%s", occurrence->message);
  return grouped(&text, groups);
}

/* "Charge", "d.Ack", or with --each the series: what groups list. */
static void print_own(struct text *text, const struct budget *b, size_t occurrence) {
  const struct laws *laws = &b->calculation.laws;
  const struct occurrence *of = b->calculation.table.occurrences.data[occurrence];
  if (b->request->each)
    text_append(text, laws->entries.data[laws->by_occurrence.data[occurrence]]->name);
  else if (of->message != NULL)
    text_format(text, "%s.%s", of->component, of->message);
  else
    text_append(text, of->component);
}

static char *name_of(const struct budget *b, size_t occurrence) {
  struct text text;
  text_init(&text);
  print_own(&text, b, occurrence);
  return grouped(&text, &b->request->groups);
}

/* Whether the item of group `group` says of some occurrence that it is in this one. */
static bool is_listed(const struct budget *b, size_t group, const char *item, size_t length) {
  const settings *groups = &b->request->groups;
  bool listed = false;
  for (size_t i = 0; i < b->calculation.table.occurrences.count && !listed; i++) {
    struct text own;
    text_init(&own);
    print_own(&own, b, i);
    const char *name = text_get(&own);
    listed = length <= own.length && strncmp(item, name, length) == 0 &&
             (name[length] == '\0' || name[length] == '.') &&
             group_of(groups, name) == groups->data[group].name;
    text_clear(&own);
  }
  return listed;
}

static bool has_controls(const char *name) {
  for (; *name != '\0'; name++)
    if ((unsigned char)*name < ' ')
      return true;
  return false;
}

static enum status check_groups(const struct budget *b) {
  const settings *groups = &b->request->groups;
  for (size_t i = 0; i < groups->count; i++) {
    const char *all = groups->data[i].value;
    if (has_controls(groups->data[i].name))
      return complain(b, "group", all, "give its name on one line");
    for (const char *at = all + strspn(all, ", "); *at != '\0'; at += strspn(at, ", ")) {
      size_t length = strcspn(at, ", ");
      if (!is_listed(b, i, at, length))
        return asker_fail(b->request->of.asker, STATUS_USAGE,
                          "--group %s=%s: nothing of the bound is called %.*s and in no group "
                          "before",
                          groups->data[i].name, all, (int)length, at);
      at += length;
    }
  }
  return STATUS_OK;
}

static size_t find_part(const struct budget *b, const char *name) {
  for (size_t g = 0; g < b->parts.count; g++)
    if (strcmp(b->parts.data[g].name, name) == 0)
      return g;
  return SIZE_MAX;
}

static void add_entry(struct budget_part *part, size_t entry) {
  for (size_t i = 0; i < part->entries.count; i++)
    if (part->entries.data[i] == entry)
      return;
  vector_push(&part->entries, entry);
}

static void divide(struct budget *b) {
  const struct expression_table *table = &b->calculation.table;
  const struct laws *laws = &b->calculation.laws;
  for (size_t i = 0; i < laws->by_occurrence.count && i < table->occurrences.count; i++) {
    char *name = name_of(b, i);
    size_t part = find_part(b, name);
    if (part == SIZE_MAX) {
      part = b->parts.count;
      vector_push(&b->parts, (struct budget_part){.name = name, .weight = 1});
    } else {
      mem_free(name);
    }
    add_entry(&b->parts.data[part], laws->by_occurrence.data[i]);
    b->parts.data[part].occurrences++;
    vector_push(&b->part_of, part);
  }
}

/* --- what is said of them --------------------------------------------------------------------- */

static enum status unknown_part(const struct budget *b, const char *option, const char *name) {
  struct text text;
  text_init(&text);
  text_append(&text, "no part of the bound is called so; there are");
  for (size_t g = 0; g < b->parts.count && g < 12; g++)
    text_format(&text, "%s %s", g == 0 ? "" : ",", b->parts.data[g].name);
  text_append(&text, b->parts.count > 12 ? " and more" : "");
  enum status status = complain(b, option, name, text_get(&text));
  text_clear(&text);
  return status;
}

static enum status read_weights(struct budget *b) {
  const settings *weights = &b->request->weights;
  for (size_t i = 0; i < weights->count; i++) {
    size_t part = find_part(b, weights->data[i].name);
    double weight;
    if (part == SIZE_MAX)
      return unknown_part(b, "weight", weights->data[i].name);
    if (!number_real(&weight, weights->data[i].value) || !(weight >= 0) || weight > 1e6)
      return complain(b, "weight", weights->data[i].value,
                      "give how much of the room it gets, 0 or more, where others get 1");
    b->parts.data[part].weight = weight;
  }
  return STATUS_OK;
}

/* The greatest whole time that the promise allows. */
static uint64_t limit_of(const struct slo *slo) {
  int64_t ns = 0;
  bool fits =
      slo->strict ? rational_ceil(&ns, &slo->limit_ns) : rational_floor(&ns, &slo->limit_ns);
  ns -= slo->strict;
  return fits && ns > 0 ? (uint64_t)ns : fits ? 0 : INT64_MAX;
}

enum status promise_read(struct promise *promise, const char *text, const struct asker *asker) {
  slo_list one = {0};
  enum status status = slo_read(&one, text, asker);
  if (status == STATUS_OK) {
    promise->limit_ns = limit_of(&one.data[0]);
    survival_tail_of_side(&promise->miss, &one.data[0].percentile.share, SIDE_LOWER);
  }
  slo_clear(&one);
  return status;
}

enum status promises_read(promise_list *list, const char *text, const struct asker *asker) {
  enum status status = STATUS_OK;
  for (const char *at = text; status == STATUS_OK;) {
    size_t length = strcspn(at, ",");
    char *one = mem_copy_text(at, length);
    struct promise promise = {0, SURVIVAL_ONE};
    status = promise_read(&promise, one, asker);
    vector_push(list, promise);
    mem_free(one);
    if (at[length] == '\0')
      break;
    at += length + 1;
    at += strspn(at, " ");
  }
  return status;
}

static enum status read_fixed(struct budget *b) {
  const settings *fixed = &b->request->fixed;
  for (size_t i = 0; i < fixed->count; i++) {
    size_t at = find_part(b, fixed->data[i].name);
    if (at == SIZE_MAX)
      return unknown_part(b, "fix", fixed->data[i].name);
    struct budget_part *part = &b->parts.data[at];
    if (part->is_fixed)
      return complain(b, "fix", part->name, "it is fixed twice; leave one");
    enum status status = promise_read(&part->promise, fixed->data[i].value, b->request->of.asker);
    if (status != STATUS_OK)
      return status;
    part->is_fixed = true;
    part->weight = 0;
  }
  return STATUS_OK;
}

/* --- what was measured ------------------------------------------------------------------------ */

/* The law of an entry as it was measured; with `alpha`, its band of the side. */
static void law_of(struct survival *law, const struct budget *b, const struct law_entry *entry,
                   uint64_t alpha) {
  enum confidence_band band = b->request->of.band;
  if (entry->compose != NULL)
    survival_set(law, &entry->band[law->side]);
  else if (alpha == 0)
    confidence_band(law, &entry->sample, 0, band);
  else
    confidence_band_predicted(law, &entry->sample, law_entry_worth(entry), alpha, band);
}

/* At each time the worst of the part's series, as a promise holds of each. */
void parts_law(struct survival *law, const struct budget *b, const struct budget_part *part,
               uint64_t alpha) {
  const struct laws *laws = &b->calculation.laws;
  struct survival own;
  for (size_t i = 0; i < part->entries.count; i++) {
    survival_init_side(&own, &laws->grid, law->side);
    law_of(&own, b, laws->entries.data[part->entries.data[i]], alpha);
    if (i == 0)
      survival_set(law, &own);
    else
      survival_join(law, law, &own);
    survival_clear(&own);
  }
}

static uint64_t least_observations(const struct budget *b, const struct budget_part *part) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < part->entries.count; i++) {
    const struct law_entry *entry = b->calculation.laws.entries.data[part->entries.data[i]];
    if (entry->compose == NULL && entry->sample.real < least)
      least = entry->sample.real;
  }
  return least == UINT64_MAX ? 0 : least;
}

/* What was never observed is not impossible; but a small part of the chance does as the least miss,
 * so that there is enough for all. */
static uint64_t floor_of(const struct budget *b, const struct budget_part *part) {
  uint64_t unseen = SURVIVAL_ONE / (part->observations == 0 ? SURVIVAL_ONE : part->observations);
  uint64_t spare = b->chance / (8 * (b->part_of.count + 1));
  return unseen < spare ? unseen : spare;
}

static void make_points(struct budget *b, struct budget_part *part) {
  part->observations = least_observations(b, part);
  struct survival law;
  survival_init(&law, &b->calculation.laws.grid);
  parts_law(&law, b, part, 0);
  if (part->is_fixed) {
    part->points = mem_alloc(1, sizeof *part->points);
    part->points[0] = (struct split_point){(double)part->promise.limit_ns, part->promise.miss};
    part->point_count = 1;
  } else {
    part->points = split_points(&part->point_count, &law, floor_of(b, part),
                                b->request->round || b->request->costs != NULL);
  }
  survival_clear(&law);
}

enum status parts_make(struct budget *b) {
  struct ledger unused;
  ledger_init(&unused);
  enum status status =
      laws_make_bands(&b->calculation.laws, 0, NULL, &unused, &b->calculation.message);
  ledger_clear(&unused);
  if (status != STATUS_OK)
    return asker_fail(b->request->of.asker, status, "%s", text_get(&b->calculation.message));
  status = check_groups(b);
  if (status != STATUS_OK)
    return status;
  divide(b);
  status = read_weights(b);
  if (status == STATUS_OK)
    status = read_fixed(b);
  for (size_t g = 0; g < b->parts.count && status == STATUS_OK; g++)
    make_points(b, &b->parts.data[g]);
  return status;
}

static uint64_t edge_of(const struct sample *sample, uint64_t ns) {
  uint64_t edge = 0;
  for (size_t i = 0; i < sample->count && sample->bins[i].upper_ns <= ns; i++)
    edge = sample->bins[i].upper_ns;
  return edge;
}

uint64_t parts_edge(const struct budget *b, const struct budget_part *part, uint64_t ns) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < part->entries.count; i++) {
    const struct law_entry *entry = b->calculation.laws.entries.data[part->entries.data[i]];
    if (entry->compose != NULL || entry->sample.evidence.edges != EDGES_OPEN_BELOW)
      return 0;
    uint64_t edge = edge_of(&entry->sample, ns);
    least = edge < least ? edge : least;
  }
  return least == UINT64_MAX ? 0 : least;
}

static void look(struct budget *b, struct budget_part *part, uint64_t alpha) {
  struct survival law;
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    survival_init_side(&law, &b->calculation.laws.grid, (enum survival_side)side);
    parts_law(&law, b, part, alpha);
    *(side == SIDE_UPPER ? &part->upper : &part->lower) =
        survival_tail(&law, part->promise.limit_ns);
    survival_clear(&law);
  }
}

/* What the part takes, of the laws as they were measured. */
static void look_now(const struct budget *b, struct budget_part *part) {
  struct survival law;
  survival_init(&law, &b->calculation.laws.grid);
  parts_law(&law, b, part, 0);
  part->is_seen =
      part->observations == 0 || part->promise.miss >= SURVIVAL_ONE / part->observations;
  if (!survival_quantile(&part->now_ns, &law, part->promise.miss))
    part->now_ns = SAMPLE_NS_MAX;
  survival_clear(&law);
}

enum status parts_look(struct budget *b) {
  uint64_t chance = 0;
  struct laws *laws = &b->calculation.laws;
  for (size_t g = 0; g < b->parts.count; g++) /* bands replace the composed laws */
    look_now(b, &b->parts.data[g]);
  if (rational_sign(&b->request->of.confidence) > 0)
    survival_tail_of(&chance, &b->request->of.confidence);
  enum status status = calculation_make_bands(&b->calculation, chance);
  for (size_t g = 0; g < b->parts.count && status == STATUS_OK; g++)
    look(b, &b->parts.data[g], laws->alpha);
  return status;
}

void parts_clear(struct budget *b) {
  for (size_t g = 0; g < b->parts.count; g++) {
    struct budget_part *part = &b->parts.data[g];
    mem_free(part->name);
    mem_free(part->points);
    vector_clear(&part->entries);
    vector_clear(&part->also);
    vector_clear(&part->also_ns);
  }
  vector_clear(&b->parts);
  vector_clear(&b->part_of);
}
