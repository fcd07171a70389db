/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `compare` (compare.h): which two things are held against each other, and how.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "cli/question/compare/compare_edges.h"
#include "cli/question/compare/compare_inside.h"
#include "cli/question/compare/compare_operand.h"
#include "cli/question/compare/compare_tendency.h"
#include "dist/statistics/limits.h"

bool compare_is_folder(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

uint64_t compare_alpha(const struct compare *compare) {
  uint64_t alpha = 0;
  survival_tail_of(&alpha, &compare->request->of.confidence);
  return alpha;
}

void compare_add_confidence(struct compare *compare) {
  struct text level;
  text_init(&level);
  rational_print_short(&level, &compare->request->of.confidence);
  ledger_add(&compare->ledger, LEDGER_DATA,
             "all intervals from measurements hold together with confidence %s", level.data);
  text_clear(&level);
}

static void add_ranks(struct compare *compare) {
  bool tested = false, exact = false;
  size_t edges = 0;
  for (size_t i = 0; i < compare->subjects.count; i++) {
    const struct subject *subject = &compare->subjects.data[i];
    tested |= subject->tendency.tested && !subject->tendency.exact;
    exact |= subject->tendency.exact;
    edges += subject->edges.count;
  }
  if (exact)
    ledger_add(&compare->ledger, LEDGER_DATA,
               "half of the chance of error is that of an exact test by ranks");
  if (tested)
    ledger_add(
        &compare->ledger, LEDGER_DATA,
        "half of the chance of error is that of a test by ranks, which holds asymptotically");
  if (edges != 0)
    ledger_add(&compare->ledger, LEDGER_DATA,
               "half of the chance of error is that of exact tests of two shares (Fisher) at the "
               "edges of buckets that A and B have in common");
}

struct subject *compare_add_subject(struct compare *compare, const char *name) {
  struct subject subject = {0};
  if (name != NULL)
    subject.name = mem_copy_text(name, strlen(name));
  vector_push(&compare->subjects, subject);
  return &compare->subjects.data[compare->subjects.count - 1];
}

/* Takes what a picture needs; a sample's band has this chance of error at each end. */
static void keep_curve(struct compared_curve *curve, struct operand *operand, uint64_t alpha) {
  if (operand->is_sample)
    operand_make_law(operand, alpha);
  curve->sample = operand->sample;
  memcpy(curve->sides, operand->sides, sizeof curve->sides);
  sample_init(&operand->sample);
  memset(operand->sides, 0, sizeof operand->sides);
}

/* --- two samples, two laws -------------------------------------------------------------------- */

static struct range range_of(const struct quantile_range *quantile) {
  return (struct range){.lower_finite = quantile->lower_ns < SAMPLE_NS_MAX,
                        .upper_finite = quantile->upper_ns < SAMPLE_NS_MAX,
                        .lower_ns = quantile->lower_ns,
                        .upper_ns = quantile->upper_ns};
}

static void keep_evidence(struct compared_evidence *kept, const struct operand *operand) {
  evidence_init(&kept->evidence);
  evidence_copy(&kept->evidence, &operand->sample.evidence);
  kept->ordered = sample_has_order(&operand->sample);
  kept->serial = operand->serial;
}

/* So many independent draws have a finite upper end at the tail, where all have ended. */
static uint64_t needed_at(const struct rational *share, uint64_t tail, uint64_t alpha) {
  uint64_t n = limit_needed(share, alpha);
  struct band band;
  for (int k = 0; k < 64 && n != 0; k++, n += n / 16 + 1) {
    band_init(&band, SIDE_UPPER, n, alpha, BAND_BOTH);
    if (band_tail(&band, 0) <= tail)
      return n;
  }
  return 0;
}

void compare_two_samples(struct compare *compare, const char *name, struct operand *a,
                         struct operand *b, uint64_t alpha) {
  struct two_sample two;
  uint64_t ranks_alpha = tendency_alpha(compare, a, b, alpha), second_alpha = ranks_alpha;
  struct subject *subject = compare_add_subject(compare, name);
  subject->has_samples = true;
  keep_evidence(&subject->evidence[0], a);
  keep_evidence(&subject->evidence[1], b);
  subject->a_count = a->sample.real;
  subject->b_count = b->sample.real;
  subject->a_worth = operand_worth(a);
  subject->b_worth = operand_worth(b);
  subject->unsettled = !a->serial.settled || !b->serial.settled;
  subject->assumes_draws = a->assumes_draws || b->assumes_draws;
  subject->wanders = a->wanders || b->wanders;
  subject->a_runs = a->sample.evidence.compared ? a->sample.evidence.runs : 0;
  subject->b_runs = b->sample.evidence.compared ? b->sample.evidence.runs : 0;
  if (compare_at_edges(compare, subject, a, b, alpha / 2))
    second_alpha = alpha / 2;
  else
    subject->tendency = tendency_find(compare, a, b, ranks_alpha);
  compare_samples(&two, &a->sample, subject->a_worth, &b->sample, subject->b_worth,
                  alpha - second_alpha);
  subject->a_slower = two.a_slower;
  subject->b_slower = two.b_slower;
  for (size_t i = 0; i < compare->wanted.count; i++) {
    uint64_t tail = 0;
    survival_tail_of(&tail, &compare->wanted.data[i].share);
    struct two_sample_quantile at = compare_quantile(&two, tail);
    struct range range_a = range_of(&at.a), range_b = range_of(&at.b);
    compare_add(compare, subject, i, &range_a, &range_b);
    if (!range_a.upper_finite || !range_b.upper_finite)
      subject->rows.data[i].needed =
          needed_at(&compare->wanted.data[i].share, tail, (alpha - second_alpha) / COMPARE_ENDS);
  }
  if (!compare->request->keep)
    return;
  keep_curve(&subject->curves[0], a, (alpha - second_alpha) / COMPARE_ENDS);
  keep_curve(&subject->curves[1], b, (alpha - second_alpha) / COMPARE_ENDS);
}

static void compare_two_laws(struct compare *compare, struct operand *a, struct operand *b) {
  struct subject *subject = compare_add_subject(compare, NULL);
  subject->unsettled = !a->serial.settled || !b->serial.settled;
  subject->assumes_draws = a->assumes_draws || b->assumes_draws;
  subject->wanders = a->wanders || b->wanders;
  for (size_t i = 0; i < compare->wanted.count; i++) {
    const struct rational *share = &compare->wanted.data[i].share;
    struct range range_a = operand_range(a, share), range_b = operand_range(b, share);
    compare_add(compare, subject, i, &range_a, &range_b);
  }
  if (!compare->request->keep)
    return;
  keep_curve(&subject->curves[0], a, 0);
  keep_curve(&subject->curves[1], b, 0);
}

/* Of --unit or --select: only for what is read. */
static enum status check_option(const char *option, const settings *units, const char *const *names,
                                size_t count, struct text *message) {
  for (size_t i = 0; i < units->count; i++) {
    bool used = false;
    for (size_t k = 0; k < count; k++)
      used = used || strcmp(units->data[i].name, names[k]) == 0;
    if (!used) {
      text_format(message, "--%s %s=%s: nothing that is compared is called so; there is %s", option,
                  units->data[i].name, units->data[i].value, names[0]);
      for (size_t k = 1; k < count; k++)
        text_format(message, ", %s", names[k]);
      return STATUS_USAGE;
    }
  }
  return STATUS_OK;
}

enum status compare_check_names(const struct compare *compare, const char *const *names,
                                size_t count, struct text *message) {
  const struct calculation_request *of = &compare->request->of;
  enum status status = check_option("unit", &of->units, names, count, message);
  return status == STATUS_OK ? check_option("select", &of->selects, names, count, message) : status;
}

struct source_options compare_options(const struct compare *compare, const char *name) {
  const struct calculation_request *of = &compare->request->of;
  return (struct source_options){.unit = settings_find(&of->units, name),
                                 .select = settings_find(&of->selects, name)};
}

static const char *const names_of_two[] = {"A", "B"};

texts compare_runs(const struct compare *compare, size_t which) {
  const settings *runs = &compare->request->runs;
  texts paths = {0};
  vector_push(&paths, compare->request->paths[which]);
  for (size_t i = 0; i < runs->count; i++)
    if (strcmp(runs->data[i].name, names_of_two[which]) == 0)
      vector_push(&paths, runs->data[i].value);
  return paths;
}

static enum status read_operand(struct compare *compare, struct operand *operand, size_t which,
                                struct text *message) {
  texts paths = compare_runs(compare, which);
  const struct source_options options = compare_options(compare, names_of_two[which]);
  enum status status = operand_read(operand, &paths, &options, compare->request->of.exchangeable,
                                    &compare->ledger, message);
  vector_clear(&paths);
  return status;
}

static enum status compare_files(struct compare *compare, struct text *message) {
  struct operand a, b;
  operand_init(&a);
  operand_init(&b);
  enum status status = compare_check_names(compare, names_of_two, 2, message);
  if (status == STATUS_OK)
    status = read_operand(compare, &a, 0, message);
  if (status == STATUS_OK)
    status = read_operand(compare, &b, 1, message);
  if (status == STATUS_OK && (a.is_sample || b.is_sample))
    compare_add_confidence(compare);
  if (status == STATUS_OK && a.is_sample && b.is_sample) {
    compare_two_samples(compare, NULL, &a, &b, compare_alpha(compare));
  } else if (status == STATUS_OK) {
    if (a.is_sample)
      operand_make_law(&a, compare_alpha(compare) / COMPARE_ENDS);
    if (b.is_sample)
      operand_make_law(&b, compare_alpha(compare) / COMPARE_ENDS);
    compare_two_laws(compare, &a, &b);
  }
  operand_clear(&a);
  operand_clear(&b);
  return status;
}

/* --- the question ----------------------------------------------------------------------------- */

static enum status read_margin(struct compare *compare) {
  const char *text = compare->request->margin;
  rational_set_integer(&compare->margin, 1);
  compare->has_margin = text != NULL;
  if (text == NULL || (number_exact(&compare->margin, text) && rational_sign(&compare->margin) > 0))
    return STATUS_OK;
  return asker_fail(compare->request->of.asker, STATUS_USAGE,
                    "--margin %s: give a factor above 0, such as 1.05", text);
}

static enum status check_paths(const struct compare_request *request) {
  struct stat about;
  for (size_t i = 0; i < request->runs.count; i++) {
    const struct setting *run = &request->runs.data[i];
    if (strcmp(run->name, "A") != 0 && strcmp(run->name, "B") != 0)
      return asker_fail(request->of.asker, STATUS_USAGE,
                        "--run %s=%s: say of which it is a further run, A=FILE or B=FILE",
                        run->name, run->value);
    if (stat(run->value, &about) != 0)
      return asker_fail(request->of.asker, STATUS_NO_INPUT, "%s: cannot be opened: %s", run->value,
                        strerror(errno));
    if (compare_is_folder(run->value) != compare_is_folder(request->paths[run->name[0] == 'B']))
      return asker_fail(request->of.asker, STATUS_USAGE,
                        "--run %s=%s: a further run of a folder is a folder, of a file a file",
                        run->name, run->value);
  }
  for (size_t i = 0; i < 2; i++)
    if (strcmp(request->paths[i], "-") != 0 && stat(request->paths[i], &about) != 0)
      return asker_fail(request->of.asker, STATUS_NO_INPUT, "%s: cannot be opened: %s",
                        request->paths[i], strerror(errno));
  return STATUS_OK;
}

static enum status check_request(const struct compare_request *request) {
  const struct calculation_request *of = &request->of;
  bool a = compare_is_folder(request->paths[0]), b = compare_is_folder(request->paths[1]);
  const char *wrong = NULL;
  if (rational_sign(&of->confidence) == 0)
    wrong = "a comparison needs a confidence above 0";
  else if (a != b)
    wrong = "a folder can only be held against a folder; name two folders or two files";
  else if (of->path != NULL && request->runs.count != 0)
    wrong = "--run is a further run of what was measured; it is not used with --protocol";
  else if (of->path == NULL && (of->bound != NULL || of->set.count != 0 || of->fresh))
    wrong = "--bound, --set and --fresh are about the bound of a protocol; name it by --protocol";
  return wrong == NULL ? STATUS_OK : asker_fail(of->asker, STATUS_USAGE, "%s", wrong);
}

static enum status run(struct compare *compare) {
  struct text message;
  text_init(&message);
  enum status status;
  if (compare->request->of.path != NULL)
    status = compare_bounds(compare);
  else if (compare_is_folder(compare->request->paths[0]))
    status = compare_folders(compare, &message);
  else
    status = compare_files(compare, &message);
  if (message.length != 0)
    asker_say(compare->request->of.asker, SAYING_FAILURE, "%s", message.data);
  text_clear(&message);
  return status;
}

enum status compare_ask(struct compare *compare, const struct compare_request *request) {
  *compare = (struct compare){.request = request};
  rational_init(&compare->margin);
  ledger_init(&compare->ledger);
  enum status status = wanted_read(&compare->wanted, request->percentiles, request->of.asker);
  if (status == STATUS_OK)
    status = read_margin(compare);
  if (status == STATUS_OK)
    status = check_paths(request);
  if (status == STATUS_OK)
    status = check_request(request);
  if (status == STATUS_OK && request->of.exchangeable)
    ledger_note(&compare->ledger, LEDGER_DATA,
                "the order of observations means nothing (asserted with --exchangeable)");
  if (status == STATUS_OK)
    status = run(compare);
  compare->found = status == STATUS_OK;
  if (compare->found)
    add_ranks(compare);
  return compare->status = compare->found ? compare_status(compare) : status;
}

static void clear_curve(struct compared_curve *curve) {
  sample_clear(&curve->sample);
  survival_clear(&curve->sides[SIDE_UPPER]);
  survival_clear(&curve->sides[SIDE_LOWER]);
}

void compare_clear(struct compare *compare) {
  for (size_t i = 0; i < compare->subjects.count; i++) {
    mem_free(compare->subjects.data[i].name);
    vector_clear(&compare->subjects.data[i].rows);
    vector_clear(&compare->subjects.data[i].edges);
    for (size_t k = 0; k < 2 && compare->subjects.data[i].has_samples; k++)
      evidence_clear(&compare->subjects.data[i].evidence[k].evidence);
    for (size_t k = 0; k < 2; k++)
      clear_curve(&compare->subjects.data[i].curves[k]);
  }
  for (size_t i = 0; i < compare->alone.count; i++)
    mem_free(compare->alone.data[i]);
  vector_clear(&compare->subjects);
  vector_clear(&compare->alone);
  if (compare->proof != NULL)
    compare_clear_proof(compare->proof);
  mem_free(compare->proof);
  rational_clear(&compare->margin);
  ledger_clear(&compare->ledger);
  wanted_clear(&compare->wanted);
}
