/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `certify --theory`: a protocol as a term in Coq, its bounds as theorems. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/question/certify/certify.h"
#include "solver/theory/theory.h"

struct writing {
  const struct model *model;
  struct text out, why;
  bool covered;
};

static void write_theory(void *context, const struct certificate *certificate,
                         const struct proof *proof) {
  struct writing *w = context;
  if (certificate->open == 0 && certificate->refused == NULL && !certificate->interrupted)
    w->covered = theory_print(&w->out, &w->why, w->model, proof, certificate);
}

static enum status judge(const struct certificate *certificate, const struct writing *w,
                         const struct theory_request *request) {
  const struct asker *asker = request->asker;
  if (certificate->interrupted || asker_stopped(asker))
    return STATUS_INTERRUPTED;
  if (certificate->refused != NULL)
    return asker_fail(asker, STATUS_UNKNOWN, "%s: no theorem: %s", request->file,
                      certificate->refused);
  if (certificate->open != 0)
    return asker_fail(asker, STATUS_UNKNOWN,
                      "%s: no theorem: %zu obligation%s not proved, for example: %s", request->file,
                      certificate->open, certificate->open == 1 ? " is" : "s are",
                      certificate->first_open);
  return w->covered ? STATUS_OK
                    : asker_fail(asker, STATUS_UNKNOWN, "%s: the theory does not cover: %s",
                                 request->file, text_get(&w->why));
}

static enum status write_protocol(struct theory_answer *answer, const struct protocol *protocol,
                                  struct writing *w, const struct theory_request *request) {
  struct text message;
  text_init(&message);
  struct proof_options how = {.jobs = request->effort.jobs,
                              .limit_ms = request->effort.timeout_ms,
                              .stop = request->asker->stop};
  struct certificate certificate;
  enum status status =
      certificate_init_and(&certificate, protocol->model, &how, NULL, &message, write_theory, w);
  if (status == STATUS_OK)
    status = judge(&certificate, w, request);
  if (status == STATUS_OK) {
    status = file_write(request->out, w->out.data, w->out.length, &message);
    if (status != STATUS_OK)
      asker_fail(request->asker, status, "%s", text_get(&message));
  }
  answer->obligations = certificate.entries.count;
  answer->theorems = protocol->model->bounds.count;
  certificate_clear(&certificate);
  text_clear(&message);
  return status;
}

enum status theory_ask(struct theory_answer *answer, const struct theory_request *request) {
  *answer = (struct theory_answer){.file = mem_copy_text(request->out, strlen(request->out))};
  struct protocol protocol;
  struct writing w = {0};
  text_init(&w.out);
  text_init(&w.why);
  enum status status = protocol_load(&protocol, request->file, request->asker);
  if (status == STATUS_OK) {
    w.model = protocol.model;
    if (theory_covers(&w.why, protocol.model))
      status = write_protocol(answer, &protocol, &w, request);
    else
      status = asker_fail(request->asker, STATUS_UNKNOWN, "%s: the theory does not cover: %s",
                          request->file, text_get(&w.why));
  }
  protocol_clear(&protocol);
  text_clear(&w.out);
  text_clear(&w.why);
  return status;
}

void theory_answer_clear(struct theory_answer *answer) {
  mem_free(answer->file);
}
