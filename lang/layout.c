/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/layout.h"

#include <stdlib.h>
#include <string.h>

enum { CONTINUATION = 2 };

void layout_clear(struct format_layout *layout) {
  vector_clear(&layout->stops);
  vector_clear(&layout->entries);
  vector_clear(&layout->behind);
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The canonical text and the source beside each other. */
struct walk {
  const char *canonical, *source; /* what is left of them */
  const char *end;                /* of the source's part */
  const char *bytes;              /* of the whole source */
  size_t indent, source_indent, line, gaps;
};

static size_t line_start(const char *bytes, size_t at) {
  while (at > 0 && bytes[at - 1] != '\n')
    at--;
  return at;
}

static size_t column_of(const char *bytes, const char *at) {
  size_t start = line_start(bytes, (size_t)(at - bytes));
  return line_columns(bytes + start, (size_t)(at - bytes) - start);
}

/* What stands at a gap: only like things are in one column. '\0': nothing that is aligned. */
static char kind_of(const struct walk *walk) {
  const char *next = walk->canonical + 1;
  if (next[0] == ':' && next[1] == '=')
    return 'a';
  if (next[0] == ':' || next[0] == '=' || next[0] == '{')
    return next[0];
  if (walk->canonical[-1] == ':')
    return 'c';
  return walk->gaps == 0 ? 'k' : '\0';
}

static void add_stop(struct format_layout *layout, struct text *out, const struct walk *walk,
                     size_t gap) {
  struct stop stop = {.entry = layout->entries.count - 1,
                      .at = out->length,
                      .column = column_of(walk->bytes, walk->source),
                      .gap = gap,
                      .next = SIZE_MAX,
                      .kind = kind_of(walk)};
  if (stop.kind == '\0' || gap == 0)
    return;
  vector_push(&layout->stops, stop);
  layout->entries.data[stop.entry].stop_count++;
}

static void skip_spaces(struct walk *walk) {
  while (walk->source < walk->end && is_space(*walk->source))
    walk->source++;
}

/* Goes on below, as deep as the source does; false when the line so far is too wide. */
static bool keep_break(struct format_layout *layout, struct text *out, struct walk *walk) {
  struct layout_entry *entry = &layout->entries.data[layout->entries.count - 1];
  if (line_columns(out->data + walk->line, out->length - walk->line) > LAYOUT_WIDTH)
    return false;
  if (walk->line == entry->line)
    entry->end = out->length;
  size_t column = column_of(walk->bytes, walk->source);
  size_t deeper = column > walk->source_indent ? column - walk->source_indent : 0;
  text_append(out, "\n");
  walk->line = out->length;
  text_format(out, "%*s", (int)(walk->indent + (deeper < CONTINUATION ? CONTINUATION : deeper)),
              "");
  return true;
}

/* A space of the canonical text; false when the line so far is too wide. */
static bool keep_space(struct format_layout *layout, struct text *out, struct walk *walk) {
  const char *from = walk->source;
  skip_spaces(walk);
  size_t gap = (size_t)(walk->source - from);
  if (memchr(from, '\n', gap) != NULL)
    return keep_break(layout, out, walk);
  text_append(out, " ");
  if (walk->line == layout->entries.data[layout->entries.count - 1].line)
    add_stop(layout, out, walk, gap);
  walk->gaps++;
  return true;
}

static bool is_next(const struct walk *walk, char c) {
  return walk->source < walk->end && *walk->source == c;
}

/* The author may break a line behind what opens. */
static bool keep_opened(struct format_layout *layout, struct text *out, struct walk *walk) {
  const char *from = walk->source;
  skip_spaces(walk);
  if (memchr(from, '\n', (size_t)(walk->source - from)) == NULL ||
      strchr("([{", walk->canonical[-1]) == NULL)
    return true;
  return keep_break(layout, out, walk);
}

/* Parentheses that are not needed stay, and statements without ";" between them. False when the
 * source has another character. */
static bool keep_character(struct format_layout *layout, struct text *out, struct walk *walk) {
  char c = *walk->canonical;
  if (walk->gaps != 0 && !keep_opened(layout, out, walk))
    return false;
  skip_spaces(walk);
  for (; c != '(' && is_next(walk, '('); skip_spaces(walk)) {
    text_append(out, "(");
    walk->source++;
  }
  if (c == '}' && is_next(walk, ';')) {
    walk->source++;
    skip_spaces(walk);
  }
  if (!is_next(walk, c)) {
    text_append(out, c == ';' ? " " : "");
    return c == ';';
  }
  walk->source++;
  text_append_bytes(out, &c, 1);
  return true;
}

/* Those that close what is closed already. */
static void keep_closing(struct text *out, struct walk *walk) {
  for (;;) {
    const char *at = walk->source;
    skip_spaces(walk);
    if (*walk->canonical == ')' || !is_next(walk, ')')) {
      walk->source = at;
      return;
    }
    text_append(out, ")");
    walk->source++;
  }
}

static bool keep(struct format_layout *layout, struct text *out, struct walk *walk) {
  for (; *walk->canonical != '\0'; walk->canonical++) {
    keep_closing(out, walk);
    if (*walk->canonical == ' ' ? !keep_space(layout, out, walk)
                                : !keep_character(layout, out, walk))
      return false;
  }
  keep_closing(out, walk);
  return walk->source == walk->end &&
         line_columns(out->data + walk->line, out->length - walk->line) <= LAYOUT_WIDTH;
}

void layout_flush(struct format_layout *layout, struct text *out, const struct line *line,
                  size_t indent, const struct ast *ast, struct source_span span) {
  struct layout_entry entry = {out->length, 0, layout->stops.count, 0};
  vector_push(&layout->entries, entry);
  size_t start = line_start(ast->bytes, span.start);
  struct walk walk = {.canonical = text_get(&line->text),
                      .source = ast->bytes + span.start,
                      .end = ast->bytes + span.end,
                      .bytes = ast->bytes,
                      .indent = indent,
                      .source_indent = strspn(ast->bytes + start, " \t"),
                      .line = out->length};
  text_format(out, "%*s", (int)indent, "");
  struct layout_entry *kept = &layout->entries.data[layout->entries.count - 1];
  if (layout->keeps && keep(layout, out, &walk)) {
    kept->end = kept->end == 0 ? out->length : kept->end;
    text_append(out, "\n");
    return;
  }
  layout->stops.count = entry.stop;
  *kept = entry;
  out->length = entry.line;
  line_flush(out, line, indent);
}

static void link_stops(struct format_layout *layout) {
  for (size_t i = 1; i < layout->entries.count; i++) {
    const struct layout_entry *above = &layout->entries.data[i - 1], *below = above + 1;
    size_t j = above->stop;
    for (size_t k = below->stop; k < below->stop + below->stop_count; k++) {
      struct stop *stop = &layout->stops.data[k];
      while (j < above->stop + above->stop_count && layout->stops.data[j].column < stop->column)
        j++;
      if (j == above->stop + above->stop_count)
        break;
      struct stop *other = &layout->stops.data[j];
      if (other->column == stop->column && other->kind == stop->kind) {
        other->next = k;
        stop->below = true;
      }
    }
  }
}

/* Where on its line the stop is, with what is inserted before it; or where the line ends. */
static size_t position(const struct format_layout *layout, const struct text *text,
                       const struct layout_entry *entry, size_t at, size_t stops) {
  size_t column = line_columns(text->data + entry->line, at - entry->line);
  for (size_t i = entry->stop; i < stops; i++)
    column += layout->stops.data[i].pad;
  return column;
}

/* The column is as far right as its widest line had it. */
static void align_column(struct format_layout *layout, const struct text *text, size_t first) {
  size_t gap = SIZE_MAX, widest = 0, least = SIZE_MAX;
  bool wanted = false;
  for (size_t i = first; i != SIZE_MAX; i = layout->stops.data[i].next) {
    const struct stop *stop = &layout->stops.data[i];
    size_t column = position(layout, text, &layout->entries.data[stop->entry], stop->at, i);
    wanted |= stop->gap > 1;
    gap = stop->gap < gap ? stop->gap : gap;
    widest = column > widest ? column : widest;
    least = column < least ? column : least;
  }
  if (layout->stops.data[first].kind == 'k' && least == widest) /* behind words of one width */
    wanted = false;
  for (size_t i = first; wanted && i != SIZE_MAX; i = layout->stops.data[i].next) {
    struct stop *stop = &layout->stops.data[i];
    const struct layout_entry *entry = &layout->entries.data[stop->entry];
    stop->pad = widest + gap - 1 - position(layout, text, entry, stop->at, i);
    wanted =
        position(layout, text, entry, entry->end, entry->stop + entry->stop_count) <= LAYOUT_WIDTH;
  }
  for (size_t i = first; !wanted && i != SIZE_MAX; i = layout->stops.data[i].next)
    layout->stops.data[i].pad = 0;
}

struct head {
  size_t column, stop;
};

static int compare_heads(const void *a, const void *b) {
  const struct head *x = a, *y = b;
  if (x->column != y->column)
    return x->column < y->column ? -1 : 1;
  return x->stop < y->stop ? -1 : x->stop > y->stop;
}

/* From left to right, since each moves what is right of it. */
static void align_stops(struct format_layout *layout, const struct text *text) {
  VECTOR(struct head) heads = {0};
  link_stops(layout);
  for (size_t i = 0; i < layout->stops.count; i++) {
    struct head head = {layout->stops.data[i].column, i};
    if (!layout->stops.data[i].below && layout->stops.data[i].next != SIZE_MAX)
      vector_push(&heads, head);
  }
  if (heads.count != 0)
    qsort(heads.data, heads.count, sizeof *heads.data, compare_heads);
  for (size_t i = 0; i < heads.count; i++)
    align_column(layout, text, heads.data[i].stop);
  vector_clear(&heads);
}

/* Appends the text with what is to be inserted; the comments move along. */
static void insert_pads(struct text *out, const struct text *text, struct format_layout *layout) {
  size_t done = 0, added = 0, comment = 0;
  for (size_t i = 0; i <= layout->stops.count; i++) {
    const struct stop *stop = i < layout->stops.count ? &layout->stops.data[i] : NULL;
    size_t to = stop == NULL ? text->length : stop->at;
    for (; comment < layout->behind.count && layout->behind.data[comment].start < to; comment++) {
      struct layout_behind *b = &layout->behind.data[comment];
      size_t before = b->line;
      b->start += added;
      b->line += added;
      for (size_t j = i; j > 0 && layout->stops.data[j - 1].at > before; j--)
        b->line -= layout->stops.data[j - 1].pad;
    }
    text_append_bytes(out, text_get(text) + done, to - done);
    done = to;
    if (stop != NULL) {
      text_format(out, "%*s", (int)stop->pad, "");
      added += stop->pad;
    }
  }
}

/* Does the comment stand behind an item of a list, not behind a brace? */
static bool is_item(const char *text, const struct layout_behind *b) {
  return text[b->line + strspn(text + b->line, " ")] != '}' && text[b->start - 3] != '{';
}

static bool continues(const char *text, const struct layout_behind *a,
                      const struct layout_behind *b) {
  const char *end = strchr(text + a->start, '\n');
  return end + 1 == text + b->line && is_item(text, a) && is_item(text, b) &&
         strspn(text + a->line, " ") == strspn(text + b->line, " ");
}

/* Comments behind consecutive items, which have one column. */
struct run {
  size_t first, count;
  size_t width; /* the first column that has room */
  size_t column;
};

static size_t width_of(const char *text, const struct layout_behind *b) {
  return line_columns(text + b->line, b->start - b->line);
}

/* The run wants the column that two of its comments have, or its only one has. */
static void want_column(struct run *run, const struct format_layout *layout) {
  const struct layout_behind *b = layout->behind.data;
  run->column = run->width;
  if (!layout->keeps)
    return;
  for (size_t i = run->first; i < run->first + run->count; i++) {
    bool agreed =
        run->count == 1 || (i + 1 < run->first + run->count && b[i].column == b[i + 1].column);
    if (agreed && b[i].column >= run->width && b[i].column <= LAYOUT_WIDTH) {
      run->column = b[i].column;
      return;
    }
  }
}

/* One comment stays farther away than it needs to be only where others are in its column. */
static void choose_columns(struct run *runs, size_t count, const struct format_layout *layout) {
  size_t having[LAYOUT_WIDTH + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    want_column(&runs[i], layout);
    if (runs[i].column <= LAYOUT_WIDTH)
      having[runs[i].column] += runs[i].count;
  }
  for (size_t i = 0; i < count; i++)
    if (runs[i].column <= LAYOUT_WIDTH && having[runs[i].column] == 1)
      runs[i].column = runs[i].width;
}

/* Moves the comments behind consecutive items into one column. */
static void align_comments(struct text *out, const struct text *from,
                           struct format_layout *layout) {
  const char *text = text_get(from);
  VECTOR(struct run) runs = {0};
  for (size_t i = 0; i < layout->behind.count; i++) {
    const struct layout_behind *b = &layout->behind.data[i];
    struct run run = {i, 0, 0, 0};
    if (i == 0 || !continues(text, b - 1, b))
      vector_push(&runs, run);
    struct run *last = &runs.data[runs.count - 1];
    last->count++;
    last->width = width_of(text, b) > last->width ? width_of(text, b) : last->width;
  }
  choose_columns(runs.data, runs.count, layout);
  size_t done = 0;
  for (size_t i = 0; i < runs.count; i++)
    for (size_t j = runs.data[i].first; j < runs.data[i].first + runs.data[i].count; j++) {
      const struct layout_behind *b = &layout->behind.data[j];
      text_append_bytes(out, text + done, b->start - done);
      text_format(out, "%*s", (int)(runs.data[i].column - width_of(text, b)), "");
      done = b->start;
    }
  text_append(out, text + done);
  vector_clear(&runs);
}

void layout_align(struct text *out, const struct text *text, struct format_layout *layout) {
  struct text padded;
  text_init(&padded);
  align_stops(layout, text);
  insert_pads(&padded, text, layout);
  align_comments(out, &padded, layout);
  text_clear(&padded);
}
