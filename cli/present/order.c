/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/order.h"

static const struct object_key order_keys[] = {
    KEY("flow", COUNT, .marks = MARK_NAMES),
    KEY("before", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("after", TEXT, .marks = MARK_NAMES | MARK_NULL),
    KEY("end", FLAG, .marks = MARK_NAMES, .note = "`after` is the end of that call"),
    KEY("of", TEXT, .words = "wait|stream|pool", .note = "what is open"),
    KEY("verdict", TEXT, .words = "supported|undecided|refuted"),
    KEY("held", COUNT),
    KEY("refuted", COUNT,
        .note = "requests; an undecided one that is refuted in some differs by request"),
    KEY("by_chance", NUMBER),
    KEY("needed", COUNT, .marks = MARK_NULL, .note = "requests; null: no number"),
    {0}};
const struct object_kind order_kind = {"order", "of `trace path` and `trace summary`", order_keys};

static void put_call(struct objects *orders, const char *key, const struct request_flow *flow,
                     uint32_t position, const struct span_names *names) {
  struct text text;
  text_init(&text);
  if (position != SPAN_NONE)
    flow_call_name(&text, flow, position, names);
  object_text(orders, key, position == SPAN_NONE ? NULL : text_get(&text));
  text_clear(&text);
}

size_t orders_undecided(const struct request_flow *flow) {
  size_t count = 0;
  for (size_t i = 0; i < flow->orders.count; i++)
    count += flow->orders.data[i].verdict == ORDER_UNDECIDED;
  return count;
}

void orders_put(struct objects *orders, const struct request_flow *flow, size_t f,
                const struct span_names *names) {
  static const char *const verdicts[] = {"refuted", "supported", "undecided"};
  static const char *const kinds[] = {"wait", "stream", "pool"};
  static const char *const words[] = {"does not wait", "waits", "undecided"};
  for (size_t i = 0; i < flow->orders.count; i++) {
    const struct order *order = &flow->orders.data[i];
    bool is_end = flow->calls.data[order->before].parent == order->after;
    objects_add(orders);
    object_shown(orders, order->verdict == ORDER_UNDECIDED ? SHOWN_ALWAYS : SHOWN_FULL);
    object_count(orders, "flow", f);
    put_call(orders, "before", flow, order->before, names);
    put_call(orders, "after", flow, order->after, names);
    if (is_end)
      object_words(orders, "after", "the end of %s",
                   object_value(orders, orders->items.count - 1, "after")->text);
    if (order->kind == ORDER_FEEDS)
      object_words(orders, "after", "%s, which it may feed",
                   object_value(orders, orders->items.count - 1, "after")->text);
    if (order->kind == ORDER_POOL)
      object_words(orders, "after", "%s, by a pool",
                   object_value(orders, orders->items.count - 1, "after")->text);
    object_flag(orders, "end", is_end);
    object_text(orders, "of", kinds[order->kind]);
    object_text(orders, "verdict", verdicts[order->verdict]);
    object_words(orders, "verdict", "%s", words[order->verdict]);
    object_count(orders, "held", order->held);
    object_count(orders, "refuted", order->refuted);
    object_number(orders, "by_chance", order->by_chance);
    if (order->verdict == ORDER_REFUTED)
      object_words(orders, "by_chance", "%s", "");
    else
      object_words(orders, "by_chance", "%.2g", order->by_chance);
    if (order->needed == ORDER_NEVER)
      object_null(orders, "needed");
    else
      object_count(orders, "needed", order->needed);
  }
}
