/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JUnit XML: a test suite for each file; in it a case "check" (an error for each mistake of the
 * file) and a case for each bound. Refuted is a failure; unknown an error, because it must not look
 * like success, and "skipped" does. Elements and attributes are those of the schema that Jenkins'
 * xUnit plugin checks reports against (junit-10.xsd). */
#include <stdio.h>
#include <string.h>

#include "cli/present/findings.h"

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

static void print_escaped(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  while (*at != '\0') {
    size_t length = character(at);
    if (*at == '&')
      fputs("&amp;", stdout);
    else if (*at == '<')
      fputs("&lt;", stdout);
    else if (*at == '>')
      fputs("&gt;", stdout);
    else if (*at == '"')
      fputs("&quot;", stdout);
    else if (length == 0)
      putchar('?');
    else
      fwrite(at, 1, length, stdout);
    at += length == 0 ? 1 : length;
  }
}

static void print_attribute(const char *name, const char *value) {
  printf(" %s=\"", name);
  print_escaped(value);
  putchar('"');
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
    tally.tests += f->kind >= FINDING_PROVED;
    tally.failures += f->kind == FINDING_REFUTED;
    tally.errors += f->kind == FINDING_UNKNOWN;
    bad = bad || f->kind == FINDING_ERROR;
    tally.seconds += f->seconds;
  }
  tally.errors += bad;
  *next = i;
  return tally;
}

/* A suite says how many were skipped; of all suites the schema has no such number. */
static void print_tally(struct tally tally, const char *skipped) {
  printf(" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"%s time=\"%.3f\">\n", tally.tests,
         tally.failures, tally.errors, skipped, tally.seconds);
}

static void print_problem(const char *element, const struct finding *f) {
  printf("      <%s", element);
  print_attribute("type", f->rule);
  print_attribute("message", f->message);
  putchar('>');
  print_escaped(f->file);
  printf(":%zu:%zu: ", f->start.line, f->start.column);
  print_escaped(f->message);
  putchar('\n');
  print_escaped(f->detail);
  printf("</%s>\n", element);
}

/* The case "check": the schema allows one error, so the first carries all. */
static void print_check(const struct findings *findings, size_t first, size_t next) {
  printf("    <testcase name=\"check\"");
  print_attribute("classname", findings->items.data[first].file);
  printf(" time=\"0\">\n");
  bool open = false;
  for (int wanted = FINDING_ERROR; wanted <= FINDING_WARNING; wanted++) {
    const char *element = wanted == FINDING_ERROR ? "error" : "system-out";
    for (size_t i = first + 1; i < next; i++) {
      const struct finding *f = &findings->items.data[i];
      if ((int)f->kind != wanted)
        continue;
      if (!open) {
        printf("      <%s", element);
        if (wanted == FINDING_ERROR) {
          print_attribute("type", f->rule);
          print_attribute("message", f->message);
        }
        putchar('>');
      }
      open = true;
      print_escaped(f->file);
      printf(":%zu:%zu: %s: ", f->start.line, f->start.column, f->rule);
      print_escaped(f->message);
      putchar('\n');
    }
    if (open)
      printf("</%s>\n", element);
    open = false;
  }
  printf("    </testcase>\n");
}

static void print_proved(const struct finding *f) {
  printf("      <system-out>");
  print_escaped(f->message);
  printf("</system-out>\n");
}

static void print_suite(const struct findings *findings, size_t first, size_t next) {
  for (size_t i = first + 1; i < next; i++) {
    const struct finding *f = &findings->items.data[i];
    if (f->kind < FINDING_PROVED)
      continue;
    printf("    <testcase");
    print_attribute("name", f->name);
    print_attribute("classname", f->file);
    printf(" time=\"%.3f\"", f->seconds);
    printf(">\n");
    if (f->kind == FINDING_PROVED)
      print_proved(f);
    else
      print_problem(f->kind == FINDING_REFUTED ? "failure" : "error", f);
    printf("    </testcase>\n");
  }
}

void junit_print(const struct findings *findings) {
  struct tally all = {0};
  size_t next;
  for (size_t i = 0; i < findings->items.count; i = next) {
    struct tally one = count(findings, i, &next);
    all.tests += one.tests;
    all.failures += one.failures;
    all.errors += one.errors;
    all.seconds += one.seconds;
  }
  printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tailproof\"");
  print_tally(all, "");
  for (size_t i = 0; i < findings->items.count; i = next) {
    struct tally one = count(findings, i, &next);
    printf("  <testsuite");
    print_attribute("name", findings->items.data[i].file);
    print_tally(one, " skipped=\"0\"");
    print_check(findings, i, next);
    print_suite(findings, i, next);
    printf("  </testsuite>\n");
  }
  printf("</testsuites>\n");
}
