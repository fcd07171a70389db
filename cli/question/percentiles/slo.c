/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/percentiles/slo.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"

static bool read_parts(struct slo *slo, const char *text) {
  size_t end = strcspn(text, "<");
  if (text[0] != 'p' || text[end] == '\0')
    return false;
  size_t length = end - 1;
  while (length > 0 && text[length] == ' ')
    length--;
  slo->strict = text[end + 1] != '=';
  const char *time = text + end + (slo->strict ? 1 : 2);
  slo->percentile.text = mem_copy_text(text + 1, length);
  return wanted_share(&slo->percentile) &&
         duration_parse(&slo->limit_ns, time + strspn(time, " ")) &&
         rational_sign(&slo->limit_ns) > 0;
}

enum status slo_read(slo_list *list, const char *text, const struct asker *asker) {
  struct slo slo = {.text = text};
  rational_init(&slo.percentile.share);
  rational_init(&slo.limit_ns);
  bool good = read_parts(&slo, text);
  vector_push(list, slo);
  if (good)
    return STATUS_OK;
  return asker_fail(asker, STATUS_USAGE,
                    "unusable objective \"%s\"; give a percentile, < or <=, and a time with its "
                    "unit, in quotes: --slo 'p99.9<50ms'",
                    text);
}

static void clear_one(struct slo *slo) {
  mem_free(slo->owned);
  mem_free(slo->origin);
  mem_free(slo->percentile.text);
  rational_clear(&slo->percentile.share);
  rational_clear(&slo->limit_ns);
}

bool slo_take(slo_list *list, struct text *text, struct text *origin) {
  struct slo slo = {.owned = text_take(text), .origin = text_take(origin)};
  slo.text = slo.owned;
  rational_init(&slo.percentile.share);
  rational_init(&slo.limit_ns);
  bool good = read_parts(&slo, slo.owned);
  if (good)
    vector_push(list, slo);
  else
    clear_one(&slo);
  return good;
}

void slo_clear(slo_list *list) {
  for (size_t i = 0; i < list->count; i++)
    clear_one(&list->data[i]);
  vector_clear(list);
}

void slo_note_origins(const slo_list *list, struct ledger *ledger) {
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i].origin != NULL)
      ledger_note(ledger, LEDGER_DATA, "%s", list->data[i].origin);
}

bool slo_allows(const struct slo *slo, uint64_t ns) {
  struct rational value;
  rational_init(&value);
  rational_set_integer(&value, (int64_t)ns);
  int order = rational_compare(&value, &slo->limit_ns);
  rational_clear(&value);
  return slo->strict ? order < 0 : order <= 0;
}

enum slo_state slo_judge(const struct slo *slo, bool lower_finite, uint64_t lower_ns,
                         bool upper_finite, uint64_t upper_ns) {
  if (upper_finite && slo_allows(slo, upper_ns))
    return SLO_MET;
  return lower_finite && slo_allows(slo, lower_ns) ? SLO_UNDECIDED : SLO_BROKEN;
}

bool slo_is_met(enum slo_state state) {
  return state == SLO_MET || state == SLO_MET_IF_INDEPENDENT || state == SLO_MET_IF_DRAWS ||
         state == SLO_MET_IN_RUN;
}

bool slo_is_broken(enum slo_state state) {
  return state == SLO_BROKEN || state == SLO_BROKEN_IF_INDEPENDENT ||
         state == SLO_BROKEN_IF_DRAWS || state == SLO_BROKEN_IN_RUN;
}

const char *slo_state_name(enum slo_state state) {
  static const char *const names[] = {"met",
                                      "broken",
                                      "undecided",
                                      "met if independent",
                                      "broken if independent",
                                      "met if the draws are independent",
                                      "broken if the draws are independent",
                                      "met in this run",
                                      "broken in this run"};
  return names[state];
}

enum status slo_status(enum slo_state state) {
  static const enum status statuses[] = {STATUS_OK,          STATUS_REFUTED,     STATUS_UNKNOWN,
                                         STATUS_CONDITIONAL, STATUS_CONDITIONAL, STATUS_CONDITIONAL,
                                         STATUS_CONDITIONAL, STATUS_OF_RUN,      STATUS_OF_RUN};
  return statuses[state];
}
