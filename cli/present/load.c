/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/load.h"

#include "base/duration.h"
#include "cli/present/stores.h"
#include "cli/question/load/load.h"

static const struct object_key load_keys[] = {
    KEY("file", TEXT, .marks = MARK_NAMES),
    KEY("requests", COUNT),
    KEY("good", COUNT),
    KEY("bad_status", COUNT),
    KEY("broken", COUNT),
    KEY("timed_out", COUNT),
    KEY("connections", COUNT),
    KEY("retried", COUNT, .note = "sent again, as the server had closed the connection"),
    KEY("handshakes", COUNT, .note = "of TLS; this and the next two with `https://`",
        .marks = MARK_MAYBE),
    KEY("handshake_median_ns", NS, .marks = MARK_MAYBE),
    KEY("handshake_longest_ns", NS, .marks = MARK_MAYBE | MARK_UPPER),
    KEY("late", COUNT),
    KEY("latest_ns", NS, .marks = MARK_UPPER, .note = "by which this program saw one late"),
    KEY("verdict", TEXT, .marks = MARK_NAMES, .words = "measured|cannot tell"),
    {0}};
static const struct object_kind load_kind = {"load", NULL, load_keys};

const struct object_kind *const load_kinds[] = {&load_kind, &series_kind, &assumption_kind, NULL};

static void append_count(struct text *text, size_t count, const char *what) {
  if (count != 0)
    text_format(text, ", %zu %s", count, what);
}

static void say_requests(struct document *document, const struct load_answer *answer,
                         const char *path) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s: %zu requests: %zu good", path, answer->counted, answer->good);
  append_count(&text, answer->refused, "with a bad status");
  append_count(&text, answer->broken, "without a whole answer");
  append_count(&text, answer->timed_out, "timed out");
  document_take(document, LINES_CLOSE, 0, &text);
  document_hang(document, 2);
}

static void say_handshakes(struct document *document, const struct load_answer *answer) {
  if (answer->handshakes == 0)
    return;
  struct text text;
  text_init(&text);
  text_format(&text, "%zu TLS handshake%s took ", answer->handshakes,
              answer->handshakes == 1 ? "" : "s");
  duration_print_upper(&text, answer->handshake_median_ns);
  text_append(&text, " (median), ");
  duration_print_upper(&text, answer->handshake_longest_ns);
  text_append(&text, " at most; each is part of the latency of the request that opened a "
                     "connection");
  document_take(document, LINES_CLOSE, 2, &text);
}

static void say_verdict(struct document *document, const struct load_answer *answer) {
  struct text text;
  text_init(&text);
  if (answer->opened != 0)
    text_format(&text, "%zu connection%s opened; ", answer->opened,
                answer->opened == 1 ? " was" : "s were");
  if (answer->retried != 0)
    text_format(&text,
                "%zu request%s sent again, as the server closed the connection that %s sent on; ",
                answer->retried, answer->retried == 1 ? " was" : "s were",
                answer->retried == 1 ? "it was" : "they were");
  text_append(&text, "this program saw a request ");
  duration_print_upper(&text, answer->latest_ns);
  text_append(&text, " late at most");
  document_take(document, LINES_APART, 2, &text);
  say_handshakes(document, answer);
  if (answer->good == 0)
    text_append(&text, "cannot tell: no request succeeded");
  else if (answer->status == STATUS_UNKNOWN)
    text_format(&text,
                "cannot tell: of %zu of %zu requests much of the latency is this program's own, "
                "which has too little processor time; lower --rate, or run it on another machine",
                answer->late, answer->counted);
  document_take(document, LINES_CLOSE, 0, &text);
}

void load_document(struct document *document, const struct load_answer *answer, const char *path,
                   struct ledger *ledger) {
  document_init(document, "load", load_kinds);
  document_title(document, "Requests when they are due");
  say_requests(document, answer, path);
  struct objects *objects = document_objects(document, &load_kind);
  objects_add(objects);
  object_text(objects, "file", path);
  object_count(objects, "requests", answer->counted);
  object_count(objects, "good", answer->good);
  object_count(objects, "bad_status", answer->refused);
  object_count(objects, "broken", answer->broken);
  object_count(objects, "timed_out", answer->timed_out);
  object_count(objects, "connections", answer->opened);
  object_count(objects, "retried", answer->retried);
  if (answer->secure)
    object_count(objects, "handshakes", answer->handshakes);
  if (answer->handshakes != 0) {
    object_count(objects, "handshake_median_ns", answer->handshake_median_ns);
    object_count(objects, "handshake_longest_ns", answer->handshake_longest_ns);
  }
  object_count(objects, "late", answer->late);
  object_count(objects, "latest_ns", answer->latest_ns);
  object_text(objects, "verdict", answer->status == STATUS_UNKNOWN ? "cannot tell" : "measured");
  series_show(document, &answer->gather);
  say_verdict(document, answer);
  series_ledger(ledger, &answer->gather);
  if (answer->unchecked)
    ledger_note(ledger, LEDGER_DATA, "%s: whose answers these are was not checked (--insecure)",
                path);
  document_ledger(document, ledger);
}
