/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/replay_traces.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/present/replay.h"
#include "show/wrapped.h"
#include "cli/question/replay/traces.h"

#define FEW 5

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

static void print_others(const struct traces_answer *answer, bool strangers, bool full) {
  uint64_t printed = 0, all = strangers ? answer->strangers : answer->misfits;
  for (size_t i = 0; i < answer->others.count && (full || printed < FEW); i++) {
    const struct traces_other *other = &answer->others.data[i];
    if ((other->reason == NULL) != strangers)
      continue;
    printed++;
    wrapped_format(4, 6, strangers ? "%s" : "%s: %s", other->id, other->reason);
  }
  if (printed < all)
    wrapped_format(4, 6, "and %" PRIu64 " more: --full names them", all - printed);
}

void replay_traces_print_text(const struct traces_answer *answer, bool full) {
  const char *path = answer->run.request->path;
  uint64_t shaped = answer->fitting + answer->misfits;
  wrapped_format(0, 4, "%s: %" PRIu64 " of %" PRIu64 " request%s with its calls follow%s it", path,
                 answer->fitting, shaped, plural(shaped), answer->fitting == 1 ? "s" : "");
  if (answer->fitting > 0)
    replay_tell_bounds(&answer->run, answer->conform);
  if (answer->misfits > 0) {
    wrapped_format(2, 4, "%" PRIu64 " request%s not follow it:", answer->misfits,
                   answer->misfits == 1 ? " does" : "s do");
    print_others(answer, false, full);
  }
  if (answer->strangers > 0) {
    wrapped_format(2, 4, "%" PRIu64 " request%s other calls, of which the protocol says nothing:",
                   answer->strangers, answer->strangers == 1 ? " makes" : "s make");
    print_others(answer, true, full);
  }
}

void replay_traces_print_json(const struct traces_answer *answer) {
  struct jsonl *line = jsonl_new("followed");
  jsonl_text(line, "protocol", answer->run.request->path);
  jsonl_flag(line, "follows", answer->status == STATUS_OK);
  jsonl_integer(line, "fitting", (int64_t)answer->fitting);
  jsonl_integer(line, "misfits", (int64_t)answer->misfits);
  jsonl_integer(line, "strangers", (int64_t)answer->strangers);
  replay_tell_json_bounds(line, &answer->run, answer->conform);
  struct jsonl *others = jsonl_list(line, "others");
  for (size_t i = 0; i < answer->others.count; i++) {
    struct jsonl *item = jsonl_item(others);
    jsonl_text(item, "trace", answer->others.data[i].id);
    jsonl_text(item, "reason", answer->others.data[i].reason);
  }
  jsonl_print(line);
}
