/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/percentile_list.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

void wanted_clear(wanted_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    mem_free(list->data[i].text);
    rational_clear(&list->data[i].share);
  }
  vector_clear(list);
}

bool wanted_share(struct wanted *one) {
  struct rational hundred;
  rational_init(&hundred);
  rational_set_integer(&hundred, 100);
  bool good = number_exact(&one->share, one->text) && rational_sign(&one->share) > 0 &&
              rational_compare(&one->share, &hundred) < 0;
  if (good)
    rational_div(&one->share, &one->share, &hundred);
  rational_clear(&hundred);
  return good;
}

enum status wanted_read(wanted_list *list, const char *text, const struct asker *asker) {
  for (const char *at = text;; at++) {
    size_t length = strcspn(at, ",");
    struct wanted one = {.text = mem_copy_text(at, length)};
    rational_init(&one.share);
    bool good = wanted_share(&one);
    vector_push(list, one);
    if (!good)
      return asker_fail(asker, STATUS_USAGE,
                        "unusable percentile \"%s\"; give numbers between 0 and 100, separated by "
                        "commas",
                        one.text);
    at += length;
    if (*at == '\0')
      return STATUS_OK;
  }
}
