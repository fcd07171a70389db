/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/flame.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "show/drawing.h"
#include "cli/present/figure/flame_script.h"
#include "show/page.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/order.h"

#define WIDTH 1180.0
#define ROW 17.0
#define CHARACTER 6.6 /* about as wide as one is at 11 pixels */
#define NARROWEST 0.3 /* pixels that are still drawn */

enum { DEEPEST = 512, NAME_MOST = 200 };

/* A box that is still to be drawn. */
struct flame_box {
  uint32_t node;
  size_t depth;
  double x;
};

struct flame_drawing {
  const struct flame *flame;
  uint64_t *total, *other; /* by node, with all that is above it; of a difference, of the other */
  uint64_t whole, other_whole;
  bool is_before; /* of a difference the first is drawn, and `other` is the second */
  struct stack_children children;
  VECTOR(struct flame_box) due;
  size_t depth;    /* of the deepest box that is drawn */
  uint64_t hidden; /* boxes that are too narrow, or too far up */
  struct text boxes;
};

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

enum status flame_check_name(const char *path, struct text *message) {
  if (ends_with(path, ".svg") || ends_with(path, ".html"))
    return STATUS_OK;
  text_format(message,
              "--plot %s: a flame graph is an .svg or an .html file; give a name that ends so",
              path);
  return STATUS_USAGE;
}

/* Weights with those of all nodes below: a parent comes before its children. */
static uint64_t *sum_up(const struct stack_profile *profile, const uint64_t *own) {
  uint64_t *sums = mem_alloc(profile->nodes.count, sizeof *sums);
  for (size_t i = 0; i < profile->nodes.count; i++)
    sums[i] = own == NULL ? profile->nodes.data[i].own : own[i];
  for (size_t i = profile->nodes.count - 1; i > 0; i--) {
    uint64_t *sum = &sums[profile->nodes.data[i].parent];
    *sum = *sum > UINT64_MAX - sums[i] ? UINT64_MAX : *sum + sums[i];
  }
  return sums;
}

static double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : (double)part / (double)whole;
}

static struct slice name_of(const struct flame *flame, uint32_t node) {
  const struct stack_profile *profile = flame->profile;
  if (node == 0)
    return (struct slice){"all", 3};
  uint32_t frame = profile->nodes.data[node].frame;
  return profile->names.texts.data[profile->frames.data[frame].function];
}

/* The first characters of a name that may be of any length. */
static void append_name(struct text *out, struct slice name, size_t most) {
  struct text part = {0};
  size_t length = name.length > most ? most : name.length;
  while (length < name.length && length > 0 && ((unsigned char)name.start[length] & 0xc0) == 0x80)
    length--;
  for (size_t i = 0; i < length; i++)
    text_append_bytes(&part, name.start[i] == '\0' ? " " : &name.start[i], 1);
  if (length < name.length)
    text_append(&part, "..");
  plot_escape(out, text_get(&part));
  text_clear(&part);
}

/* Warm colours that tell neighbours apart, of one function always the same; the kernel's and what
 * was compiled at run time apart. */
static uint32_t colour_of(struct slice name) {
  enum frame_kind kind = stack_frame_unmark(&name);
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < name.length; i++)
    hash = (hash ^ (unsigned char)name.start[i]) * 16777619u;
  uint32_t shade = (hash >> 8) % 56;
  if (kind == FRAME_KERNEL)
    return (0xa8 + shade) << 16 | (0x98 + shade) << 8 | 0xf0;
  if (kind == FRAME_JIT)
    return (0x80 + shade) << 16 | 0xd0 << 8 | 0x70;
  return 0xff0000u | (0x90 + shade + (hash >> 24) % 24) << 8 | (0x60 + (hash >> 16) % 32);
}

#define GREY 0xcfd2d6u

/* Red where the function's own share grew, blue where it fell: full at a twentieth of everything. */
static uint32_t colour_of_change(double change) {
  double part = fabs(change) * 20 > 1 ? 1 : fabs(change) * 20;
  uint32_t pale = (uint32_t)(215 - 90 * part);
  return change > 0 ? 0xf00000u | pale << 8 | pale : pale << 16 | pale << 8 | 0xf0u;
}

static uint32_t colour_of_box(const struct flame *flame, uint32_t node, struct slice name) {
  if (flame->before == NULL)
    return colour_of(name);
  const struct flame_change *change =
      node == 0 ? NULL : &flame->changes[flame->profile->nodes.data[node].frame];
  return change == NULL || change->found != FLAME_SIGNIFICANT ? GREY
                                                              : colour_of_change(change->change);
}

/* Of a difference: what the box has more than before, and what is said of the function. */
static void append_change(struct flame_drawing *drawing, uint32_t node) {
  static const char *const words[] = {[FLAME_NOT_SEEN] = "",
                                      [FLAME_SETTLED] = ", not significant",
                                      [FLAME_SIGNIFICANT] = ", significant",
                                      [FLAME_UNKNOWN] = ", cannot tell"};
  const struct flame *flame = drawing->flame;
  double here = share(drawing->total[node], drawing->whole);
  double there = share(drawing->other[node], drawing->other_whole);
  text_format(&drawing->boxes, ", %+.2f percentage points",
              100 * (drawing->is_before ? there - here : here - there));
  if (node == 0)
    return;
  const struct flame_change *of = &flame->changes[flame->profile->nodes.data[node].frame];
  if (of->found != FLAME_NOT_SEEN)
    text_format(&drawing->boxes, "; the function itself %+.2f%s", 100 * of->change,
                words[of->found]);
}

static void append_box(struct flame_drawing *drawing, const struct flame_box *box, double width) {
  struct text *out = &drawing->boxes;
  struct slice name = name_of(drawing->flame, box->node);
  text_format(out, "<g data-x=\"%.6f\" data-w=\"%.6f\" data-d=\"%zu\"><title>", box->x / WIDTH,
              width / WIDTH, box->depth);
  append_name(out, name, NAME_MOST);
  text_format(out, ", %.2f %%, weight %" PRIu64,
              100 * share(drawing->total[box->node], drawing->whole), drawing->total[box->node]);
  if (drawing->flame->before != NULL)
    append_change(drawing, box->node);
  text_format(
      out, "</title><rect x=\"%.2f\" y=\"@%zu@\" width=\"%.2f\" height=\"%.0f\" fill=\"#%06x\"/>",
      box->x, box->depth, width, ROW - 1, (unsigned)colour_of_box(drawing->flame, box->node, name));
  size_t characters = (size_t)((width - 6) / CHARACTER * (width > 6));
  if (characters >= 3) {
    text_format(out, "<text x=\"%.2f\" y=\"@%zu+@\">", box->x + 3, box->depth);
    append_name(out, name, name.length <= characters ? characters : characters - 2);
    text_append(out, "</text>");
  }
  text_append(out, "</g>\n");
}

static void draw_boxes(struct flame_drawing *drawing) {
  vector_push(&drawing->due, (struct flame_box){0});
  while (drawing->due.count != 0) {
    struct flame_box box = drawing->due.data[--drawing->due.count];
    double width = WIDTH * share(drawing->total[box.node], drawing->whole);
    if (width < NARROWEST || box.depth >= DEEPEST) {
      drawing->hidden++;
      continue;
    }
    drawing->depth = box.depth > drawing->depth ? box.depth : drawing->depth;
    append_box(drawing, &box, width);
    double x = box.x;
    for (uint32_t i = drawing->children.first[box.node]; i < drawing->children.first[box.node + 1];
         i++) {
      uint32_t child = drawing->children.children[i];
      vector_push(&drawing->due, (struct flame_box){child, box.depth + 1, x});
      x += WIDTH * share(drawing->total[child], drawing->whole);
    }
  }
}

/* Puts heights, which are known when the deepest box is, in place of @DEPTH@ and @DEPTH+@. Names
 * cannot hold such a thing: they stand between > and <, behind the attributes. */
static void append_boxes(struct text *out, const struct flame_drawing *drawing) {
  const char *at = drawing->boxes.data, *next;
  while (at != NULL && (next = strstr(at, "y=\"@")) != NULL) {
    char *end;
    unsigned long depth = strtoul(next + 4, &end, 10);
    double y = (double)(drawing->depth - depth) * ROW;
    text_append_bytes(out, at, (size_t)(next - at));
    text_format(out, "y=\"%.0f", *end == '+' ? y + 12 : y);
    at = end + (*end == '+' ? 2 : 1);
  }
  text_append(out, at == NULL ? "" : at);
}

struct legend {
  uint32_t colour;
  const char *what;
};

static const struct legend kinds[] = {{0xffc070, "functions of programs"},
                                      {0xc0b0f0, "of the kernel, _[k]"},
                                      {0xa0d070, "compiled at run time, _[j]"},
                                      {0, NULL}},
                           changes[] = {{0xf07d7d, "more than before"},
                                        {0x7d7df0, "less"},
                                        {GREY, "not significant, or it cannot be told"},
                                        {0, NULL}};

static const struct legend *legend_of(const struct flame *flame) {
  return flame->before == NULL ? kinds : changes;
}

enum { LEGEND_ROW = 26, CAPTION_ROW = 24 };

/* One graph from `top` on; its height. `id`: it is in a page; else it is part of a drawing. */
static double make(struct text *svg, const struct flame *flame, bool is_before, const char *id,
                   double top, uint64_t *hidden) {
  struct flame_drawing drawing = {.flame = flame, .is_before = is_before};
  uint64_t *now = sum_up(flame->profile, NULL);
  uint64_t *before = flame->before == NULL ? NULL : sum_up(flame->profile, flame->before);
  drawing.total = is_before ? before : now;
  drawing.other = is_before ? now : before;
  drawing.whole = is_before ? flame->before_total : flame->profile->total;
  drawing.other_whole = is_before ? flame->profile->total : flame->before_total;
  stack_children_find(&drawing.children, flame->profile);
  draw_boxes(&drawing);
  double height = (double)(drawing.depth + 1) * ROW;
  if (id != NULL)
    text_format(svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" id=\"%s\" viewBox=\"0 0 "
                "%.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
                "font-size=\"11\" role=\"img\" aria-label=\"flame graph%s\">\n",
                id, WIDTH, height, WIDTH, height, is_before ? ", before" : "");
  else
    text_format(svg, "<g transform=\"translate(0 %.0f)\">\n", top);
  append_boxes(svg, &drawing);
  text_append(svg, id != NULL ? "</svg>\n" : "</g>\n");
  stack_children_clear(&drawing.children);
  vector_clear(&drawing.due);
  mem_free(now);
  mem_free(before);
  text_clear(&drawing.boxes);
  *hidden += drawing.hidden;
  return height;
}

/* A drawing alone: of a difference both graphs, and what the colours are. */
static void append_drawing(struct text *out, const struct flame *flame) {
  struct text boxes = {0};
  uint64_t hidden = 0;
  double y = 0, x = 4;
  int graphs = flame->before != NULL ? 2 : 1;
  for (int before = 0; before < graphs; before++) {
    if (flame->before != NULL) {
      text_format(&boxes, "<text x=\"4\" y=\"%.0f\">%s</text>\n", y + 16,
                  before ? "Before" : "Now");
      y += CAPTION_ROW;
    }
    y += make(&boxes, flame, before, NULL, y, &hidden);
  }
  for (const struct legend *l = legend_of(flame); l->what != NULL; l++) {
    text_format(&boxes,
                "<rect x=\"%.0f\" y=\"%.0f\" width=\"20\" height=\"12\" fill=\"#%06x\"/><text "
                "x=\"%.0f\" y=\"%.0f\">%s</text>\n",
                x, y + 8, (unsigned)l->colour, x + 26, y + 18, l->what);
    x += 60 + CHARACTER * (double)strlen(l->what);
  }
  text_format(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
      "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\" "
      "aria-label=\"flame graph\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      WIDTH, y + LEGEND_ROW, WIDTH, y + LEGEND_ROW);
  text_append_bytes(out, text_get(&boxes), boxes.length);
  text_append(out, "</svg>\n");
  text_clear(&boxes);
}

static void append_legend(struct text *out, const struct flame *flame) {
  text_append(out, "<p class=\"legend\">");
  for (const struct legend *l = legend_of(flame); l->what != NULL; l++)
    text_format(out, "<span style=\"background:#%06x\"></span>%s", (unsigned)l->colour, l->what);
  text_append(out, "</p>\n");
}

static void append_graph(struct text *out, const struct flame *flame, bool before,
                         uint64_t *hidden) {
  if (flame->before != NULL)
    text_format(out, "<h2>%s</h2>\n", before ? "Before" : "Now");
  text_append(out, "<div class=\"flame-box\">");
  make(out, flame, before, before ? "flame-before" : "flame", 0, hidden);
  text_append(out, "</div>\n");
}

static void append_page(struct text *out, const struct flame *flame) {
  struct text svg = {0}, note = {0};
  uint64_t hidden = 0;
  append_graph(&svg, flame, false, &hidden);
  if (flame->before != NULL)
    append_graph(&svg, flame, true, &hidden);
  page_begin(out, flame->title, "flame graph");
  page_line(out, flame->about, false);
  text_format(&note, "%" PRIu64 " boxes are too narrow to be drawn.", hidden);
  page_line(out, hidden == 0 ? NULL : text_get(&note), false);
  page_line(out, flame->made, true);
  text_append(out, "</header>\n<section id=\"graph\">\n");
  text_append(out, flame_controls);
  append_legend(out, flame);
  text_append_bytes(out, text_get(&svg), svg.length);
  text_append(out, "</section>\n");
  text_append(out, flame_calls);
  if (flame->table != NULL && flame->table->cells.count != 0)
    page_table(out, "functions", flame->before == NULL ? "Functions" : "What changed",
               flame->table);
  if (flame->ledger != NULL)
    page_ledger(out, flame->ledger);
  page_end(out, flame_script);
  text_clear(&svg);
  text_clear(&note);
}

enum status flame_write(const struct flame *flame, const char *path, struct text *message) {
  struct text out = {0};
  if (ends_with(path, ".html"))
    append_page(&out, flame);
  else {
    text_append(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    append_drawing(&out, flame);
  }
  enum status status = file_write(path, out.data, out.length, message);
  text_clear(&out);
  return status;
}
