/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "show/page.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "version.h"
#include "show/made.h"
#include "show/page_style.h"

/* Pixels of a PNG image for each of the sheet's, for sharp text on paper and dense screens. */
#define PNG_SCALE 2
/* Of more columns rows become lists on narrow screens. */
#define NARROW_COLUMNS 3
/* A text in a cell that is no longer than that takes one line, in bytes. */
#define UNBROKEN 24

enum format { FORMAT_NONE, FORMAT_SVG, FORMAT_PNG, FORMAT_HTML };

static enum format format_of(const char *path) {
  static const char *const suffixes[] = {
      [FORMAT_SVG] = ".svg", [FORMAT_PNG] = ".png", [FORMAT_HTML] = ".html"};
  const char *dot = strrchr(path, '.');
  for (enum format i = FORMAT_SVG; dot != NULL && dot != path && i <= FORMAT_HTML; i++)
    if (strcmp(dot, suffixes[i]) == 0 && dot[-1] != '/')
      return i;
  return FORMAT_NONE;
}

enum status picture_check_name(const char *path, struct text *message) {
  enum format format = format_of(path);
  if (format != FORMAT_NONE)
    return format == FORMAT_PNG ? png_check(message) : STATUS_OK;
  text_format(message, "%s: a picture's name says what it is to be: end it in .svg, .png or .html",
              path);
  return STATUS_USAGE;
}

static enum status draw(struct text *bytes, const struct picture *picture,
                        const struct document *document, enum format format, struct text *message) {
  enum status status = STATUS_OK;
  struct drawing sheet;
  if (picture->sheet != NULL)
    picture->sheet(&sheet, document, picture->answer);
  else
    sheet_draw_first(&sheet, document);
  if (format == FORMAT_SVG) {
    text_append(bytes, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    drawing_to_svg(bytes, &sheet, "sheet");
  } else {
    status = drawing_to_png(bytes, &sheet, PNG_SCALE, message);
  }
  drawing_clear(&sheet);
  return status;
}

static enum status make(struct text *bytes, const struct picture *picture, enum format format,
                        struct text *message) {
  struct document document = {0};
  enum status status = STATUS_OK;
  picture->document(&document, picture->answer, &picture->page);
  if (format != FORMAT_HTML)
    status = draw(bytes, picture, &document, format, message);
  else
    document_write(bytes, &document, DOCUMENT_HTML, NULL);
  document_clear(&document);
  return status;
}

enum status picture_write(const struct picture *picture, const char *path, struct text *message) {
  enum status status = picture_check_name(path, message);
  if (status != STATUS_OK)
    return status;
  struct text bytes;
  text_init(&bytes);
  status = make(&bytes, picture, format_of(path), message);
  if (status == STATUS_OK)
    status = file_write(path, bytes.data, bytes.length, message);
  text_clear(&bytes);
  return status;
}

/* --- pages --------------------------------------------------------------------------------- */

void picture_made(struct text *out, const char *command) {
  char host[HOST_NAME_MAX + 1], date[64];
  made_when(date, sizeof date, "%Y-%m-%d %H:%M UTC");
  made_where(host, sizeof host);
  text_format(out, "%s, %s, tailproof %s: %s", date, host, TAILPROOF_VERSION, command);
}

void page_begin(struct text *out, const char *title, const char *about) {
  text_append(out,
              "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
              "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  plot_escape(out, title);
  text_format(out, " \u2013 %s</title>\n<style>\n", about);
  text_append(out, page_style);
  text_append(out, "</style>\n</head>\n<body>\n<main>\n<header>\n<h1>");
  plot_escape(out, title);
  text_append(out, "</h1>\n");
}

void page_line(struct text *out, const char *text, bool code) {
  if (text == NULL)
    return;
  text_append(out, code ? "<p class=\"expression\"><code>" : "<p>");
  plot_escape(out, text);
  text_append(out, code ? "</code></p>\n" : "</p>\n");
}

void page_lines(struct text *out, const char *lines) {
  while (*lines != '\0') {
    size_t length = strcspn(lines, "\n");
    char *line = mem_copy_text(lines, length);
    plot_escape(out, line);
    mem_free(line);
    text_append(out, lines[length] == '\n' ? "\n" : "");
    lines += length + (lines[length] == '\n');
  }
}

/* The text of a cell; where it is long it may be broken behind the marks within its names. */
static void append_breakable(struct text *out, const char *content) {
  struct text piece;
  if (strlen(content) <= UNBROKEN) {
    page_lines(out, content);
    return;
  }
  while (*content != '\0') {
    size_t length = strcspn(content, "/.,:;_-");
    length += strspn(content + length, "/.,:;_-");
    text_init(&piece);
    text_append_bytes(&piece, content, length);
    page_lines(out, piece.data);
    text_clear(&piece);
    content += length;
    text_append(out, length > 1 && *content != '\0' && *content != ' ' && *content != '\n' ? "<wbr>"
                                                                                           : "");
  }
}

/* On narrow screens each row is a list, and its cells say what they are. */
static void append_title(struct text *out, const char *title) {
  char *flat = mem_copy_text(title, strlen(title));
  for (char *c = flat; *c != '\0'; c++)
    *c = *c == '\n' ? ' ' : *c;
  text_append(out, " data-title=\"");
  plot_escape(out, flat);
  text_append(out, "\"");
  mem_free(flat);
}

static void append_cell(struct text *out, const struct table *table, size_t column,
                        const char *content, const char *element, bool titled, const char *link) {
  bool left = table->columns.data[column].align == TABLE_LEFT;
  text_format(out, "<%s%s", element, left ? " class=\"left\"" : "");
  if (titled && *table->columns.data[column].title != '\0')
    append_title(out, table->columns.data[column].title);
  text_append(out, ">");
  if (link != NULL) {
    text_append(out, "<a href=\"#");
    plot_escape(out, link);
    text_append(out, "\">");
  }
  (left ? append_breakable : page_lines)(out, content);
  text_format(out, "%s</%.2s>", link != NULL ? "</a>" : "", element);
}

/* The section that a cell leads to, or NULL. */
static const char *link_of(const struct table *table, size_t cell) {
  for (size_t i = 0; i < table->links.count; i++)
    if (table->links.data[i].cell == cell)
      return table->links.data[i].section;
  return NULL;
}

void page_grid(struct text *out, const struct table *table) {
  size_t columns = table->columns.count;
  bool wide = columns > NARROW_COLUMNS;
  if (table->cells.count == 0)
    return;
  text_format(out, "<table%s>\n<thead><tr>", wide ? " class=\"wide-rows\"" : "");
  for (size_t c = 0; c < columns; c++)
    append_cell(out, table, c, table->columns.data[c].title,
                *table->columns.data[c].title == '\0' ? "td" : "th scope=\"col\"", false, NULL);
  text_append(out, "</tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < table->cells.count; i++) {
    text_append(out, i % columns == 0 ? "<tr>" : "");
    append_cell(out, table, i % columns, table->cells.data[i],
                i % columns == 0 ? "th scope=\"row\"" : "td", wide, link_of(table, i));
    text_append(out, i % columns == columns - 1 ? "</tr>\n" : "");
  }
  text_append(out, "</tbody>\n</table>\n");
}

void page_table(struct text *out, const char *id, const char *heading, const struct table *table) {
  text_format(out, "<section id=\"%s\">\n", id);
  if (heading != NULL)
    text_format(out, "<h2>%s</h2>\n", heading);
  page_grid(out, table);
  text_append(out, "</section>\n");
}

static void append_axis(struct text *out, const char *name, const struct axis *axis) {
  text_format(out, " data-%s=\"%d %.17g %.17g %.17g %.17g\"", name, axis->logarithmic, axis->low,
              axis->high, axis->from, axis->to);
}

static void append_axes(struct text *out, const struct figure_axes *axes) {
  text_format(out, " data-unit=\"%s\" data-ns=\"%.17g\"", axes->unit, axes->unit_ns);
  append_axis(out, "time", &axes->time);
  append_axis(out, "share", &axes->share);
}

void page_walk(struct text *out, const struct drawing *drawing, const char *id, const char *label,
               const struct figure_axes *axes) {
  text_append(out, "<figure class=\"wide\" tabindex=\"0\" data-walk=\"\" aria-label=\"");
  plot_escape(out, label);
  text_append(out, ". Arrow keys go from part to part; Home and End.\"");
  if (axes != NULL)
    append_axes(out, axes);
  text_append(out, ">\n");
  drawing_to_svg(out, drawing, id);
  text_append(out, "<output aria-live=\"polite\"></output>\n</figure>\n");
}

void page_curves(struct text *out, const struct drawing *drawing, const char *id, const char *label,
                 const struct figure_axes *axes) {
  text_append(out, "<figure tabindex=\"0\" aria-label=\"");
  plot_escape(out, label);
  text_append(out, ". Left and right arrow keys read the curves; shift: ten points at once; Home "
                   "and End.\" data-curves=\"\"");
  append_axes(out, axes);
  text_append(out, ">\n");
  drawing_to_svg(out, drawing, id);
  text_append(out, "<output aria-live=\"polite\"></output>\n</figure>\n");
}

void page_ledger(struct text *out, const struct ledger *ledger) {
  if (ledger == NULL || ledger->count == 0)
    return;
  text_append(out, "<section id=\"ledger\">\n<h2>What this rests on</h2>\n<dl>\n");
  for (enum ledger_source source = LEDGER_MODEL; source <= LEDGER_DATA; source++) {
    bool any = false;
    for (size_t i = 0; i < ledger->count; i++) {
      if (ledger->lines[i].source != source)
        continue;
      if (!any)
        text_format(out, "<dt>%s</dt>\n", ledger_source_name(source));
      any = true;
      text_append(out, "<dd>");
      plot_escape(out, ledger->lines[i].text);
      text_append(out, "</dd>\n");
    }
  }
  text_append(out, "</dl>\n</section>\n");
}

void page_end(struct text *out, const char *script) {
  text_append(out, "<footer>tailproof " TAILPROOF_VERSION "</footer>\n</main>\n<script>\n");
  text_append(out, page_read_script);
  text_append(out, page_look_script);
  text_append(out, script == NULL ? "" : script);
  text_append(out, "</script>\n</body>\n</html>\n");
}
