/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the histogram text of our own recorder (dist/source/tph.h).
 */
#include "dist/source/tph.h"

#include <inttypes.h>

#include "base/order.h"

void tph_about_clear(struct tph_about *about) {
  names_release(&about->notes);
}

static const char *settled_name(const struct order_worth *worth) {
  return worth->settled ? "settled" : "unsettled";
}

static void print_order(struct text *text, const struct source_order *order, uint64_t real) {
  text_format(text, "worth all %" PRIu64 " %s%s\n", order->all.upper, settled_name(&order->all),
              order->wanders ? " wanders" : "");
  for (size_t i = 0; i < ORDER_LEVELS; i++) {
    const struct order_worth *at = &order->at[i];
    if (at->upper != real || at->lower != real || !at->settled)
      text_format(text, "worth %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", order_level(i), at->upper,
                  at->lower, settled_name(at));
  }
}

void tph_print(struct text *text, const char *name, const struct sample *sample,
               const struct tph_about *about) {
  text_format(text,
              "tailproof-histogram 1\nname %s\nunit ns\nsub_buckets %" PRIu64 "\ntotal %" PRIu64
              "\nsaturated %" PRIu64 "\n",
              name, about->sub_buckets, sample->total, sample->beyond);
  const struct evidence *evidence = &sample->evidence;
  for (size_t i = 0; i < evidence->sources.list.count; i++)
    text_format(text, "from %s\n", evidence->sources.list.data[i]);
  for (size_t i = 0; i < about->notes.count; i++)
    text_format(text, "note %s\n", about->notes.data[i]);
  if (evidence->order != NULL)
    print_order(text, evidence->order, sample->real);
  evidence_print(text, evidence, "");
  text_append(text, "counts\n");
  uint64_t before = 0;
  for (size_t i = 0; i < sample->count; i++) {
    const struct sample_bin *bin = &sample->bins[i];
    text_format(text, "%" PRIu64 " %" PRIu64, bin->upper_ns, bin->count);
    if (bin->lower_ns != before)
      text_format(text, " %" PRIu64, bin->lower_ns);
    text_append(text, "\n");
    before = bin->upper_ns;
  }
  text_append(text, "end\n");
}
