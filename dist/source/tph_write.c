/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the histogram text of our own recorder (dist/source/tph.h).
 */
#include "dist/source/tph.h"

#include <inttypes.h>

void tph_about_clear(struct tph_about *about) {
  names_release(&about->from);
  names_release(&about->notes);
}

void tph_print(struct text *text, const char *name, const struct sample *sample,
               const struct tph_about *about) {
  text_format(text,
              "tailproof-histogram 1\nname %s\nunit ns\nsub_buckets %" PRIu64 "\ntotal %" PRIu64
              "\nsaturated %" PRIu64 "\n",
              name, about->sub_buckets, sample->total, sample->beyond);
  for (size_t i = 0; i < about->from.count; i++)
    text_format(text, "from %s\n", about->from.data[i]);
  for (size_t i = 0; i < about->notes.count; i++)
    text_format(text, "note %s\n", about->notes.data[i]);
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
