/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/lsp/rpc.h"

#include <string.h>

#include "base/memory.h"

json_t *rpc_parse(const char *bytes, size_t length, struct text *message) {
  json_error_t error;
  json_t *value = json_loadb(bytes, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
  if (value == NULL)
    text_format(message, "%s (byte %d)", error.text, error.position);
  return value;
}

static bool is_id(const json_t *id) {
  return json_is_string(id) || json_is_integer(id) || json_is_null(id);
}

struct rpc_message rpc_read(json_t *value) {
  struct rpc_message message = {.kind = RPC_INVALID};
  const char *version = json_string_value(json_object_get(value, "jsonrpc"));
  json_t *method = json_object_get(value, "method"), *params = json_object_get(value, "params");
  json_t *id = json_object_get(value, "id");
  if (is_id(id))
    message.id = id;
  if (version == NULL || strcmp(version, "2.0") != 0 || (id != NULL && !is_id(id)))
    return message;
  if (json_is_object(params) || json_is_array(params))
    message.params = params;
  if (json_is_string(method)) {
    message.method = json_string_value(method);
    message.kind = id == NULL ? RPC_NOTIFICATION : RPC_REQUEST;
  } else if (method == NULL && id != NULL) {
    message.failed = json_object_get(value, "error") != NULL;
    if (message.failed || json_object_get(value, "result") != NULL)
      message.kind = RPC_RESPONSE;
  }
  return message;
}

static json_t *message_new(void) {
  json_t *made = json_object();
  json_object_set_new(made, "jsonrpc", json_string("2.0"));
  return made;
}

json_t *rpc_result(json_t *id, json_t *result) {
  json_t *made = message_new();
  json_object_set(made, "id", id);
  json_object_set_new(made, "result", result == NULL ? json_null() : result);
  return made;
}

json_t *rpc_error(json_t *id, enum rpc_code code, const char *message) {
  json_t *made = message_new(), *error = json_object();
  json_object_set_new(error, "code", json_integer(code));
  json_object_set_new(error, "message", rpc_text(message));
  json_object_set_new(made, "id", id == NULL ? json_null() : json_incref(id));
  json_object_set_new(made, "error", error);
  return made;
}

json_t *rpc_notification(const char *method, json_t *params) {
  json_t *made = message_new();
  json_object_set_new(made, "method", json_string(method));
  json_object_set_new(made, "params", params);
  return made;
}

json_t *rpc_request(const char *id, const char *method, json_t *params) {
  json_t *made = rpc_notification(method, params);
  json_object_set_new(made, "id", json_string(id));
  return made;
}

json_t *rpc_text(const char *text) {
  json_t *made = json_string(text);
  if (made != NULL)
    return made;
  char *copy = mem_copy_text(text, strlen(text));
  for (char *c = copy; *c != '\0'; c++)
    if ((unsigned char)*c >= 0x80)
      *c = '?';
  made = json_string(copy);
  mem_free(copy);
  return made;
}

json_t *rpc_get(json_t *object, const char *path) {
  while (object != NULL) {
    size_t length = strcspn(path, ".");
    object = json_object_getn(object, path, length);
    if (path[length] == '\0')
      return object;
    path += length + 1;
  }
  return NULL;
}

const char *rpc_get_text(json_t *object, const char *path) {
  return json_string_value(rpc_get(object, path));
}

bool rpc_get_flag(json_t *object, const char *path) {
  return json_is_true(rpc_get(object, path));
}
