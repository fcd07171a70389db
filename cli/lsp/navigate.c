/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a name is declared and mentioned, and the outline of a file (handlers.h).
 */
#include "cli/lsp/handlers.h"
#include "lang/name_index.h"

json_t *handle_definition(struct lsp_server *server, struct rpc_call *call) {
  struct open_document *document;
  const struct name_use *use = place_use(server, call, &document);
  return use == NULL ? NULL : place_location(server, document, use->entry->span);
}

json_t *handle_references(struct lsp_server *server, struct rpc_call *call) {
  struct open_document *document;
  const struct name_use *use = place_use(server, call, &document);
  bool all = rpc_get_flag(call->params, "context.includeDeclaration");
  if (use == NULL)
    return NULL;
  json_t *list = json_array();
  for (size_t i = 0; i < document->names->uses.count; i++) {
    const struct name_use *other = &document->names->uses.data[i];
    if (other->entry == use->entry && (all || other->span.start != use->entry->span.start))
      json_array_append_new(list, place_location(server, document, other->span));
  }
  return list;
}

json_t *handle_highlight(struct lsp_server *server, struct rpc_call *call) {
  struct open_document *document;
  const struct name_use *use = place_use(server, call, &document);
  if (use == NULL)
    return NULL;
  json_t *list = json_array();
  for (size_t i = 0; i < document->names->uses.count; i++) {
    const struct name_use *other = &document->names->uses.data[i];
    if (other->entry == use->entry)
      json_array_append_new(
          list, json_pack("{s:o}", "range", place_range(server, document, other->span)));
  }
  return list;
}

/* The protocol's numbers for kinds of symbols; 0: what is not in the outline. */
static int symbol_number(enum name_kind kind) {
  enum { CLASS = 5, FIELD = 8, ENUM = 10, FUNCTION = 12, CONSTANT = 14, EVENT = 24 };
  static const int numbers[NAME_KIND_COUNT] = {
      [NAME_PARAM] = CONSTANT,    [NAME_CONSTANT] = CONSTANT,    [NAME_ENUM] = ENUM,
      [NAME_ROLE] = CLASS,        [NAME_COMPONENT] = CONSTANT,   [NAME_REPEATED] = CONSTANT,
      [NAME_SLOT] = CONSTANT,     [NAME_TIMEOUT] = CONSTANT,     [NAME_DELAY] = CONSTANT,
      [NAME_QUEUEING] = CONSTANT, [NAME_MESSAGE] = EVENT,        [NAME_STATE] = FIELD,
      [NAME_ACTION] = FUNCTION,   [NAME_INVARIANT] = EVENT,      [NAME_BOUND] = EVENT,
      [NAME_PHASE] = EVENT,       [NAME_ABBREVIATION] = FUNCTION};
  return numbers[kind];
}

static json_t *symbol(const struct lsp_server *server, const struct open_document *document,
                      const struct name_entry *entry) {
  struct text name;
  text_init(&name);
  if (entry->owner != NULL && (entry->kind == NAME_ACTION || entry->kind == NAME_STATE))
    text_format(&name, "%s.", entry->owner->text);
  text_append(&name, entry->text);
  json_t *made =
      json_pack("{s:s, s:i}", "name", text_get(&name), "kind", symbol_number(entry->kind));
  text_clear(&name);
  struct source_span whole = entry->item != NULL ? entry->item->span : entry->declaration->span;
  if (whole.start > entry->span.start || whole.end < entry->span.end)
    whole = entry->span;
  if (server->client.nested_symbols) {
    json_object_set_new(made, "detail", json_string(name_kind_text(entry->kind)));
    json_object_set_new(made, "range", place_range(server, document, whole));
    json_object_set_new(made, "selectionRange", place_range(server, document, entry->span));
  } else {
    json_object_set_new(made, "location", place_location(server, document, whole));
  }
  return made;
}

json_t *handle_symbols(struct lsp_server *server, struct rpc_call *call) {
  const struct open_document *document = place_document(server, call);
  if (document == NULL || document->names == NULL)
    return NULL;
  json_t *list = json_array();
  for (size_t i = 0; i < document->names->uses.count; i++) { /* in the order of the file */
    const struct name_use *use = &document->names->uses.data[i];
    const struct name_entry *entry = use->entry;
    if (use->span.start == entry->span.start && symbol_number(entry->kind) != 0)
      json_array_append_new(list, symbol(server, document, entry));
  }
  return list;
}
