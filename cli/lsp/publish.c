/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Diagnostics: the checker's, and what the latest verification said of each bound. */
#include "cli/lsp/handlers.h"

enum severity { SEVERITY_ERROR = 1, SEVERITY_WARNING = 2, SEVERITY_INFORMATION = 3 };

static json_t *diagnostic(const struct lsp_server *server, const struct open_document *document,
                          struct source_span span, enum severity severity, const char *code,
                          const char *source, const char *message) {
  return json_pack("{s:o, s:i, s:s, s:s, s:o}", "range", place_range(server, document, span),
                   "severity", (int)severity, "code", code, "source", source, "message",
                   rpc_text(message));
}

static void relate(const struct lsp_server *server, const struct open_document *document,
                   json_t *made, struct source_span span, const char *message) {
  if (!server->client.related)
    return;
  json_object_set_new(made, "relatedInformation",
                      json_pack("[{s:o, s:o}]", "location", place_location(server, document, span),
                                "message", rpc_text(message)));
}

static void add_checked(const struct lsp_server *server, const struct open_document *document,
                        json_t *list, const struct diagnostics *queue, const char *source) {
  for (size_t i = 0; i < queue->items.count; i++) {
    const struct diagnostic *d = &queue->items.data[i];
    struct text message;
    text_init(&message);
    text_append(&message, d->message);
    if (d->hint != NULL)
      text_format(&message, "\nhint: %s", d->hint);
    json_t *made = diagnostic(server, document, d->span,
                              diagnostic_is_error(d->code) ? SEVERITY_ERROR : SEVERITY_WARNING,
                              diagnostic_code_name(d->code), source, text_get(&message));
    if (d->note != NULL)
      relate(server, document, made, d->note_span, d->note);
    json_array_append_new(list, made);
    text_clear(&message);
  }
}

static void add_verdicts(const struct lsp_server *server, const struct open_document *document,
                         json_t *list) {
  static const enum severity severities[] = {[VERDICT_PROVED] = SEVERITY_INFORMATION,
                                             [VERDICT_REFUTED] = SEVERITY_ERROR,
                                             [VERDICT_UNKNOWN] = SEVERITY_WARNING};
  for (size_t i = 0; i < document->verdicts.notes.count; i++) {
    const struct bound_note *note = &document->verdicts.notes.data[i];
    json_t *made = diagnostic(server, document, note->span, severities[note->verdict],
                              verdict_name(note->verdict), "tailproof verify", note->headline);
    if (note->place.end != 0)
      relate(server, document, made, note->place, "the place that the reason is about");
    json_array_append_new(list, made);
  }
}

static void publish(struct lsp_server *server, const char *uri, json_int_t version, json_t *list) {
  server_notify(server, "textDocument/publishDiagnostics",
                json_pack("{s:s, s:I, s:o}", "uri", uri, "version", version, "diagnostics", list));
}

void publish_diagnostics(struct lsp_server *server, const struct open_document *document) {
  json_t *list = json_array();
  add_checked(server, document, list, &document->diagnostics, "tailproof");
  add_checked(server, document, list, &document->verdicts.warnings, "tailproof verify");
  add_verdicts(server, document, list);
  publish(server, document->uri, document->version, list);
}

void publish_nothing(struct lsp_server *server, const char *uri, json_int_t version) {
  publish(server, uri, version, json_array());
}
