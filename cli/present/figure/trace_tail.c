/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The bars of trace_tail.h.
 */
#include "cli/present/figure/trace_tail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "cli/present/figure/scale.h"
#include "cli/present/figure/trace_chart.h"
#include "cli/question/tail/tail.h"

#define MOST 20 /* causes that are drawn */
#define PALE 0.45
#define CAP 4.0

/* A cause as two bars, in ns. */
struct tail_bars {
  const struct tail_cause *cause;
  const struct tail_finding *finding;
  double rest, slow;
};

struct tail_picture {
  struct drawing *drawing;
  const struct tail_answer *answer;
  bool one; /* one request against what is usual, not groups */
  VECTOR(struct tail_bars) bars;
  struct axis time;
  struct chart_names names;
};

/* --- what is drawn -----------------------------------------------------------------------------*/

static int by_excess(const void *a, const void *b) {
  const struct tail_bars *x = a, *y = b;
  double more = x->slow - x->rest, other = y->slow - y->rest;
  return more > other ? -1 : more < other;
}

static void find_bars(struct tail_picture *p) {
  const struct tail_answer *a = p->answer;
  for (size_t i = 0; i < a->report.findings.count; i++) {
    const struct tail_finding *finding = &a->report.findings.data[i];
    const struct tail_cause *cause = &a->causes.causes.data[finding->cause];
    struct tail_bars bars = {cause, finding, finding->difference.rest, finding->difference.slow};
    if (p->one) {
      bars.rest = (double)cause->usual;
      bars.slow = (double)cause->parts[a->one];
    }
    if (bars.rest != 0 || bars.slow != 0)
      vector_push(&p->bars, bars);
  }
  if (p->one)
    qsort(p->bars.data, p->bars.count, sizeof *p->bars.data, by_excess);
  p->bars.count = p->bars.count < MOST ? p->bars.count : MOST;
}

static void find_axis(struct tail_picture *p) {
  double low = 0, high = 0;
  for (size_t i = 0; i < p->bars.count; i++) {
    const struct tail_bars *bars = &p->bars.data[i];
    double most = bars->rest + bars->finding->difference.most;
    low = fmin(low, fmin(bars->rest, bars->slow));
    high = fmax(high, fmax(bars->rest, bars->slow));
    high = isfinite(most) && !p->one ? fmax(high, most) : high;
  }
  p->time = (struct axis){.low = low,
                          .high = high > low ? high : low + 1,
                          .from = p->names.width,
                          .to = p->drawing->width - 2 * CHART_VALUE - 30};
}

/* --- words -------------------------------------------------------------------------------------*/

static void append_ns(struct text *text, double ns) {
  if (isfinite(ns))
    duration_print_nearest(text, (int64_t)llround(ns));
  else
    text_append(text, ns < 0 ? "-infinite" : "infinite");
}

static void append_name(struct text *text, const struct tail_cause *cause) {
  text_append(text, cause->name);
  text_append(text, tail_cause_where(cause->kind));
}

static void find_names(struct tail_picture *p) {
  for (size_t i = 0; i < p->bars.count; i++) {
    struct text name;
    text_init(&name);
    append_name(&name, p->bars.data[i].cause);
    chart_names_add(&p->names, 0, text_get(&name));
    text_clear(&name);
  }
}

static void say_interval(struct text *text, const struct tail_picture *p,
                         const struct tail_finding *finding) {
  text_append(text, "; ");
  append_ns(text, finding->difference.difference);
  text_append(text, " more");
  if (isfinite(finding->difference.least)) {
    text_append(text, " (");
    append_ns(text, finding->difference.least);
    text_append(text, " to ");
    append_ns(text, finding->difference.most);
    text_format(text, " with %g %% confidence)", 100 * (1 - p->answer->level));
  }
  text_append(text, finding->significant ? ", significant" : ", not significant");
  if (finding->significant && finding->necessary.of != 0)
    text_format(text, "; without that %zu of %zu slow requests would not be slow",
                finding->necessary.count, finding->necessary.of);
}

static void say_bar(struct text *text, const struct tail_picture *p, const struct tail_bars *bars,
                    bool slow) {
  append_name(text, bars->cause);
  if (p->one)
    text_append(text, slow ? " here: " : " as is usual: ");
  else
    text_append(text, slow ? " in slow requests: " : " in the others: ");
  append_ns(text, slow ? bars->slow : bars->rest);
  text_append(text, p->one ? "" : " on average");
  if (slow && !p->one)
    say_interval(text, p, bars->finding);
}

/* --- parts -------------------------------------------------------------------------------------*/

static void draw_axis(struct tail_picture *p) {
  struct drawing *d = p->drawing;
  struct tick ticks[TICKS_MAX];
  struct time_unit unit = time_unit_for(p->time.high - p->time.low);
  double y = CHART_HEAD - 8, bottom = CHART_HEAD + CHART_LINE * 2 * (double)p->bars.count;
  char title[80];
  snprintf(title, sizeof title, "%s (%s)",
           p->one ? "on the critical path" : "adds to a request, on average", unit.name);
  drawing_text(d, INK_TEXT, CHART_TEXT, ANCHOR_START, p->time.from, 14, title);
  drawing_text(d, INK_TEXT, CHART_TEXT, ANCHOR_START, 0, y, "cause");
  drawing_text(d, INK_TEXT, CHART_TEXT, ANCHOR_END, d->width - CHART_VALUE - 20, y, "more");
  if (!p->one)
    drawing_text(d, INK_TEXT, CHART_TEXT, ANCHOR_END, d->width, y, "necessary for");
  size_t count = axis_ticks(ticks, &p->time, unit.ns);
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(&p->time, ticks[i].value);
    drawing_segment(d, ticks[i].value == 0 ? INK_MUTED : INK_GRID, 1, DASH_NONE, x, CHART_HEAD - 4,
                    x, bottom);
    drawing_text(d, INK_MUTED, CHART_TEXT, ANCHOR_MIDDLE, x, y, ticks[i].label);
  }
}

/* From the end of the slow bar if the difference were the least, to that if it were the most. */
static void draw_interval(struct tail_picture *p, const struct tail_bars *bars, size_t line) {
  const struct tail_difference *difference = &bars->finding->difference;
  if (p->one || !isfinite(difference->least))
    return;
  double from = axis_pixel(&p->time, bars->rest + difference->least), y = chart_y(line);
  double to = axis_pixel(&p->time, bars->rest + difference->most);
  drawing_segment(p->drawing, INK_TEXT, 1.5, DASH_NONE, from, y, to, y);
  drawing_segment(p->drawing, INK_TEXT, 1.5, DASH_NONE, from, y - CAP, from, y + CAP);
  drawing_segment(p->drawing, INK_TEXT, 1.5, DASH_NONE, to, y - CAP, to, y + CAP);
}

static void draw_bar(struct tail_picture *p, const struct tail_bars *bars, size_t line, bool slow) {
  double x = axis_pixel(&p->time, slow ? bars->slow : bars->rest), zero = axis_pixel(&p->time, 0);
  bool named = bars->finding->significant || p->one;
  struct text said;
  text_init(&said);
  say_bar(&said, p, bars, slow);
  chart_bar(p->drawing,
            !slow   ? INK_UPPER
            : named ? INK_OBSERVED
                    : INK_MUTED,
            slow && named ? 1 : PALE, line, fmin(x, zero), fmax(x, zero), said.data);
  text_clear(&said);
}

static void draw_numbers(struct tail_picture *p, const struct tail_bars *bars, size_t line) {
  const struct tail_finding *finding = bars->finding;
  double more = p->one ? bars->slow - bars->rest : finding->difference.difference;
  enum ink ink = finding->significant ? INK_OBSERVED : INK_TEXT;
  chart_duration(p->drawing, ink, p->drawing->width - CHART_VALUE - 20, line,
                 (int64_t)llround(more));
  if (p->one || !finding->significant || finding->necessary.of == 0)
    return;
  char share[32];
  snprintf(share, sizeof share, "%.0f %%",
           100 * (double)finding->necessary.count / (double)finding->necessary.of);
  drawing_text(p->drawing, ink, CHART_TEXT, ANCHOR_END, p->drawing->width, chart_y(line) + 4,
               share);
}

static void draw_cause(struct tail_picture *p, size_t i) {
  const struct tail_bars *bars = &p->bars.data[i];
  double top = CHART_HEAD + CHART_LINE * 2 * (double)i;
  struct text name;
  text_init(&name);
  append_name(&name, bars->cause);
  chart_name_wrapped(p->drawing, bars->finding->significant || p->one ? INK_TEXT : INK_MUTED, 2 * i,
                     text_get(&name), &p->names);
  drawing_segment(p->drawing, INK_GRID, 1, DASH_NONE, 0, top, p->drawing->width, top);
  draw_bar(p, bars, 2 * i, false);
  draw_bar(p, bars, 2 * i + 1, true);
  draw_interval(p, bars, 2 * i + 1);
  draw_numbers(p, bars, 2 * i);
  text_clear(&name);
}

static void draw_legend(struct tail_picture *p, double y) {
  struct drawing *d = p->drawing;
  double x = chart_legend_bar(d, INK_UPPER, PALE, 0, y, p->one ? "usual" : "other requests");
  x = chart_legend_bar(d, INK_OBSERVED, 1, x, y, p->one ? "this request" : "slow requests");
  if (p->one)
    return;
  x = chart_legend_bar(d, INK_MUTED, PALE, x, y, "the same, not significant");
  chart_legend_line(d, INK_TEXT, DASH_NONE, x, y, "interval of the difference");
}

static void describe(struct text *text, const struct tail_picture *p) {
  text_append(text, "The causes, the largest difference first:");
  for (size_t i = 0; i < p->bars.count && i < 5; i++) {
    text_append(text, i == 0 ? " " : "; ");
    append_name(text, p->bars.data[i].cause);
    text_append(text, " ");
    append_ns(text, p->bars.data[i].slow);
    text_append(text, " against ");
    append_ns(text, p->bars.data[i].rest);
  }
  text_append(text, ".");
}

void tail_bars_draw(struct drawing *drawing, const struct tail_answer *answer, double width) {
  struct tail_picture p = {
      .drawing = drawing, .answer = answer, .one = answer->verdict == TAIL_ONE};
  struct text about;
  text_init(&about);
  find_bars(&p);
  describe(&about, &p);
  double bottom = CHART_HEAD + CHART_LINE * 2 * (double)p.bars.count;
  drawing_init(drawing, width, ceil(bottom + CHART_FOOT), "What slow requests have more of",
               about.data);
  chart_names_init(&p.names, width);
  find_names(&p);
  find_axis(&p);
  draw_axis(&p);
  for (size_t i = 0; i < p.bars.count; i++)
    draw_cause(&p, i);
  draw_legend(&p, bottom + CHART_FOOT / 2);
  text_clear(&about);
  chart_names_clear(&p.names);
  vector_clear(&p.bars);
}
