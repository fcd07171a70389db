/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What answers each request and takes each notification, and what they share. A handler returns
 * the result (a new reference; NULL: null, or the call has failed or is answered later).
 */
#ifndef CLI_LSP_HANDLERS_H
#define CLI_LSP_HANDLERS_H

#include "cli/lsp/server.h"

struct name_entry;
struct name_use;

/* initialize.c */
json_t *handle_initialize(struct lsp_server *server, struct rpc_call *call);

/* sync.c: the text of documents; each is followed by the diagnostics of the document. */
void take_open(struct lsp_server *server, json_t *params);
void take_change(struct lsp_server *server, json_t *params);
void take_save(struct lsp_server *server, json_t *params); /* also begins a verification */
void take_close(struct lsp_server *server, json_t *params);

/* publish.c */
void publish_diagnostics(struct lsp_server *server, const struct open_document *document);
void publish_nothing(struct lsp_server *server, const char *uri, json_int_t version);

/* hover.c */
json_t *handle_hover(struct lsp_server *server, struct rpc_call *call);
/* Appends what a name means, in Markdown: kind, declaration, the comment beside it, its uses. */
void hover_print(struct text *out, const struct open_document *document,
                 const struct name_entry *entry);

/* navigate.c */
json_t *handle_definition(struct lsp_server *server, struct rpc_call *call);
json_t *handle_references(struct lsp_server *server, struct rpc_call *call);
json_t *handle_highlight(struct lsp_server *server, struct rpc_call *call);
json_t *handle_symbols(struct lsp_server *server, struct rpc_call *call);

/* edit.c */
#define COMMAND_INSERT "tailproof.insertInferred"
json_t *handle_formatting(struct lsp_server *server, struct rpc_call *call);
json_t *handle_code_action(struct lsp_server *server, struct rpc_call *call);
json_t *handle_command(struct lsp_server *server, struct rpc_call *call);
/* A WorkspaceEdit that replaces the whole document. */
json_t *edit_whole(const struct lsp_server *server, const struct open_document *document,
                   const struct text *text);

/* work.c */
void work_begin(struct lsp_server *server);                   /* the next job, when none runs */
void work_forget(struct lsp_server *server, const char *uri); /* its text is no longer that one */
void work_cancel(struct lsp_server *server, json_t *request);
void work_shut(struct lsp_server *server);
void work_finished(struct lsp_server *server, struct job *job); /* takes the job */
void work_confirmed(struct lsp_server *server, const char *id, bool failed);

/* place.c: the document and the place of a request. */
struct open_document *place_document(struct lsp_server *server, struct rpc_call *call);
bool place_offset(size_t *offset, const struct lsp_server *server,
                  const struct open_document *document, json_t *params);
/* The use of a name at the request's place; NULL: there is none, or the call has failed. */
const struct name_use *place_use(struct lsp_server *server, struct rpc_call *call,
                                 struct open_document **document);
json_t *place_range(const struct lsp_server *server, const struct open_document *document,
                    struct source_span span);
json_t *place_location(const struct lsp_server *server, const struct open_document *document,
                       struct source_span span);

#endif
