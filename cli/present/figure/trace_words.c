/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/figure/trace_words.h"

#include "base/duration.h"
#include "cli/present/path.h"

#define NAMED 12 /* steps of a path that are told in words */

static const struct request_flow *flow_of(const struct trace_path *answer) {
  return answer->graph.flows.data[answer->flow];
}

const struct request *trace_request_shown(const struct trace_path *answer) {
  return &answer->store.requests.data[flow_of(answer)->requests.data[answer->index]];
}

static void append_call(struct text *out, const struct trace_path *answer, uint32_t position) {
  flow_call_name(out, flow_of(answer), position, &answer->store.names);
}

void trace_step_name(struct text *out, const struct trace_path *answer,
                     const struct path_step *step) {
  const struct activity *activity = &flow_of(answer)->activities.data[step->activity];
  append_call(out, answer, activity->owner);
  text_append(out, ": ");
  path_activity(out, answer, flow_of(answer), activity);
}

/* The duration of the NAMED-th longest step, but more than 0. */
static int64_t shortest_named(const struct request_path *path) {
  int64_t longest[NAMED] = {0};
  for (size_t s = 0; s < path->steps.count; s++) {
    int64_t next = path->steps.data[s].duration;
    for (size_t i = 0; i < NAMED; i++)
      if (next > longest[i]) {
        int64_t kept = longest[i];
        longest[i] = next;
        next = kept;
      }
  }
  return longest[NAMED - 1] > 1 ? longest[NAMED - 1] : 1;
}

void trace_request_describe(struct text *out, const struct trace_path *answer) {
  const struct request *request = trace_request_shown(answer);
  const struct request_path *path = &answer->path;
  int64_t least = shortest_named(path);
  size_t told = 0;
  text_append(out, "Request ");
  text_append_bytes(out, request->id.start, request->id.length);
  text_append(out, " took ");
  duration_print_nearest(out, span_store_latency(&answer->store, request));
  text_append(out, ". On its critical path: ");
  for (size_t s = path->steps.count; s-- > 0;) {
    const struct path_step *step = &path->steps.data[s];
    if (step->duration < least || told == NAMED)
      continue;
    text_append(out, told++ == 0 ? "" : ", then ");
    trace_step_name(out, answer, step);
    text_append(out, " ");
    duration_print_nearest(out, step->duration);
  }
  text_append(out, told == 0 ? "nothing that took time." : ".");
}

void trace_step_doubt(struct text *out, const struct trace_path *answer,
                      const struct path_step *step) {
  const struct order *order = &flow_of(answer)->orders.data[step->order];
  text_append(out, "undecided: whether ");
  append_call(out, answer, order->after);
  text_append(out, " waited for ");
  append_call(out, answer, order->before);
  if (step->rival != SPAN_NONE) {
    text_append(out, ", or only for ");
    append_call(out, answer, flow_of(answer)->activities.data[step->rival].position);
  }
}
