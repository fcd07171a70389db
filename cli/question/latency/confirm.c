/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/latency/confirm.h"

#include <math.h>
#include <string.h>

#include "cli/question/latency/latency.h"
#include "cli/question/latency/ranges.h"
#include "measure/throughput/poker/pacing.h"

/* By how much of it the share that was saved may be another one. */
#define STOOD_MARGIN 0.1

static double ratio(uint64_t above, uint64_t below) {
  if (above == LATENCY_INFINITE || below == 0)
    return INFINITY;
  return below == LATENCY_INFINITE ? 0 : (double)above / (double)below;
}

enum confirm_verdict confirm_compare(double *least, double *most, const struct latency_range *from,
                                     const struct latency_range *to) {
  *least = ratio(to->lower_ns, from->upper_ns) - 1;
  *most = ratio(to->upper_ns, from->lower_ns) - 1;
  if (*least >= -CONFIRM_MARGIN && *most <= CONFIRM_MARGIN)
    return CONFIRM_AGREES;
  bool apart = to->lower_ns > from->upper_ns || to->upper_ns < from->lower_ns;
  return apart ? CONFIRM_DISAGREES : CONFIRM_CANNOT_TELL;
}

/* --- what can be measured --------------------------------------------------------------------- */

static double saved_by(const struct request_change *change) {
  return 1 - rational_double(&change->value);
}

enum status confirm_check(const struct latency_answer *answer) {
  const struct latency_request *request = answer->request;
  const struct request_change *change = answer->scenario.changes.data;
  if (request->confirm == NULL)
    return STATUS_OK;
  if (answer->scenario.changes.count != 1)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--confirm measures one change, not %zu; name one, such as 'cart: *0.5'",
                      answer->scenario.changes.count);
  double saved = saved_by(change), most = PACING_SAVED_MOST / (double)PACING_MILLION;
  if (change->kind != CHANGE_SCALE || saved <= 0 || saved > most)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--confirm: '%s' makes no service faster by a factor; only that can be "
                      "measured without making it: a factor from 0.05 to below 1, such as "
                      "'cart: *0.5'",
                      change->text);
  if (strpbrk(change->name, "/*") != NULL)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--confirm: '%s' does not name one whole service; the others pause while it "
                      "works, whatever it works on: write SERVICE: *%g",
                      change->text, rational_double(&change->value));
  return STATUS_OK;
}

/* --- what was measured ------------------------------------------------------------------------ */

static const char *doubt_about(const struct speedup *speedup) {
  if (speedup->now.count == 0 || speedup->changed.count == 0)
    return "No request began and ended in one of the two kinds of blocks: take longer windows.";
  if (speedup->pauses == 0)
    return "Nobody was paused: the service did not work while it was watched.";
  if (speedup->late * 4 > speedup->pauses)
    return "More than a quarter of the pauses were late: the machine is busy with something else.";
  double wanted = speedup->request->saved_ppm / 1e6;
  if (speedup->stood >= 0 && fabs(speedup->stood - wanted) > STOOD_MARGIN * wanted)
    return "The others did not stand for as long as they were to while the service worked: the "
           "machine is busy with something else, or its calls are shorter than a pause.";
  if (speedup->cut * 100 > speedup->changed.count)
    return "More than one request of a hundred outlasted its block: take a longer warmup.";
  if (speedup->lost * 100 > speedup->now.count + speedup->changed.count)
    return "More than one request of a hundred ended unseen: there are too many for one poker.";
  return NULL;
}

static void confirm(struct latency_percentile *p, const struct latency_answer *answer) {
  struct latency_confirmed *confirmed = &p->confirmed;
  const struct speedup *speedup = &answer->speedup;
  double least, most;
  bool settled[2];
  range_of_series(&confirmed->now, &settled[0], answer, p, speedup->now.data, speedup->now.count);
  range_of_series(&confirmed->changed, &settled[1], answer, p, speedup->changed.data,
                  speedup->changed.count);
  struct latency_range predicted = predicted_range(answer, p);
  confirmed->settled = settled[0] && settled[1] && p->settled;
  confirmed->verdict =
      confirm_compare(&confirmed->least, &confirmed->most, &predicted, &confirmed->changed);
  confirmed->moved =
      confirm_compare(&least, &most, &p->before, &confirmed->now) == CONFIRM_DISAGREES;
  if (confirmed->moved || !confirmed->settled || answer->doubt != NULL)
    confirmed->verdict = CONFIRM_CANNOT_TELL;
}

enum status confirm_measure(struct latency_answer *answer) {
  const struct latency_request *request = answer->request;
  const struct request_change *change = answer->scenario.changes.data;
  answer->measuring = (struct speedup_request){.asker = request->asker,
                                               .path = request->confirm,
                                               .service = change->name,
                                               .saved_ppm = (uint32_t)lrint(saved_by(change) * 1e6),
                                               .listener = request->listener};
  enum status status = speedup_ask(&answer->speedup, &answer->measuring);
  if (status != STATUS_OK)
    return status;
  answer->doubt = doubt_about(&answer->speedup);
  for (size_t i = 0; i < answer->percentiles.count; i++) {
    struct latency_percentile *p = &answer->percentiles.data[i];
    if (answer->speedup.now.count != 0 && answer->speedup.changed.count != 0)
      confirm(p, answer);
    else
      p->confirmed.verdict = CONFIRM_CANNOT_TELL;
    status = status_worst(status, p->confirmed.verdict == CONFIRM_DISAGREES     ? STATUS_REFUTED
                                  : p->confirmed.verdict == CONFIRM_CANNOT_TELL ? STATUS_UNKNOWN
                                                                                : STATUS_OK);
  }
  return status;
}
