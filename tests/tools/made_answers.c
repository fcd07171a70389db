/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * made_answers ANSWER FORMAT [--full]: the document of an answer that is made up, of commands whose
 * own is another one with each run. With answers that are empty, infinite or not known.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/present/load.h"
#include "cli/present/node_loops.h"
#include "cli/present/output.h"
#include "cli/present/outside.h"
#include "cli/present/stores.h"
#include "cli/present/tune.h"
#include "cli/question/load/load.h"
#include "cli/question/store/gather.h"

static enum output_format format;
static bool full;

static void print(struct document *document) {
  struct output output = {.format = format};
  output_answer(&output, document, full);
}

/* --- load ------------------------------------------------------------------------------------- */

static void print_load(struct load_answer *answer) {
  struct document document;
  struct ledger ledger;
  ledger_init(&ledger);
  load_document(&document, answer, "latencies.csv", &ledger);
  print(&document);
  ledger_clear(&ledger);
  load_answer_clear(answer);
}

/* The latencies are those of the file latencies.csv. */
static void load(void) {
  static const settings none;
  struct text message;
  struct load_answer answer = {.counted = 9,
                               .good = 6,
                               .refused = 1,
                               .broken = 1,
                               .timed_out = 1,
                               .opened = 4,
                               .late = 1,
                               .latest_ns = 12345678901,
                               .gather = {.units = &none, .mix = true}};
  text_init(&message);
  if (gather_add(&answer.gather, "latencies.csv", &message) != STATUS_OK ||
      gather_finish(&answer.gather, &message) != STATUS_OK)
    fprintf(stderr, "%s\n", text_get(&message));
  text_clear(&message);
  print_load(&answer);
}

static void load_empty(void) {
  struct load_answer answer = {.status = STATUS_UNKNOWN};
  print_load(&answer);
}

/* --- tune ------------------------------------------------------------------------------------- */

static void print_tuning(struct heap_tuning *tuning) {
  struct heap_tuning_request request = {.metric = "p99.9"};
  struct document document;
  rational_init(&request.confidence);
  rational_set_fraction(&request.confidence, 19, 20);
  tuning->request = &request;
  ledger_note(&tuning->ledger, LEDGER_DATA, "the load is the user's");
  tuning_document(&document, tuning);
  print(&document);
  rational_clear(&request.confidence);
  ledger_clear(&tuning->ledger);
  tune_answer_clear(&tuning->answer);
}

static void try_setting(struct tune_answer *answer, uint32_t semi, double ratio, double memory) {
  struct tune_tried tried = {.setting = {.semi = semi}, .unusable = isnan(ratio)};
  if (!isnan(ratio))
    vector_push(&tried.ratios, log(ratio));
  if (!isnan(ratio))
    vector_push(&tried.memory, memory);
  vector_push(&answer->tried, tried);
}

static void pair(struct tune_answer *answer, double as_is, double best, double memory) {
  vector_push(&answer->pairs, log(best / as_is));
  vector_push(&answer->metrics_as_is, as_is);
  vector_push(&answer->metrics_best, best);
  vector_push(&answer->memory_as_is, memory);
  vector_push(&answer->memory_best, 2 * memory);
}

static void tuned(double least, double most, double memory) {
  struct heap_tuning tuning = {.answer = {.verdict = most < 1 ? TUNE_BETTER : TUNE_NO_GAIN,
                                          .best = 1,
                                          .has_ratio = true,
                                          .runs = 40}};
  struct tune_answer *answer = &tuning.answer;
  char why[] = "node, with <b>|*128*";
  tuning.unusable = why;
  try_setting(answer, 4, 1.25, memory);
  try_setting(answer, 64, 0.75, 2 * memory);
  try_setting(answer, 128, NAN, 0);
  pair(answer, 4.0004e6, 3.0003e6, memory);
  answer->ratio.value = 0.75;
  answer->ratio.least = least;
  answer->ratio.most = most;
  print_tuning(&tuning);
}

static void tuned_better(void) {
  tuned(0.7123456789, 0.7987654321, 1e8);
}

/* The interval has no ends, and the kernel did not say how much memory there was. */
static void tuned_unknown(void) {
  tuned(0, INFINITY, 0);
}

static void tuned_nothing(void) {
  struct heap_tuning tuning = {.answer = {.verdict = TUNE_NOTHING}};
  print_tuning(&tuning);
}

static void tuned_given_up(void) {
  struct heap_tuning tuning = {.answer = {.verdict = TUNE_GIVEN_UP, .runs = 3}};
  try_setting(&tuning.answer, 4, 1, 0);
  print_tuning(&tuning);
}

/* --- record ----------------------------------------------------------------------------------- */

/* Of the stores in the folder "late". */
static void recorded(void) {
  static const settings none;
  struct gather gather = {.units = &none, .look = true};
  struct document document;
  struct text message;
  text_init(&message);
  if (gather_add(&gather, "late", &message) != STATUS_OK ||
      gather_finish(&gather, &message) != STATUS_OK)
    fprintf(stderr, "%s\n", text_get(&message));
  text_clear(&message);
  recorded_document(&document, &gather, "late", 137, 9);
  print(&document);
  gather_clear(&gather);
}

static void recorded_node(void) {
  static const struct node_tally loops[] = {
      {"app.js, <b>|", 7, 7, 1000000, 3500001000, .states = {90, 1, 2, 3, 4}},
      {"worker", 7, 8, 2000000, 2000000, .dropped = 5, .stopped = 28}};
  node_tallies tallies = {0};
  struct document document;
  vector_push(&tallies, loops[0]);
  vector_push(&tallies, loops[1]);
  node_document(&document, &tallies, "store");
  node_put_unrecorded(&document, "child", 9, 9, 28);
  node_put_end(&document, &tallies, "store", 1, 0);
  print(&document);
  vector_clear(&tallies);
}

/* Two probes in the kernel: one is come by often, one never; `cost_ns` 0: not known. */
static void print_probes(double cost_ns) {
  struct outside_answer answer = {.recorded = true,
                                  .others = 3,
                                  .followed = 2,
                                  .cost_ns = {[COST_KERNEL] = cost_ns},
                                  .exit = 7};
  struct pair_answer pairs = {.requests = 12, .paired = 11};
  struct document document;
  vector_push(&answer.probes.list, (struct outside_probe){.name = "write"});
  vector_push(&answer.probes.list, (struct outside_probe){.name = "read"});
  for (size_t i = 0; i < 2; i++) {
    vector_push(&answer.probes.sites, (struct outside_site){.kind = SITE_SYSCALL});
    vector_push(&answer.plan.list, (struct planned_probe){.target = {.inode = 0}});
  }
  answer.run.start_ns = 5000000000;
  answer.run.end_ns = 7500000000;
  answer.run.count[0] = (struct outside_count){.hits = 4321, .lost = 2, .unread = 1, .aside = 5};
  outside_run_document(&document, &answer);
  text_append(&pairs.told, "11 of 12 requests are paired\nread: never come by\n");
  pair_show(&document, &pairs);
  print(&document);
  pair_answer_clear(&pairs);
  vector_clear(&answer.probes.list);
  vector_clear(&answer.probes.sites);
  vector_clear(&answer.plan.list);
}

static void recorded_probes(void) {
  print_probes(1234.5);
}

static void recorded_free(void) {
  print_probes(0);
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*print)(void);
  } answers[] = {{"load", load},
                 {"load_empty", load_empty},
                 {"tuned_better", tuned_better},
                 {"tuned_unknown", tuned_unknown},
                 {"tuned_nothing", tuned_nothing},
                 {"tuned_given_up", tuned_given_up},
                 {"recorded", recorded},
                 {"recorded_node", recorded_node},
                 {"recorded_probes", recorded_probes},
                 {"recorded_free", recorded_free}};
  if (count < 3 || !output_format_of_word(&format, arguments[2]))
    return 64;
  full = count > 3 && strcmp(arguments[3], "--full") == 0;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (strcmp(answers[i].name, arguments[1]) == 0) {
      answers[i].print();
      return 0;
    }
  return 64;
}
