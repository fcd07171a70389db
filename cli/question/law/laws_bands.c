/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Confidence bands for every measured occurrence of a bound, and laws that the user composed of
 * them (laws.h).
 */
#include <inttypes.h>
#include <string.h>

#include "cli/question/law/laws.h"
#include "cli/question/law/request.h"
#include "dist/evaluate/compose.h"
#include "dist/statistics/confidence.h"
#include "dist/statistics/tail_model.h"
#include "dist/survival/combine.h"

struct banding {
  struct laws *laws;
  const uint64_t *samples;
  enum survival_side side;
  bool models;
  struct ledger *ledger;
};

uint64_t law_entry_worth(const struct law_entry *entry) {
  return serial_worth(&entry->serial, entry->sample.real);
}

/* What the order says of it; whether that is what it always is. */
static bool print_draws(struct text *text, const struct laws *laws, const struct law_entry *entry) {
  if (laws->alpha == 0)
    text_format(text, "the %" PRIu64 " observations in %s are the whole truth", entry->sample.real,
                entry->path);
  else if (entry->sample.evidence.compared)
    text_format(text,
                "the %" PRIu64 " runs of %s are independent draws of one law of runs; their "
                "%" PRIu64 " observations are worth %" PRIu64 " independent ones",
                entry->sample.evidence.runs, entry->name, entry->sample.real,
                law_entry_worth(entry));
  else if (entry->serial.inflation > 1)
    text_format(text,
                "the %" PRIu64 " observations in %s are a stretch of one stationary process, worth "
                "%" PRIu64 " independent draws of its law",
                entry->sample.real, entry->path, law_entry_worth(entry));
  else if (entry->order_unknown)
    text_format(text, "%s: %s", entry->path, law_draws_words(&entry->sample));
  else
    text_format(text, "the %" PRIu64 " observations in %s are independent draws of one law",
                entry->sample.real, entry->path);
  return laws->alpha == 0 || !entry->order_unknown || entry->serial.inflation > 1;
}

static void add_sample(const struct laws *laws, const struct law_entry *entry,
                       struct ledger *ledger) {
  struct text text, unknown;
  text_init(&text);
  text_init(&unknown);
  bool usual = print_draws(&text, laws, entry);
  evidence_print_unknown(&unknown, &entry->sample.evidence);
  if (unknown.length != 0 && usual)
    text_format(&text, "; not known is %s", text_get(&unknown));
  (usual ? ledger_add : ledger_note)(ledger, LEDGER_DATA, "%s", text_get(&text));
  if (unknown.length != 0 && !usual)
    ledger_add(ledger, LEDGER_DATA, "%s: not known is %s", entry->path, text_get(&unknown));
  text_clear(&text);
  text_clear(&unknown);
}

/* 1 - the chance of error. */
static void print_level(struct text *text, uint64_t chance) {
  struct rational level;
  rational_init(&level);
  rational_set_fraction(&level, (int64_t)(SURVIVAL_ONE - chance), (int64_t)SURVIVAL_ONE);
  rational_print_short(text, &level);
  rational_clear(&level);
}

static void add_confidence(const struct laws *laws, struct ledger *ledger) {
  static const char *const kinds[] = {[BAND_BOTH] = "",
                                      [BAND_RANKS] = " (of ranks)",
                                      [BAND_DKW] = " (of Dvoretzky, Kiefer and Wolfowitz)"};
  struct text level, whose;
  text_init(&level);
  text_init(&whose);
  print_level(&level, laws->budget);
  if (laws->measured == 1)
    text_append(&whose, "the confidence band of the file holds");
  else
    text_format(&whose, "the confidence bands of all %zu files hold together", laws->measured);
  ledger_add(ledger, LEDGER_DATA,
             "%s%s with confidence %s: above for `at most`, below for `at least`, each end with "
             "that confidence on its own",
             whose.data, kinds[laws->request->band], level.data);
  text_clear(&level);
  text_clear(&whose);
}

static void cap(const struct law_entry *entry, struct survival *s) {
  if (entry->has_cap)
    survival_cap(s, s, &entry->cap_ns);
}

static void make_model(struct laws *laws, struct law_entry *entry, struct ledger *ledger) {
  survival_clear(&entry->modelled);
  if (laws->request->tail != TAIL_GPD || laws->alpha == 0)
    return;
  survival_init(&entry->modelled, &laws->grid);
  survival_set(&entry->modelled, &entry->band[SIDE_UPPER]);
  struct tail_model model;
  struct text text;
  text_init(&text);
  bool good =
      tail_model_apply(&entry->modelled, &model, &entry->sample, laws->alpha, entry->path, &text);
  if (good) {
    ledger_note(ledger, LEDGER_DATA, "%s", text.data);
    cap(entry, &entry->modelled);
  } else {
    survival_clear(&entry->modelled);
    ledger_warn(ledger, LEDGER_DATA, "%s", text_get(&text));
  }
  text_clear(&text);
}

/* Further observations depend on each other as those there are. */
static uint64_t worth_of(const struct banding *b, size_t index) {
  const struct law_entry *entry = b->laws->entries.data[index];
  if (b->samples == NULL)
    return law_entry_worth(entry);
  return serial_worth(&entry->serial, b->samples[index]);
}

static void make_measured(const struct banding *b, size_t index) {
  struct laws *laws = b->laws;
  struct law_entry *entry = laws->entries.data[index];
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    struct survival *band = &entry->band[side];
    survival_clear(band);
    survival_init_side(band, &laws->grid, (enum survival_side)side);
    if (laws->alpha == 0)
      confidence_band(band, &entry->sample, 0, laws->request->band);
    else
      confidence_band_predicted(band, &entry->sample, worth_of(b, index), laws->alpha,
                                laws->request->band);
    cap(entry, band);
  }
  make_model(laws, entry, b->ledger);
  add_sample(laws, entry, b->ledger);
}

size_t laws_entry_called(const struct laws *laws, const char *name) {
  for (size_t i = 0; i < laws->entries.count; i++) {
    const struct law_entry *entry = laws->entries.data[i];
    if (entry->compose == NULL && entry->table == TABLE_NONE && strcmp(entry->name, name) == 0)
      return i;
  }
  bug("no law was read for %s", name);
}

/* P(latency > x) of a name in a composed law, from its observations. */
static uint64_t answer_above(void *context, const char *name, uint64_t x_ns,
                             enum survival_side side) {
  const struct banding *b = context;
  const struct laws *laws = b->laws;
  size_t index = laws_entry_called(laws, name);
  const struct law_entry *entry = laws->entries.data[index];
  int64_t cap_ns;
  if (entry->has_cap && rational_ceil(&cap_ns, &entry->cap_ns) && (uint64_t)cap_ns <= x_ns)
    return 0;
  uint64_t worth = laws->alpha == 0 ? entry->sample.real : worth_of(b, index);
  return confidence_above(&entry->sample, x_ns, worth, laws->alpha, laws->request->band, side);
}

/* The measured law of a name in a composed one. */
static enum status answer(void *context, const struct survival **survival, const char *name,
                          struct text *message) {
  (void)message;
  const struct banding *b = context;
  const struct law_entry *entry = b->laws->entries.data[laws_entry_called(b->laws, name)];
  *survival = b->models && entry->modelled.tail != NULL ? &entry->modelled : &entry->band[b->side];
  return STATUS_OK;
}

static enum status compose(struct banding *b, struct survival *s, struct law_entry *entry,
                           enum survival_side side, bool models, struct text *message) {
  b->side = side;
  b->models = models;
  struct compose_laws find = {.find = answer, .context = b, .above = answer_above};
  survival_clear(s);
  survival_init_side(s, &b->laws->grid, side);
  enum status status = compose_survival(s, entry->compose, &find, b->ledger, message);
  cap(entry, s);
  return status;
}

static enum status make_composed(struct banding *b, struct law_entry *entry, struct text *message) {
  enum status status = compose(b, &entry->band[SIDE_UPPER], entry, SIDE_UPPER, false, message);
  if (status == STATUS_OK)
    status = compose(b, &entry->band[SIDE_LOWER], entry, SIDE_LOWER, false, message);
  if (status == STATUS_OK && b->laws->request->tail == TAIL_GPD)
    status = compose(b, &entry->modelled, entry, SIDE_UPPER, true, message);
  return status;
}

enum status laws_make_bands(struct laws *laws, uint64_t budget, const uint64_t *samples,
                            struct ledger *ledger, struct text *message) {
  struct banding b = {.laws = laws, .samples = samples, .ledger = ledger};
  laws->alpha = laws->measured == 0 ? 0 : budget / laws->measured;
  laws->budget = budget;
  laws->banded = samples == NULL;
  for (size_t i = 0; i < laws->entries.count; i++)
    if (laws->entries.data[i]->compose == NULL && !laws->entries.data[i]->is_covered)
      make_measured(&b, i);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < laws->entries.count && status == STATUS_OK; i++)
    if (laws->entries.data[i]->compose != NULL)
      status = make_composed(&b, laws->entries.data[i], message);
  if (laws->alpha != 0)
    add_confidence(laws, ledger);
  else if (laws->measured != 0)
    ledger_note(ledger, LEDGER_DATA,
                "what was measured is the whole truth (asserted with --confidence 0)");
  return status;
}

uint64_t law_entry_largest(const struct law_entry *entry) {
  uint64_t largest =
      entry->sample.count == 0 ? 0 : entry->sample.bins[entry->sample.count - 1].upper_ns;
  int64_t cap_ns = 0;
  if (entry->has_cap && rational_ceil(&cap_ns, &entry->cap_ns) && (uint64_t)cap_ns > largest)
    largest = (uint64_t)cap_ns;
  return largest;
}
