/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From places in requests to offsets and names, and from spans to ranges (handlers.h).
 */
#include "cli/lsp/handlers.h"
#include "lang/name_index.h"

struct open_document *place_document(struct lsp_server *server, struct rpc_call *call) {
  const char *uri = rpc_get_text(call->params, "textDocument.uri");
  struct open_document *document = documents_find(&server->documents, uri);
  if (uri == NULL)
    rpc_fail(call, RPC_INVALID_PARAMS, "the request names no document");
  else if (document == NULL)
    rpc_fail(call, RPC_INVALID_PARAMS, "the document is not open");
  return document;
}

bool place_offset(size_t *offset, const struct lsp_server *server,
                  const struct open_document *document, json_t *params) {
  json_t *line = rpc_get(params, "position.line");
  json_t *character = rpc_get(params, "position.character");
  if (!json_is_integer(line) || !json_is_integer(character) || json_integer_value(line) < 0 ||
      json_integer_value(character) < 0)
    return false;
  struct text_position position = {(size_t)json_integer_value(line),
                                   (size_t)json_integer_value(character)};
  *offset = position_offset(&document->lines, server->client.encoding, position);
  return true;
}

const struct name_use *place_use(struct lsp_server *server, struct rpc_call *call,
                                 struct open_document **document) {
  size_t offset;
  *document = place_document(server, call);
  if (*document == NULL)
    return NULL;
  if (!place_offset(&offset, server, *document, call->params)) {
    rpc_fail(call, RPC_INVALID_PARAMS, "the request has no position");
    return NULL;
  }
  return (*document)->names == NULL ? NULL : name_index_at((*document)->names, offset);
}

static json_t *place(const struct lsp_server *server, const struct open_document *document,
                     size_t offset) {
  struct text_position position = position_of(&document->lines, server->client.encoding, offset);
  return json_pack("{s:I, s:I}", "line", (json_int_t)position.line, "character",
                   (json_int_t)position.character);
}

json_t *place_range(const struct lsp_server *server, const struct open_document *document,
                    struct source_span span) {
  return json_pack("{s:o, s:o}", "start", place(server, document, span.start), "end",
                   place(server, document, span.end));
}

json_t *place_location(const struct lsp_server *server, const struct open_document *document,
                       struct source_span span) {
  return json_pack("{s:s, s:o}", "uri", document->uri, "range",
                   place_range(server, document, span));
}
