/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/percentiles.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "cli/present/figure/panel.h"
#include "cli/present/percentiles.h"
#include "show/page.h"
#include "cli/question/percentiles/critical.h"
#include "cli/question/percentiles/observation.h"
#include "cli/question/percentiles/percentiles.h"
#include "dist/source/joint.h"
#include "dist/statistics/confidence.h"
#include "dist/survival/law_file.h"

struct percentile_plot {
  struct plot plot;
  struct survival band[2]; /* of the observations, by side; a NULL tail: none */
  VECTOR(char *) texts;
  struct critical chain;
};

/* Keeps the text, which is empty afterwards. */
static const char *keep(struct percentile_plot *plot, struct text *text) {
  char *kept = text_take(text);
  vector_push(&plot->texts, kept);
  return kept;
}

/* "specs/lock.tp, bound full_circle, n=4" */
static void append_subject(struct text *text, const struct percentiles *run) {
  const struct calculation_request *request = &run->request->of;
  text_format(text, "%s, bound %s", file_name(request->path), run->calculation.bound->name);
  for (size_t i = 0; i < request->set.count; i++)
    text_format(text, ", %s=%s", request->set.data[i].name, request->set.data[i].value);
}

/* The same and "; each end holds with confidence 0.99" */
static void append_statement(struct text *text, const struct percentiles *run) {
  const struct calculation_request *request = &run->request->of;
  append_subject(text, run);
  if (rational_sign(&request->confidence) == 0) {
    text_append(text, "; the samples are taken as the whole truth");
    return;
  }
  text_append(text, "; each end holds with confidence ");
  rational_print_short(text, &request->confidence);
}

static void add_law(struct percentile_plot *plot, const char *name, enum plot_kind kind,
                    const struct survival *survival) {
  struct plot_curve curve = {.name = name, .kind = kind, .survival = survival};
  vector_push(&plot->plot.curves, curve);
}

/* The tail at which a law with modelled tails visibly leaves the proved one; 0 when it does not. */
static uint64_t model_tail(const struct curve *curve) {
  const struct survival *modelled = &curve->estimate.bound[SIDE_UPPER];
  const struct survival *proved = &curve->estimate.proved;
  if (proved->tail == NULL)
    return 0;
  for (size_t k = 0; k < grid_count(&modelled->grid); k++)
    if (proved->tail[k] - modelled->tail[k] > proved->tail[k] / 1000)
      return modelled->tail[k];
  return 0;
}

static void add_upper(struct percentile_plot *plot, const char *name, enum plot_kind kind,
                      const struct curve *curve) {
  add_law(plot, name, kind, &curve->estimate.bound[SIDE_UPPER]);
  plot->plot.curves.data[plot->plot.curves.count - 1].model_tail = model_tail(curve);
}

static void add_bounds(struct percentile_plot *plot, const struct percentiles *run) {
  for (size_t c = 0; c < run->curves.count; c++) {
    const struct curve *curve = &run->curves.data[c];
    bool any = curve->estimate.dependence == DEPENDENCE_UNKNOWN;
    if (c != 0) {
      add_upper(plot, "bound for any dependence", PLOT_UNKNOWN, curve);
      continue;
    }
    add_upper(plot, any ? "bound for any dependence" : "bound", PLOT_UPPER, curve);
    add_law(plot, any ? "bound for any dependence, lower side" : "bound, lower side", PLOT_LOWER,
            &curve->estimate.bound[SIDE_LOWER]);
  }
}

static void add_observed(struct percentile_plot *plot, const struct percentiles *run) {
  if (!run->has_observed)
    return;
  const struct sample *sample = &run->observed;
  struct text name;
  text_init(&name);
  text_format(&name, "observed, %" PRIu64 " times", sample->total);
  struct plot_curve curve = {.name = keep(plot, &name), .kind = PLOT_OBSERVED, .sample = sample};
  vector_push(&plot->plot.curves, curve);
  uint64_t alpha = 0;
  survival_tail_of(&alpha, &run->request->of.confidence);
  if (rational_sign(&run->request->of.confidence) == 0 || sample->real == 0)
    return;
  struct serial serial = levels_overall(run->observed_levels);
  uint64_t worth = serial_worth(&serial, sample->real);
  const struct grid *grid =
      grid_up_to(sample->count == 0 ? 0 : sample->bins[sample->count - 1].upper_ns);
  for (int side = SIDE_UPPER; side <= SIDE_LOWER; side++) {
    survival_init_side(&plot->band[side], grid, (enum survival_side)side);
    confidence_band_predicted(&plot->band[side], sample, worth, alpha, BAND_BOTH);
    add_law(plot, "confidence band of what was observed",
            side == SIDE_UPPER ? PLOT_BAND_UPPER : PLOT_BAND_LOWER, &plot->band[side]);
  }
}

static double as_double(const struct rational *share) {
  uint64_t tail = 0;
  survival_tail_of(&tail, share);
  return 1 - (double)tail / (double)SURVIVAL_ONE;
}

static void add_row(struct percentile_plot *plot, const struct percentiles *run,
                    const struct wanted *wanted) {
  const struct percentile *p = percentiles_at(run, &run->curves.data[0], &wanted->share);
  const struct interval *i = &p->interval;
  struct plot_row row = {.percentile = wanted->text, .share = as_double(&wanted->share)};
  row.upper = (struct plot_value){true, i->upper_finite, i->upper_ns};
  vector_push(&plot->plot.rows, row);
}

static void add_parts(struct percentile_plot *plot, const struct percentiles *run) {
  bool now = percentiles_at(run, &run->curves.data[0], &run->wanted.data[run->chosen].share)
                 ->interval.upper_finite;
  for (size_t i = 0; i < run->contributions.count; i++) {
    const struct contribution *part = &run->contributions.data[i];
    struct plot_part drawn = {.name = part->name, .drop = {true, true, part->drop_ns}};
    if (!now || !part->finite) {
      drawn.drop = (struct plot_value){0};
      drawn.instead = part->finite ? "becomes finite" : "is infinite without it, too";
    }
    vector_push(&plot->plot.parts, drawn);
  }
}

static void add_sources(struct percentile_plot *plot, const struct percentiles *run) {
  const struct laws *laws = &run->calculation.laws;
  for (size_t i = 0; i < laws->entries.count; i++) {
    const struct law_entry *entry = laws->entries.data[i];
    struct plot_source source = {entry->name, entry->sample.total, &entry->sample};
    if (entry->compose == NULL)
      vector_push(&plot->plot.sources, source);
  }
}

static void add_chain(struct percentile_plot *plot, const struct percentiles *run) {
  const struct wanted *wanted = &run->wanted.data[run->chosen];
  struct text text;
  text_init(&text);
  if (!critical_find(&plot->chain, &run->calculation, &wanted->share))
    return;
  for (size_t i = 0; i < plot->chain.links.count; i++) {
    const struct critical_link *link = &plot->chain.links.data[i];
    const char *name = link->label == NULL ? "a constant of the protocol" : link->label;
    vector_push(&plot->plot.links, (struct plot_link){name, link->ns});
  }
  if (plot->chain.of_request)
    text_format(
        &text,
        "What the bound adds up in a request whose bound is p%s of all requests: row %zu of "
        "%s.",
        wanted->text, plot->chain.row,
        run->calculation.laws.tables.data[run->calculation.draws.table]->path);
  else
    text_append(&text, "What the bound adds up when every component takes its median: no "
                       "percentile, but where the time goes.");
  plot->plot.chain = keep(plot, &text);
}

static void make_plot(struct percentile_plot *plot, const struct percentiles *run) {
  memset(plot, 0, sizeof *plot);
  add_sources(plot, run);
  add_bounds(plot, run);
  add_observed(plot, run);
  for (size_t i = 0; i < run->wanted.count; i++)
    add_row(plot, run, &run->wanted.data[i]);
  plot->plot.chosen = run->chosen;
  add_chain(plot, run);
  add_parts(plot, run);
}

static void clear_plot(struct percentile_plot *plot) {
  for (size_t i = 0; i < plot->texts.count; i++)
    mem_free(plot->texts.data[i]);
  vector_clear(&plot->texts);
  critical_clear(&plot->chain);
  survival_clear(&plot->band[SIDE_UPPER]);
  survival_clear(&plot->band[SIDE_LOWER]);
  plot_clear(&plot->plot);
}

enum status percentiles_save(const struct percentiles *run, const char *path,
                             struct text *message) {
  const struct ledger *ledger = &run->calculation.ledger;
  VECTOR(char *) notes = {0};
  struct text text;
  text_init(&text);
  append_statement(&text, run);
  vector_push(&notes, text_take(&text));
  for (size_t i = 0; i < ledger->count; i++) {
    text_format(&text, "%s: %s", ledger_source_name(ledger->lines[i].source),
                ledger->lines[i].text);
    vector_push(&notes, text_take(&text));
  }
  const struct curve *curve = &run->curves.data[0];
  bool modelled = curve->estimate.proved.tail != NULL;
  enum status status = law_file_write(
      path, modelled ? &curve->estimate.proved : &curve->estimate.bound[SIDE_UPPER],
      &curve->estimate.bound[SIDE_LOWER], (const char *const *)notes.data, notes.count, message);
  for (size_t i = 0; i < notes.count; i++)
    mem_free(notes.data[i]);
  vector_clear(&notes);
  return status;
}

static const char *where_of(const struct percentiles *run, size_t curve) {
  return run->curves.count == 1 ? ""
         : run->curves.data[curve].estimate.dependence == DEPENDENCE_INDEPENDENT
             ? ", if independent"
             : ", for any dependence";
}

/* What the observations as a whole say of each curve. */
static void say_observed(struct document *document, const struct percentiles *run) {
  for (size_t c = 0; c < run->curves.count && run->has_observed; c++) {
    enum observation state = observation_of_curve(run, &run->curves.data[c]);
    struct text about, reason;
    text_init(&about);
    text_init(&reason);
    text_format(&about, "the %" PRIu64 " observations%s", run->observed.total, where_of(run, c));
    observation_explain_curve(&reason, run, &run->curves.data[c]);
    document_verdict(document, observation_status(state), about.data, observation_name(state),
                     text_get(&reason));
    text_clear(&about);
    text_clear(&reason);
  }
}

/* Part 0 ends the page's head. */
static void percentiles_figures(struct document *document, const void *answer, size_t part) {
  const struct percentiles *run = answer;
  struct percentile_plot drawn;
  make_plot(&drawn, run);
  document_show(document, SHOWN_PAGES);
  if (part == 1) {
    plot_figures_below(document, &drawn.plot);
  } else {
    struct text statement;
    text_init(&statement);
    if (rational_sign(&run->request->of.confidence) == 0)
      append_statement(&statement, run);
    else /* the head has it */
      append_subject(&statement, run);
    document_take(document, LINES_APART, 2, &statement);
    document_section(document, "figures", "Distribution and tail");
    say_observed(document, run);
    plot_figures(document, &drawn.plot, "");
  }
  document_show(document, SHOWN_ALWAYS);
  clear_plot(&drawn);
}

static void make_document(struct document *document, const void *answer,
                          const struct document_page *page) {
  percentiles_document(document, answer, page);
}

static void draw_sheet(struct drawing *sheet, const struct document *document, const void *answer) {
  struct percentile_plot drawn;
  make_plot(&drawn, answer);
  sheet_draw(sheet, document, &drawn.plot, "percentiles");
  clear_plot(&drawn);
}

struct picture percentiles_picture(const struct percentiles *run, const char *command) {
  return (struct picture){.document = make_document,
                          .answer = run,
                          .page = {command, percentiles_figures},
                          .sheet = draw_sheet};
}
