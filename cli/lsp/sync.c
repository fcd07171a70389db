/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Documents opened, changed, saved and closed by the editor (handlers.h).
 */
#include "cli/lsp/handlers.h"

static void set_text(struct lsp_server *server, json_t *params, json_t *text) {
  const char *uri = rpc_get_text(params, "textDocument.uri");
  json_int_t version = json_integer_value(rpc_get(params, "textDocument.version"));
  size_t length = json_string_length(text);
  if (uri == NULL || !json_is_string(text))
    return;
  if (length > FRAMING_CONTENT_MAX) /* a message is no longer, so neither is a text in it */
    return;
  work_forget(server, uri);
  const struct open_document *document =
      documents_set(&server->documents, uri, version, json_string_value(text), length);
  publish_diagnostics(server, document);
}

void take_open(struct lsp_server *server, json_t *params) {
  set_text(server, params, rpc_get(params, "textDocument.text"));
}

/* The whole text each time; of several changes the last one counts. */
void take_change(struct lsp_server *server, json_t *params) {
  json_t *changes = rpc_get(params, "contentChanges");
  size_t count = json_array_size(changes);
  json_t *last = count == 0 ? NULL : json_array_get(changes, count - 1);
  if (documents_find(&server->documents, rpc_get_text(params, "textDocument.uri")) != NULL &&
      rpc_get(last, "range") == NULL)
    set_text(server, params, rpc_get(last, "text"));
}

void take_save(struct lsp_server *server, json_t *params) {
  const struct open_document *document =
      documents_find(&server->documents, rpc_get_text(params, "textDocument.uri"));
  if (document == NULL || document->model == NULL || document->model->bounds.count == 0 ||
      job_line_has_verification(&server->jobs, document))
    return;
  job_line_add(&server->jobs, JOB_VERIFY, document, NULL);
}

void take_close(struct lsp_server *server, json_t *params) {
  const char *uri = rpc_get_text(params, "textDocument.uri");
  const struct open_document *document = documents_find(&server->documents, uri);
  if (document == NULL)
    return;
  work_forget(server, uri);
  publish_nothing(server, uri, document->version);
  documents_close(&server->documents, uri);
}
