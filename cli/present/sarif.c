/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SARIF 2.1.0 (OASIS). What holds is no result; everything else is one, at its place. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/jsonl.h"
#include "base/memory.h"
#include "cli/present/findings.h"
#include "lang/explain.h"
#include "version.h"

#define PAGE "diagnostics.md" /* made by scripts/diagnostics.sh */

/* A path as a relative or file: URI. */
static void append_uri(struct text *out, const char *path) {
  if (path[0] == '/')
    text_append(out, "file://");
  for (; *path != '\0'; path++) {
    unsigned char byte = (unsigned char)*path;
    bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                 (byte >= '0' && byte <= '9') || strchr("/._-~", byte) != NULL;
    if (plain)
      text_append_bytes(out, path, 1);
    else
      text_format(out, "%%%02X", byte);
  }
}

static void put_text(struct jsonl *json, const char *key, const char *text) {
  jsonl_text(jsonl_inside(json, key), "text", text);
}

/* Where the documents are: TAILPROOF_DOCUMENTS, else beside this program as it was installed or
 * built. Nothing where there are none. */
static void find_documents(struct text *base) {
  static const char *const folders[] = {"../share/doc/tailproof/docs", "../docs"};
  const char *stated = getenv("TAILPROOF_DOCUMENTS");
  if (stated != NULL && *stated != '\0') {
    text_append(base, stated);
    return;
  }
  char program[PATH_MAX], page[PATH_MAX + 64], real[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  while (length > 0 && program[length - 1] != '/')
    length--;
  for (size_t i = 0; length > 0 && i < sizeof folders / sizeof *folders; i++) {
    snprintf(page, sizeof page, "%.*s%s", (int)length, program, folders[i]);
    if (realpath(page, real) == NULL)
      continue;
    snprintf(page, sizeof page, "%s/" PAGE, real);
    if (access(page, R_OK) != 0)
      continue;
    append_uri(base, real);
    return;
  }
}

struct rule_list {
  struct jsonl *rules;
  const char *documents;
};

static void put_help_uri(struct jsonl *rule, const char *id, const char *documents) {
  if (*documents == '\0')
    return;
  struct text uri;
  text_init(&uri);
  text_format(&uri, "%s/" PAGE "#", documents);
  for (const char *at = id; *at != '\0'; at++)
    text_format(&uri, "%c", *at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
  jsonl_text(rule, "helpUri", uri.data);
  text_clear(&uri);
}

/* What the rule means, with `remedy` as text and as Markdown. */
static void put_rule(const struct rule_list *list, const struct finding_rule *r, const char *text,
                     const char *markdown) {
  struct jsonl *rule = jsonl_item(list->rules);
  jsonl_text(rule, "id", r->code);
  put_text(rule, "shortDescription", r->title);
  put_text(rule, "fullDescription", r->meaning);
  put_help_uri(rule, r->code, list->documents);
  struct jsonl *help = jsonl_inside(rule, "help");
  jsonl_text(help, "text", text);
  jsonl_text(help, "markdown", markdown);
  jsonl_text(jsonl_inside(rule, "defaultConfiguration"), "level", r->level);
}

static void put_diagnostic_rule(const struct rule_list *list, enum diagnostic_code code) {
  const struct diagnostic_explanation *e = explanation_of(code);
  struct finding_rule rule = {.code = diagnostic_code_name(code),
                              .level = diagnostic_is_error(code) ? "error" : "warning",
                              .title = diagnostic_title(code),
                              .meaning = e == NULL ? diagnostic_title(code) : e->meaning};
  struct text text, markdown;
  text_init(&text);
  text_init(&markdown);
  text_format(&text, "%s\n\ntailproof explain %s has an example.\n", rule.meaning, rule.code);
  text_append(&markdown, rule.meaning);
  if (e != NULL)
    text_format(&markdown, "\n\nWrong:\n\n```\n%s```\n\nRight:\n\n```\n%s```\n", e->wrong,
                e->right);
  put_rule(list, &rule, text.data, markdown.data);
  text_clear(&text);
  text_clear(&markdown);
}

static void put_rules(struct jsonl *driver) {
  struct text documents;
  text_init(&documents);
  find_documents(&documents);
  struct rule_list list = {jsonl_list(driver, "rules"), text_get(&documents)};
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++)
    put_diagnostic_rule(&list, (enum diagnostic_code)i);
  for (size_t i = 0; i < RULE_COUNT; i++) {
    const struct finding_rule *rule = finding_rule((enum rule_id)i);
    struct text help;
    text_init(&help);
    text_format(&help, "%s\n\n%s\n", rule->meaning, rule->remedy);
    put_rule(&list, rule, help.data, help.data);
    text_clear(&help);
  }
  text_clear(&documents);
}

static bool is_same(const struct finding *a, const struct finding *b) {
  return strcmp(a->file, b->file) == 0 && strcmp(a->rule, b->rule) == 0 &&
         strcmp(a->name, b->name) == 0 && strcmp(a->context, b->context) == 0;
}

/* What stays the same when lines are added above: rule, name and the text of the line. Of several
 * that have all of these in common each has a number of its own. */
static void put_fingerprint(struct jsonl *result, const struct findings *findings, size_t index) {
  const struct finding *f = &findings->items.data[index];
  struct text text;
  char digest[DIGEST_LENGTH + 1];
  size_t before = 0;
  for (size_t i = 0; i < index; i++)
    before += is_same(f, &findings->items.data[i]);
  text_init(&text);
  text_format(&text, "%s\n%s\n%s\n%zu\n", f->rule, f->name, f->context, before);
  digest_bytes(digest, text.data, text.length);
  jsonl_text(jsonl_inside(result, "partialFingerprints"), "findingHash/v1", digest);
  text_clear(&text);
}

static void put_result(struct jsonl *results, const struct findings *findings, size_t index) {
  const struct finding *f = &findings->items.data[index];
  struct jsonl *result = jsonl_item(results);
  jsonl_text(result, "ruleId", f->rule);
  jsonl_text(result, "level",
             f->kind == FINDING_ERROR || f->kind == FINDING_BAD ? "error" : "warning");
  struct text text;
  text_init(&text);
  text_format(&text, "%s%s%s", f->message, f->detail[0] == '\0' ? "" : "\n", f->detail);
  put_text(result, "message", text.data);
  text_clear(&text);
  struct jsonl *place =
      jsonl_inside(jsonl_item(jsonl_list(result, "locations")), "physicalLocation");
  append_uri(&text, f->file);
  jsonl_text(jsonl_inside(place, "artifactLocation"), "uri", text_get(&text));
  text_clear(&text);
  struct jsonl *region = jsonl_inside(place, "region");
  jsonl_integer(region, "startLine", (int64_t)f->start.line);
  jsonl_integer(region, "startColumn", (int64_t)f->start.column);
  jsonl_integer(region, "endLine", (int64_t)f->end.line);
  jsonl_integer(region, "endColumn", (int64_t)f->end.column);
  put_fingerprint(result, findings, index);
}

void sarif_append(struct text *out, const struct findings *findings) {
  struct jsonl *json = jsonl_new(NULL);
  jsonl_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  jsonl_text(json, "version", "2.1.0");
  struct jsonl *run = jsonl_item(jsonl_list(json, "runs"));
  struct jsonl *driver = jsonl_inside(jsonl_inside(run, "tool"), "driver");
  jsonl_text(driver, "name", "tailproof");
  jsonl_text(driver, "version", TAILPROOF_VERSION);
  put_rules(driver);
  jsonl_text(run, "columnKind", "unicodeCodePoints");
  struct jsonl *results = jsonl_list(run, "results");
  for (size_t i = 0; i < findings->items.count; i++) {
    enum finding_kind kind = findings->items.data[i].kind;
    if (kind != FINDING_FILE && kind != FINDING_GOOD && kind != FINDING_VALUE)
      put_result(results, findings, i);
  }
  char *text = jsonl_take(json);
  text_append(out, text);
  mem_free(text);
}
