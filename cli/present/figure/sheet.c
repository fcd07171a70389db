/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sheet of an SVG or PNG file: title, both panels, legend, percentiles, contributions.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/present/figure/curve.h"
#include "cli/present/figure/panel.h"
#include "cli/present/figure/parts.h"
#include "cli/present/figure/scale.h"
#include "show/page.h"

#define WIDTH SHEET_WIDTH
#define MARGIN 28.0
#define LEFT (MARGIN + 44)
#define PANEL_HEIGHT 430.0
#define LINE 20.0
#define TEXT_SIZE 12.0
#define LINKS_SHOWN 24
#define COMPONENTS_SHOWN 12
#define COMPONENTS_ACROSS 4
#define ROWS_SHOWN 12 /* of the percentiles, and of the contributions */

void plot_value(struct text *out, const struct plot_value *value, bool up) {
  if (value->given && value->finite)
    plot_duration(out, value->ns, up);
  else
    text_append(out, value->given ? "infinite" : "");
}

void plot_describe(struct text *out, const struct plot *plot) {
  text_append(out, "Curves:");
  for (size_t i = 0; i < plot->curves.count; i++)
    text_format(out, "%s %s", i == 0 ? "" : ",", plot->curves.data[i].name);
  text_append(out, ".");
  for (size_t i = 0; i < plot->rows.count; i++) {
    const struct plot_row *row = &plot->rows.data[i];
    text_format(out, " p%s at most ", row->percentile);
    plot_value(out, &row->upper, true);
    text_append(out, ".");
  }
}

void panel_swatch(struct drawing *drawing, enum plot_kind kind, double x, double y, double width) {
  if (kind >= PLOT_BAND_UPPER && kind != PLOT_FIRST)
    drawing_box(drawing, curve_ink(kind), 0.3, x, y - 5, width, 10);
  drawing_segment(drawing, curve_ink(kind), curve_width(kind), curve_dash(kind), x, y, x + width,
                  y);
}

static double draw_sources(struct drawing *d, const struct plot *plot, double y) {
  if (plot->sources.count == 0)
    return y;
  struct text line;
  text_init(&line);
  for (size_t i = 0; i < plot->sources.count; i++)
    text_format(&line, "%s%s %" PRIu64, i == 0 ? "samples: " : ", ", plot->sources.data[i].name,
                plot->sources.data[i].samples);
  drawing_fitting(d, INK_MUTED, TEXT_SIZE, MARGIN, y += LINE, WIDTH - 2 * MARGIN, line.data);
  text_clear(&line);
  return y;
}

static void append_note(struct text *out, const struct plot_curve *curve) {
  struct text note;
  text_init(&note);
  if (curve_note(&note, curve))
    text_format(out, "%s%s: %s", out->length == 0 ? "" : ";  ", curve->name, note.data);
  text_clear(&note);
}

double legend_draw(struct drawing *d, const struct plot *plot, double left, double y) {
  double x = left, width_most = d->width - MARGIN;
  bool model = false;
  for (size_t i = 0; i < plot->curves.count; i++) {
    const struct plot_curve *curve = &plot->curves.data[i];
    if (!curve_in_legend(plot, curve))
      continue;
    double width = 60 + drawing_text_width(TEXT_SIZE, curve->name);
    if (x + width > width_most && x > left) {
      x = left;
      y += LINE;
    }
    panel_swatch(d, curve->kind, x, y - 4, 30);
    drawing_text(d, INK_TEXT, TEXT_SIZE, ANCHOR_START, x + 38, y, curve->name);
    x += width + 8;
    model = model || curve->model_tail != 0;
  }
  struct text note;
  text_init(&note);
  for (size_t i = 0; i < plot->curves.count; i++)
    append_note(&note, &plot->curves.data[i]);
  if (model)
    text_format(&note, "%sdotted: model-based, not proved", note.length == 0 ? "" : ";  ");
  if (note.length != 0)
    drawing_fitting(d, INK_MUTED, TEXT_SIZE, left, y += LINE, width_most - left, note.data);
  text_clear(&note);
  return y + 14;
}

/* --- the table -------------------------------------------------------------------------------- */

/* The section with the identifier; its last block is the one before `*end`. */
static size_t find_section(const struct document *document, const char *section, size_t *end) {
  size_t i = 0;
  while (document->blocks.data[i].kind != BLOCK_SECTION ||
         strcmp(document->blocks.data[i].id, section) != 0)
    i++;
  *end = i + 1;
  while (*end < document->blocks.count && document->blocks.data[*end].kind != BLOCK_SECTION)
    ++*end;
  return i;
}

/* Columns as wide as what is in them; how far to the right. */
static double draw_cells(struct drawing *d, const struct table *table, double x, double y) {
  size_t columns = table->columns.count, rows = table->cells.count / columns;
  for (size_t c = 0; c < columns; c++) {
    bool left = table->columns.data[c].align == TABLE_LEFT;
    char *title = mem_copy_text(table->columns.data[c].title, strlen(table->columns.data[c].title));
    for (char *at = title; *at != '\0'; at++)
      *at = *at == '\n' ? ' ' : *at;
    double width = drawing_text_width(TEXT_SIZE, title);
    for (size_t i = c; i < table->cells.count; i += columns)
      width = fmax(width, drawing_text_width(TEXT_SIZE, table->cells.data[i]));
    x += left ? 0 : width;
    for (size_t r = 0; r <= rows && r <= ROWS_SHOWN; r++)
      drawing_text(d, r == 0 ? INK_MUTED : INK_TEXT, TEXT_SIZE, left ? ANCHOR_START : ANCHOR_END, x,
                   y + LINE * (double)r, r == 0 ? title : table->cells.data[(r - 1) * columns + c]);
    x += (left ? width : 0) + 28;
    mem_free(title);
  }
  return x;
}

/* --- contributions ---------------------------------------------------------------------------- */

double parts_draw(struct drawing *d, const struct plot *plot, double x, double y, double width,
                  size_t shown) {
  const struct plot_row *row = &plot->rows.data[plot->chosen];
  double most = row->upper.finite ? (double)row->upper.ns : 0, room = width - 290;
  for (size_t i = 0; i < plot->parts.count; i++)
    most = fmax(most, (double)plot->parts.data[i].drop.ns);
  for (size_t i = 0; i < plot->parts.count && i < shown; i++) {
    const struct plot_part *part = &plot->parts.data[i];
    y += i == 0 ? LINE + 4 : LINE;
    drawing_fitting(d, INK_TEXT, TEXT_SIZE, x, y, 150, part->name);
    bool finite = part->drop.given && part->drop.finite;
    double share = most == 0 || !finite ? 0 : (double)part->drop.ns / most;
    drawing_box(d, INK_UPPER, 0.75, x + 160, y - 10, fmax(1, share * room), 12);
    struct text value;
    text_init(&value);
    if (part->instead != NULL)
      text_append(&value, part->instead);
    else
      plot_value(&value, &part->drop, true);
    if (finite && row->upper.finite && row->upper.ns != 0)
      text_format(&value, "  (%.0f %%)", 100 * (double)part->drop.ns / (double)row->upper.ns);
    drawing_text(d, INK_TEXT, TEXT_SIZE, ANCHOR_START, x + 168 + fmax(1, share * room), y,
                 text_get(&value));
    text_clear(&value);
  }
  return y;
}

static double draw_parts(struct drawing *d, const struct plot *plot, double x, double y,
                         double width) {
  char heading[160];
  if (plot->parts.count == 0 || plot->chosen >= plot->rows.count)
    return y;
  snprintf(heading, sizeof heading, "What p%.32s drops by if a component took no time",
           plot->rows.data[plot->chosen].percentile);
  drawing_text(d, INK_TEXT, 14, ANCHOR_START, x, y, heading)->bold = true;
  return parts_draw(d, plot, x, y, width, ROWS_SHOWN);
}

/* --- below the tables ---------------------------------------------------------------------------
 */

static double draw_chain(struct drawing *d, const struct plot *plot, double y) {
  if (plot->links.count == 0 || plot->links.count > LINKS_SHOWN)
    return y;
  struct drawing chain;
  y += LINE + 14;
  drawing_text(d, INK_TEXT, 14, ANCHOR_START, LEFT, y, "The slowest chain")->bold = true;
  drawing_fitting(d, INK_MUTED, TEXT_SIZE, LEFT, y += LINE, WIDTH - MARGIN - LEFT, plot->chain);
  chain_draw(&chain, plot, WIDTH - MARGIN - LEFT);
  drawing_add(d, &chain, LEFT, y += 8);
  y += chain.height;
  drawing_clear(&chain);
  return y;
}

static double draw_components(struct drawing *d, const struct plot *plot, double y) {
  double step = (WIDTH - 2 * MARGIN - 36) / COMPONENTS_ACROSS;
  size_t drawn = 0;
  for (size_t i = 0; i < plot->sources.count && drawn < COMPONENTS_SHOWN; i++) {
    struct drawing component;
    if (!component_is_measured(&plot->sources.data[i]))
      continue;
    if (drawn == 0) {
      y += LINE + 14;
      drawing_text(d, INK_TEXT, 14, ANCHOR_START, LEFT, y,
                   "Components: how much takes longer than t")
          ->bold = true;
    }
    if (drawn % COMPONENTS_ACROSS == 0)
      y += drawn == 0 ? 10 : COMPONENT_HEIGHT + 8;
    component_draw(&component, plot, &plot->sources.data[i]);
    drawing_add(d, &component, MARGIN + 36 + step * (double)(drawn % COMPONENTS_ACROSS), y);
    drawing_clear(&component);
    drawn++;
  }
  return drawn == 0 ? y : y + COMPONENT_HEIGHT;
}

/* The first table of a section, and below it the sentences; *wide: the table takes more than half
 * of the sheet. How far down. */
static double draw_section(struct drawing *d, const struct document *document, const char *section,
                           double y, bool *wide) {
  size_t end, first = find_section(document, section, &end);
  bool has_table = false;
  *wide = false;
  drawing_text(d, INK_TEXT, 14, ANCHOR_START, LEFT, y, document->blocks.data[first].text)->bold =
      true;
  for (size_t i = first + 1; i < end; i++) {
    const struct document_block *block = &document->blocks.data[i];
    bool is_table = block->kind == BLOCK_TABLE || (block->kind == BLOCK_GRID && !block->folded);
    if (is_table && !has_table) {
      struct table made = {0};
      if (block->kind == BLOCK_TABLE)
        document_make_table(&made, block, true);
      const struct table *table = block->kind == BLOCK_TABLE ? &made : &block->grid;
      size_t rows = table->columns.count == 0 ? 0 : table->cells.count / table->columns.count;
      *wide = rows != 0 && draw_cells(d, table, LEFT, y += LINE) > WIDTH / 2 + 60;
      y += LINE * (double)(rows < ROWS_SHOWN ? rows : ROWS_SHOWN);
      table_clear(&made);
      has_table = true;
    } else if ((block->kind == BLOCK_SENTENCE || block->kind == BLOCK_ITEM) && block->indent <= 2) {
      y = drawing_wrapped(d, INK_MUTED, TEXT_SIZE, LEFT, y + LINE,
                          *wide ? WIDTH - 2 * LEFT : WIDTH / 2 - LEFT, block->text);
    }
  }
  return y;
}

void sheet_draw(struct drawing *drawing, const struct document *document, const struct plot *plot,
                const char *section) {
  double half = (WIDTH - 2 * MARGIN) / 2;
  double y = draw_sources(drawing, plot, sheet_begin(drawing, document)) + 16;
  panel_draw(drawing, plot, PANEL_BODY, MARGIN - 8, y, half, PANEL_HEIGHT);
  panel_draw(drawing, plot, PANEL_TAIL, MARGIN + half, y, half, PANEL_HEIGHT);
  double top = legend_draw(drawing, plot, LEFT, y + PANEL_HEIGHT + LINE) + LINE;
  bool wide;
  y = draw_section(drawing, document, section, top, &wide);
  y = fmax(y, draw_parts(drawing, plot, MARGIN + half + 70, wide ? y + LINE + 14 : top, half - 70));
  sheet_end(drawing, draw_components(drawing, plot, draw_chain(drawing, plot, y)) + MARGIN);
}
