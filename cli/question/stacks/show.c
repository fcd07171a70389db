/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/stacks/show.h"

#include "base/file.h"
#include "trace/stacks/frame.h"
#include "trace/stacks/pool.h"

static enum status read(struct stack_profile *profile, const char *path,
                        const struct stack_reading *reading, const struct asker *asker) {
  struct text message;
  text_init(&message);
  stack_profile_init(profile);
  enum status status = stack_profile_read(profile, path, reading, &message);
  if (status == STATUS_OK && profile->total == 0) {
    text_format(&message, "%s: holds no sample; sample for longer", file_name(path));
    status = STATUS_DATA;
  }
  if (status != STATUS_OK)
    asker_fail(asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

/* As `profile --adaptive` shows it (cli/question/profile/spare.c): intervals are no narrower. */
static void pool(struct show_answer *a, const struct phases *phases) {
  double worth = stack_evidence_of(&a->profile, 0, a->request->level).samples;
  if (phases->windows.count == 0 || !stack_profile_pool(&a->profile, phases))
    return;
  stack_evidence_keep(&a->profile, worth);
  ledger_note(&a->ledger, LEDGER_DATA,
              "%s: the rate changed with the program; between two changes samples speak for all "
              "windows, the fewer the farther where shares drift",
              file_name(a->request->path));
}

static void note_lost(struct ledger *ledger, const struct stack_profile *profile,
                      const char *path) {
  if (profile->lost != 0 || profile->throttled != 0)
    ledger_warn(ledger, LEDGER_DATA,
                "%s: %llu records were lost and sampling was held back %llu times, so that shares "
                "may lean to quiet times",
                file_name(path), (unsigned long long)profile->lost,
                (unsigned long long)profile->throttled);
  if (profile->torn)
    ledger_warn(ledger, LEDGER_DATA,
                "%s: its end is missing: it was cut off on its way, its sampler was killed, or "
                "samples on; this is of what there is",
                file_name(path));
  double unseen = stack_evidence_of(profile, 0, 0).unseen;
  if (unseen >= 0.02)
    ledger_warn(ledger, LEDGER_DATA,
                "%s: no sample stands for %.1f %% of the processor time, which may be any "
                "function's; that much more is left open",
                file_name(path), 100 * unseen);
  if (profile->pruned != 0)
    ledger_note(ledger, LEDGER_DATA,
                "%s: callers in threads with a weight of %llu were left out on purpose",
                file_name(path), (unsigned long long)profile->pruned);
}

/* What the file does not say of its numbers. */
static void note_unit(struct ledger *ledger, const struct stack_profile *profile,
                      const char *path) {
  const char *name = file_name(path);
  if (profile->unit == STACK_WEIGHTS)
    ledger_warn(ledger, LEDGER_DATA,
                "%s: its numbers are no numbers of samples, as all are multiples of one number or "
                "they add up to too many, and nothing says what they are, so that shares have no "
                "interval; say it with --weight (samples, ns, or what one sample weighs)",
                name);
  else if (profile->assumed && profile->count == 0)
    ledger_warn(
        ledger, LEDGER_DATA,
        "%s: all numbers are multiples of one number, so that they may be no numbers of samples, "
        "and shares have no interval; if they are, say so with --weight samples",
        name);
  else if (profile->count == 0)
    ledger_note(ledger, LEDGER_DATA,
                "%s: the file does not say how many samples there were, so that shares have no "
                "interval",
                name);
  else if (profile->assumed)
    ledger_note(
        ledger, LEDGER_DATA,
        "%s: the numbers are taken for numbers of samples, which nothing says; if they "
        "are, say so with --weight samples, else with --weight ns or what one sample weighs",
        name);
}

/* Functions of one text may be in several files. */
static void find_modules(struct show_answer *a) {
  struct text text = {0};
  a->modules = mem_alloc(a->by_text.frames.count, sizeof *a->modules);
  for (uint32_t i = 0; i < a->profile.frames.count; i++) {
    uint32_t module = a->profile.frames.data[i].module;
    uint32_t *of = &a->modules[stack_function_of(&a->by_text, &a->profile, i, &text)];
    if (module != 0)
      *of = *of == 0 || *of == module ? module : UINT32_MAX;
  }
  text_clear(&text);
}

enum status show_ask(struct show_answer *a, const struct show_request *request) {
  *a = (struct show_answer){.request = request};
  ledger_init(&a->ledger);
  stack_profile_init(&a->by_text);
  struct phases phases = {0};
  struct stack_reading reading = request->reading;
  reading.phases = &phases;
  enum status status = read(&a->profile, request->path, &reading, request->asker);
  if (status == STATUS_OK)
    pool(a, &phases);
  phases_clear(&phases);
  if (status != STATUS_OK)
    return status;
  a->found = true;
  stack_profile_by_function(&a->by_text, &a->profile);
  find_modules(a);
  stack_hot_find(&a->hot, &a->by_text);
  a->evidence = stack_evidence_of(&a->by_text, a->hot.list.count, request->level);
  note_lost(&a->ledger, &a->profile, request->path);
  note_unit(&a->ledger, &a->profile, request->path);
  if (a->profile.left_out.length != 0)
    ledger_add(&a->ledger, LEDGER_DATA, "%s: not read: %s", file_name(request->path),
               text_get(&a->profile.left_out));
  if (stack_unit_is_waiting(&a->profile))
    ledger_add(&a->ledger, LEDGER_DATA,
               "every wait of the length that was kept is there, so shares are of this run and "
               "have no interval");
  else if (a->profile.count != 0)
    ledger_add(&a->ledger, LEDGER_DIST,
               "all intervals hold at once with the confidence (Bonferroni); each takes the "
               "samples for independent");
  return STATUS_OK;
}

void show_clear_answer(struct show_answer *a) {
  stack_profile_clear(&a->profile);
  stack_profile_clear(&a->by_text);
  stack_hot_clear(&a->hot);
  mem_free(a->modules);
  ledger_clear(&a->ledger);
}

static void note_assumptions(struct change_answer *a) {
  struct ledger *ledger = &a->ledger;
  ledger_add(
      ledger, LEDGER_DIST,
      "a function is significant by Fisher's exact test, corrected for all functions by Holm");
  if (!a->difference.counted)
    ledger_warn(ledger, LEDGER_DATA,
                "a file does not say how many samples there were, so that nothing can be judged");
  else if (!a->difference.timed)
    ledger_note(ledger, LEDGER_DIST,
                "samples have no moments and are taken for independent; those of a program that "
                "works in phases are not, and more is then called significant than should be");
  else
    ledger_note(
        ledger, LEDGER_DIST,
        "samples of one run depend on each other: of a function up to %.1f tell as much as one "
        "that is independent, and it counts with so many fewer",
        a->difference.dependence);
  ledger_note(ledger, LEDGER_DATA,
              "each file is one run; what differs from run to run without a cause is not known");
}

/* The lengths of waits are no draws of one law, and there is no number of samples to test with. */
static enum status refuse_waits(const struct stack_profile *profile, const char *path,
                                const struct asker *asker) {
  if (!stack_unit_is_waiting(profile))
    return STATUS_OK;
  return asker_fail(asker, STATUS_DATA,
                    "%s: it has waits (profile --off-cpu), whose few longest decide, so that no "
                    "test says what is chance; hold slow requests against the others with `tail "
                    "TRACES --profile %s`",
                    file_name(path), file_name(path));
}

enum change_verdict change_verdict_of(const struct change_answer *a,
                                      const struct stack_change *change) {
  double margin = a->request->margin;
  if (!a->difference.counted || !change->settled)
    return CHANGE_UNDECIDED;
  if (margin > 0)
    return change->least > margin   ? CHANGE_MORE
           : change->most <= margin ? CHANGE_WITHIN
                                    : CHANGE_UNDECIDED;
  return !change->significant                         ? CHANGE_NOT_SHOWN
         : change->share_after > change->share_before ? CHANGE_MORE
                                                      : CHANGE_LESS;
}

enum status change_found(const struct change_answer *a) {
  enum status status = a->difference.changes.count == 0 ? STATUS_UNKNOWN : STATUS_OK;
  for (size_t i = 0; i < a->difference.changes.count; i++) {
    enum change_verdict found = change_verdict_of(a, &a->difference.changes.data[i]);
    status = status_worst(status, found == CHANGE_MORE        ? STATUS_REFUTED
                                  : found == CHANGE_UNDECIDED ? STATUS_UNKNOWN
                                                              : STATUS_OK);
  }
  return status;
}

enum status change_ask(struct change_answer *a, const struct change_request *request) {
  struct stack_profile before, after;
  const struct stack_reading reading = {.weight = request->weight};
  *a = (struct change_answer){.request = request};
  ledger_init(&a->ledger);
  enum status status = read(&before, request->before, &reading, request->asker);
  enum status other =
      status == STATUS_OK ? read(&after, request->after, &reading, request->asker) : STATUS_OK;
  if (status == STATUS_OK && other == STATUS_OK)
    other = refuse_waits(&before, request->before, request->asker);
  if (status == STATUS_OK && other == STATUS_OK)
    other = refuse_waits(&after, request->after, request->asker);
  if (status == STATUS_OK && other == STATUS_OK) {
    a->found = true;
    a->samples_before = before.count;
    a->samples_after = after.count;
    a->assumed = before.assumed || after.assumed;
    stack_difference_find(&a->difference, &before, &after, request->level);
    note_lost(&a->ledger, &before, request->before);
    note_lost(&a->ledger, &after, request->after);
    note_unit(&a->ledger, &before, request->before);
    note_unit(&a->ledger, &after, request->after);
    note_assumptions(a);
  }
  if (status == STATUS_OK)
    stack_profile_clear(&after);
  stack_profile_clear(&before);
  if (status != STATUS_OK || other != STATUS_OK)
    return status != STATUS_OK ? status : other;
  status = change_found(a);
  return status != STATUS_UNKNOWN && a->assumed ? STATUS_CONDITIONAL : status;
}

void change_clear_answer(struct change_answer *a) {
  if (a->found)
    stack_difference_clear(&a->difference);
  ledger_clear(&a->ledger);
}
