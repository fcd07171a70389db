/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/verify/instance.h"

#include "base/memory.h"
#include "cli/question/verify/parameters.h"
#include "cli/question/verify/reuse.h"
#include "cli/question/verify/verify.h"
#include "lang/instantiate.h"

static enum status write_out(struct instance *instance, const struct model *model,
                             const struct bound *bound, const struct parameters *set,
                             const struct asker *asker) {
  struct expression_table table;
  struct text text;
  expression_table_init(&table);
  text_init(&text);
  const struct expression *expression = NULL;
  enum status status = bound_instantiate_at(&expression, &table, model, bound, NULL, set->values,
                                            set->given, set->times, &text);
  if (status != STATUS_OK) {
    asker_say(asker, SAYING_FAILURE, "%s", text_get(&text));
    text_clear(&text);
  } else {
    expression_print(&text, expression);
    instance->shortened = text_take(&text);
    text_init(&text);
    expression_print_whole(&text, expression);
    instance->expression = text_take(&text);
    instance->occurrences = table.occurrences.count;
  }
  expression_table_clear(&table);
  return status;
}

static void verify(struct instance_answer *answer, const struct instance_request *request,
                   const struct bound *only, const struct parameters *set) {
  const struct model *model = answer->protocol.model;
  struct verify_options how = effort_options(&request->effort, request->asker);
  how.only = only;
  reuse_or_verify(&answer->reports, model, answer->protocol.source, &how, request->effort.reuse);
  answer->verified = true;
  for (size_t i = 0; i < answer->reports.bounds.count; i++) {
    const struct bound_report *report = &answer->reports.bounds.data[i];
    struct instance instance = {0};
    answer->status = status_worst(answer->status, verdict_status(report->verdict));
    if (report->verdict == VERDICT_PROVED && request->set.count != 0)
      answer->status = status_worst(
          answer->status, write_out(&instance, model, report->bound, set, request->asker));
    vector_push(&answer->instances, instance);
  }
}

enum status instance_ask(struct instance_answer *answer, const struct instance_request *request) {
  *answer = (struct instance_answer){0};
  const struct bound *only = NULL;
  answer->status = protocol_load(&answer->protocol, request->path, request->asker);
  if (answer->status == STATUS_OK && request->bound != NULL) {
    only = protocol_bound(&answer->protocol, request->bound, request->asker);
    answer->status = only == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (answer->status != STATUS_OK)
    return answer->status;
  struct parameters set;
  answer->status = parameters_read(&set, answer->protocol.model, &request->set, request->asker);
  if (answer->status == STATUS_OK)
    verify(answer, request, only, &set);
  parameters_clear(&set);
  if (asker_stopped(request->asker))
    answer->status = STATUS_INTERRUPTED;
  return answer->status;
}

void instance_answer_clear(struct instance_answer *answer) {
  for (size_t i = 0; i < answer->instances.count; i++) {
    mem_free(answer->instances.data[i].shortened);
    mem_free(answer->instances.data[i].expression);
  }
  vector_clear(&answer->instances);
  if (answer->verified)
    verification_clear(&answer->reports);
  protocol_clear(&answer->protocol);
}
