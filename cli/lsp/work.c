/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Jobs on behalf of the client: their progress, their results, their ends before time. */
#include <stdio.h>
#include <string.h>

#include "cli/lsp/handlers.h"

enum { TOKEN_SIZE = 32 };

static void token_of(char *token, size_t number) {
  snprintf(token, TOKEN_SIZE, "tailproof-%zu", number);
}

static void send_progress(struct lsp_server *server, const struct job *job, json_t *value) {
  char token[TOKEN_SIZE];
  token_of(token, job->number);
  server_notify(server, "$/progress", json_pack("{s:s, s:o}", "token", token, "value", value));
}

/* The client has to agree first: then work_confirmed goes on. */
static void ask_for_progress(struct lsp_server *server, const struct job *job) {
  char token[TOKEN_SIZE];
  token_of(token, job->number);
  if (server->client.progress)
    server_send(server, rpc_request(token, "window/workDoneProgress/create",
                                    json_pack("{s:s}", "token", token)));
}

void work_begin(struct lsp_server *server) {
  const struct job *job = job_line_begin(&server->jobs);
  if (job != NULL)
    ask_for_progress(server, job);
}

void work_confirmed(struct lsp_server *server, const char *id, bool failed) {
  struct job *job = server->jobs.running;
  char token[TOKEN_SIZE];
  if (job == NULL || failed || id == NULL)
    return;
  token_of(token, job->number);
  if (strcmp(id, token) != 0 || job->begun)
    return;
  job->begun = true;
  const char *title = job->kind == JOB_VERIFY ? "Verifying bounds" : "Looking for invariants";
  send_progress(server, job,
                json_pack("{s:s, s:s, s:b}", "kind", "begin", "title", title, "cancellable", 0));
}

static void fail_request(struct lsp_server *server, const struct job *job, enum rpc_code code,
                         const char *message) {
  if (job->request != NULL)
    server_send(server, rpc_error(job->request, code, message));
}

static void drop_waiting(struct lsp_server *server, const char *uri, json_t *request,
                         enum rpc_code code, const char *message) {
  struct job *job;
  while ((job = job_line_take(&server->jobs, uri, request)) != NULL) {
    fail_request(server, job, code, message);
    job_free(job);
  }
}

static const char modified[] = "the document has changed", cancelled[] = "cancelled";

void work_forget(struct lsp_server *server, const char *uri) {
  job_line_stop(&server->jobs, uri, NULL);
  drop_waiting(server, uri, NULL, RPC_CONTENT_MODIFIED, modified);
}

void work_cancel(struct lsp_server *server, json_t *request) {
  job_line_stop(&server->jobs, NULL, request);
  drop_waiting(server, NULL, request, RPC_CANCELLED, cancelled);
}

void work_shut(struct lsp_server *server) {
  job_line_stop(&server->jobs, NULL, NULL);
  drop_waiting(server, NULL, NULL, RPC_CANCELLED, cancelled);
}

static void finish_verification(struct lsp_server *server, struct job *job,
                                struct open_document *document) {
  verdicts_clear(&document->verdicts);
  document->verdicts = job->verdicts;
  verdicts_init(&job->verdicts);
  publish_diagnostics(server, document);
}

static void finish_insertion(struct lsp_server *server, const struct job *job,
                             const struct open_document *document) {
  server_show(server, 3, text_get(&job->message));
  char id[TOKEN_SIZE];
  snprintf(id, sizeof id, "apply-%zu", job->number);
  if (job->found)
    server_send(server, rpc_request(id, "workspace/applyEdit",
                                    json_pack("{s:s, s:o}", "label", "Insert inferred invariants",
                                              "edit", edit_whole(server, document, &job->text))));
  server_send(server, rpc_result(job->request, NULL));
}

void work_finished(struct lsp_server *server, struct job *job) {
  struct open_document *document = documents_find(&server->documents, job->uri);
  bool current = document != NULL && document->revision == job->revision;
  if (job->begun)
    send_progress(server, job, json_pack("{s:s}", "kind", "end"));
  if (!current)
    fail_request(server, job, RPC_CONTENT_MODIFIED, modified);
  else if (job->stop != 0)
    fail_request(server, job, RPC_CANCELLED, cancelled);
  else if (job->kind == JOB_VERIFY)
    finish_verification(server, job, document);
  else
    finish_insertion(server, job, document);
  job_free(job);
}
