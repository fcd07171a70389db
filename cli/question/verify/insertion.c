/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/verify/insertion.h"

#include <string.h>

#include "base/file.h"
#include "lang/check.h"
#include "lang/parse.h"
#include "lang/print.h"
#include "lang/source.h"
#include "solver/infer/infer.h"
#include "solver/verify.h"

/* An execution exceeds it, whatever became of the verdict. */
static bool is_refuted(const struct verification *v, const struct bound *bound) {
  for (size_t i = 0; i < v->bounds.count; i++)
    if (v->bounds.data[i].bound == bound)
      return v->bounds.data[i].time != NULL;
  return false;
}

/* The expression that was found for the bound of that name, or NULL. */
static const struct bound *answer(const struct inference *inference, const struct verification *v,
                                  const char *name) {
  for (size_t i = 0; i < inference->bounds.count; i++) {
    const struct bound *bound = inference->bounds.data[i].bound;
    if (strcmp(bound->name, name) == 0)
      return bound->expression == NULL || is_refuted(v, bound) ? NULL : bound;
  }
  return NULL;
}

/* In the canonical form, so that long lines are broken. */
static void append_invariant(struct text *out, const struct inference *inference,
                             const struct invariant *invariant) {
  static const char head[] = "protocol p\n";
  struct text line;
  text_init(&line);
  text_append(&line, head);
  inferred_print_invariant(&line, inference, invariant);
  struct source *source = source_from_text("", line.data, line.length);
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(source, &queue);
  struct text printed;
  text_init(&printed);
  if (error_count(&queue) == 0)
    print_ast(&printed, ast);
  if (strncmp(text_get(&printed), head, sizeof head - 1) == 0)
    text_append(out, printed.data + sizeof head - 1);
  else
    text_format(out, "%s\n", line.data + sizeof head - 1);
  text_clear(&printed);
  ast_free(ast);
  diagnostics_clear(&queue);
  source_free(source);
  text_clear(&line);
}

static bool is_blank(const char *bytes, size_t from, size_t to) {
  while (from < to && strchr(" \t\r", bytes[from]) != NULL)
    from++;
  return from == to || bytes[from] == '#';
}

static size_t line_start(const char *bytes, size_t at) {
  while (at > 0 && bytes[at - 1] != '\n')
    at--;
  return at;
}

/* The line behind this place, when nothing else stands there; otherwise the place itself. */
static size_t behind(const struct ast *ast, size_t at) {
  size_t end = at;
  while (end < ast->length && ast->bytes[end] != '\n')
    end++;
  if (!is_blank(ast->bytes, at, end))
    return at;
  return end < ast->length ? end + 1 : end;
}

/* The line that a declaration begins on, with the comments right above it. */
static size_t before(const struct ast *ast, size_t at) {
  size_t start = line_start(ast->bytes, at);
  if (!is_blank(ast->bytes, start, at))
    return at;
  while (start > 0) {
    size_t above = line_start(ast->bytes, start - 1);
    size_t first = above + strspn(ast->bytes + above, " \t");
    if (ast->bytes[first] != '#')
      break;
    start = above;
  }
  return start;
}

static size_t place_of_invariants(const struct ast *ast) {
  size_t place = SIZE_MAX;
  for (size_t i = ast->declarations.count; i-- > 0;) {
    const struct declaration *d = ast->declarations.items[i];
    if (d->kind == DECLARATION_INVARIANT)
      return behind(ast, d->span.end);
    if (d->kind == DECLARATION_BOUND)
      place = before(ast, d->span.start);
  }
  return place == SIZE_MAX ? ast->length : place;
}

static void append_invariants(struct insertion *insertion, const struct inference *inference,
                              bool at_line_start) {
  if (inference->found.count != 0 && !at_line_start)
    text_append(&insertion->text, "\n");
  for (size_t i = 0; i < inference->found.count; i++)
    append_invariant(&insertion->text, inference, inference->found.data[i]);
  insertion->invariants = inference->found.count;
}

/* The "?" of a bound becomes its expression. */
static size_t append_answer(struct insertion *insertion, const struct ast *ast, size_t from,
                            const struct declaration *d, const struct inference *inference,
                            const struct verification *v) {
  if (d->kind != DECLARATION_BOUND || d->expression != NULL || ast->bytes[d->span.end - 1] != '?')
    return from;
  const struct bound *bound = answer(inference, v, d->name.text);
  if (bound == NULL)
    return from;
  text_append_bytes(&insertion->text, ast->bytes + from, d->span.end - 1 - from);
  print_term(&insertion->text, &inference->model, bound->expression);
  insertion->bounds++;
  return d->span.end;
}

static void append_all(struct insertion *insertion, const struct ast *ast,
                       const struct inference *inference, const struct verification *v) {
  size_t place = place_of_invariants(ast), from = 0;
  bool placed = false;
  for (size_t i = 0; i <= ast->declarations.count; i++) {
    const struct declaration *d = i < ast->declarations.count ? ast->declarations.items[i] : NULL;
    if (!placed && (d == NULL || d->span.start >= place)) {
      text_append_bytes(&insertion->text, ast->bytes + from, place - from);
      append_invariants(insertion, inference, place == 0 || ast->bytes[place - 1] == '\n');
      from = place;
      placed = true;
    }
    if (d != NULL)
      from = append_answer(insertion, ast, from, d, inference, v);
  }
  text_append_bytes(&insertion->text, ast->bytes + from, ast->length - from);
}

static bool is_protocol(const struct text *text, const char *name) {
  struct source *source = source_from_text(name, text_get(text), text->length);
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(source, &queue);
  struct model *model = check(ast, source, &queue);
  bool good = model != NULL;
  model_free(model);
  ast_free(ast);
  diagnostics_clear(&queue);
  source_free(source);
  return good;
}

enum status insertion_init(struct insertion *insertion, const struct source *source,
                           const struct ast *ast, const struct inference *inference,
                           const struct verification *verification, struct text *message) {
  *insertion = (struct insertion){0};
  append_all(insertion, ast, inference, verification);
  if (is_protocol(&insertion->text, source->name))
    return STATUS_OK;
  insertion_clear(insertion);
  text_format(message,
              "%s: what was found cannot be inserted: the file would have a mistake then; insert "
              "the lines by hand",
              source->name);
  return STATUS_INTERNAL;
}

void insertion_clear(struct insertion *insertion) {
  text_clear(&insertion->text);
  insertion->invariants = insertion->bounds = 0;
}

void insertion_count(struct text *text, const struct insertion *insertion) {
  size_t i = insertion->invariants, b = insertion->bounds;
  if (i != 0 || b == 0)
    text_format(text, "%zu invariant%s", i, i == 1 ? "" : "s");
  if (b != 0)
    text_format(text, "%s%zu bound%s", i != 0 ? " and " : "", b, b == 1 ? "" : "s");
}

enum status insertion_write(const struct insertion *insertion, const char *file,
                            const struct source *source, struct text *message) {
  struct source *now;
  enum status status = source_load(&now, file, message);
  if (status != STATUS_OK)
    return status;
  bool same = now->length == source->length && memcmp(now->bytes, source->bytes, now->length) == 0;
  source_free(now);
  if (same)
    return file_write(file, text_get(&insertion->text), insertion->text.length, message);
  text_format(message, "%s: has changed since it was read, so nothing is written; run it again",
              file);
  return STATUS_DATA;
}
