/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_order.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/present/figure/scale.h"
#include "cli/present/figure/trace_chart.h"
#include "cli/present/figure/trace_lines.h"
#include "cli/question/trace_path/trace_path.h"

#define PALEST 0.2
#define HEAD_LENGTH 6.0
#define HEAD_WIDTH 3.0
#define NARROWEST 3.0 /* of a box */
#define BESIDE 6      /* lines that have room beside each other */

/* Where a line's box begins and ends, in steps of the graph. */
struct graph_place {
  int64_t start, end;
};

struct flow_picture {
  struct drawing *drawing;
  const struct trace_path *answer;
  const struct request_flow *flow;
  const struct path_part **parts; /* own work, sorted by name */
  size_t part_count;
  int64_t largest;    /* total of a part */
  int64_t *finish;    /* by activity, if each took one step */
  uint32_t *order;    /* calls, each behind its caller and the calls before it */
  uint32_t *order_of; /* by call: its place in that order */
  struct trace_lines lines;
  struct graph_place *places; /* by line */
  struct axis steps;
  bool undecided, some, folded, apart; /* what there is to explain */
  struct chart_names names;
};

/* --- shares ------------------------------------------------------------------------------------*/

static int by_name(const void *a, const void *b) {
  const struct path_part *const *x = a, *const *y = b;
  if ((*x)->service != (*y)->service)
    return (*x)->service < (*y)->service ? -1 : 1;
  return (*x)->operation < (*y)->operation ? -1 : (*x)->operation > (*y)->operation;
}

static void find_parts(struct flow_picture *p) {
  const struct trace_path *answer = p->answer;
  p->parts = mem_alloc(answer->parts.count, sizeof *p->parts);
  for (size_t i = 0; i < answer->parts.count; i++) {
    const struct path_part *part = &answer->parts.data[i];
    if (part->kind != ACTIVITY_WORK)
      continue;
    p->parts[p->part_count++] = part;
    p->largest = part->total > p->largest ? part->total : p->largest;
  }
  qsort(p->parts, p->part_count, sizeof *p->parts, by_name);
}

/* What calls of that name have on critical paths, in ns. */
static int64_t total_of(const struct flow_picture *p, uint32_t position) {
  const struct flow_call *call = &p->flow->calls.data[position];
  const struct path_part wanted = {.service = call->service, .operation = call->operation};
  const struct path_part *key = &wanted;
  const struct path_part **found =
      bsearch(&key, p->parts, p->part_count, sizeof *p->parts, by_name);
  return found == NULL ? 0 : (*found)->total;
}

void flow_share_say(struct text *out, const struct trace_path *answer, size_t flow) {
  const struct path_share *share = &answer->shares.data[flow];
  if (answer->graph.flows.count == 1)
    text_append(out, "all requests");
  else
    text_format(out, "%.1f %% of the requests (%.1f to %.1f %%)", 100 * share->share,
                100 * share->lower, 100 * share->upper);
}

/* --- layout ------------------------------------------------------------------------------------*/

static void find_finish(struct flow_picture *p) {
  size_t count = p->flow->activities.count;
  int64_t *ones = mem_alloc(count, sizeof *ones);
  for (size_t a = 0; a < count; a++)
    ones[a] = 1;
  p->finish = mem_alloc(count, sizeof *p->finish);
  flow_finish(p->finish, p->flow, ones);
  mem_free(ones);
}

static int64_t start_of(const struct flow_picture *p, uint32_t position) {
  uint32_t lead = p->flow->calls.data[position].lead;
  return lead == SPAN_NONE ? 0 : p->finish[lead];
}

static int64_t end_of(const struct flow_picture *p, uint32_t position) {
  return p->finish[p->flow->calls.data[position].tail];
}

/* A call, and when it starts, while calls are put in order. */
struct ordered_call {
  uint32_t caller, position;
  int64_t start;
};

static int by_start(const void *a, const void *b) {
  const struct ordered_call *x = a, *y = b;
  if (x->caller != y->caller)
    return x->caller < y->caller ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

/* The calls of each caller by their start, and below each what it calls. */
static void find_order(struct flow_picture *p) {
  uint32_t count = (uint32_t)p->flow->calls.count, placed = 0;
  struct ordered_call *calls = mem_alloc(count, sizeof *calls);
  uint32_t *first = mem_alloc((size_t)count + 1, sizeof *first);
  VECTOR(uint32_t) to_do = {0};
  for (uint32_t i = 0; i < count; i++) {
    calls[i] = (struct ordered_call){p->flow->calls.data[i].parent, i, start_of(p, i)};
    if (i != 0)
      first[calls[i].caller + 1]++;
  }
  for (uint32_t i = 0; i < count; i++)
    first[i + 1] += first[i];
  qsort(calls, count, sizeof *calls, by_start); /* the root, called by SPAN_NONE, is last */
  p->order = mem_alloc(count, sizeof *p->order);
  p->order_of = mem_alloc(count, sizeof *p->order_of);
  vector_push(&to_do, 0);
  while (to_do.count != 0) {
    uint32_t position = to_do.data[--to_do.count];
    p->order_of[position] = placed;
    p->order[placed++] = position;
    for (uint32_t c = first[position + 1]; c-- > first[position];)
      vector_push(&to_do, calls[c].position);
  }
  vector_clear(&to_do);
  mem_free(first);
  mem_free(calls);
}

static void find_lines(struct flow_picture *p) {
  uint32_t count = (uint32_t)p->flow->calls.count;
  struct nested_call *calls = mem_alloc(count, sizeof *calls);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t caller = p->flow->calls.data[p->order[i]].parent;
    calls[i] = (struct nested_call){.caller = caller == SPAN_NONE ? SPAN_NONE : p->order_of[caller],
                                    .weight = total_of(p, p->order[i])};
  }
  trace_lines_make(&p->lines, calls, count, TRACE_LINES_MAX);
  mem_free(calls);
}

static size_t line_of(const struct flow_picture *p, uint32_t position) {
  return p->lines.line_of[p->order_of[position]];
}

static void append_prefix(struct text *out, const struct trace_line *line) {
  text_append(out, "");
  if (line->folded != 0)
    text_format(out, "%u more call%s: ", line->folded, line->folded == 1 ? "" : "s, the first");
}

static void find_names(struct flow_picture *p) {
  for (size_t l = 0; l < p->lines.lines.count; l++) {
    const struct trace_line *line = &p->lines.lines.data[l];
    struct text prefix, name;
    text_init(&prefix);
    text_init(&name);
    append_prefix(&prefix, line);
    flow_call_name(&name, p->flow, p->order[line->index], &p->answer->store.names);
    chart_names_add(&p->names,
                    chart_indent(line->depth) + drawing_text_width(CHART_TEXT, prefix.data),
                    text_get(&name));
    text_clear(&prefix);
    text_clear(&name);
  }
}

static void find_places(struct flow_picture *p) {
  int64_t last = 0;
  p->places = mem_alloc(p->lines.lines.count, sizeof *p->places);
  for (size_t l = 0; l < p->lines.lines.count; l++) {
    p->places[l] = (struct graph_place){INT64_MAX, 0};
    p->folded = p->folded || p->lines.lines.data[l].folded != 0;
    p->apart = p->apart || p->flow->calls.data[p->order[p->lines.lines.data[l].index]].apart;
  }
  for (uint32_t i = 0; i < p->flow->calls.count; i++) {
    struct graph_place *place = &p->places[line_of(p, i)];
    int64_t start = start_of(p, i), end = end_of(p, i);
    place->start = start < place->start ? start : place->start;
    place->end = end > place->end ? end : place->end;
    last = end > last ? end : last;
  }
  p->steps = (struct axis){
      .high = (double)last, .from = p->names.width, .to = p->drawing->width - CHART_VALUE};
}

static double x_of(const struct flow_picture *p, int64_t step) {
  return axis_pixel(&p->steps, (double)step);
}

/* --- boxes -------------------------------------------------------------------------------------*/

static double percent(const struct flow_picture *p, int64_t total) {
  int64_t all = p->answer->latency_total;
  return all > 0 ? 100 * (double)total / (double)all : 0;
}

static void say_box(struct text *out, const struct flow_picture *p, const struct trace_line *line) {
  const struct flow_call *call = &p->flow->calls.data[p->order[line->index]];
  append_prefix(out, line);
  flow_call_name(out, p->flow, p->order[line->index], &p->answer->store.names);
  if (line->folded != 0)
    return;
  text_format(out, "; own work of calls of this name: %.1f %% of all latency",
              percent(p, total_of(p, p->order[line->index])));
  text_append(out, call->apart ? "; its caller does not wait for it" : "");
}

static void draw_box(struct flow_picture *p, size_t l) {
  const struct trace_line *line = &p->lines.lines.data[l];
  bool muted = line->folded != 0 || p->flow->calls.data[p->order[line->index]].apart;
  int64_t total = line->folded != 0 ? 0 : total_of(p, p->order[line->index]);
  double weight = p->largest > 0 ? (double)total / (double)p->largest : 0;
  double left = x_of(p, p->places[l].start);
  struct text prefix, name, said;
  text_init(&prefix);
  text_init(&name);
  text_init(&said);
  append_prefix(&prefix, line);
  flow_call_name(&name, p->flow, p->order[line->index], &p->answer->store.names);
  say_box(&said, p, line);
  chart_name(p->drawing, muted ? INK_MUTED : INK_TEXT, l, line->depth, prefix.data, name.data,
             &p->names);
  chart_bar(p->drawing, muted ? INK_MUTED : INK_OBSERVED, PALEST + (1 - PALEST) * weight, l, left,
            fmax(left + NARROWEST, x_of(p, p->places[l].end)), said.data);
  if (total != 0) {
    struct text share;
    text_init(&share);
    text_format(&share, "%.1f %%", percent(p, total));
    drawing_text(p->drawing, INK_OBSERVED, CHART_TEXT, ANCHOR_END, p->drawing->width,
                 chart_y(l) + 4, share.data);
    text_clear(&share);
  }
  text_clear(&prefix);
  text_clear(&name);
  text_clear(&said);
}

/* --- arrows ------------------------------------------------------------------------------------*/

static void draw_head(struct flow_picture *p, enum ink ink, double x, double y, double dx,
                      double dy) {
  if (x_of(p, 1) - x_of(p, 0) < HEAD_LENGTH)
    return;
  drawing_area(p->drawing, ink, 1, NULL);
  drawing_point(p->drawing, x, y);
  drawing_point(p->drawing, x - HEAD_LENGTH * dx - HEAD_WIDTH * dy,
                y - HEAD_LENGTH * dy - HEAD_WIDTH * dx);
  drawing_point(p->drawing, x - HEAD_LENGTH * dx + HEAD_WIDTH * dy,
                y - HEAD_LENGTH * dy + HEAD_WIDTH * dx);
}

static void say_wait(struct text *out, const struct flow_picture *p, const struct activity *a,
                     const struct order *order, uint32_t before) {
  const struct span_names *names = &p->answer->store.names;
  text_append(out, a->is_lead ? "" : "the end of ");
  flow_call_name(out, p->flow, a->position, names);
  text_append(out, a->rank < a->wait_count ? " waits for " : " waits for all that lead to it, as ");
  if (a->rank < a->wait_count)
    text_format(out, "%u of %u, one of them ", a->rank, a->wait_count);
  flow_call_name(out, p->flow, before, names);
  if (order == NULL)
    return;
  text_format(out, order->verdict == ORDER_UNDECIDED ? "; undecided" : "; supported");
  text_format(out, ": %" PRIu64 " requests agree, by chance with probability %.2g", order->held,
              order->by_chance);
}

/* The line's points, from its target on, so that the dashes of lines to one target fall together.
 */
static void draw_arrow(struct flow_picture *p, const struct activity *a, enum ink ink,
                       struct point from, size_t to) {
  double down = chart_y(to) > from.y ? 1 : -1;
  if (a->is_lead) {
    double start = x_of(p, start_of(p, a->position));
    drawing_point(p->drawing, start, chart_y(to));
    drawing_point(p->drawing, from.x, chart_y(to));
    drawing_point(p->drawing, from.x, from.y);
    draw_head(p, ink, start, chart_y(to), 1, 0);
  } else {
    double edge = chart_y(to) - down * CHART_BAR / 2;
    drawing_point(p->drawing, from.x, edge);
    drawing_point(p->drawing, from.x, from.y);
    draw_head(p, ink, from.x, edge, 0, down);
  }
}

/* Few lines of one wait stand beside each other, within the step that it lasts. */
static double beside(const struct flow_picture *p, const struct activity *a, uint32_t wait) {
  double step = x_of(p, 1) - x_of(p, 0);
  return a->wait_count > BESIDE ? 0 : fmin(3.0 * (wait - a->wait_first), 0.5 * step);
}

/* From the end of the call `before` to the start, or the end, of the one that waits. */
static void draw_wait(struct flow_picture *p, const struct activity *a, uint32_t wait) {
  uint32_t before = p->flow->activities.data[p->flow->waits.data[wait]].position;
  uint32_t order = p->flow->wait_orders.data[wait];
  size_t from = line_of(p, before), to = line_of(p, a->position);
  if (p->lines.lines.data[from].folded != 0 || p->lines.lines.data[to].folded != 0)
    return;
  bool undecided = order != SPAN_NONE && p->flow->orders.data[order].verdict == ORDER_UNDECIDED;
  bool some = a->rank < a->wait_count;
  enum ink ink = undecided ? INK_UNKNOWN : some ? INK_UPPER : INK_MUTED;
  double x = x_of(p, end_of(p, before)) + beside(p, a, wait), down = to > from ? 1 : -1;
  struct text said;
  text_init(&said);
  say_wait(&said, p, a, order == SPAN_NONE ? NULL : &p->flow->orders.data[order], before);
  drawing_line(p->drawing, ink, some ? 2 : 1.4,
               undecided ? DASH_SHORT
               : some    ? DASH_DOTS
                         : DASH_NONE,
               said.data);
  draw_arrow(p, a, ink, (struct point){x, chart_y(from) + down * CHART_BAR / 2}, to);
  p->undecided = p->undecided || undecided;
  p->some = p->some || some;
  text_clear(&said);
}

/* A call that waits for no other begins where its caller does. */
static void draw_call(struct flow_picture *p, uint32_t position) {
  const struct flow_call *call = &p->flow->calls.data[position];
  size_t from = line_of(p, call->parent), to = line_of(p, position);
  if (from != to && p->lines.lines.data[to].folded == 0)
    chart_upright(p->drawing, INK_GRID, DASH_NONE, x_of(p, start_of(p, position)), from, to, NULL);
}

static void draw_waits(struct flow_picture *p, uint32_t activity) {
  const struct activity *a = &p->flow->activities.data[activity];
  for (uint32_t w = a->wait_first; w < a->wait_first + a->wait_count; w++)
    if (!p->flow->activities.data[p->flow->waits.data[w]].is_lead)
      draw_wait(p, a, w);
    else if (a->is_lead)
      draw_call(p, a->position);
  if (a->is_lead && a->wait_count == 0)
    draw_call(p, a->position);
}

static void draw_legend(struct flow_picture *p, double y) {
  struct drawing *d = p->drawing;
  double x = chart_legend_bar(d, INK_OBSERVED, PALEST, 0, y, "a call");
  x = chart_legend_bar(d, INK_OBSERVED, 1, x, y, "a large share of latency");
  x = chart_legend_line(d, INK_MUTED, DASH_NONE, x, y, "waits for");
  if (p->undecided)
    x = chart_legend_line(d, INK_UNKNOWN, DASH_SHORT, x, y, "undecided");
  if (p->some)
    x = chart_legend_line(d, INK_UPPER, DASH_DOTS, x, y, "waits for some of these");
  if (p->folded)
    x = chart_legend_bar(d, INK_MUTED, PALEST, x, y, "several calls together");
  if (p->apart && !p->folded)
    chart_legend_bar(d, INK_MUTED, PALEST, x, y, "nobody waits for it");
}

/* --- all of it ---------------------------------------------------------------------------------*/

static void describe(struct text *out, const struct flow_picture *p, size_t flow) {
  size_t undecided = 0;
  for (size_t o = 0; o < p->flow->orders.count; o++)
    undecided += p->flow->orders.data[o].verdict == ORDER_UNDECIDED;
  text_append(out, "What waits for what in ");
  flow_share_say(out, p->answer, flow);
  text_format(out, ": %zu calls, %zu undecided orders.", p->flow->calls.count, undecided);
}

static void draw(struct flow_picture *p) {
  double y = CHART_HEAD - 8;
  drawing_text(p->drawing, INK_TEXT, CHART_TEXT, ANCHOR_START, 0, y, "call");
  drawing_text(p->drawing, INK_TEXT, CHART_TEXT, ANCHOR_START, p->names.width, y,
               "what comes before what; lengths mean nothing");
  drawing_text(p->drawing, INK_TEXT, CHART_TEXT, ANCHOR_END, p->drawing->width, y, "own work");
  for (size_t l = 0; l < p->lines.lines.count; l++)
    draw_box(p, l);
  for (uint32_t a = 0; a < p->flow->activities.count; a++)
    draw_waits(p, a);
}

void flow_draw(struct drawing *drawing, const struct trace_path *answer, size_t flow,
               double width) {
  struct flow_picture p = {
      .drawing = drawing, .answer = answer, .flow = answer->graph.flows.data[flow]};
  struct text about;
  text_init(&about);
  describe(&about, &p, flow);
  find_parts(&p);
  find_finish(&p);
  find_order(&p);
  find_lines(&p);
  double bottom = CHART_HEAD + CHART_LINE * (double)p.lines.lines.count;
  drawing_init(drawing, width, ceil(bottom + CHART_FOOT), "What waits for what", about.data);
  chart_names_init(&p.names, width);
  find_names(&p);
  find_places(&p);
  draw(&p);
  draw_legend(&p, bottom + CHART_FOOT / 2);
  text_clear(&about);
  trace_lines_clear(&p.lines);
  chart_names_clear(&p.names);
  mem_free(p.places);
  mem_free(p.finish);
  mem_free(p.order);
  mem_free(p.order_of);
  mem_free(p.parts);
}
