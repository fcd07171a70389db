/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The language server, without input and output: messages go in, bytes for the client come out
 * (Language Server Protocol 3.17). Every message is answered at once, but for requests whose answer
 * is a job's.
 *
 * The server owns its parts until server_clear, which stops and waits for a job that runs.
 */
#ifndef CLI_LSP_SERVER_H
#define CLI_LSP_SERVER_H

#include "base/status.h"
#include "cli/lsp/document.h"
#include "cli/lsp/framing.h"
#include "cli/lsp/job.h"
#include "cli/lsp/rpc.h"

enum server_state { SERVER_NEW, SERVER_READY, SERVER_SHUT, SERVER_ENDED };

/* What the client said that it can do. */
struct client {
  enum position_encoding encoding;
  bool progress;        /* shows the progress of jobs */
  bool versioned_edits; /* takes edits of a certain version of a document */
  bool related;         /* shows places that a diagnostic is related to */
  bool markdown;        /* shows hovers in Markdown */
  bool applies_edits;   /* takes edits that the server asks for */
  bool nested_symbols;  /* knows DocumentSymbol */
};

struct lsp_server {
  enum server_state state;
  enum status status; /* once SERVER_ENDED: what to exit with */
  struct client client;
  struct documents documents;
  struct job_line jobs;
  struct text out; /* for the client; who sends it clears it */
  json_t *batch;   /* the answers to a batch, while it is read; or NULL */
};

void server_init(struct lsp_server *server, const struct job_options *options);
void server_clear(struct lsp_server *server);

/* A message of the client, without its header. */
void server_take(struct lsp_server *server, const char *content, size_t length);

/* After job_line_signal: the running job has ended. */
void server_take_job(struct lsp_server *server);

/* The client is gone without a word. */
void server_take_end(struct lsp_server *server);

/* --- for the handlers of messages --------------------------------------------------------------
 */

/* A request, and what becomes of it. */
struct rpc_call {
  json_t *id, *params; /* borrowed; params may be NULL */
  bool later;          /* it is answered when a job has ended */
  enum rpc_code code;  /* 0: no error */
  const char *message; /* of the error */
};

/* Sends a message to the client; steals it. */
void server_send(struct lsp_server *server, json_t *message);
void server_notify(struct lsp_server *server, const char *method, json_t *params); /* steals */

/* "window/showMessage"; type 1: error, 2: warning, 3: information. */
void server_show(struct lsp_server *server, int type, const char *message);

/* Fails the call; always NULL. */
json_t *rpc_fail(struct rpc_call *call, enum rpc_code code, const char *message);

#endif
