/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `trace path` says in words (path.h).
 */
#include <inttypes.h>
#include <string.h>

#include "base/duration.h"
#include "cli/present/path.h"

void path_call_say(struct text *text, const struct trace_path *answer,
                   const struct request_flow *flow, uint32_t position) {
  flow_call_name(text, flow, position, &answer->store.names);
}

/* A call as its caller says it: without the service where that is its own. */
static void append_callee(struct text *text, const struct trace_path *answer,
                          const struct request_flow *flow, uint32_t position) {
  const struct flow_call *call = &flow->calls.data[position];
  bool same = call->service == flow->calls.data[call->parent].service && call->service != 0;
  struct text name;
  text_init(&name);
  path_call_say(&name, answer, flow, position);
  size_t skipped = same ? strlen(names_text(&answer->store.names, call->service)) + 1 : 0;
  text_append(text, text_get(&name) + skipped);
  text_clear(&name);
}

static bool has_calls(const struct request_flow *flow, uint32_t position) {
  return position + 1 < flow->calls.count && flow->calls.data[position + 1].parent == position;
}

void path_activity(struct text *text, const struct trace_path *answer,
                   const struct request_flow *flow, const struct activity *activity) {
  const struct flow_call *call = &flow->calls.data[activity->position];
  if (activity->kind == ACTIVITY_QUEUE) {
    text_append(text, "in the queue for ");
    append_callee(text, answer, flow, activity->position);
  } else if (activity->kind == ACTIVITY_NETWORK) {
    text_append(text, activity->is_lead ? "network to " : "network, the answer");
    if (activity->is_lead)
      text_append(text, names_text(&answer->store.names, call->service));
  } else if (activity->is_lead) {
    text_append(text, "until it calls ");
    append_callee(text, answer, flow, activity->position);
  } else {
    text_append(text, has_calls(flow, activity->position) ? "after its calls" : "own work");
  }
}

/* --- what is undecided ------------------------------------------------------------------------ */

/* Why no number of requests decides it: some speak against it. */
static void append_differing(struct text *text, const struct order *order, bool is_end) {
  uint64_t requests = order->held + order->refuted;
  if (order->refuted == 0)
    text_append(text, "It had ended by then here, but calls like it end later elsewhere. ");
  else
    text_format(text, "In %" PRIu64 " of %" PRIu64 " requests it had not ended by then. ",
                order->refuted, requests);
  text_append(text, is_end
                        ? "More such requests would not decide it: it differs by request."
                        : "Their hosts' clocks may be off by as much, so that more such requests "
                          "would not decide it.");
}

static void append_needed(struct text *text, const struct order *order) {
  uint64_t requests = order->held + order->refuted;
  if (requests == 1)
    text_append(text, "It had ended by then in the only request. ");
  else if (order->refuted > 0)
    text_format(text,
                "It had ended by then in %" PRIu64 " of %" PRIu64
                " requests, which chance explains with probability %.2g. ",
                order->held, requests, order->by_chance);
  else
    text_format(text,
                "It had ended by then in all %" PRIu64
                " requests, which chance explains with probability %.2g. ",
                requests, order->by_chance);
  if (order->needed == ORDER_NEVER)
    text_append(text, "More such requests would not decide it: it always ends long before.");
  else
    text_format(text, "About %" PRIu64 " more would decide it.", order->needed);
}

/* A stream or a pool. */
static void append_reading(struct text *text, const struct trace_path *answer,
                           const struct request_flow *flow, const struct order *order) {
  bool feeds = order->kind == ORDER_FEEDS;
  text_append(text, feeds ? "Does " : "Do the calls from ");
  path_call_say(text, answer, flow, order->before);
  text_append(text, feeds ? " feed " : " to ");
  path_call_say(text, answer, flow, order->after);
  if (!feeds) {
    text_append(text, " share a pool? The table has both.");
    return;
  }
  text_format(text, "? They run side by side, and in %" PRIu64 " of %" PRIu64 " requests ",
              order->held, order->held + order->refuted);
  path_call_say(text, answer, flow, order->after);
  text_format(text,
              " ended no sooner, which chance explains with probability %.2g. No number of such "
              "requests tells how much of ",
              order->by_chance);
  path_call_say(text, answer, flow, order->after);
  text_append(text, " was waiting for it.");
}

void path_doubt_say(struct text *text, const struct trace_path *answer,
                    const struct path_doubt *doubt) {
  const struct request_flow *flow = answer->graph.flows.data[doubt->flow];
  const struct order *order = &flow->orders.data[doubt->order];
  bool is_end = flow->calls.data[order->before].parent == order->after;
  if (order->kind != ORDER_AFTER) {
    append_reading(text, answer, flow, order);
    return;
  }
  text_append(text, is_end ? "Does the end of " : "Does ");
  path_call_say(text, answer, flow, order->after);
  text_append(text, " wait for ");
  path_call_say(text, answer, flow, order->before);
  text_append(text, "? ");
  if (order->differs)
    append_differing(text, order, is_end);
  else
    append_needed(text, order);
  if (doubt->rival != SPAN_NONE) {
    text_append(text, " If it waits for ");
    path_call_say(text, answer, flow, doubt->rival);
    text_append(text, " alone, up to ");
    duration_print_nearest(text, doubt->most);
    text_append(text, " of a request belong to ");
    path_call_say(text, answer, flow, flow->calls.data[order->before].parent);
    text_append(text, " itself.");
  }
}

/* What the limit means for the paths. */
static void append_pool(struct text *text, const struct request_flow *flow,
                        const struct suspected_limit *limit) {
  if (limit->decided)
    text_format(text,
                ": a pool of %u, which chance explains with probability %.2g. So a call waits for "
                "whichever of the others left its place.",
                limit->limit, limit->by_chance);
  else if (limit->is_read)
    text_format(text,
                ": a pool of %u is suspected, which chance explains with probability %.2g. It is "
                "undecided whether a call waits for whichever of the others left its place.",
                limit->limit, limit->by_chance);
  else if (flow->requests.count > 1)
    text_format(text,
                ": a limit of %u is suspected. But the calls come in another order from request to "
                "request, or wait for others, too: what each waited for is not known.",
                limit->limit);
  else
    text_format(text, ": a limit of %u is suspected. One request cannot confirm it.", limit->limit);
}

void path_limit_say(struct text *text, const struct trace_path *answer,
                    const struct request_flow *flow, const struct suspected_limit *limit) {
  text_format(text, "Of the %u calls of %s by ", limit->calls,
              limit->service == 0 ? "all services"
                                  : names_text(&answer->store.names, limit->service));
  path_call_say(text, answer, flow, limit->caller);
  text_format(text, " no more than %u ever ran at once, and so many %" PRIu64 " times",
              limit->limit, limit->reached);
  append_pool(text, flow, limit);
}

/* --- titles ----------------------------------------------------------------------------------- */

void path_followed_say(struct text *out, const struct trace_path *answer) {
  text_append(out, answer->request->id != NULL ? "Request "
                   : answer->sampled           ? "The slowest request of the sample, "
                                               : "The slowest request, ");
}

void path_title_say(struct text *out, const struct trace_path *answer) {
  struct slice id = answer->store.requests
                        .data[answer->graph.flows.data[answer->flow]->requests.data[answer->index]]
                        .id;
  path_followed_say(out, answer);
  text_append_bytes(out, id.start, id.length);
  text_append(out, answer->request->id != NULL ? " took " : ", took ");
  duration_print_nearest(out, answer->finish.data[answer->finish.count - 1]);
}

void path_flows_say(struct text *text, const struct trace_path *answer) {
  text_format(text, "of %" PRIu64 " request%s", answer->requests, answer->requests == 1 ? "" : "s");
  if (answer->graph.flows.count == 1)
    text_append(text, answer->requests == 1 ? "" : ", which all make the same calls");
  else
    text_format(text, ", which make their calls in %zu way%s", answer->ways.count,
                answer->ways.count == 1 ? "" : "s");
}
