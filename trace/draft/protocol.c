/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/draft/protocol.h"

#include <inttypes.h>

#include "base/shown.h"
#include "lang/check.h"
#include "lang/parse.h"
#include "lang/print.h"
#include "lang/source.h"
#include "trace/draft/actions.h"
#include "trace/draft/series.h"

/* A line of comment; what is recorded may hold anything. */
static void comment_name(struct text *text, const struct draft_plan *plan, uint32_t p) {
  struct text name;
  text_init(&name);
  flow_call_name(&name, plan->flow, p, plan->names);
  shown_append(text, text_get(&name), name.length);
  text_clear(&name);
}

static void write_loops(struct text *text, const struct draft_plan *plan) {
  for (size_t l = 0; l < plan->shape->loops.count; l++) {
    const struct shape_loop *loop = &plan->shape->loops.data[l];
    if (plan->calls.data[loop->call].place == DRAFT_APART)
      continue;
    text_append(text, "#\n# ");
    comment_name(text, plan, loop->call);
    text_format(text, " is a loop: %" PRIu32, loop->least);
    if (loop->most > loop->least)
      text_format(text, " to %" PRIu32, loop->most);
    text_append(text, " rounds, one after the other. ");
    if (plan->by_round[l])
      text_format(text,
                  "N_%s is how many there are at most, [k] is round k.\n"
                  "# A round that a request does not make takes no time.\n",
                  plan->calls.data[loop->call].name);
    else
      text_append(text, "They are one call here, which takes what all take.\n");
  }
}

void draft_set(struct text *text, const struct draft_plan *plan) {
  const char *between = " --set ";
  for (size_t l = 0; l < plan->shape->loops.count; l++) {
    const struct shape_loop *loop = &plan->shape->loops.data[l];
    if (!plan->by_round[l] || plan->calls.data[loop->call].place == DRAFT_APART)
      continue;
    text_format(text, "%sN_%s=%" PRIu32, between, plan->calls.data[loop->call].name, loop->most);
    between = ",";
  }
}

static void write_parameters(struct text *text, const struct draft_plan *plan) {
  bool any = false;
  for (size_t l = 0; l < plan->shape->loops.count; l++) {
    const struct shape_loop *loop = &plan->shape->loops.data[l];
    if (!plan->by_round[l] || plan->calls.data[loop->call].place == DRAFT_APART)
      continue;
    text_format(text, "param N_%s : int >= 0\n", plan->calls.data[loop->call].name);
    any = true;
  }
  text_append(text, any ? "\n" : "");
}

static void write_head(struct text *text, const struct draft_plan *plan,
                       const struct draft_origin *origin) {
  text_append(text, "# ");
  comment_name(text, plan, 0);
  text_format(text, ": drafted from %" PRIu64 " of %" PRIu64 " recorded requests, %zu",
              origin->drafted, origin->requests, origin->calls.least);
  if (origin->calls.most > origin->calls.least)
    text_format(text, " to %zu", origin->calls.most);
  text_append(text, " calls in each.\n");
  text_format(
      text,
      "#\n"
      "# Work_X is what X does itself after the last answer that it needs. Until_X is what "
      "the caller of\n"
      "# X does before it, while it waits for nobody. net(Call_X) is the time until X begins "
      "otherwise:\n"
      "# the network, and calls that start side by side. net(Answer_X) is the way back. A way "
      "that was not\n"
      "# recorded is 0: it is in the caller's own time.\n");
  write_loops(text, plan);
  struct text set;
  text_init(&set);
  draft_set(&set, plan);
  text_format(text,
              "#\n"
              "# Next:\n"
              "#   tailproof verify --infer --write %s.tp\n"
              "#   tailproof replay %s.tp --traces TRACES%s%s\n"
              "#   tailproof percentiles %s.tp --joint %s.csv --observed request -p 50,90,99%s\n",
              origin->name, origin->name, origin->followed ? " --follow messages" : "",
              text_get(&set), origin->name, origin->name, text_get(&set));
  text_clear(&set);
}

static size_t undecided(const struct request_flow *flow) {
  size_t count = 0;
  for (size_t i = 0; i < flow->orders.count; i++)
    count += flow->orders.data[i].verdict == ORDER_UNDECIDED;
  return count;
}

static void write_undecided(struct text *text, const struct draft_plan *plan,
                            const struct draft_origin *origin) {
  const struct request_flow *flow = plan->flow;
  if (undecided(flow) == 0)
    return;
  if (origin->undecided_wait)
    text_append(
        text,
        "#\n"
        "# The requests leave these orders open: too few have them to exclude chance, or not all. "
        "Each is taken\n"
        "# for a wait, so the bound holds of programs that do wait there. replay names each "
        "request that\n"
        "# did not. (tailproof draft --undecided free takes none for a wait.)\n");
  else
    text_append(
        text,
        "#\n"
        "# The requests leave these orders open: too few have them to exclude chance, or not all. "
        "None is taken\n"
        "# for a wait. The bound holds whether a program waits there or not; what it waited, "
        "if it did, is\n"
        "# counted in its own work, or in the delay of a message.\n");
  for (size_t i = 0; i < flow->orders.count; i++) {
    const struct order *order = &flow->orders.data[i];
    if (order->verdict != ORDER_UNDECIDED)
      continue;
    text_append(text, "#   ");
    comment_name(text, plan, order->before);
    bool end = flow->calls.data[order->before].parent == order->after;
    bool feeds = order->kind == ORDER_FEEDS;
    text_append(text, feeds ? " feeds " : end ? " before the end of " : " before ");
    comment_name(text, plan, order->after);
    text_append(text, order->before == order->after ? " in the next round" : "");
    if (feeds) {
      text_append(text, ", or not: no draft has it as a wait\n");
      continue;
    }
    if (order->refuted == 0)
      text_format(text, " (in all %" PRIu64 ")\n", order->held);
    else
      text_format(text, " (in %" PRIu64 " of %" PRIu64 ": it differs by request)\n", order->held,
                  order->held + order->refuted);
  }
}

static void write_apart(struct text *text, const struct draft_plan *plan) {
  bool any = false;
  for (uint32_t p = 0; p < plan->calls.count; p++) {
    if (plan->calls.data[p].place != DRAFT_APART)
      continue;
    text_append(
        text,
        any ? "#   "
            : "#\n# It is not known that anybody waits for these calls. They are left out:\n#   ");
    any = true;
    comment_name(text, plan, p);
    text_append(text, "\n");
  }
}

static void write_roles(struct text *text, const struct draft_plan *plan) {
  for (uint32_t p = 0; p < plan->calls.count; p++) {
    if (!draft_is_node(plan, p))
      continue;
    if (plan->calls.data[p].place == DRAFT_THREAD)
      text_append(text, "# A thread of its service, since other work of it goes on meanwhile:\n");
    text_append(text, "# ");
    comment_name(text, plan, p);
    text_format(text, "\nrole %s\n", plan->calls.data[p].name);
  }
  text_append(text, "external client\n\n");
}

static void write_components(struct text *text, const struct draft_plan *plan) {
  for (size_t s = 0; s < plan->steps.count; s++)
    for (size_t w = 0; w < plan->steps.data[s].works.count; w++) {
      text_append(text, "component ");
      uint32_t activity = plan->steps.data[s].works.data[w];
      draft_component(text, plan, activity);
      uint32_t position = plan->flow->activities.data[activity].position;
      text_append(text, draft_loop_of(plan, position) != NULL ? "[int]\n" : "\n");
    }
}

static bool has_threads(const struct draft_plan *plan) {
  for (size_t p = 0; p < plan->calls.count; p++)
    if (plan->calls.data[p].place == DRAFT_THREAD)
      return true;
  return false;
}

static void write_messages(struct text *text, const struct draft_plan *plan) {
  bool threads = has_threads(plan);
  if (threads)
    text_append(text,
                "# local: between a service and its own threads; the time until one starts.\n");
  text_format(text, "delay net%s\n", threads ? ", local" : "");
  if (plan->joins)
    text_append(text, "# How long an answer waits while its caller is busy; never in what was "
                      "recorded.\nqueueing Queuing\n");
  text_append(text, "\n");
  for (uint32_t p = 1; p < plan->calls.count; p++) {
    if (!draft_is_node(plan, p))
      continue;
    const char *name = plan->calls.data[p].name;
    const char *caller = plan->calls.data[draft_caller(plan, p)].name;
    const char *over = threads ? " over " : "", *delay = threads ? draft_delay(plan, p) : "";
    text_format(text, "message Call_%s : %s -> %s%s%s\n", name, caller, name, over, delay);
    text_format(text, "message Answer_%s : %s -> %s%s%s\n", name, name, caller, over, delay);
  }
  text_format(text, "message Reply : %s -> client%s\n\n", plan->calls.data[0].name,
              threads ? " over net" : "");
}

static void write_protocol(struct text *text, const struct draft_plan *plan,
                           const struct draft_origin *origin) {
  write_head(text, plan, origin);
  write_undecided(text, plan, origin);
  write_apart(text, plan);
  text_format(text, "\nprotocol %s\n\n", origin->name);
  write_parameters(text, plan);
  write_roles(text, plan);
  write_components(text, plan);
  write_messages(text, plan);
  draft_states(text, plan);
  draft_actions(text, plan);
  draft_invariants(text, plan);
  text_append(text, "bound reply: sent Reply within ?\n");
}

/* Names are any bytes, a protocol is UTF-8. */
static void make_valid(struct text *text) {
  struct source *source = source_from_text("draft", text->data, text->length);
  bool invalid = source_invalid(source) < text->length;
  source_free(source);
  for (size_t i = 0; invalid && i < text->length; i++)
    if ((unsigned char)text->data[i] >= 0x80)
      text->data[i] = '?';
}

void draft_protocol(struct text *text, const struct draft_plan *plan,
                    const struct draft_origin *origin) {
  struct text draft;
  struct diagnostics diagnostics;
  text_init(&draft);
  diagnostics_init(&diagnostics);
  write_protocol(&draft, plan, origin);
  make_valid(&draft);
  struct source *source = source_from_text("draft", draft.data, draft.length);
  struct ast *ast = parse(source, &diagnostics);
  if (error_count(&diagnostics) == 0)
    model_free(check(ast, source, &diagnostics));
  if (error_count(&diagnostics) > 0)
    bug("a drafted protocol has mistakes: %s", diagnostics_view(&diagnostics, 0, source).message);
  print_ast(text, ast);
  ast_free(ast);
  source_free(source);
  diagnostics_clear(&diagnostics);
  text_clear(&draft);
}
