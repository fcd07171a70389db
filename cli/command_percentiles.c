/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "cli/command.h"
#include "dist/statistics/compare.h"
#include "cli/json.h"
#include "cli/laws.h"
#include "cli/parameters.h"
#include "dist/statistics/confidence.h"
#include "dist/evaluate/form.h"
#include "lang/instantiate.h"

struct run {
  const struct options *options;
  struct protocol protocol;
  const struct bound *bound;
  struct ground_table table;
  const struct ground *expression;
  struct laws laws;
  struct survival result;
  struct sample observed;
  bool has_observed;
  struct ledger ledger;
  struct text message;
};

static void add_line(const char *source, const char *line, void *context) {
  ledger_add(context, source[0] == 'm' ? LEDGER_MODEL : LEDGER_SOLVER, "%s", line);
}

/* A bound that is not proved gives no percentiles. */
static enum status prove(struct run *run) {
  struct verify_options how = verify_options(run->options);
  how.only = run->bound;
  struct verification verification;
  verification_init(&verification, run->protocol.model, &how);
  enum status status = STATUS_UNKNOWN;
  for (size_t i = 0; i < verification.bounds.count; i++) {
    const struct bound_report *report = &verification.bounds.data[i];
    report_bound(report, run->protocol.model, run->protocol.source, run->options);
    status = report_status(report->verdict);
  }
  verification_clear(&verification);
  verification_assumptions(run->protocol.model, add_line, &run->ledger);
  if (status != STATUS_OK)
    fprintf(stderr, "tailproof: no percentiles: the bound is not proved\n");
  return command_interrupted() ? STATUS_INTERRUPTED : status;
}

static enum status instantiate(struct run *run) {
  const struct model *model = run->protocol.model;
  struct parameters set;
  enum status status = parameters_read(&set, model, run->options);
  if (status == STATUS_OK)
    status = parameters_need_times(&set, run->bound, &run->message);
  if (status == STATUS_OK)
    status = bound_instantiate_at(&run->expression, &run->table, model, run->bound, NULL,
                                  set.values, set.given, set.times, &run->message);
  if (status == STATUS_OK)
    parameters_add_times(&set, run->bound, run->options, &run->ledger);
  parameters_clear(&set);
  return status;
}

static enum status read_observed(struct run *run) {
  if (run->options->observed == NULL)
    return STATUS_OK;
  struct source_notes notes;
  source_notes_init(&notes);
  enum status status = source_read(&run->observed, &notes, run->options->observed,
                                   settings_find(&run->options->units, "observed"), &run->message);
  for (size_t i = 0; i < notes.count; i++)
    ledger_add(&run->ledger, LEDGER_DATA, "%s", notes.lines[i]);
  source_notes_clear(&notes);
  run->has_observed = status == STATUS_OK;
  return status;
}

/* One percentile of the list: its text and its share. */
struct wanted {
  char *text;
  struct rational share;
};
typedef VECTOR(struct wanted) wanted_list;

static void wanted_clear(wanted_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    mem_free(list->data[i].text);
    rational_clear(&list->data[i].share);
  }
  vector_clear(list);
}

static enum status read_wanted(wanted_list *list, const char *text) {
  struct rational hundred;
  rational_init(&hundred);
  rational_set_integer(&hundred, 100);
  enum status status = STATUS_OK;
  for (const char *at = text; status == STATUS_OK; at++) {
    size_t length = strcspn(at, ",");
    struct wanted one = {.text = mem_copy_text(at, length)};
    rational_init(&one.share);
    bool good = rational_parse(&one.share, one.text) && rational_sign(&one.share) > 0 &&
                rational_compare(&one.share, &hundred) < 0;
    if (good) {
      rational_div(&one.share, &one.share, &hundred);
    } else {
      fprintf(stderr,
              "tailproof percentiles: unusable percentile \"%s\"; give numbers between 0 "
              "and 100, separated by commas\n",
              one.text);
      status = STATUS_USAGE;
    }
    vector_push(list, one);
    at += length;
    if (*at == '\0')
      break;
  }
  rational_clear(&hundred);
  return status;
}

struct percentile {
  bool finite, observed_finite, dominates;
  uint64_t upper_ns, observed_ns, samples_needed;
};

static struct percentile percentile_of(const struct run *run, const struct rational *share) {
  struct percentile p = {.dominates = true};
  uint64_t tail = 0;
  survival_tail_of(&tail, share);
  p.finite = survival_quantile(&p.upper_ns, &run->result, tail);
  p.samples_needed = confidence_samples_needed(tail, run->laws.alpha, run->table.occurrences.count);
  if (run->has_observed) {
    p.observed_finite = sample_quantile(&p.observed_ns, &run->observed, share);
    p.dominates = !p.finite || (p.observed_finite && p.observed_ns <= p.upper_ns);
  }
  return p;
}

static void print_number(struct jsonl *line, const char *key, bool finite, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, value);
  jsonl_text(line, key, finite ? digits : "infinite");
}

static void print_as_json(const struct run *run, const struct wanted *wanted,
                          const struct percentile *p) {
  struct jsonl *line = jsonl_new("percentile");
  jsonl_text(line, "bound", run->bound->name);
  jsonl_text(line, "p", wanted->text);
  print_number(line, "upper_ns", p->finite, p->upper_ns);
  if (p->samples_needed != 0)
    print_number(line, "samples_needed", true, p->samples_needed);
  if (run->has_observed) {
    print_number(line, "observed_ns", p->observed_finite, p->observed_ns);
    jsonl_flag(line, "dominates", p->dominates);
  }
  jsonl_print(line);
}

static void print_as_row(const struct run *run, const struct wanted *wanted,
                         const struct percentile *p) {
  struct text upper, observed;
  text_init(&upper);
  text_init(&observed);
  if (p->finite)
    report_duration(&upper, p->upper_ns);
  else
    text_append(&upper, "infinite");
  printf("  p%-8s %14s", wanted->text, upper.data);
  if (run->has_observed) {
    if (p->observed_finite)
      report_duration(&observed, p->observed_ns);
    else
      text_append(&observed, "infinite");
    printf(" %14s   %s", observed.data, p->dominates ? "dominated" : "NOT DOMINATED");
  }
  if (!p->finite && p->samples_needed != 0)
    printf("   takes %" PRIu64 " samples of each component to be finite", p->samples_needed);
  putchar('\n');
  text_clear(&upper);
  text_clear(&observed);
}

static void print_heading(const struct run *run) {
  if (run->options->json)
    return;
  struct text text;
  text_init(&text);
  ground_print(&text, run->expression);
  printf("\n  %s is at most\n    %s\n\n", run->bound->target_text, text.data);
  printf("  %-9s %14s%s\n", "", "bound", run->has_observed ? "       observed" : "");
  text_clear(&text);
}

/* "97.14", rounded up. */
static void append_percentile(struct text *text, const struct excess *excess) {
  struct rational scaled;
  rational_init(&scaled);
  rational_set_integer(&scaled, 10000);
  rational_mul(&scaled, &scaled, &excess->share);
  int64_t hundredths = 0;
  rational_ceil(&hundredths, &scaled);
  text_format(text, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
  rational_clear(&scaled);
}

static void print_curve_as_json(const struct run *run, const struct comparison *comparison) {
  const struct excess *excess =
      comparison->beyond_chance.found ? &comparison->beyond_chance : &comparison->any;
  struct jsonl *line = jsonl_new("comparison");
  jsonl_text(line, "bound", run->bound->name);
  jsonl_integer(line, "observations", (int64_t)run->observed.total);
  jsonl_flag(line, "dominates", !comparison->beyond_chance.found);
  if (excess->found) {
    struct text percentile;
    text_init(&percentile);
    append_percentile(&percentile, excess);
    jsonl_text(line, "first_percentile", percentile.data);
    print_number(line, "observed_ns", excess->observed_ns != SAMPLE_NS_MAX, excess->observed_ns);
    jsonl_flag(line, "within_chance", !comparison->beyond_chance.found);
    text_clear(&percentile);
  }
  jsonl_print(line);
}

static void print_curve_as_text(const struct run *run, const struct comparison *comparison) {
  bool refuted = comparison->beyond_chance.found;
  const struct excess *excess = refuted ? &comparison->beyond_chance : &comparison->any;
  struct text percentile, duration, level;
  text_init(&percentile);
  text_init(&duration);
  text_init(&level);
  append_percentile(&percentile, excess);
  if (excess->found && excess->observed_ns != SAMPLE_NS_MAX)
    report_duration(&duration, excess->observed_ns);
  else
    text_append(&duration, "infinite");
  rational_print_short(&level, &run->options->confidence);
  if (!excess->found)
    printf("\n  All %" PRIu64 " observations are dominated, over the whole curve.\n",
           run->observed.total);
  else if (!refuted)
    printf("\n  The %" PRIu64
           " observations are dominated over the whole curve, as far as they can "
           "tell: the excess\n  at p%s (observed %s) is no more than chance, at confidence %s.\n",
           run->observed.total, percentile.data, duration.data, level.data);
  else
    printf("\n  NOT DOMINATED: at p%s (observed %s) the observation exceeds the bound.\n"
           "  Some delay is in no measured component, or the assumptions below do not hold.\n",
           percentile.data, duration.data);
  text_clear(&percentile);
  text_clear(&duration);
  text_clear(&level);
}

static enum status print_curve(const struct run *run) {
  if (!run->has_observed)
    return STATUS_OK;
  uint64_t alpha = 0;
  if (rational_sign(&run->options->confidence) > 0)
    survival_tail_of(&alpha, &run->options->confidence);
  struct comparison comparison;
  compare_curve(&comparison, &run->result, &run->observed, alpha);
  if (run->options->json)
    print_curve_as_json(run, &comparison);
  else
    print_curve_as_text(run, &comparison);
  bool refuted = comparison.beyond_chance.found;
  comparison_clear(&comparison);
  return refuted ? STATUS_REFUTED : STATUS_OK;
}

static void print_ledger(const struct run *run) {
  if (!run->options->json)
    printf("\n  This rests on:\n");
  for (size_t i = 0; i < run->ledger.count; i++) {
    const char *source = ledger_source_name(run->ledger.lines[i].source);
    if (run->options->json) {
      struct jsonl *line = jsonl_new("assumption");
      jsonl_text(line, "source", source);
      jsonl_text(line, "text", run->ledger.lines[i].text);
      jsonl_print(line);
    } else {
      printf("    %-6s  %s\n", source, run->ledger.lines[i].text);
    }
  }
}

static enum status print_result(struct run *run, const wanted_list *wanted) {
  print_heading(run);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < wanted->count; i++) {
    struct percentile p = percentile_of(run, &wanted->data[i].share);
    if (run->options->json)
      print_as_json(run, &wanted->data[i], &p);
    else
      print_as_row(run, &wanted->data[i], &p);
    status = status_worst(status, p.dominates ? STATUS_OK : STATUS_REFUTED);
  }
  status = status_worst(status, print_curve(run));
  print_ledger(run);
  return status;
}

/* What has no distribution is refused before its files are looked for. */
static enum status refuse_early(struct run *run) {
  struct form_table forms;
  form_table_init(&forms);
  enum status status = STATUS_OK;
  if (form_of(&forms, run->expression, &run->message) == NULL)
    status = STATUS_UNKNOWN;
  form_table_clear(&forms);
  return status;
}

/* Inputs are read before the proof: a mistyped path should not cost a wait. */
static enum status prepare(struct run *run) {
  enum status status = protocol_load(&run->protocol, run->options->files[0], run->options);
  if (status != STATUS_OK)
    return status;
  run->bound = protocol_bound(&run->protocol, run->options->bound);
  if (run->bound == NULL)
    return STATUS_USAGE;
  status = instantiate(run);
  if (status == STATUS_OK)
    status = refuse_early(run);
  if (status == STATUS_OK)
    status = laws_init(&run->laws, run->options, run->expression, &run->table, &run->ledger,
                       &run->message);
  if (status == STATUS_OK)
    status = read_observed(run);
  return status;
}

static enum status evaluate(struct run *run) {
  enum status status = prepare(run);
  if (status == STATUS_OK) {
    survival_init(&run->result, &run->laws.grid);
    status = evaluate_survival(&run->result, run->expression, &run->laws.find, run->options->fresh,
                               &run->ledger, &run->message);
  }
  return status == STATUS_OK ? prove(run) : status;
}

enum status command_percentiles(const struct options *options) {
  enum status status = need_files(options, "percentiles", 1, 1);
  if (status == STATUS_OK && options->data == NULL) {
    fprintf(stderr, "tailproof percentiles: name the folder of measurements with --data DIR\n");
    status = STATUS_USAGE;
  }
  wanted_list wanted = {0};
  if (status == STATUS_OK)
    status = read_wanted(&wanted, options->percentiles);
  struct run run = {.options = options};
  if (status == STATUS_OK) {
    ground_table_init(&run.table);
    sample_init(&run.observed);
    ledger_init(&run.ledger);
    text_init(&run.message);
    status = evaluate(&run);
    if (run.message.length != 0)
      fprintf(stderr, "tailproof: %s\n", run.message.data);
    if (status == STATUS_OK)
      status = print_result(&run, &wanted);
    survival_clear(&run.result);
    laws_clear(&run.laws);
    ledger_clear(&run.ledger);
    sample_clear(&run.observed);
    ground_table_clear(&run.table);
    text_clear(&run.message);
    protocol_clear(&run.protocol);
  }
  wanted_clear(&wanted);
  return status;
}
