/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_waterfall.h"

#include <math.h>
#include <stdio.h>

#include "base/duration.h"
#include "cli/present/figure/scale.h"
#include "cli/present/figure/trace_chart.h"
#include "cli/present/figure/trace_lines.h"
#include "cli/present/figure/trace_words.h"
#include "cli/question/trace_path/trace_path.h"

#define FAINT 0.25
#define GROUP 0.5
/* Steps from which on those are left out that begin in a pixel that is marked. */
#define MANY 1000
#define TAGS_SAID 8
#define FAILED "\u2717"

/* What a line shows, in ns since the root's start; of folded spans from the first to the last. */
struct stretch {
  int64_t start, end, critical;
};

struct waterfall {
  struct drawing *drawing;
  const struct trace_path *answer;
  const struct request_flow *flow;
  const struct request *request;
  uint32_t *position_of; /* by span of the request; SPAN_NONE: beside the root's tree */
  int64_t *critical;     /* by span: ns that its own work adds to the critical path */
  struct trace_lines lines;
  struct stretch *stretches; /* by line */
  double *marked;            /* by line: the pixel up to which it is marked */
  struct axis time;          /* ns since the root's start */
  struct chart_names names;
  VECTOR(uint32_t) services; /* of the spans, in order: one a group */
};

/* --- spans and lines ---------------------------------------------------------------------------*/

/* A span's place within the request, by its call. */
static uint32_t span_of(const struct waterfall *w, uint32_t position) {
  const struct request_flow *flow = w->flow;
  return flow->rows.data[w->answer->index * flow->calls.count + position] - w->request->first;
}

static int64_t since_start(const struct waterfall *w, int64_t ns) {
  return ns - w->answer->store.start.data[w->request->first];
}

static void find_critical(struct waterfall *w) {
  const struct request_flow *flow = w->flow;
  for (uint32_t i = 0; i < w->request->count; i++)
    w->position_of[i] = SPAN_NONE;
  for (uint32_t p = 0; p < flow->calls.count; p++)
    w->position_of[span_of(w, p)] = p;
  for (size_t s = 0; s < w->answer->path.steps.count; s++) {
    const struct path_step *step = &w->answer->path.steps.data[s];
    w->critical[span_of(w, flow->activities.data[step->activity].owner)] += step->duration;
  }
}

static void find_lines(struct waterfall *w) {
  const struct span_store *store = &w->answer->store;
  struct nested_call *calls = mem_alloc(w->request->count, sizeof *calls);
  for (uint32_t i = 0; i < w->request->count; i++) {
    uint32_t row = w->request->first + i, parent = store->parent.data[row];
    calls[i] = (struct nested_call){
        .caller = parent == SPAN_NONE ? SPAN_NONE : parent - w->request->first,
        .weight = w->critical[i],
        .lesser = store->end.data[row] - store->start.data[row],
    };
  }
  trace_lines_make(&w->lines, calls, w->request->count, TRACE_LINES_MAX);
  mem_free(calls);
}

static void find_stretches(struct waterfall *w) {
  const struct span_store *store = &w->answer->store;
  w->stretches = mem_alloc(w->lines.lines.count, sizeof *w->stretches);
  w->marked = mem_alloc(w->lines.lines.count, sizeof *w->marked);
  for (size_t l = 0; l < w->lines.lines.count; l++)
    w->stretches[l] = (struct stretch){INT64_MAX, INT64_MIN, 0};
  for (uint32_t i = 0; i < w->request->count; i++) {
    struct stretch *stretch = &w->stretches[w->lines.line_of[i]];
    int64_t start = since_start(w, store->start.data[w->request->first + i]);
    int64_t end = since_start(w, store->end.data[w->request->first + i]);
    stretch->start = start < stretch->start ? start : stretch->start;
    stretch->end = end > stretch->end ? end : stretch->end;
    stretch->critical += w->critical[i];
  }
}

static void find_axis(struct waterfall *w) {
  int64_t low = 0, high = 0;
  for (size_t l = 0; l < w->lines.lines.count; l++) {
    low = w->stretches[l].start < low ? w->stretches[l].start : low;
    high = w->stretches[l].end > high ? w->stretches[l].end : high;
  }
  w->time = (struct axis){.low = (double)low,
                          .high = high == low ? (double)high + 1 : (double)high,
                          .from = w->names.width,
                          .to = w->drawing->width - 2 * CHART_VALUE - 12};
}

/* Services that a picture has colours for have one each, the last of them all the others. */
static size_t group_of(const struct waterfall *w, uint32_t service) {
  size_t group = 0;
  while (group < w->services.count && w->services.data[group] != service)
    group++;
  return group < INK_GROUPS ? group : INK_GROUPS - 1;
}

static uint32_t service_of(const struct waterfall *w, uint32_t span) {
  return w->answer->store.service.data[w->request->first + span];
}

static void find_services(struct waterfall *w) {
  for (size_t l = 0; l < w->lines.lines.count; l++) {
    uint32_t service = service_of(w, w->lines.lines.data[l].index);
    size_t group = 0;
    while (group < w->services.count && w->services.data[group] != service)
      group++;
    if (group == w->services.count)
      vector_push(&w->services, service);
  }
}

static bool has_failed(const struct waterfall *w, const struct trace_line *line) {
  return line->folded == 0 &&
         w->answer->store.status.data[w->request->first + line->index] == SPAN_ERROR;
}

/* --- words -------------------------------------------------------------------------------------*/

/* "cart/get", of a span beside the root too. */
static void append_span(struct text *out, const struct waterfall *w, uint32_t span) {
  const struct span_store *store = &w->answer->store;
  if (w->position_of[span] != SPAN_NONE) {
    flow_call_name(out, w->flow, w->position_of[span], &store->names);
    return;
  }
  uint32_t row = w->request->first + span, service = store->service.data[row];
  if (service != 0)
    text_format(out, "%s/", names_text(&store->names, service));
  text_append(out, names_text(&store->names, store->operation.data[row]));
}

static void append_prefix(struct text *out, const struct waterfall *w,
                          const struct trace_line *line) {
  text_append(out, has_failed(w, line) ? FAILED " " : "");
  if (line->folded != 0)
    text_format(out, "%u more call%s: ", line->folded, line->folded == 1 ? "" : "s, the first");
}

static void find_names(struct waterfall *w) {
  for (size_t l = 0; l < w->lines.lines.count; l++) {
    const struct trace_line *line = &w->lines.lines.data[l];
    struct text prefix, name;
    text_init(&prefix);
    text_init(&name);
    append_prefix(&prefix, w, line);
    append_span(&name, w, line->index);
    chart_names_add(&w->names,
                    chart_indent(line->depth) + drawing_text_width(CHART_TEXT, prefix.data),
                    text_get(&name));
    text_clear(&prefix);
    text_clear(&name);
  }
}

/* "; http.status_code=500" */
static void say_tags(struct text *out, const struct waterfall *w, const struct trace_line *line) {
  const struct span_store *store = &w->answer->store;
  uint32_t row = w->request->first + line->index;
  size_t first = row == 0 ? 0 : store->tag_end.data[row - 1], end = store->tag_end.data[row];
  for (size_t t = first; t < end && t < first + TAGS_SAID; t++) {
    struct text value;
    text_init(&value);
    plot_clean_text(&value, names_text(&store->names, store->tags.data[t].value));
    text_format(out, "; %s=%.60s", names_text(&store->names, store->tags.data[t].key), value.data);
    text_clear(&value);
  }
}

static void say_marks(struct text *out, const struct waterfall *w, const struct trace_line *line) {
  if (line->folded != 0)
    return;
  unsigned mark = w->answer->store.mark.data[w->request->first + line->index];
  if (w->position_of[line->index] == SPAN_NONE)
    text_append(out, "; beside the request's root, which does not wait for it");
  text_append(out, has_failed(w, line) ? "; it failed" : "");
  text_append(out, mark & SPAN_MOVED ? "; its host's clock was put right" : "");
  text_append(out, mark & SPAN_SKEWED ? "; its times contradict its caller's" : "");
  text_append(out, mark & SPAN_UNFINISHED ? "; its end was not recorded" : "");
  say_tags(out, w, line);
}

static void say_line(struct text *out, const struct waterfall *w, size_t l) {
  const struct trace_line *line = &w->lines.lines.data[l];
  const struct stretch *stretch = &w->stretches[l];
  append_prefix(out, w, line);
  append_span(out, w, line->index);
  text_append(out, ": ");
  if (line->folded == 0) {
    duration_print_nearest(out, stretch->end - stretch->start);
    text_append(out, ", ");
  }
  text_append(out, "from ");
  duration_print_nearest(out, stretch->start);
  text_append(out, " to ");
  duration_print_nearest(out, stretch->end);
  if (stretch->critical != 0) {
    text_append(out, "; on the critical path ");
    duration_print_nearest(out, stretch->critical);
  }
  say_marks(out, w, line);
}

/* --- parts -------------------------------------------------------------------------------------*/

static double x_of(const struct waterfall *w, int64_t ns) {
  return axis_pixel(&w->time, (double)ns);
}

static void draw_ticks(struct waterfall *w, struct time_unit unit) {
  struct tick ticks[TICKS_MAX];
  double bottom = CHART_HEAD + CHART_LINE * (double)w->lines.lines.count, free = -INFINITY;
  size_t count = axis_ticks(ticks, &w->time, unit.ns);
  for (size_t i = 0; i < count; i++) {
    double x = axis_pixel(&w->time, ticks[i].value);
    double half = drawing_text_width(CHART_TEXT, ticks[i].label) / 2;
    drawing_segment(w->drawing, INK_GRID, 1, DASH_NONE, x, CHART_HEAD - 4, x, bottom);
    if (x - half < free || x + half > w->time.to + 20)
      continue;
    drawing_text(w->drawing, INK_MUTED, CHART_TEXT, ANCHOR_MIDDLE, x, CHART_HEAD - 8,
                 ticks[i].label);
    free = x + half + 8;
  }
}

static void draw_axis(struct waterfall *w) {
  struct drawing *d = w->drawing;
  struct time_unit unit = time_unit_for(w->time.high - w->time.low);
  char title[64];
  double y = CHART_HEAD - 8;
  snprintf(title, sizeof title, "time since it began (%s)", unit.name);
  drawing_text(d, INK_TEXT, CHART_TEXT, ANCHOR_START, w->time.from, 14, title);
  drawing_text(d, INK_TEXT, CHART_TEXT, ANCHOR_START, 0, y, "call");
  drawing_text(d, INK_TEXT, CHART_TEXT, ANCHOR_END, d->width - CHART_VALUE, y, "took");
  drawing_text(d, INK_TEXT, CHART_TEXT, ANCHOR_END, d->width, y, "on the path");
  draw_ticks(w, unit);
}

static void draw_line(struct waterfall *w, size_t l) {
  const struct trace_line *line = &w->lines.lines.data[l];
  const struct stretch *stretch = &w->stretches[l];
  bool plain = line->folded == 0 && w->position_of[line->index] != SPAN_NONE;
  struct text prefix, name, said;
  text_init(&prefix);
  text_init(&name);
  text_init(&said);
  append_prefix(&prefix, w, line);
  append_span(&name, w, line->index);
  say_line(&said, w, l);
  chart_name(w->drawing,
             has_failed(w, line) ? INK_FAILED
             : plain             ? INK_TEXT
                                 : INK_MUTED,
             l, line->depth, prefix.data, text_get(&name), &w->names);
  chart_bar(w->drawing,
            plain ? INK_GROUP + (enum ink)group_of(w, service_of(w, line->index)) : INK_MUTED,
            plain ? GROUP : FAINT, l, x_of(w, stretch->start), x_of(w, stretch->end), said.data);
  if (line->folded == 0)
    chart_duration(w->drawing, INK_TEXT, w->drawing->width - CHART_VALUE, l,
                   stretch->end - stretch->start);
  if (stretch->critical != 0)
    chart_duration(w->drawing, INK_OBSERVED, w->drawing->width, l, stretch->critical);
  text_clear(&prefix);
  text_clear(&name);
  text_clear(&said);
}

static size_t line_of_call(const struct waterfall *w, uint32_t position) {
  return w->lines.line_of[span_of(w, position)];
}

/* The line of the span that does an activity. */
static size_t line_of(const struct waterfall *w, uint32_t activity) {
  return line_of_call(w, w->flow->activities.data[activity].owner);
}

static void draw_critical(struct waterfall *w, const struct path_step *step) {
  int64_t end = w->answer->finish.data[step->activity];
  size_t line = line_of(w, step->activity);
  double from = x_of(w, end - step->duration), to = fmax(from + 1, x_of(w, end));
  if (w->answer->path.steps.count > MANY && to <= w->marked[line] + 1)
    return;
  w->marked[line] = to;
  struct text said;
  text_init(&said);
  text_append(&said, "on the critical path: ");
  trace_step_name(&said, w->answer, step);
  text_append(&said, ", ");
  duration_print_nearest(&said, step->duration);
  chart_bar(w->drawing, INK_OBSERVED, 1, line, from, to, said.data);
  text_clear(&said);
}

static bool is_folded(const struct waterfall *w, size_t line) {
  return w->lines.lines.data[line].folded != 0;
}

/* From the end of what was waited for to who waited. */
static void draw_wait(struct waterfall *w, const struct path_step *step) {
  if (step->waited == SPAN_NONE)
    return;
  const int64_t *finish = w->answer->finish.data;
  size_t from = line_of(w, step->waited), to = line_of(w, step->activity);
  size_t after = line_of_call(w, w->flow->activities.data[step->activity].position);
  if (is_folded(w, from) || is_folded(w, to) || is_folded(w, after))
    return;
  if (step->order == SPAN_NONE) {
    if (from != to)
      chart_upright(w->drawing, INK_OBSERVED, DASH_NONE, x_of(w, finish[step->waited]), from, to,
                    NULL);
    return;
  }
  struct text said;
  text_init(&said);
  trace_step_doubt(&said, w->answer, step);
  chart_upright(w->drawing, INK_UNKNOWN, DASH_SHORT, x_of(w, finish[step->waited]), from, after,
                said.data);
  if (step->rival != SPAN_NONE && !is_folded(w, line_of(w, step->rival)))
    chart_upright(w->drawing, INK_UNKNOWN, DASH_SHORT, x_of(w, finish[step->rival]),
                  line_of(w, step->rival), after, said.data);
  text_clear(&said);
}

/* Which colour is which service; the y of its last line. */
static double draw_services(struct waterfall *w, double y) {
  const char *names[INK_GROUPS];
  size_t count = w->services.count < INK_GROUPS ? w->services.count : INK_GROUPS;
  for (size_t i = 0; i < count; i++)
    names[i] = w->services.data[i] == 0 ? "no service"
                                        : names_text(&w->answer->store.names, w->services.data[i]);
  if (w->services.count > INK_GROUPS)
    names[INK_GROUPS - 1] = "further services";
  return chart_legend_groups(w->drawing, GROUP, y, names, count);
}

static void draw_legend(struct waterfall *w, double y) {
  struct drawing *d = w->drawing;
  bool undecided = false, folded = false, failed = false;
  for (size_t s = 0; s < w->answer->path.steps.count; s++)
    undecided = undecided || w->answer->path.steps.data[s].order != SPAN_NONE;
  for (size_t l = 0; l < w->lines.lines.count; l++)
    folded = folded || w->lines.lines.data[l].folded != 0;
  for (size_t l = 0; l < w->lines.lines.count; l++)
    failed = failed || has_failed(w, &w->lines.lines.data[l]);
  y = draw_services(w, y) + CHART_LINE;
  double x = chart_legend_bar(d, INK_OBSERVED, 1, 0, y, "on the critical path");
  x = chart_legend_line(d, INK_OBSERVED, DASH_NONE, x, y, "waited for");
  if (undecided)
    x = chart_legend_line(d, INK_UNKNOWN, DASH_SHORT, x, y, "undecided: waited, or did not");
  if (folded)
    x = chart_legend_bar(d, INK_MUTED, FAINT, x, y, "several calls together");
  if (failed)
    drawing_text(d, INK_FAILED, CHART_TEXT, ANCHOR_START, x, y + 4, FAILED " failed");
  d->height = ceil(y + CHART_FOOT / 2);
}

static void draw(struct waterfall *w) {
  const struct request_path *path = &w->answer->path;
  draw_axis(w);
  for (size_t l = 0; l < w->lines.lines.count; l++)
    draw_line(w, l);
  for (size_t s = path->steps.count; s-- > 0;)
    draw_critical(w, &path->steps.data[s]);
  for (size_t s = path->steps.count; s-- > 0;)
    draw_wait(w, &path->steps.data[s]);
}

void waterfall_draw(struct drawing *drawing, struct figure_axes *axes,
                    const struct trace_path *answer, double width) {
  struct waterfall w = {.drawing = drawing,
                        .answer = answer,
                        .flow = answer->graph.flows.data[answer->flow],
                        .request = trace_request_shown(answer)};
  struct text about;
  text_init(&about);
  trace_request_describe(&about, answer);
  w.position_of = mem_alloc(w.request->count, sizeof *w.position_of);
  w.critical = mem_alloc(w.request->count, sizeof *w.critical);
  find_critical(&w);
  find_lines(&w);
  find_stretches(&w);
  find_services(&w);
  chart_names_init(&w.names, width);
  find_names(&w);
  double bottom = CHART_HEAD + CHART_LINE * (double)w.lines.lines.count;
  drawing_init(drawing, width, ceil(bottom + CHART_FOOT), "The request and its critical path",
               about.data);
  find_axis(&w);
  draw(&w);
  draw_legend(&w, bottom + CHART_FOOT / 2);
  struct time_unit unit = time_unit_for(w.time.high - w.time.low);
  *axes = (struct figure_axes){.time = w.time,
                               .share = {.high = 1, .from = CHART_LOOK, .to = bottom},
                               .unit = unit.name,
                               .unit_ns = unit.ns};
  text_clear(&about);
  trace_lines_clear(&w.lines);
  chart_names_clear(&w.names);
  vector_clear(&w.services);
  mem_free(w.position_of);
  mem_free(w.critical);
  mem_free(w.stretches);
  mem_free(w.marked);
}
