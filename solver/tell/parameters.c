/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/parameters.h"

#include <string.h>

#include "base/text.h"
#include "solver/judge/valuation.h"
#include "solver/search/scope.h"

void constants_take(constant_vector *constants, const struct model *model,
                    const struct valuation *valuation) {
  for (size_t i = 0; i < model->components.count; i++) {
    const struct component *c = model->components.items[i];
    const struct rational *value =
        c->kind == COMPONENT_CONSTANT ? valuation->bare(c, valuation->context) : NULL;
    if (value == NULL)
      continue;
    struct constant constant = {.name = mem_copy_text(c->name, strlen(c->name))};
    rational_init(&constant.value);
    rational_set(&constant.value, value);
    vector_push(constants, constant);
  }
}

void constants_clear(constant_vector *constants) {
  for (size_t i = 0; i < constants->count; i++) {
    mem_free(constants->data[i].name);
    rational_clear(&constants->data[i].value);
  }
  vector_clear(constants);
}

bool parameters_exist(const struct model *model, const constant_vector *constants) {
  return model->params.count != 0 || constants->count != 0;
}

void parameters_print(struct text *text, const struct model *model, const int64_t *scope,
                      const constant_vector *constants) {
  bool integers = model->params.count != 0 || constants->count == 0;
  if (integers)
    scope_print(text, model, scope);
  for (size_t i = 0; i < constants->count; i++) {
    text_format(text, "%s%s=", integers || i != 0 ? ", " : "", constants->data[i].name);
    rational_print_short(text, &constants->data[i].value);
    text_append(text, " ns");
  }
}
