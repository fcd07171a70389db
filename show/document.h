/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An answer as a document, made once for all formats: sentences, tables, verdicts and figures for
 * people, objects for programs. The tables show the objects, so that both say the same numbers.
 *
 *   document_init(&document, "tail", kinds);
 *   document_title(&document, "Why %zu of %zu requests are slow", slow, all);
 *   document_say(&document, LINES_APART, "On average ...");
 *   struct objects *causes = document_objects(&document, &cause_kind);
 *   objects_add(causes); object_text(causes, "name", ...); ...
 *   document_table(&document, LINES_APART, 2, causes, columns, 5);
 *   document_ledger(&document, &answer->ledger);
 *   document_write(&text, &document, DOCUMENT_CSV, &style);
 *
 * A document owns what it is given, but for the kinds, the columns and the ledger.
 */
#ifndef SHOW_DOCUMENT_H
#define SHOW_DOCUMENT_H

#include "base/ledger.h"
#include "base/status.h"
#include "show/drawing.h"
#include "show/objects.h"
#include "show/style.h"
#include "show/table.h"

/* Of assumptions; among the kinds of every document with a ledger. */
extern const struct object_kind assumption_kind;

/* How a column of a table is made of keys. */
enum column_form {
  COLUMN_VALUE,
  COLUMN_RANGE, /* "key .. to" */
  COLUMN_SHARE, /* "92 % (88 .. 95)", of a key with .count, .of, .least and .most */
};

struct object_column {
  const char *title; /* may have several lines */
  enum table_align align;
  enum column_form form;
  const char *key, *to;
  int decimals; /* of shares in per cent, and of numbers; negative: as value_say has it */
};

/* What is before a block: a new line, or an empty line too. */
enum lines { LINES_CLOSE, LINES_APART };

enum block_kind {
  BLOCK_SECTION, /* a heading of pages, with an identifier; text has none */
  BLOCK_SENTENCE,
  BLOCK_ITEM, /* one of several sentences that say the like of several things */
  BLOCK_CODE, /* a sentence of what a machine wrote, such as a bound */
  BLOCK_PRE,  /* lines that stay as they are */
  BLOCK_VERDICT,
  BLOCK_OBJECTS, /* for programs alone */
  BLOCK_TABLE,   /* of objects of an earlier block */
  BLOCK_GRID,    /* a table of texts, for people alone */
  BLOCK_FIGURE,  /* pages only */
  BLOCK_LEDGER,
};

enum figure_form {
  FIGURE_PLAIN,
  FIGURE_WALK,  /* arrow keys go through its parts, each saying what it is */
  FIGURE_READ,  /* curves that are read at the pointer, or by arrow keys; they stand in pairs */
  FIGURE_SMALL, /* one of several on common axes, side by side */
};

/* Of curves that are read: the axes of times in ns and of shares, and the unit of times. Of lines
 * below each other of which a reader can look closer at a stretch of time: its axis; `share` has
 * the pixels from above its ticks to below the last line. */
struct figure_axes {
  struct axis time, share;
  const char *unit;
  double unit_ns;
};

struct document_block {
  enum block_kind kind;
  enum object_shown shown; /* to people */
  enum lines lines;
  size_t indent, hang; /* columns before the first line; so many more before further ones */
  char *id, *text, *about, *state; /* about, state: of a verdict, of which `text` is the reason */
  enum status status;              /* of a verdict: OK, refuted or not known */
  struct objects *objects;         /* owned by BLOCK_OBJECTS */
  const struct object_column *columns;
  size_t columns_count;
  VECTOR(char *) titles; /* in place of a column's, by number; NULL: not */
  struct table grid;
  bool folded; /* a grid that opens when its `text` is touched */
  struct drawing *drawing;
  enum figure_form form;
  struct figure_axes axes; /* of FIGURE_READ; of FIGURE_WALK where it has a time axis, else 0 */
  const struct ledger *ledger;
};

struct document {
  const char *about;                      /* the command */
  const struct object_kind *const *kinds; /* that it may have objects of; NULL behind the last */
  char *title, *made;                     /* of a page; "" without */
  enum object_shown shown;                /* of blocks that are added now */
  VECTOR(struct document_block) blocks;
};

/* What makes a page of a document: the command line, and what adds figures of the answer; `part`
 * numbers the parts of answers that have several. Where there is none, there are no figures. */
struct document_page {
  const char *command;
  void (*figures)(struct document *document, const void *answer, size_t part);
};

void document_init(struct document *document, const char *about,
                   const struct object_kind *const *kinds);
void document_clear(struct document *document);

void document_title(struct document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* When, where and by which command line the page was made (picture_made); nothing without one. */
void document_made(struct document *document, const struct document_page *page);
void document_figures(struct document *document, const struct document_page *page,
                      const void *answer, size_t part);

/* Who is shown the blocks that come next; at first everybody. */
void document_show(struct document *document, enum object_shown shown);

void document_section(struct document *document, const char *id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void document_say(struct document *document, enum lines lines, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with what the text holds, behind `indent` blanks; the text is cleared. Nothing of an
 * empty text. */
void document_take(struct document *document, enum lines lines, size_t indent, struct text *text);
void document_item(struct document *document, enum lines lines, size_t indent, struct text *text);
void document_code(struct document *document, size_t indent, struct text *text);
/* So much deeper stand the further lines of the last block. */
void document_hang(struct document *document, size_t hang);
void document_pre(struct document *document, enum lines lines, struct text *text);
/* "ABOUT: STATE: REASON", in a line of its own that nothing breaks; what follows belongs to it. */
void document_head(struct document *document, enum lines lines, enum status status,
                   const char *about, const char *state, const char *reason);
/* "ABOUT: STATE: REASON" */
void document_verdict(struct document *document, enum status status, const char *about,
                      const char *state, const char *reason);

/* A list of objects, to be filled. Unless all of them are for people alone, their kind is one of
 * the document's. */
struct objects *document_objects(struct document *document, const struct object_kind *kind);
/* The objects for people. A column of which no object has a value is left out; nothing is shown of
 * a table without rows. */
void document_table(struct document *document, enum lines lines, size_t indent,
                    struct objects *objects, const struct object_column *columns, size_t count);
/* The title of a column of the last table. */
void document_column_title(struct document *document, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the table, which is empty afterwards. */
void document_grid(struct document *document, enum lines lines, size_t indent, struct table *grid);
/* The same for pages alone, folded: `summary` is shown of it. */
void document_folded(struct document *document, const char *id, const char *summary,
                     struct table *grid);
/* Takes the drawing, which is empty afterwards; `label` says what it is. */
void document_figure(struct document *document, enum figure_form form, const char *id,
                     const char *label, struct drawing *drawing);
/* The same (FIGURE_WALK) along an axis of time. */
void document_timeline(struct document *document, const char *id, const char *label,
                       struct drawing *drawing, const struct figure_axes *axes);
/* The same of curves that are read (FIGURE_READ). */
void document_curves(struct document *document, const char *id, const char *label,
                     struct drawing *drawing, const struct figure_axes *axes);
/* What all of it rests on. */
void document_ledger(struct document *document, const struct ledger *ledger);

/* Whether people are shown the block; on pages it is as if they ask for all. */
bool document_block_is_shown(const struct document_block *block, bool full, bool page);

/* The table of a BLOCK_TABLE, as people read it: initialised here. */
void document_make_table(struct table *table, const struct document_block *block, bool full);

/* The same of the first table of a document that has one. */
void document_first_table(struct table *table, const struct document *document);

/* --- writers ---------------------------------------------------------------------------------- */

enum document_format {
  DOCUMENT_TEXT,
  DOCUMENT_JSON,       /* an object a line */
  DOCUMENT_MARKDOWN,   /* GitHub's */
  DOCUMENT_CSV,        /* RFC 4180: one table, a line for each object, a column for each key */
  DOCUMENT_HTML,       /* a page that needs nothing else */
  DOCUMENT_PROMETHEUS, /* the text that it collects, version 0.0.4 */
};

void document_write(struct text *out, const struct document *document, enum document_format format,
                    const struct style *style);
/* The same on stdout, as it is. */
void document_print(const struct document *document, enum document_format format, bool full);

void document_write_text(struct text *out, const struct document *document,
                         const struct style *style);
void document_write_json(struct text *out, const struct document *document);
void document_write_markdown(struct text *out, const struct document *document,
                             const struct style *style);
void document_write_csv(struct text *out, const struct document *document);
void document_write_html(struct text *out, const struct document *document);
void document_write_prometheus(struct text *out, const struct document *document);

#endif
