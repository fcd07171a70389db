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
  if (picture->document != NULL)
    picture->document(&document, picture->answer, &picture->page);
  if (format != FORMAT_HTML)
    status = draw(bytes, picture, &document, format, message);
  else if (picture->bytes != NULL)
    picture->bytes(bytes, picture->answer);
  else
    document_write(bytes, &document, DOCUMENT_HTML, NULL);
  if (picture->document != NULL)
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

static void append_cell(struct text *out, const struct table *table, size_t column,
                        const char *content, const char *element) {
  bool left = table->columns.data[column].align == TABLE_LEFT;
  text_format(out, "<%s%s>", element, left ? " class=\"left\"" : "");
  page_lines(out, content);
  text_format(out, "</%.2s>", element);
}

void page_grid(struct text *out, const struct table *table) {
  size_t columns = table->columns.count;
  if (table->cells.count == 0)
    return;
  text_append(out, "<table>\n<thead><tr>");
  for (size_t c = 0; c < columns; c++)
    append_cell(out, table, c, table->columns.data[c].title,
                *table->columns.data[c].title == '\0' ? "td" : "th scope=\"col\"");
  text_append(out, "</tr></thead>\n<tbody>\n");
  for (size_t i = 0; i < table->cells.count; i++) {
    text_append(out, i % columns == 0 ? "<tr>" : "");
    append_cell(out, table, i % columns, table->cells.data[i],
                i % columns == 0 ? "th scope=\"row\"" : "td");
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

void page_walk(struct text *out, const struct drawing *drawing, const char *id, const char *label) {
  text_append(out, "<figure class=\"wide\" tabindex=\"0\" data-walk=\"\" aria-label=\"");
  plot_escape(out, label);
  text_append(out, ". Arrow keys go from part to part; Home and End.\">\n");
  drawing_to_svg(out, drawing, id);
  text_append(out, "<output aria-live=\"polite\"></output>\n</figure>\n");
}

static void append_axis(struct text *out, const char *name, const struct axis *axis) {
  text_format(out, " data-%s=\"%d %.17g %.17g %.17g %.17g\"", name, axis->logarithmic, axis->low,
              axis->high, axis->from, axis->to);
}

void page_curves(struct text *out, const struct drawing *drawing, const char *id, const char *label,
                 const struct figure_axes *axes) {
  text_append(out, "<figure tabindex=\"0\" aria-label=\"");
  plot_escape(out, label);
  text_format(out,
              ". Left and right arrow keys read the curves; shift: ten points at once; Home and "
              "End.\" data-unit=\"%s\" data-ns=\"%.17g\"",
              axes->unit, axes->unit_ns);
  append_axis(out, "time", &axes->time);
  append_axis(out, "share", &axes->share);
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

void page_end(struct text *out) {
  text_append(out, "<footer>tailproof " TAILPROOF_VERSION "</footer>\n</main>\n<script>\n");
  text_append(out, page_script);
  text_append(out, "</script>\n</body>\n</html>\n");
}
