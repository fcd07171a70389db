/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What client and server tell each other about themselves. */
#include <string.h>

#include "cli/lsp/handlers.h"
#include "version.h" /* TAILPROOF_VERSION, made from the file VERSION */

/* UTF-8 where the client can have it; UTF-16 is what every client knows. */
static enum position_encoding choose_encoding(json_t *offered) {
  enum position_encoding chosen = POSITION_UTF16;
  size_t index;
  json_t *value;
  json_array_foreach(offered, index, value) {
    const char *name = json_string_value(value);
    if (name != NULL && strcmp(name, position_encoding_name(POSITION_UTF8)) == 0)
      chosen = POSITION_UTF8;
  }
  return chosen;
}

static bool has_text(json_t *list, const char *wanted) {
  size_t index;
  json_t *value;
  json_array_foreach(list, index,
                     value) if (json_is_string(value) &&
                                strcmp(json_string_value(value), wanted) == 0) return true;
  return false;
}

static struct client read_client(json_t *can) {
  return (struct client){
      .encoding = choose_encoding(rpc_get(can, "general.positionEncodings")),
      .progress = rpc_get_flag(can, "window.workDoneProgress"),
      .versioned_edits = rpc_get_flag(can, "workspace.workspaceEdit.documentChanges"),
      .related = rpc_get_flag(can, "textDocument.publishDiagnostics.relatedInformation"),
      .markdown = has_text(rpc_get(can, "textDocument.hover.contentFormat"), "markdown"),
      .applies_edits = rpc_get_flag(can, "workspace.applyEdit"),
      .nested_symbols =
          rpc_get_flag(can, "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")};
}

static json_t *capabilities(const struct client *client) {
  json_t *made =
      json_pack("{s:s, s:{s:b, s:i, s:{s:b}}, s:b, s:b, s:b, s:b, s:b, s:b}", "positionEncoding",
                position_encoding_name(client->encoding), "textDocumentSync", "openClose", 1,
                "change", 1, "save", "includeText", 0, "hoverProvider", 1, "definitionProvider", 1,
                "referencesProvider", 1, "documentHighlightProvider", 1, "documentSymbolProvider",
                1, "documentFormattingProvider", 1);
  if (made == NULL)
    bug("capabilities that are no JSON");
  if (client->applies_edits) {
    json_object_set_new(made, "codeActionProvider",
                        json_pack("{s:[s,s]}", "codeActionKinds", "quickfix", "source"));
    json_object_set_new(made, "executeCommandProvider",
                        json_pack("{s:[s]}", "commands", COMMAND_INSERT));
  }
  return made;
}

json_t *handle_initialize(struct lsp_server *server, struct rpc_call *call) {
  if (!json_is_object(call->params))
    return rpc_fail(call, RPC_INVALID_PARAMS, "\"initialize\" needs parameters");
  server->client = read_client(rpc_get(call->params, "capabilities"));
  server->state = SERVER_READY;
  return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities(&server->client),
                   "serverInfo", "name", "tailproof", "version", TAILPROOF_VERSION);
}
