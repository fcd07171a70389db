/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JUnit XML: a test suite for each file; in it a case "check" (an error for each mistake of the
 * file) and a case for each bound. Refuted is a failure; unknown an error, because it must not look
 * like success, and "skipped" does. Elements and attributes are those of the schema that Jenkins'
 * xUnit plugin checks reports against (junit-10.xsd). */
#include <limits.h>

#include "cli/present/findings.h"
#include "show/made.h"

/* The length of the character of UTF-8 at `at`, or 0. XML excludes most controls. */
static size_t character(const unsigned char *at) {
  if (at[0] < 0x80)
    return at[0] >= 0x20 || at[0] == '\t' || at[0] == '\n' ? 1 : 0;
  size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : at[0] >= 0xC2 ? 2 : 0;
  if (length == 0 || at[0] > 0xF4)
    return 0;
  for (size_t i = 1; i < length; i++)
    if (at[i] < 0x80 || at[i] > 0xBF)
      return 0;
  bool wrong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
               (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F) ||
               (at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE);
  return wrong ? 0 : length;
}

static void append_escaped(struct text *out, const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  while (*at != '\0') {
    size_t length = character(at);
    if (*at == '&')
      text_append(out, "&amp;");
    else if (*at == '<')
      text_append(out, "&lt;");
    else if (*at == '>')
      text_append(out, "&gt;");
    else if (*at == '"')
      text_append(out, "&quot;");
    else if (length == 0)
      text_append(out, "?");
    else
      text_append_bytes(out, (const char *)at, length);
    at += length == 0 ? 1 : length;
  }
}

static void append_attribute(struct text *out, const char *name, const char *value) {
  text_format(out, " %s=\"", name);
  append_escaped(out, value);
  text_append(out, "\"");
}

struct tally {
  size_t tests, failures, errors;
  double seconds;
};

/* Of the items from `first` (a file's) to the next file's. */
static struct tally count(const struct findings *findings, size_t first, size_t *next) {
  struct tally tally = {.tests = 1};
  size_t i = first + 1;
  bool bad = false;
  for (; i < findings->items.count && findings->items.data[i].kind != FINDING_FILE; i++) {
    const struct finding *f = &findings->items.data[i];
    tally.tests += f->kind >= FINDING_GOOD;
    tally.failures += f->kind == FINDING_BAD;
    tally.errors += f->kind == FINDING_OPEN;
    bad = bad || f->kind == FINDING_ERROR;
    tally.seconds += f->seconds;
  }
  tally.errors += bad;
  *next = i;
  return tally;
}

/* A suite says how many were skipped; of all suites the schema has no such number. */
static void append_tally(struct text *out, struct tally tally, const char *skipped) {
  text_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"%s time=\"%.3f\"", tally.tests,
              tally.failures, tally.errors, skipped, tally.seconds);
}

static void append_problem(struct text *out, const char *element, const struct finding *f) {
  text_format(out, "      <%s", element);
  append_attribute(out, "type", f->rule);
  append_attribute(out, "message", f->message);
  text_append(out, ">");
  append_escaped(out, f->file);
  text_format(out, ":%zu:%zu: ", f->start.line, f->start.column);
  append_escaped(out, f->message);
  text_append(out, "\n");
  append_escaped(out, f->detail);
  text_format(out, "</%s>\n", element);
}

/* All diagnostics of one kind in one element: the schema allows one error, so the first carries
 * all. */
static void append_diagnostics(struct text *out, const struct findings *findings, size_t first,
                               size_t next, enum finding_kind kind) {
  const char *element = kind == FINDING_ERROR ? "error" : "system-out";
  bool open = false;
  for (size_t i = first + 1; i < next; i++) {
    const struct finding *f = &findings->items.data[i];
    if (f->kind != kind)
      continue;
    if (!open) {
      text_format(out, "      <%s", element);
      if (kind == FINDING_ERROR) {
        append_attribute(out, "type", f->rule);
        append_attribute(out, "message", f->message);
      }
      text_append(out, ">");
    }
    open = true;
    append_escaped(out, f->file);
    text_format(out, ":%zu:%zu: %s: ", f->start.line, f->start.column, f->rule);
    append_escaped(out, f->message);
    text_append(out, "\n");
  }
  if (open)
    text_format(out, "</%s>\n", element);
}

static void append_check(struct text *out, const struct findings *findings, size_t first,
                         size_t next) {
  text_append(out, "    <testcase name=\"check\"");
  append_attribute(out, "classname", findings->items.data[first].file);
  text_append(out, " time=\"0\">\n");
  append_diagnostics(out, findings, first, next, FINDING_ERROR);
  append_diagnostics(out, findings, first, next, FINDING_WARNING);
  text_append(out, "    </testcase>\n");
}

static void append_good(struct text *out, const struct finding *f) {
  text_append(out, "      <system-out>");
  append_escaped(out, f->message);
  text_append(out, "</system-out>\n");
}

static void append_claims(struct text *out, const struct findings *findings, size_t first,
                          size_t next) {
  for (size_t i = first + 1; i < next; i++) {
    const struct finding *f = &findings->items.data[i];
    if (f->kind < FINDING_GOOD)
      continue;
    text_append(out, "    <testcase");
    append_attribute(out, "name", f->name);
    append_attribute(out, "classname", f->file);
    text_format(out, " time=\"%.3f\">\n", f->seconds);
    if (f->kind == FINDING_GOOD)
      append_good(out, f);
    else
      append_problem(out, f->kind == FINDING_BAD ? "failure" : "error", f);
    text_append(out, "    </testcase>\n");
  }
}

/* When and where, as the schema of Ant's own reports has them: no zone, a host of some name. */
struct made {
  char when[32], where[HOST_NAME_MAX + 1];
};

static void append_suite(struct text *out, const struct findings *findings, size_t first,
                         size_t next, const struct made *made) {
  size_t end;
  text_append(out, "  <testsuite");
  append_attribute(out, "name", findings->items.data[first].file);
  append_tally(out, count(findings, first, &end), " skipped=\"0\"");
  append_attribute(out, "timestamp", made->when);
  append_attribute(out, "hostname", made->where);
  text_append(out, ">\n");
  append_check(out, findings, first, next);
  append_claims(out, findings, first, next);
  text_append(out, "  </testsuite>\n");
}

void junit_append(struct text *out, const struct findings *findings) {
  struct tally all = {0};
  struct made made;
  made_when(made.when, sizeof made.when, "%Y-%m-%dT%H:%M:%S");
  made_where(made.where, sizeof made.where);
  size_t next;
  for (size_t i = 0; i < findings->items.count; i = next) {
    struct tally one = count(findings, i, &next);
    all.tests += one.tests;
    all.failures += one.failures;
    all.errors += one.errors;
    all.seconds += one.seconds;
  }
  text_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tailproof\"");
  append_tally(out, all, "");
  text_append(out, ">\n");
  for (size_t i = 0; i < findings->items.count; i = next) {
    count(findings, i, &next);
    append_suite(out, findings, i, next, &made);
  }
  text_append(out, "</testsuites>\n");
}
