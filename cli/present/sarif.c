/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SARIF 2.1.0 (OASIS). Proved bounds are no results; everything else is one, at its place. */
#include <stdio.h>
#include <string.h>

#include "version.h"
#include "cli/present/findings.h"
#include "base/jsonl.h"
#include "lang/explain.h"

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

static void put_rule(struct jsonl *rules, const char *id, const char *title, const char *meaning,
                     const char *level) {
  struct jsonl *rule = jsonl_item(rules);
  jsonl_text(rule, "id", id);
  put_text(rule, "shortDescription", title);
  put_text(rule, "fullDescription", meaning);
  jsonl_text(jsonl_inside(rule, "defaultConfiguration"), "level", level);
}

static void put_rules(struct jsonl *driver) {
  struct jsonl *rules = jsonl_list(driver, "rules");
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++) {
    enum diagnostic_code code = (enum diagnostic_code)i;
    const struct diagnostic_explanation *e = explanation_of(code);
    put_rule(rules, diagnostic_code_name(code), diagnostic_title(code),
             e == NULL ? diagnostic_title(code) : e->meaning,
             diagnostic_is_error(code) ? "error" : "warning");
  }
  put_rule(rules, RULE_REFUTED, "bound refuted",
           "An execution of the protocol, re-executed with exact numbers, breaks the bound.",
           "error");
  put_rule(rules, RULE_UNKNOWN, "bound neither proved nor refuted",
           "An obligation of the proof is open, or no execution to the event was found.",
           "warning");
  put_rule(rules, RULE_UNREADABLE, "file that cannot be read", "The file cannot be read.", "error");
}

static void put_result(struct jsonl *results, const struct finding *f) {
  struct jsonl *result = jsonl_item(results);
  jsonl_text(result, "ruleId", f->rule);
  jsonl_text(result, "level",
             f->kind == FINDING_ERROR || f->kind == FINDING_REFUTED ? "error" : "warning");
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
}

void sarif_print(const struct findings *findings) {
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
    const struct finding *f = &findings->items.data[i];
    if (f->kind != FINDING_FILE && f->kind != FINDING_PROVED)
      put_result(results, f);
  }
  char *text = jsonl_take(json);
  fputs(text, stdout);
  mem_free(text);
}
