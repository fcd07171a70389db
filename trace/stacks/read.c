/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/read.h"

#include <stdarg.h>
#include <string.h>

#include "base/file.h"
#include "format/tell.h"
#include "trace/stacks/perf_header.h"
#include "trace/stacks/printed.h"
#include "trace/stacks/readers.h"
#include "trace/stacks/tpp.h"

enum status stack_intake_fail(struct stack_intake *intake, const char *format, ...) {
  va_list arguments;
  text_append(intake->message, intake->lines->name);
  if (intake->lines->number != 0)
    text_format(intake->message, ":%llu", (unsigned long long)intake->lines->number);
  text_append(intake->message, ": ");
  va_start(arguments, format);
  text_format_list(intake->message, format, arguments);
  va_end(arguments);
  return STATUS_DATA;
}

/* The first bytes of a pprof file are the tag of a field and its length; no text begins so. */
static bool looks_like_pprof(struct slice ahead) {
  size_t looked = ahead.length < 16 ? ahead.length : 16;
  bool control = false;
  if (ahead.length < 2 || (unsigned char)ahead.start[0] >> 3 == 0 ||
      (unsigned char)ahead.start[0] >> 3 > 14)
    return false;
  for (size_t i = 1; i < looked; i++)
    control |= (unsigned char)ahead.start[i] < 9 ||
               ((unsigned char)ahead.start[i] > 13 && (unsigned char)ahead.start[i] < 32);
  return control;
}

/* The first line that `perf script` prints of a sample ends in a colon, or has a moment before what
 * else it says; a folded stack ends in its count. */
static bool is_perf_header(struct slice line) {
  struct perf_header header;
  return line.start[line.length - 1] == ':' || (perf_header_parse(&header, line) && header.timed);
}

/* The first lines may be of errors that perf met, `instruction trace error ...`. */
static enum stack_format format_of_lines(struct slice ahead) {
  if (looks_like_pprof(ahead))
    return STACK_PPROF;
  while (ahead.length != 0) {
    const char *end = memchr(ahead.start, '\n', ahead.length);
    struct slice line = {ahead.start, end == NULL ? ahead.length : (size_t)(end - ahead.start)};
    ahead.start += line.length + (end != NULL);
    ahead.length -= line.length + (end != NULL);
    line = slice_trim(line);
    if (line.length == 0 || line.start[0] == '#' || slice_starts(line, "instruction trace error"))
      continue;
    return is_perf_header(line) ? STACK_PERF : STACK_FOLDED;
  }
  return STACK_FOLDED;
}

/* What the table of formats knows; else what the first lines look like. */
static enum stack_format format_of(struct slice ahead, const char *name) {
  switch (format_tell_bytes(ahead, name).id) {
  case KNOWN_TPP:
    return STACK_TPP;
  case KNOWN_PPROF:
    return STACK_PPROF;
  case KNOWN_PERF_SCRIPT:
    return STACK_PERF;
  case KNOWN_STACKS:
    return STACK_FOLDED;
  case KNOWN_SPEEDSCOPE:
    return STACK_SPEEDSCOPE;
  case KNOWN_CPUPROFILE:
    return STACK_CPUPROFILE;
  case KNOWN_STACKPROF_JSON:
    return STACK_STACKPROF;
  case KNOWN_JFR_TEXT:
    return STACK_JFR_TEXT;
  case KNOWN_PERF_DATA:
  case KNOWN_JFR:
    return STACK_PRINTED;
  default:
    return format_of_lines(ahead);
  }
}

static const struct format_wanted stacks = {
    1u << YIELDS_STACKS, "sampled stacks",
    "give folded stacks, pprof, the text of `perf script`, or what tailproof profile writes"};

/* Whether it is no profile: of a format that holds none, or made of what no profile is made of. A
 * pprof file that begins with other fields is binary, and text may be damaged stacks. */
static bool is_foreign(struct text *message, struct slice ahead, const char *path) {
  if (format_refuse_bytes(message, path, ahead, &stacks))
    return true;
  enum format_id id = format_tell_bytes(ahead, path).id;
  bool foreign =
      id == KNOWN_JSON_TEXT || id == KNOWN_XML || (id == KNOWN_BINARY && !looks_like_pprof(ahead));
  if (foreign)
    format_refuse_bytes_any(message, path, ahead, &stacks);
  return foreign;
}

static enum status read_tpp(struct stack_intake *intake) {
  enum status status = stack_lines_all(intake->lines, STACK_MOST_BYTES, intake->message);
  if (status != STATUS_OK)
    return status;
  return stack_read_tpp_phases(intake->profile, intake->reading->phases,
                               stack_lines_ahead(intake->lines), intake->lines->name,
                               intake->message);
}

/* Whether what the user says can be said of a file of this form. */
static bool takes_options(enum stack_format format, const struct stack_intake *intake) {
  const struct stack_reading *reading = intake->reading;
  bool named = format == STACK_PERF || format == STACK_PPROF || format == STACK_SPEEDSCOPE;
  if (format != STACK_PERF &&
      (reading->addresses || reading->signatures || reading->first != STACK_FIRST_COMMAND))
    text_format(intake->message,
                "%s: is no text of `perf script`, and only of that something is said with "
                "--first, --addresses or --signatures; leave them out",
                intake->lines->name);
  else if (!named && reading->event != NULL)
    text_format(intake->message,
                "%s: has no events, values or profiles with names, of which --event chooses one; "
                "leave it out",
                intake->lines->name);
  else
    return true;
  return false;
}

static enum status read_lines(struct stack_profile *profile, struct stack_lines *lines,
                              const struct stack_reading *reading, struct text *message) {
  static const struct stack_reading plain = {0};
  struct stack_intake intake = {profile, reading == NULL ? &plain : reading, lines, message};
  stack_lines_skip_mark(lines);
  if (is_foreign(message, stack_lines_ahead(lines), lines->name))
    return STATUS_DATA;
  enum stack_format format = format_of(stack_lines_ahead(lines), lines->name);
  if (intake.reading->folded_only &&
      (format != STACK_FOLDED || slice_starts(stack_lines_ahead(lines), "# unit=")))
    return STATUS_UNKNOWN;
  if (!takes_options(format, &intake))
    return STATUS_USAGE;
  switch (format) {
  case STACK_PERF:
    return stack_read_perf(&intake);
  case STACK_PPROF:
    return stack_read_pprof(&intake);
  case STACK_TPP:
    return read_tpp(&intake);
  case STACK_SPEEDSCOPE:
    return stack_read_speedscope(&intake);
  case STACK_CPUPROFILE:
    return stack_read_cpuprofile(&intake);
  case STACK_STACKPROF:
    return stack_read_stackprof(&intake);
  case STACK_JFR_TEXT:
    return stack_read_jfr_text(&intake);
  case STACK_PRINTED:
    return stack_printed_refuse(stack_lines_ahead(lines), lines->name, message);
  case STACK_FOLDED:
    break;
  }
  return stack_read_folded(&intake);
}

enum status stack_profile_read(struct stack_profile *profile, const char *path,
                               const struct stack_reading *reading, struct text *message) {
  struct stack_lines lines;
  struct stack_printed printed = {0};
  bool folded_only = reading != NULL && reading->folded_only;
  enum status status = stack_lines_open(&lines, path, message);
  if (status == STATUS_OK && !folded_only && stack_printed_is(stack_lines_ahead(&lines), path))
    status = stack_printed_open(&printed, &lines, path, message);
  if (status == STATUS_OK)
    status = read_lines(profile, &lines, reading, message);
  stack_lines_close(&lines);
  return stack_printed_close(&printed, status, message);
}

enum status stack_profile_read_bytes(struct stack_profile *profile, struct slice bytes,
                                     const char *name, const struct stack_reading *reading,
                                     struct text *message) {
  struct stack_lines lines;
  stack_lines_over(&lines, bytes, name);
  enum status status = read_lines(profile, &lines, reading, message);
  stack_lines_close(&lines);
  return status;
}

/* Whether all lines but comments are folded stacks, and one has a semicolon. The last line may be
 * cut off by the end of what was read. */
static bool looks_folded(struct slice ahead) {
  bool nested = false;
  struct slice stack, number;
  while (ahead.length != 0) {
    const char *end = memchr(ahead.start, '\n', ahead.length);
    if (end == NULL && nested)
      break;
    struct slice line = {ahead.start, end == NULL ? ahead.length : (size_t)(end - ahead.start)};
    ahead.start += line.length + (end != NULL);
    ahead.length -= line.length + (end != NULL);
    line = slice_trim(line);
    if (line.length == 0 || line.start[0] == '#')
      continue;
    if (!stack_folded_split(line, &stack, &number))
      return false;
    nested = nested || memchr(stack.start, ';', stack.length) != NULL;
  }
  return nested;
}

bool stack_profile_is(const char *path) {
  struct stack_lines lines;
  struct text message;
  text_init(&message);
  bool is = stack_lines_open(&lines, path, &message) == STATUS_OK;
  struct slice ahead = is ? stack_lines_ahead(&lines) : (struct slice){"", 0};
  ahead.length = ahead.length > 65536 ? 65536 : ahead.length;
  is = is && (format_of(ahead, path) != STACK_FOLDED || looks_folded(ahead));
  stack_lines_close(&lines);
  text_clear(&message);
  return is;
}
