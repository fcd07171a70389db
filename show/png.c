/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A drawing as PNG (drawing.h): another program converts its SVG, and what that writes is checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "show/drawing.h"

#define PROGRAM "rsvg-convert"

enum { LIMIT_MS = 60000, PNG_LIMIT = 1 << 28 };

static const char signature[] = "\x89PNG\r\n\x1a\n";

/* One line of what the program wrote. */
static void say_failure(struct text *message, enum process_end end, const struct text *said) {
  if (end == PROCESS_MISSING)
    text_append(message, "PNG is drawn by the program " PROGRAM
                         ", which is missing (Debian: apt-get install librsvg2-bin); pictures that "
                         "end in .svg or .html need no other program");
  else if (end != PROCESS_ENDED)
    text_append(message, "the picture cannot be drawn: " PROGRAM " did not end or did not begin");
  else if (said->length == 0)
    text_append(message, "the picture cannot be drawn: " PROGRAM " made no image");
  else
    text_format(message, "the picture cannot be drawn: " PROGRAM " said: %.*s",
                (int)strcspn(said->data, "\n"), said->data);
}

enum status png_check(struct text *message) {
  static const char *const command[] = {PROGRAM, "--version", NULL};
  struct text said;
  text_init(&said);
  enum process_end end = process_run(command, "", 0, LIMIT_MS, NULL, &said);
  if (end == PROCESS_MISSING)
    say_failure(message, end, &said);
  text_clear(&said);
  return end == PROCESS_MISSING ? STATUS_UNAVAILABLE : STATUS_OK;
}

/* What the program wrote to the file, if that is a PNG image. */
static bool take_image(struct text *out, const char *path) {
  char *bytes;
  size_t length;
  struct text ignored;
  text_init(&ignored);
  enum status status = file_read(path, PNG_LIMIT, &bytes, &length, &ignored);
  text_clear(&ignored);
  size_t begin = sizeof signature - 1;
  bool good = status == STATUS_OK && length > begin && memcmp(bytes, signature, begin) == 0;
  if (good)
    text_append_bytes(out, bytes, length);
  mem_free(bytes);
  return good;
}

/* Runs the program; its standard output is for what it complains of, so the image goes to `path`.
 */
static enum status convert(struct text *out, const struct text *svg, double scale, const char *path,
                           struct text *message) {
  char zoom[32];
  snprintf(zoom, sizeof zoom, "--zoom=%g", scale);
  const char *const command[] = {
      PROGRAM, "--format=png", "--background-color=white", zoom, "--output", path, NULL};
  struct text said;
  text_init(&said);
  enum process_end end = process_run(command, svg->data, svg->length, LIMIT_MS, NULL, &said);
  enum status status = STATUS_OK;
  if (end != PROCESS_ENDED || !take_image(out, path)) {
    say_failure(message, end, &said);
    status = end == PROCESS_MISSING ? STATUS_UNAVAILABLE : STATUS_INTERNAL;
  }
  text_clear(&said);
  return status;
}

enum status drawing_to_png(struct text *out, const struct drawing *drawing, double scale,
                           struct text *message) {
  const char *folder = getenv("TMPDIR");
  struct text path, svg;
  text_init(&path);
  text_format(&path, "%s/tailproof-XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
  int descriptor = mkstemp(path.data);
  if (descriptor < 0) {
    text_format(message, "%s: no temporary file can be made for the picture", path.data);
    text_clear(&path);
    return STATUS_INTERNAL;
  }
  close(descriptor);
  text_init(&svg);
  drawing_to_svg(&svg, drawing, "picture");
  enum status status = convert(out, &svg, scale, path.data, message);
  unlink(path.data);
  text_clear(&svg);
  text_clear(&path);
  return status;
}
