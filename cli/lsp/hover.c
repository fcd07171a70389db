/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a name means, and what a diagnostic means in full. */
#include <string.h>

#include "cli/lsp/handlers.h"
#include "lang/explain.h"
#include "lang/name_index.h"
#include "lang/source.h"

enum { LINES_SHOWN = 12, OCCURRENCES_SHOWN = 8 };

/* One sentence for each kind; what else differs between two names is in the declaration. */
static const char *meaning_of_kind(enum name_kind kind) {
  static const char *const texts[NAME_KIND_COUNT] = {
      [NAME_PARAM] = "a whole number; what is proved holds for every value that is allowed",
      [NAME_CONSTANT] = "a time that stays the same during an execution",
      [NAME_ENUM] = "a type with named values",
      [NAME_COMPONENT] = "the time of a step. With an index it is one occurrence, the time of one "
                         "execution; the bare name is what each of them is at most",
      [NAME_REPEATED] = "the time of a step that happens any number of times; the name is what "
                        "each of them takes at most",
      [NAME_TIMEOUT] = "how long a step waits at most",
      [NAME_DELAY] = "a network delay, one occurrence for each message; the bare name is what "
                     "each of them is at most",
      [NAME_QUEUEING] = "how long a message waits for its receiver, one occurrence for each "
                        "message; the bare name is what each of them is at most",
      [NAME_MESSAGE] = "identified by its fields, and sent at most once",
      [NAME_ACTION] = "an atomic step",
      [NAME_INVARIANT] = "a formula that is to hold in every reachable state",
      [NAME_BOUND] = "a claim: if the event happens, it happens by then",
      [NAME_PHASE] = "a stretch of the execution with invariants of its own",
      [NAME_ABBREVIATION] = "stands for what is written behind \"=\""};
  return texts[kind];
}

static const char *meaning_of(const struct name_entry *entry) {
  if (entry->kind == NAME_COMPONENT && entry->item->index.count == 0)
    return "the time of a step that happens at most once";
  if (entry->kind == NAME_INVARIANT && entry->owner != NULL)
    return "a formula that is to hold while the phase lasts";
  if (entry->kind != NAME_ROLE)
    return meaning_of_kind(entry->kind);
  bool family = entry->declaration->formula != NULL;
  if (entry->declaration->external)
    return family ? "nodes that receive messages and take no steps"
                  : "a node that receives messages and takes no steps";
  return family ? "a family of nodes" : "one node";
}

static struct source_span declared_at(const struct name_entry *entry) {
  const struct declaration *d = entry->declaration;
  if (entry->binder != NULL)
    return (struct source_span){entry->binder->name.span.start, entry->binder->domain->span.end};
  if (entry->kind == NAME_FIELD || entry->kind == NAME_STATE)
    return entry->item != NULL ? entry->item->span : d->span;
  if (entry->kind == NAME_INVARIANT && entry->owner != NULL) /* a part of the phase */
    return entry->span;
  if (d == NULL)
    return entry->span;
  return d->head.end != 0 ? d->head : d->span;
}

static void print_declaration(struct text *out, const struct open_document *document,
                              const struct name_entry *entry) {
  struct arena arena;
  arena_init(&arena);
  text_format(out, "```tailproof\n%s\n```\n",
              source_slice(document->source, declared_at(entry), &arena));
  arena_clear(&arena);
}

static void print_head(struct text *out, const struct name_entry *entry) {
  static const char *const of[NAME_KIND_COUNT] = {[NAME_VALUE] = "of the enumeration",
                                                  [NAME_SLOT] = "of the schedule of",
                                                  [NAME_FIELD] = "of the message",
                                                  [NAME_STATE] = "of",
                                                  [NAME_ACTION] = "of",
                                                  [NAME_INVARIANT] = "of the phase",
                                                  [NAME_VARIABLE] = "that is the field"};
  text_format(out, "**%s** `%s`", name_kind_text(entry->kind), entry->text);
  if (entry->owner != NULL && of[entry->kind] != NULL)
    text_format(out, " %s `%s`", of[entry->kind], entry->owner->text);
  else if (entry->kind == NAME_VARIABLE && entry->role != NULL)
    text_format(out, ", a node of `%s`", entry->role->text);
  if (meaning_of(entry) != NULL)
    text_format(out, ": %s", meaning_of(entry));
  text_append(out, "\n\n");
}

static void print_comment(struct text *out, const struct ast *ast, const struct comment *comment) {
  size_t start = comment->span.start, end = comment->span.end;
  while (start < end && strchr("# \t", ast->bytes[start]) != NULL)
    start++;
  text_append_bytes(out, ast->bytes + start, end - start);
  text_append(out, "\n");
}

static size_t newlines(const struct ast *ast, size_t from, size_t to) {
  size_t count = 0;
  for (; from < to; from++)
    count += ast->bytes[from] == '\n';
  return count;
}

static size_t next_word(const struct ast *ast, size_t at) {
  return at + strspn(ast->bytes + at, " \t\r\n");
}

/* The comments on the lines right above, and the one behind the declaration. */
static void print_comments(struct text *out, const struct ast *ast,
                           const struct name_entry *entry) {
  struct source_span span = declared_at(entry);
  size_t count = ast->comments.count, first = 0;
  while (first < count &&
         ((const struct comment *)ast->comments.items[first])->span.start < span.start)
    first++;
  size_t above = first;
  for (size_t below = span.start; above > 0; above--) {
    const struct comment *c = ast->comments.items[above - 1];
    if (!c->alone || newlines(ast, c->span.end, below) != 1 || next_word(ast, c->span.end) != below)
      break;
    below = c->span.start;
  }
  size_t before = out->length;
  for (; above < first; above++)
    print_comment(out, ast, ast->comments.items[above]);
  for (size_t i = first; i < count; i++) {
    const struct comment *c = ast->comments.items[i];
    if (c->span.start >= span.end && !c->alone && newlines(ast, span.end, c->span.start) == 0)
      print_comment(out, ast, c);
    if (c->span.start >= span.end)
      break;
  }
  if (out->length != before)
    text_append(out, "\n");
}

/* Whether an earlier use is written alike. */
static bool is_repeated(const char *const *texts, size_t count, const char *text) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(texts[i], text) == 0)
      return true;
  return false;
}

/* The occurrences of a component that the file speaks of, as it writes them. */
static void print_occurrences(struct text *out, const struct open_document *document,
                              const struct name_entry *entry) {
  const char *texts[OCCURRENCES_SHOWN + 1];
  size_t count = 0;
  struct arena arena;
  arena_init(&arena);
  for (size_t i = 0; i < document->names->uses.count && count <= OCCURRENCES_SHOWN; i++) {
    const struct name_use *use = &document->names->uses.data[i];
    if (use->entry != entry || use->whole.end == use->span.end)
      continue;
    const char *text = source_slice(document->source, use->whole, &arena);
    if (!is_repeated(texts, count, text))
      texts[count++] = text;
  }
  for (size_t i = 0; i < count && i < OCCURRENCES_SHOWN; i++)
    text_format(out, "%s `%s`", i == 0 ? "Occurrences in this file:" : ",", texts[i]);
  if (count != 0)
    text_append(out, count > OCCURRENCES_SHOWN ? ", ...\n\n" : "\n\n");
  arena_clear(&arena);
}

static bool has_occurrences(enum name_kind kind) {
  return kind == NAME_COMPONENT || kind == NAME_DELAY || kind == NAME_QUEUEING;
}

/* What nothing in a file names. */
static bool is_claim(enum name_kind kind) {
  return kind == NAME_PROTOCOL || kind == NAME_ACTION || kind == NAME_INVARIANT ||
         kind == NAME_BOUND || kind == NAME_PHASE;
}

static void print_uses(struct text *out, const struct open_document *document,
                       const struct name_entry *entry) {
  size_t count = 0, shown = 0, last = 0;
  struct text lines;
  text_init(&lines);
  for (size_t i = 0; i < document->names->uses.count; i++) {
    const struct name_use *use = &document->names->uses.data[i];
    if (use->entry != entry || use->span.start == entry->span.start)
      continue;
    count++;
    size_t line = source_place(document->source, use->span.start).line;
    if (line != last && shown++ < LINES_SHOWN)
      text_format(&lines, "%s%zu", shown == 1 ? "" : ", ", line);
    last = line;
  }
  size_t declared = source_place(document->source, entry->span.start).line;
  text_format(out, "Declared in line %zu", declared);
  if (count == 0)
    text_append(out, is_claim(entry->kind) ? ".\n" : ", not used.\n");
  else
    text_format(out, ", used %zu time%s: line%s %s%s\n", count, count == 1 ? "" : "s",
                shown == 1 ? "" : "s", text_get(&lines), shown > LINES_SHOWN ? ", ..." : ".");
  text_clear(&lines);
}

static void print_verdict(struct text *out, const struct open_document *document,
                          const struct name_entry *entry) {
  for (size_t i = 0; i < document->verdicts.notes.count; i++) {
    const struct bound_note *note = &document->verdicts.notes.data[i];
    if (note->span.start != entry->span.start)
      continue;
    text_format(out, "%s\n\n", note->headline);
    if (note->detail[0] != '\0')
      text_format(out, "```\n%s\n```\n\n", note->detail);
  }
}

void hover_print(struct text *out, const struct open_document *document,
                 const struct name_entry *entry) {
  print_head(out, entry);
  print_declaration(out, document, entry);
  print_comments(out, document->ast, entry);
  print_verdict(out, document, entry);
  if (has_occurrences(entry->kind))
    print_occurrences(out, document, entry);
  print_uses(out, document, entry);
}

static void print_explanations(struct text *out, const struct open_document *document,
                               size_t offset) {
  for (size_t i = 0; i < document->diagnostics.items.count; i++) {
    const struct diagnostic *d = &document->diagnostics.items.data[i];
    const struct diagnostic_explanation *e = explanation_of(d->code);
    if (offset < d->span.start || offset > d->span.end || e == NULL)
      continue;
    text_format(out, "**%s**: %s\n\nWrong:\n```tailproof\n%s```\nRight:\n```tailproof\n%s```\n\n",
                diagnostic_code_name(d->code), e->meaning, e->wrong, e->right);
  }
}

/* Without what only Markdown shows. */
static json_t *plain(const struct text *markdown) {
  struct text text;
  text_init(&text);
  const char *at = text_get(markdown);
  while (*at != '\0') {
    size_t length = strcspn(at, "\n");
    if (strncmp(at, "```", 3) != 0) {
      for (size_t i = 0; i < length; i++)
        if (at[i] != '`' && strncmp(at + i, "**", 2) != 0 &&
            (i == 0 || strncmp(at + i - 1, "**", 2) != 0))
          text_append_bytes(&text, at + i, 1);
      text_append(&text, "\n");
    }
    at += length + (at[length] == '\n');
  }
  json_t *made = rpc_text(text_get(&text));
  text_clear(&text);
  return made;
}

json_t *handle_hover(struct lsp_server *server, struct rpc_call *call) {
  struct open_document *document;
  size_t offset;
  const struct name_use *use = place_use(server, call, &document);
  if (call->code != 0 || !place_offset(&offset, server, document, call->params))
    return NULL;
  struct text text;
  text_init(&text);
  print_explanations(&text, document, offset);
  if (use != NULL)
    hover_print(&text, document, use->entry);
  json_t *result = NULL;
  if (text.length != 0)
    result = json_pack("{s:{s:s, s:o}}", "contents", "kind",
                       server->client.markdown ? "markdown" : "plaintext", "value",
                       server->client.markdown ? rpc_text(text_get(&text)) : plain(&text));
  if (use != NULL)
    json_object_set_new(result, "range", place_range(server, document, use->span));
  text_clear(&text);
  return result;
}
