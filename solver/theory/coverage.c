/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the theory lacks. SOUNDNESS.md has the table of features. */
#include "solver/encode/transition.h"
#include "solver/theory/coq.h"
#include "solver/theory/theory.h"

static void lacks(struct text *why, const char *feature, const char *name) {
  text_format(why, "%s%s (%s)", why->length == 0 ? "" : ", ", feature, name);
}

bool theory_covers(struct text *why, const struct model *model) {
  size_t before = why->length;
  for (size_t i = 0; i < model->components.count; i++) {
    const struct component *c = model->components.items[i];
    if (charge_follows_message(model, c) && !coq_follows(NULL, model, c))
      lacks(why, "charges that the receiver of a message names", c->name);
  }
  return why->length == before;
}
