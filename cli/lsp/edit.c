/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Edits that the server offers: formatting, and what inference found (handlers.h).
 */
#include <string.h>

#include "cli/lsp/handlers.h"
#include "lang/print.h"
#include "lang/source.h"

static json_t *replace_all(const struct lsp_server *server, const struct open_document *document,
                           const struct text *text) {
  struct source_span whole = {0, (uint32_t)document->source->length};
  return json_pack("[{s:o, s:o}]", "range", place_range(server, document, whole), "newText",
                   rpc_text(text_get(text)));
}

json_t *handle_formatting(struct lsp_server *server, struct rpc_call *call) {
  const struct open_document *document = place_document(server, call);
  if (document == NULL || document->names == NULL || document->model == NULL)
    return NULL;
  struct text text;
  text_init(&text);
  format_ast(&text, document->ast);
  bool same = text.length == document->source->length &&
              memcmp(text_get(&text), document->source->bytes, text.length) == 0;
  json_t *edits = same ? json_array() : replace_all(server, document, &text);
  text_clear(&text);
  return edits;
}

json_t *edit_whole(const struct lsp_server *server, const struct open_document *document,
                   const struct text *text) {
  json_t *edits = replace_all(server, document, text);
  if (!server->client.versioned_edits)
    return json_pack("{s:{s:o}}", "changes", document->uri, edits);
  return json_pack("{s:[{s:{s:s, s:I}, s:o}]}", "documentChanges", "textDocument", "uri",
                   document->uri, "version", document->version, "edits", edits);
}

/* Those diagnostics of the request that say that a bound is unknown. */
static json_t *unknown_bounds(json_t *params) {
  json_t *found = json_array(), *value;
  size_t index;
  json_array_foreach(rpc_get(params, "context.diagnostics"), index, value) {
    const char *source = rpc_get_text(value, "source"), *code = rpc_get_text(value, "code");
    if (source != NULL && code != NULL && strcmp(source, "tailproof verify") == 0 &&
        strcmp(code, verdict_name(VERDICT_UNKNOWN)) == 0)
      json_array_append(found, value);
  }
  return found;
}

/* "source" also asks for "source.infer". */
static bool is_wanted(json_t *params, const char *kind) {
  json_t *only = rpc_get(params, "context.only"), *value;
  size_t index;
  if (!json_is_array(only))
    return true;
  json_array_foreach(only, index, value) {
    const char *wanted = json_is_string(value) ? json_string_value(value) : " ";
    size_t length = strlen(wanted);
    if (strncmp(kind, wanted, length) == 0 &&
        (length == 0 || kind[length] == '\0' || kind[length] == '.'))
      return true;
  }
  return false;
}

json_t *handle_code_action(struct lsp_server *server, struct rpc_call *call) {
  static const char title[] = "Insert inferred invariants";
  const struct open_document *document = place_document(server, call);
  if (document == NULL || document->model == NULL || !server->client.applies_edits)
    return NULL;
  json_t *unknown = unknown_bounds(call->params);
  const char *kind = json_array_size(unknown) != 0 ? "quickfix" : "source.infer";
  if (!is_wanted(call->params, kind)) {
    json_decref(unknown);
    return json_array();
  }
  return json_pack("[{s:s, s:s, s:o, s:{s:s, s:s, s:[s]}}]", "title", title, "kind", kind,
                   "diagnostics", unknown, "command", "title", title, "command", COMMAND_INSERT,
                   "arguments", document->uri);
}

json_t *handle_command(struct lsp_server *server, struct rpc_call *call) {
  const char *command = rpc_get_text(call->params, "command");
  json_t *arguments = rpc_get(call->params, "arguments");
  if (command == NULL || strcmp(command, COMMAND_INSERT) != 0)
    return rpc_fail(call, RPC_INVALID_PARAMS, "there is no such command");
  const char *uri = json_string_value(json_array_get(arguments, 0));
  const struct open_document *document = documents_find(&server->documents, uri);
  if (document == NULL)
    return rpc_fail(call, RPC_INVALID_PARAMS, "the document is not open");
  if (document->model == NULL)
    return rpc_fail(call, RPC_INVALID_PARAMS, "the document has mistakes: mend them first");
  job_line_add(&server->jobs, JOB_INSERT, document, call->id);
  call->later = true;
  return NULL;
}
