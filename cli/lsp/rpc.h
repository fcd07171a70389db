/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON-RPC 2.0: what a message is, and the messages that answer it. Functions that return json_t
 * return a new reference, which the caller gives away or releases.
 */
#ifndef CLI_LSP_RPC_H
#define CLI_LSP_RPC_H

#include <jansson.h>
#include <stdbool.h>

#include "base/text.h"

enum rpc_code {
  RPC_PARSE_ERROR = -32700,
  RPC_INVALID_REQUEST = -32600,
  RPC_METHOD_NOT_FOUND = -32601,
  RPC_INVALID_PARAMS = -32602,
  RPC_NOT_INITIALIZED = -32002,
  RPC_CONTENT_MODIFIED = -32801,
  RPC_CANCELLED = -32800,
};

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE, RPC_INVALID };

/* Borrowed from the JSON value that was read. */
struct rpc_message {
  enum rpc_kind kind;
  const char *method; /* of a request or notification */
  json_t *id;         /* of a request or response; of what is invalid, when it has one; or NULL */
  json_t *params;     /* an object or an array, or NULL */
  bool failed;        /* of a response: it is an error */
};

struct rpc_message rpc_read(json_t *value);

/* The JSON value that the bytes are, NULL: they are none, and `message` says why. */
json_t *rpc_parse(const char *bytes, size_t length, struct text *message);

json_t *rpc_result(json_t *id, json_t *result); /* steals `result`; NULL: null */
json_t *rpc_error(json_t *id, enum rpc_code code, const char *message);  /* id NULL: null */
json_t *rpc_notification(const char *method, json_t *params);            /* steals `params` */
json_t *rpc_request(const char *id, const char *method, json_t *params); /* steals `params` */

/* A string, where `text` need not be UTF-8: bytes that are none become "?". */
json_t *rpc_text(const char *text);

/* What is there under a path such as "textDocument.uri"; NULL: nothing of this type. Borrowed. */
json_t *rpc_get(json_t *object, const char *path);
const char *rpc_get_text(json_t *object, const char *path);
bool rpc_get_flag(json_t *object, const char *path); /* false also where there is none */

#endif
