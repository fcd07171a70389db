/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/store/import.h"

#include <string.h>

#include "cli/question/store/folder.h"

/* --unit for something that is not there would pass unnoticed. */
static enum status check_units(const struct gather *gather, const struct asker *asker) {
  for (size_t i = 0; i < gather->units->count; i++) {
    const char *name = gather->units->data[i].name;
    size_t length = strlen(name);
    bool used = false;
    for (size_t k = 0; k < gather->table.rows.count; k++) {
      const char *series = gather->table.rows.data[k].name;
      used = used || (strncmp(series, name, length) == 0 &&
                      (series[length] == '\0' || series[length] == '.'));
    }
    if (used)
      continue;
    return asker_fail(asker, STATUS_USAGE, "--unit %s=%s: no series is called so", name,
                      gather->units->data[i].value);
  }
  return STATUS_OK;
}

static enum status gather_all(struct gather *gather, const struct import_request *request,
                              struct text *message) {
  enum status status = folder_may_write(request->out, message);
  for (size_t i = 0; i < request->source_count && status == STATUS_OK; i++)
    status = gather_add(gather, request->sources[i], message);
  if (status == STATUS_OK)
    status = gather_finish(gather, message);
  if (status == STATUS_OK && gather->table.rows.count == 0) {
    text_format(message, "%s: nothing was recorded in %s", request->sources[0],
                request->source_count == 1 ? "it" : "these");
    status = STATUS_DATA;
  }
  return status;
}

enum status import_ask(struct gather *gather, const struct import_request *request) {
  *gather =
      (struct gather){.imported = request->imported, .by = request->by, .units = &request->units};
  struct text message;
  text_init(&message);
  enum status status = gather_all(gather, request, &message);
  if (status == STATUS_OK)
    status = check_units(gather, request->asker);
  if (status == STATUS_OK)
    status = folder_write(request->out, &gather->table, &gather->joined, &message);
  if (message.length != 0)
    asker_say(request->asker, SAYING_MISTAKE, "%s", message.data);
  text_clear(&message);
  return status;
}
