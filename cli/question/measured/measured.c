/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/measured/measured.h"

#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "base/file.h"
#include "cli/question/law/laws.h"
#include "cli/question/percentiles/slo_file.h"
#include "dist/source/source.h"
#include "dist/statistics/between_runs.h"
#include "dist/statistics/exchange.h"
#include "dist/statistics/limits.h"
#include "dist/survival/survival.h"

/* --- reading ---------------------------------------------------------------------------------- */

static enum status read_one(struct measured *m, struct sample *sample, const char *path,
                            struct text *message) {
  const struct measured_request *request = m->request;
  const struct source_options options = {.unit = laws_unit(&request->units, path, "data"),
                                         .select = laws_unit(&request->selects, path, "data")};
  struct source_notes notes;
  source_notes_init(&notes);
  enum status status = m->request->server.address == NULL
                           ? source_read_with(sample, &notes, NULL, path, &options, message)
                           : server_read(sample, &notes, &m->request->server, 0, &options, message);
  for (size_t i = 0; i < notes.count; i++)
    ledger_note(&m->ledger, LEDGER_DATA, "%s", notes.lines[i]);
  source_notes_clear(&notes);
  if (status == STATUS_OK && sample->real == 0) {
    text_format(message, "%s: no observation in it is real; nothing can be said of them", path);
    status = STATUS_DATA;
  }
  return status;
}

static enum status read_runs(struct measured *m, struct text *message) {
  const struct measured_request *request = m->request;
  size_t count = 1 + request->runs.count;
  struct sample *runs = mem_alloc(count, sizeof *runs);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < count; i++)
    sample_init(&runs[i]);
  for (size_t i = 0; i < count && status == STATUS_OK; i++)
    status = read_one(m, &runs[i], i == 0 ? request->path : request->runs.data[i - 1], message);
  if (status == STATUS_OK && !between_runs(&m->sample, runs, count, message))
    status = STATUS_DATA;
  for (size_t i = 0; i < count; i++)
    sample_clear(&runs[i]);
  mem_free(runs);
  return status;
}

static void warn(struct measured *m) {
  struct source_notes warnings;
  source_notes_init(&warnings);
  if (m->request->runs.count == 0 && !m->request->exchangeable && m->chance != 0)
    exchange_warn(&warnings, &m->sample, file_name(m->request->path));
  for (size_t i = 0; i < warnings.count; i++)
    ledger_warn(&m->ledger, LEDGER_DATA, "%s", warnings.lines[i]);
  source_notes_clear(&warnings);
}

static enum status read_all(struct measured *m) {
  struct text message;
  text_init(&message);
  enum status status = m->request->runs.count == 0
                           ? read_one(m, &m->sample, m->request->path, &message)
                           : read_runs(m, &message);
  if (status != STATUS_OK)
    asker_fail(m->request->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

/* --- what it rests on ------------------------------------------------------------------------- */

static void note_worth(struct measured *m) {
  const struct sample *sample = &m->sample;
  const char *name = file_name(m->request->path);
  uint64_t worth = serial_worth(&m->serial, sample->real);
  if (m->chance == 0)
    ledger_note(&m->ledger, LEDGER_DATA,
                "what was measured is the whole truth (asserted with --confidence 0)");
  else if (m->request->exchangeable)
    ledger_note(&m->ledger, LEDGER_DATA,
                "%s: the order of the observations means nothing (asserted with --exchangeable)",
                name);
  else if (sample->evidence.compared)
    ledger_add(&m->ledger, LEDGER_DATA,
               "the %" PRIu64 " runs are independent draws of one law of runs, whose %" PRIu64
               " observations are worth %" PRIu64 " independent ones",
               sample->evidence.runs, sample->real, worth);
  else if (m->assumes_draws)
    ledger_note(&m->ledger, LEDGER_DATA, "%s: %s", name, law_draws_words(sample));
  else
    ledger_add(&m->ledger, LEDGER_DATA,
               "the %" PRIu64 " observations in %s are a stretch of one stationary process, worth "
               "%" PRIu64 " independent draws of its law",
               sample->real, name, worth);
}

static void note_unknown(struct measured *m) {
  struct text unknown;
  text_init(&unknown);
  evidence_print_unknown(&unknown, &m->sample.evidence);
  if (unknown.length != 0)
    ledger_add(&m->ledger, LEDGER_DATA, "%s: not known is %s", file_name(m->request->path),
               text_get(&unknown));
  text_clear(&unknown);
}

static void judge_order(struct measured *m) {
  bool trusted = m->request->exchangeable || m->chance == 0;
  m->levels = levels_new(&m->sample, trusted);
  m->serial = levels_overall(m->levels);
  m->assumes_draws = !trusted && !levels_tell(&m->sample);
  m->one_run = !trusted && !m->assumes_draws && !m->sample.evidence.compared;
  m->wanders = m->one_run && m->serial.wanders;
  note_worth(m);
  note_unknown(m);
}

/* --- answers ---------------------------------------------------------------------------------- */

static struct measured_row row_of(const struct measured *m, const struct wanted *wanted) {
  struct measured_row row = {.wanted = wanted};
  row.ends = levels_ends(m->levels, &m->sample, &wanted->share, m->sample.real, m->chance);
  if (!row.ends.upper_finite) {
    struct serial serial = levels_at(m->levels, &wanted->share);
    row.needed = limit_needed_of(&m->sample, &wanted->share, m->chance);
    row.worth = serial_worth_upper(&serial, m->sample.real);
  }
  return row;
}

/* Those of the requests of this run, whatever they depend on (Hoeffding 1956). */
static bool run_breaks(const struct measured *m, struct measured_slo *result) {
  if (m->chance == 0 || m->sample.series_count == 0 || m->sample.real < SERIAL_LEAST)
    return false;
  result->run_lower_ns =
      limit_lower(&m->sample, &result->slo->percentile.share, m->sample.real, m->chance);
  return !slo_allows(result->slo, result->run_lower_ns);
}

static void find_bucket(const struct measured *m, struct measured_slo *result) {
  const struct rational *share = &result->slo->percentile.share;
  uint64_t upper = SAMPLE_NS_MAX, lower = limit_lower(&m->sample, share, 1, 0);
  bool finite = limit_upper(&upper, &m->sample, share, 1, 0) && upper < SAMPLE_NS_MAX;
  result->in_bucket =
      slo_judge(result->slo, lower < SAMPLE_NS_MAX, lower, finite, upper) == SLO_UNDECIDED;
  result->bucket_lower_ns = lower;
  result->bucket_upper_ns = finite ? upper : SAMPLE_NS_MAX;
}

/* What is decided is so of this run alone. */
static void regard_run(const struct measured *m, struct measured_slo *result) {
  if (result->state == SLO_BROKEN && !run_breaks(m, result))
    result->run_lower_ns = result->row.ends.lower_ns;
  result->state = result->state == SLO_MET ? SLO_MET_IN_RUN : SLO_BROKEN_IN_RUN;
}

static struct measured_slo judge(const struct measured *m, const struct slo *slo) {
  struct measured_slo result = {.slo = slo, .row = row_of(m, &slo->percentile)};
  const struct level_ends *ends = &result.row.ends;
  uint64_t lower = ends->lower_settled ? ends->lower_ns : 0;
  result.state = slo_judge(slo, lower < SAMPLE_NS_MAX, lower,
                           ends->upper_finite && ends->upper_settled, ends->upper_ns);
  if (result.state == SLO_UNDECIDED && run_breaks(m, &result))
    result.state = SLO_BROKEN_IN_RUN;
  else if (result.state == SLO_UNDECIDED)
    find_bucket(m, &result);
  else if (m->wanders)
    regard_run(m, &result);
  else if (m->assumes_draws)
    result.state = result.state == SLO_MET ? SLO_MET_IF_DRAWS : SLO_BROKEN_IF_DRAWS;
  return result;
}

enum { PARTS = 1000000000 };

/* By the percentiles, so that it agrees with each objective: the greatest share that surely takes
 * no longer, and the least of which that is not so. */
static int64_t bisect(const struct measured *m, uint64_t ns, bool within) {
  int64_t low = 0, high = PARTS; /* what holds at `low` does not at `high` */
  struct wanted at = {0};
  rational_init(&at.share);
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    rational_set_fraction(&at.share, middle, PARTS);
    struct level_ends ends =
        levels_ends(m->levels, &m->sample, &at.share, m->sample.real, m->chance);
    bool holds = within ? ends.upper_finite && ends.upper_settled && ends.upper_ns <= ns
                        : !ends.lower_settled || ends.lower_ns <= ns;
    *(holds ? &low : &high) = middle;
  }
  rational_clear(&at.share);
  return within ? low : high;
}

/* Of the observations themselves. */
static void count_above(struct measured_above *above, const struct sample *sample, uint64_t ns) {
  uint64_t upper = sample_count_above(sample, ns), lower = sample->beyond;
  for (size_t i = sample->count; i-- > 0;)
    if (sample->bins[i].lower_ns > ns)
      lower += sample->bins[i].count;
  unsigned __int128 one = SURVIVAL_ONE;
  above->lower = (uint64_t)(one * lower / sample->total);
  above->upper = (uint64_t)((one * upper + sample->total - 1) / sample->total);
}

static void find_above(const struct measured *m, struct measured_above *above) {
  int64_t floor = 0; /* values are whole ns */
  if (!rational_floor(&floor, &above->ns))
    floor = INT64_MAX;
  if (m->chance == 0) {
    count_above(above, &m->sample, (uint64_t)floor);
    return;
  }
  uint64_t part = SURVIVAL_ONE / PARTS;
  above->upper = SURVIVAL_ONE - (uint64_t)bisect(m, (uint64_t)floor, true) * part;
  above->lower = SURVIVAL_ONE - (uint64_t)bisect(m, (uint64_t)floor, false) * part;
}

/* --- all of it -------------------------------------------------------------------------------- */

static enum status read_above(struct measured *m, const char *text) {
  struct measured_above above = {.text = text};
  rational_init(&above.ns);
  bool good = duration_parse(&above.ns, text);
  vector_push(&m->above, above);
  return good ? STATUS_OK
              : asker_fail(m->request->asker, STATUS_USAGE,
                           "unusable time \"%s\"; give a number and its unit, --above 20ms", text);
}

static enum status read_questions(struct measured *m) {
  const struct measured_request *request = m->request;
  enum status status = wanted_read(&m->wanted, request->percentiles, request->asker);
  for (size_t i = 0; i < request->slo.count && status == STATUS_OK; i++)
    status = slo_read(&m->slos, request->slo.data[i], request->asker);
  for (size_t i = 0; i < request->slo_files.count && status == STATUS_OK; i++)
    status = slo_file_read(&m->slos, request->slo_files.data[i], request->asker);
  for (size_t i = 0; i < request->above.count && status == STATUS_OK; i++)
    status = read_above(m, request->above.data[i]);
  return status;
}

/* 1 - confidence, rounded down. */
static uint64_t chance_of(const struct rational *confidence) {
  struct rational chance, one;
  int64_t units = 0;
  if (rational_sign(confidence) == 0)
    return 0;
  rational_init(&chance);
  rational_init(&one);
  rational_set_integer(&one, 1);
  rational_sub(&chance, &one, confidence);
  rational_set_integer(&one, (int64_t)SURVIVAL_ONE);
  rational_mul(&chance, &chance, &one);
  rational_floor(&units, &chance);
  rational_clear(&one);
  rational_clear(&chance);
  return units < 1 ? 1 : (uint64_t)units;
}

enum status measured_ask(struct measured *m, const struct measured_request *request) {
  *m = (struct measured){.request = request, .chance = chance_of(&request->confidence)};
  sample_init(&m->sample);
  ledger_init(&m->ledger);
  m->status = read_questions(m);
  if (m->status == STATUS_OK)
    m->status = read_all(m);
  if (m->status != STATUS_OK)
    return m->status;
  m->found = true;
  judge_order(m);
  slo_note_origins(&m->slos, &m->ledger);
  warn(m);
  for (size_t i = 0; i < m->wanted.count; i++)
    vector_push(&m->rows, row_of(m, &m->wanted.data[i]));
  for (size_t i = 0; i < m->slos.count; i++) {
    vector_push(&m->results, judge(m, &m->slos.data[i]));
    m->status = status_worst(m->status, slo_status(m->results.data[i].state));
  }
  for (size_t i = 0; i < m->above.count; i++)
    find_above(m, &m->above.data[i]);
  return m->status;
}

void measured_clear(struct measured *m) {
  sample_clear(&m->sample);
  levels_free(m->levels);
  wanted_clear(&m->wanted);
  slo_clear(&m->slos);
  vector_clear(&m->rows);
  vector_clear(&m->results);
  for (size_t i = 0; i < m->above.count; i++)
    rational_clear(&m->above.data[i].ns);
  vector_clear(&m->above);
  ledger_clear(&m->ledger);
}
