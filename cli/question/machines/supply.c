/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/machines/supply.h"

#include <string.h>
#include <sys/stat.h>

#include "base/duration.h"

/* --- files ------------------------------------------------------------------------------------ */

static bool is_there(const char *path) {
  struct stat about;
  return stat(path, &about) == 0;
}

static enum status read_joint(struct supply *supply) {
  static const char *const names[] = {"joint.csv", "joint.csv.gz"};
  enum status status = STATUS_OK;
  for (size_t i = 0; supply->data != NULL && i < 2 && !supply->has_joint; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%s/%s", supply->data, names[i]);
    if (is_there(text_get(&path))) {
      status = joint_read(&supply->joint, &supply->notes, text_get(&path), NULL, &supply->message);
      supply->has_joint = status == STATUS_OK;
    }
    text_clear(&path);
    if (status != STATUS_OK)
      break;
  }
  return status;
}

static const struct component *component_called(const struct model *model, const char *name) {
  for (size_t i = 0; i < model->components.count; i++)
    if (strcmp(model->components.items[i]->name, name) == 0)
      return model->components.items[i];
  return NULL;
}

static void count_up(struct supply_entry *entry) {
  entry->upto = mem_alloc(entry->sample.count + 1, sizeof *entry->upto);
  uint64_t sum = 0;
  for (size_t i = 0; i < entry->sample.count; i++)
    entry->upto[i] = sum += entry->sample.bins[i].count;
}

static struct supply_entry *new_entry(struct supply *supply, const char *path) {
  struct supply_entry *entry = mem_alloc(1, sizeof *entry);
  entry->path = mem_copy_text(path, strlen(path));
  sample_init(&entry->sample);
  vector_push(&supply->entries, entry);
  return entry;
}

static enum status add_always(struct supply *supply, const struct model *model,
                              const struct setting *setting) {
  const struct component *component = component_called(model, setting->name);
  if (component == NULL || component->kind == COMPONENT_CONSTANT ||
      component->kind == COMPONENT_QUEUEING) {
    text_format(&supply->message, "--always %s: %s", setting->name,
                component == NULL ? "the protocol has no such component"
                : component->kind == COMPONENT_CONSTANT
                    ? "is a parameter; set it with --set"
                    : "waiting is what the machines make of it");
    return STATUS_USAGE;
  }
  struct rational value;
  int64_t ns = -1;
  rational_init(&value);
  bool good = duration_parse(&value, setting->value) && rational_ceil(&ns, &value) && ns >= 0;
  rational_clear(&value);
  if (!good) {
    text_format(&supply->message, "--always %s=%s: give a time with its unit (3ms)", setting->name,
                setting->value);
    return STATUS_USAGE;
  }
  struct supply_entry *entry = new_entry(supply, setting->name);
  sample_add_range(&entry->sample, (uint64_t)ns, (uint64_t)ns, 1);
  sample_finish(&entry->sample);
  count_up(entry);
  supply->by_component[component->id] = supply->entries.count;
  return STATUS_OK;
}

enum status supply_init(struct supply *supply, const struct model *model) {
  supply->component_count = model->components.count;
  supply->by_component = mem_alloc(model->components.count + 1, sizeof *supply->by_component);
  joint_init(&supply->joint);
  source_notes_init(&supply->notes);
  text_init(&supply->message);
  rational_init(&supply->bare);
  supply->status = read_joint(supply);
  for (size_t i = 0; i < supply->always->count && supply->status == STATUS_OK; i++)
    supply->status = add_always(supply, model, &supply->always->data[i]);
  return supply->status;
}

void supply_clear(struct supply *supply) {
  for (size_t i = 0; i < supply->entries.count; i++) {
    mem_free(supply->entries.data[i]->path);
    mem_free(supply->entries.data[i]->upto);
    sample_clear(&supply->entries.data[i]->sample);
    mem_free(supply->entries.data[i]);
  }
  vector_clear(&supply->entries);
  vector_clear(&supply->by_occurrence);
  mem_free(supply->by_component);
  joint_clear(&supply->joint);
  source_notes_clear(&supply->notes);
  text_clear(&supply->message);
  rational_clear(&supply->bare);
}

void supply_begin(struct supply *supply, uint64_t seed) {
  supply->random = (struct random){seed};
  if (supply->has_joint)
    supply->row = (size_t)random_below(&supply->random, supply->joint.rows);
}

/* --- which file ------------------------------------------------------------------------------- */

/* Index + 1 of the file's entry, read if it is new; 0 with the reason. */
static size_t need_path(struct supply *supply, const char *path,
                        const struct component *component) {
  for (size_t i = 0; i < supply->entries.count; i++)
    if (strcmp(supply->entries.data[i]->path, path) == 0)
      return i + 1;
  const struct source_options options = {.unit = settings_find(supply->units, component->name),
                                         .select = settings_find(supply->selects, component->name),
                                         .is_delay = component->kind == COMPONENT_DELAY};
  struct supply_entry *entry = new_entry(supply, path);
  supply->status =
      source_read_with(&entry->sample, &supply->notes, NULL, path, &options, &supply->message);
  if (supply->status == STATUS_OK && entry->sample.total == 0) {
    text_format(&supply->message, "%s: has no observation", path);
    supply->status = STATUS_DATA;
  }
  if (supply->status != STATUS_OK)
    return 0;
  count_up(entry);
  return supply->entries.count;
}

/* `occurrence` NULL: of what has no name of its own. */
static size_t find_entry(struct supply *supply, const struct component *component,
                         const struct occurrence *occurrence) {
  if (supply->by_component[component->id] != 0)
    return supply->by_component[component->id];
  if (supply->data == NULL) {
    text_format(&supply->message,
                "it is not known how long %s takes; name the folder of measurements with --data "
                "DIR, or give a time with --always %s=TIME",
                component->name, component->name);
    supply->status = STATUS_USAGE;
    return 0;
  }
  struct text path;
  text_init(&path);
  supply->status = source_find(&path, supply->data, component->name,
                               occurrence == NULL ? NULL : occurrence->message,
                               occurrence == NULL ? NULL : occurrence->indices,
                               occurrence == NULL ? 0 : occurrence->index_count, &supply->message);
  size_t found = 0;
  if (supply->status == STATUS_OK)
    found = need_path(supply, text_get(&path), component);
  else
    text_format(&supply->message, "; or give a time with --always %s=TIME", component->name);
  text_clear(&path);
  return found;
}

static size_t entry_of(struct supply *supply, const struct component *component,
                       const struct occurrence *occurrence) {
  if (occurrence == NULL) {
    size_t *known = &supply->by_component[component->id];
    return *known != 0 ? *known : (*known = find_entry(supply, component, NULL));
  }
  while (supply->by_occurrence.count <= occurrence->id)
    vector_push(&supply->by_occurrence, 0);
  size_t *known = &supply->by_occurrence.data[occurrence->id];
  return *known != 0 ? *known : (*known = find_entry(supply, component, occurrence));
}

/* --- draws ------------------------------------------------------------------------------------ */

static int64_t between(struct supply *supply, uint64_t lower_ns, uint64_t upper_ns) {
  if (upper_ns >= (uint64_t)MACHINES_ENDLESS)
    return MACHINES_ENDLESS;
  return (int64_t)(lower_ns + random_below(&supply->random, upper_ns - lower_ns + 1));
}

static int64_t draw_sample(struct supply *supply, const struct supply_entry *entry) {
  uint64_t card = random_below(&supply->random, entry->sample.total);
  size_t low = 0, high = entry->sample.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (entry->upto[middle] > card)
      high = middle;
    else
      low = middle + 1;
  }
  if (low == entry->sample.count)
    return MACHINES_ENDLESS;
  const struct sample_bin *bin = &entry->sample.bins[low];
  return between(supply, bin->lower_ns, bin->upper_ns);
}

/* The cell of the execution's row, if it says anything. */
static bool draw_cell(struct supply *supply, const struct occurrence *occurrence, int64_t *ns) {
  if (!supply->has_joint || occurrence == NULL)
    return false;
  size_t column = joint_find(&supply->joint, occurrence);
  if (column == SIZE_MAX)
    return false;
  struct joint_cell cell = supply->joint.columns.data[column].cells[supply->row];
  if (cell.lower_ns > cell.upper_ns || (cell.lower_ns == 0 && cell.upper_ns == SAMPLE_NS_MAX))
    return false;
  *ns = between(supply, cell.lower_ns, cell.upper_ns);
  return true;
}

/* What did not happen in a request takes no time there; what no row has is not known. */
static bool is_absent(const struct supply *supply, const struct occurrence *occurrence) {
  size_t column =
      supply->has_joint && occurrence != NULL ? joint_find(&supply->joint, occurrence) : SIZE_MAX;
  return column != SIZE_MAX && supply->joint.columns.data[column].cells[supply->row].lower_ns >
                                   supply->joint.columns.data[column].cells[supply->row].upper_ns;
}

static bool draw(void *context, const struct component *component,
                 const struct occurrence *occurrence, int64_t *ns) {
  struct supply *supply = context;
  bool named = occurrence != NULL && !component->repeated && component->kind != COMPONENT_TIMEOUT;
  if (!named)
    occurrence = NULL;
  *ns = 0;
  if (supply->by_component[component->id] == 0 &&
      (draw_cell(supply, occurrence, ns) || is_absent(supply, occurrence)))
    return true;
  size_t entry = entry_of(supply, component, occurrence);
  if (entry != 0)
    *ns = draw_sample(supply, supply->entries.data[entry - 1]);
  return entry != 0;
}

/* The timeout of a schedule: what was measured of it at most. */
static const struct rational *bare(void *context, const struct component *component) {
  struct supply *supply = context;
  if (component->kind == COMPONENT_CONSTANT)
    return supply->parameters->times[component->id];
  size_t index = entry_of(supply, component, NULL);
  if (index == 0)
    return NULL;
  const struct sample *sample = &supply->entries.data[index - 1]->sample;
  uint64_t most = sample->count == 0 || sample->beyond != 0
                      ? (uint64_t)MACHINES_ENDLESS
                      : sample->bins[sample->count - 1].upper_ns;
  rational_set_integer(&supply->bare, (int64_t)most);
  return &supply->bare;
}

struct machines_supply supply_of(struct supply *supply) {
  return (struct machines_supply){draw, bare, supply};
}
