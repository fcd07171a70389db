/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lsp/server.h"

#include <stdlib.h>
#include <string.h>

#include "cli/lsp/handlers.h"

void server_init(struct lsp_server *server, const struct job_options *options) {
  *server = (struct lsp_server){.client = {.encoding = POSITION_UTF16}};
  job_line_init(&server->jobs, options);
}

void server_clear(struct lsp_server *server) {
  job_line_clear(&server->jobs);
  documents_clear(&server->documents);
  text_clear(&server->out);
  json_decref(server->batch);
}

void server_send(struct lsp_server *server, json_t *message) {
  char *content = json_dumps(message, JSON_COMPACT | JSON_ENSURE_ASCII);
  if (content != NULL)
    framing_write(&server->out, content, strlen(content));
  else
    bug("a message that is no JSON");
  free(content);
  json_decref(message);
}

void server_notify(struct lsp_server *server, const char *method, json_t *params) {
  server_send(server, rpc_notification(method, params));
}

void server_show(struct lsp_server *server, int type, const char *message) {
  json_t *params = json_object();
  json_object_set_new(params, "type", json_integer(type));
  json_object_set_new(params, "message", rpc_text(message));
  server_notify(server, "window/showMessage", params);
}

json_t *rpc_fail(struct rpc_call *call, enum rpc_code code, const char *message) {
  call->code = code;
  call->message = message;
  return NULL;
}

/* Answers of one batch go together. */
static void answer(struct lsp_server *server, json_t *message) {
  if (server->batch != NULL)
    json_array_append_new(server->batch, message);
  else
    server_send(server, message);
}

static json_t *handle_shutdown(struct lsp_server *server, struct rpc_call *call) {
  (void)call;
  work_shut(server);
  server->state = SERVER_SHUT;
  return NULL;
}

static const struct {
  const char *method;
  json_t *(*handle)(struct lsp_server *server, struct rpc_call *call);
} requests[] = {{"initialize", handle_initialize},
                {"shutdown", handle_shutdown},
                {"textDocument/hover", handle_hover},
                {"textDocument/definition", handle_definition},
                {"textDocument/references", handle_references},
                {"textDocument/documentHighlight", handle_highlight},
                {"textDocument/documentSymbol", handle_symbols},
                {"textDocument/formatting", handle_formatting},
                {"textDocument/codeAction", handle_code_action},
                {"workspace/executeCommand", handle_command}};

static json_t *handle(struct lsp_server *server, const char *method, struct rpc_call *call) {
  bool is_first = strcmp(method, "initialize") == 0;
  if (server->state == SERVER_SHUT)
    return rpc_fail(call, RPC_INVALID_REQUEST, "the server is shut down");
  if (server->state == SERVER_NEW && !is_first)
    return rpc_fail(call, RPC_NOT_INITIALIZED, "the first request is \"initialize\"");
  if (server->state == SERVER_READY && is_first)
    return rpc_fail(call, RPC_INVALID_REQUEST, "the server is initialized already");
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
    if (strcmp(method, requests[i].method) == 0)
      return requests[i].handle(server, call);
  return rpc_fail(call, RPC_METHOD_NOT_FOUND, "this server does not know the method");
}

static void take_request(struct lsp_server *server, const struct rpc_message *message) {
  struct rpc_call call = {.id = message->id, .params = message->params};
  json_t *result = handle(server, message->method, &call);
  if (call.code != 0)
    answer(server, rpc_error(call.id, call.code, call.message));
  else if (!call.later)
    answer(server, rpc_result(call.id, result));
}

/* 0 or 1, as the protocol has it. */
static void take_exit(struct lsp_server *server) {
  server->status = server->state == SERVER_SHUT ? STATUS_OK : STATUS_REFUTED;
  server->state = SERVER_ENDED;
}

static void take_cancel(struct lsp_server *server, json_t *params) {
  json_t *id = rpc_get(params, "id");
  if (id != NULL)
    work_cancel(server, id);
}

static void take_notification(struct lsp_server *server, const struct rpc_message *message) {
  static const struct {
    const char *method;
    void (*take)(struct lsp_server *server, json_t *params);
  } notifications[] = {{"textDocument/didOpen", take_open},
                       {"textDocument/didChange", take_change},
                       {"textDocument/didSave", take_save},
                       {"textDocument/didClose", take_close},
                       {"$/cancelRequest", take_cancel}};
  if (strcmp(message->method, "exit") == 0)
    take_exit(server);
  for (size_t i = 0; i < sizeof notifications / sizeof *notifications; i++)
    if (server->state == SERVER_READY && strcmp(message->method, notifications[i].method) == 0)
      notifications[i].take(server, message->params);
}

static void take_value(struct lsp_server *server, json_t *value) {
  struct rpc_message message = rpc_read(value);
  switch (message.kind) {
  case RPC_REQUEST:
    take_request(server, &message);
    break;
  case RPC_NOTIFICATION:
    take_notification(server, &message);
    break;
  case RPC_RESPONSE:
    work_confirmed(server, json_string_value(message.id), message.failed);
    break;
  default:
    answer(server,
           rpc_error(message.id, RPC_INVALID_REQUEST, "this is no request of JSON-RPC 2.0"));
  }
}

static void take_batch(struct lsp_server *server, json_t *values) {
  size_t index;
  json_t *value;
  server->batch = json_array();
  json_array_foreach(values, index, value) if (server->state != SERVER_ENDED)
      take_value(server, value);
  json_t *answers = server->batch;
  server->batch = NULL;
  if (json_array_size(answers) != 0)
    server_send(server, answers);
  else
    json_decref(answers);
}

void server_take(struct lsp_server *server, const char *content, size_t length) {
  struct text message;
  text_init(&message);
  json_t *value = rpc_parse(content, length, &message);
  if (value == NULL)
    server_send(server, rpc_error(NULL, RPC_PARSE_ERROR, text_get(&message)));
  else if (json_is_array(value) && json_array_size(value) != 0)
    take_batch(server, value);
  else
    take_value(server, value);
  json_decref(value);
  text_clear(&message);
  if (server->state == SERVER_READY)
    work_begin(server);
}

void server_take_job(struct lsp_server *server) {
  work_finished(server, job_line_finish(&server->jobs));
  if (server->state == SERVER_READY)
    work_begin(server);
}

void server_take_end(struct lsp_server *server) {
  if (server->state != SERVER_ENDED)
    take_exit(server);
}
