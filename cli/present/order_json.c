/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/order_json.h"

#include "base/jsonl.h"

void order_put_call(struct jsonl *line, const char *key, const struct request_flow *flow,
                    uint32_t position, const struct span_names *names) {
  struct text text;
  text_init(&text);
  if (position != SPAN_NONE)
    flow_call_name(&text, flow, position, names);
  jsonl_text(line, key, position == SPAN_NONE ? NULL : text_get(&text));
  text_clear(&text);
}

static void print_order(const struct request_flow *flow, size_t f, const struct order *order,
                        const struct span_names *names) {
  static const char *const verdicts[] = {"refuted", "supported", "undecided"};
  struct jsonl *line = jsonl_new("order");
  jsonl_integer(line, "flow", (int64_t)f);
  order_put_call(line, "before", flow, order->before, names);
  order_put_call(line, "after", flow, order->after, names);
  jsonl_flag(line, "end", flow->calls.data[order->before].parent == order->after);
  jsonl_text(line, "verdict", verdicts[order->verdict]);
  jsonl_integer(line, "held", (int64_t)order->held);
  jsonl_integer(line, "refuted", (int64_t)order->refuted);
  jsonl_number(line, "by_chance", order->by_chance);
  if (order->needed == ORDER_NEVER)
    jsonl_text(line, "needed", NULL);
  else
    jsonl_integer(line, "needed", (int64_t)order->needed);
  jsonl_print(line);
}

void orders_print_json(const struct request_flow *flow, size_t f, const struct span_names *names) {
  for (size_t i = 0; i < flow->orders.count; i++)
    print_order(flow, f, &flow->orders.data[i], names);
}
