/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/import.h"

#include <string.h>

#include "base/file.h"
#include "cli/question/store/fetch.h"
#include "cli/question/store/folder.h"
#include "dist/source/source.h"

/* --unit or --select for something that is not there would pass unnoticed. */
static enum status check_names(const struct gather *gather, const struct asker *asker,
                               const char *option, const settings *given) {
  for (size_t i = 0; i < given->count; i++) {
    const char *name = given->data[i].name;
    size_t length = strlen(name);
    bool used = false;
    for (size_t k = 0; k < gather->table.rows.count; k++) {
      const char *series = gather->table.rows.data[k].name;
      used = used || (strncmp(series, name, length) == 0 &&
                      (series[length] == '\0' || series[length] == '.'));
    }
    if (used)
      continue;
    return asker_fail(asker, STATUS_USAGE, "--%s %s=%s: no series is called so", option, name,
                      given->data[i].value);
  }
  return STATUS_OK;
}

/* The earlier page, in *bytes, owned by the caller. */
static enum status load_since(struct source_page *since, char **bytes,
                              const struct import_request *request, struct text *message) {
  const struct fetch_options options = {
      .form = FETCH_PROTOBUF, .timeout_ms = request->timeout_ms, .trust = request->server.trust};
  enum status status =
      fetch_is_address(request->since)
          ? fetch(bytes, &since->length, request->since, &options, message)
          : file_read(request->since, FILE_LIMIT_MAX, bytes, &since->length, message);
  since->name = request->since;
  since->bytes = *bytes;
  if (status == STATUS_OK && request->source_count != 1) {
    text_append(message, "--since is of one later page; name it alone");
    return STATUS_USAGE;
  }
  return status;
}

static enum status gather_sources(struct gather *gather, const struct import_request *request,
                                  struct text *message) {
  char *bytes = NULL;
  struct source_page since = {0};
  enum status status =
      request->since == NULL ? STATUS_OK : load_since(&since, &bytes, request, message);
  gather->since = bytes == NULL ? NULL : &since;
  gather->text_pages = bytes != NULL && !source_is_protobuf(bytes, since.length);
  for (size_t i = 0; i < request->source_count && status == STATUS_OK; i++)
    status = gather_add(gather, request->sources[i], message);
  gather->since = NULL;
  mem_free(bytes);
  return status;
}

static enum status gather_all(struct gather *gather, const struct import_request *request,
                              struct text *message) {
  enum status status = folder_may_write(request->out, message);
  if (status == STATUS_OK)
    status = server_gather(gather, &request->server, message);
  if (status == STATUS_OK)
    status = gather_sources(gather, request, message);
  if (status == STATUS_OK)
    status = gather_finish(gather, message);
  if (status == STATUS_OK && gather->table.rows.count == 0) {
    text_format(message, "%s: nothing was recorded in %s",
                request->source_count == 0 ? "--prometheus" : request->sources[0],
                request->source_count == 1 ? "it" : "these");
    status = STATUS_DATA;
  }
  return status;
}

enum status import_ask(struct gather *gather, const struct import_request *request) {
  *gather = (struct gather){.imported = request->imported,
                            .by = request->by,
                            .units = &request->units,
                            .selects = request->selects,
                            .timeout_ms = request->timeout_ms,
                            .trust = request->server.trust};
  struct text message;
  text_init(&message);
  enum status status = gather_all(gather, request, &message);
  if (status == STATUS_OK)
    status = check_names(gather, request->asker, "unit", &request->units);
  if (status == STATUS_OK)
    status = check_names(gather, request->asker, "select", &request->selects);
  if (status == STATUS_OK)
    status = folder_write(request->out, &gather->table, &gather->joined, &message);
  if (message.length != 0)
    asker_say(request->asker, SAYING_MISTAKE, "%s", message.data);
  text_clear(&message);
  return status;
}
