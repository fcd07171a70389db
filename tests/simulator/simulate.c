/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * simulate FILE...              run each protocol, and hold what the verifier proves of it
 * simulate --random COUNT       the same of random protocols (protocol.h)
 *   --runs N      of each protocol                --seed N    of the first run, or protocol
 *   --steps N     of one run, at most             --limit MS  of the verifier, for one obligation
 *   --most MS     of processor time for the verifier of one random protocol; then it is undecided
 *   --all         hold every bound                --bound NAME  hold this one alone
 *   --order NAME  what a free node starts with: due, timers, messages, any; all of them else
 *   --invariants  hold the invariants too, in every state of a run
 *   --jobs N      threads for random protocols    --print     print all random protocols
 *   --kind NAME   random protocols of one kind alone: a row of the table that is printed about a
 *                 family, such as "groups, k-th of each", or "lost copies", "sum over a family",
 *                 "priority"
 *
 * Exit code 0: no bound that was held is broken; 1: one is, and the shortest run that breaks it is
 * printed; 2: nothing was held, or no event happened; 64, 65 or 66: mistakes.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simulator/read.h"
#include "tests/simulator/sample.h"

static struct model *load(const char *path, enum status *status) {
  struct source *source;
  struct text message;
  text_init(&message);
  struct model *model = NULL;
  *status = source_load(&source, path, &message);
  if (*status == STATUS_OK) {
    model = read_model(source, &message);
    *status = model == NULL ? STATUS_DATA : STATUS_OK;
    source_free(source);
  }
  if (model == NULL)
    fprintf(stderr, "simulate: %s\n", text_get(&message));
  text_clear(&message);
  return model;
}

static enum status judge_file(const char *path, const struct demand *demand) {
  enum status status;
  struct model *model = load(path, &status);
  if (model == NULL)
    return status;
  struct result result;
  hold(&result, model, demand, NULL);
  result_print(&result, path);
  status = result_status(result.outcome.breaches, result.outcome.reached);
  outcome_clear(&result.outcome);
  model_free(model);
  return status;
}

static enum status usage(void) {
  fprintf(
      stderr,
      "usage: simulate [--runs N] [--steps N] [--seed N] [--limit MS] [--most MS] [--order NAME] "
      "[--all] [--bound NAME] [--invariants] FILE... | --random COUNT [--kind NAME] [--jobs N] "
      "[--print]\n");
  return STATUS_USAGE;
}

static bool read_number(uint64_t *number, const char *text) {
  char *end;
  *number = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == 0;
}

static bool read_option(struct demand *demand, int letter, const char *argument, uint64_t number) {
  switch (letter) {
  case 'r':
    demand->simulation.runs = number;
    return true;
  case 's':
    demand->simulation.steps = number;
    return true;
  case 'S':
    demand->simulation.seed = number;
    return true;
  case 'l':
    demand->limit_ms = (unsigned)number;
    return true;
  case 'm':
    demand->most_ms = (unsigned)number;
    return true;
  case 'R':
    demand->random = number;
    return true;
  case 'j':
    demand->jobs = number;
    return number > 0;
  case 'b':
    demand->only = argument;
    return true;
  case 'k':
    demand->kind = argument;
    return sample_has_kind(argument);
  case 'o':
    return order_named(&demand->simulation.order, argument);
  case 'i':
    demand->simulation.invariants = true;
    return true;
  case 'a':
    demand->all = true;
    return true;
  case 'p':
    demand->print = true;
    return true;
  default:
    return false;
  }
}

static bool read_options(struct demand *demand, int argc, char **argv) {
  static const struct option options[] = {
      {"runs", required_argument, NULL, 'r'}, {"steps", required_argument, NULL, 's'},
      {"seed", required_argument, NULL, 'S'}, {"limit", required_argument, NULL, 'l'},
      {"most", required_argument, NULL, 'm'}, {"random", required_argument, NULL, 'R'},
      {"jobs", required_argument, NULL, 'j'}, {"bound", required_argument, NULL, 'b'},
      {"kind", required_argument, NULL, 'k'}, {"order", required_argument, NULL, 'o'},
      {"invariants", no_argument, NULL, 'i'}, {"all", no_argument, NULL, 'a'},
      {"print", no_argument, NULL, 'p'},      {NULL, 0, NULL, 0}};
  int letter;
  while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
    uint64_t number = 0;
    bool is_number = strchr("apbkoi", letter) == NULL;
    if (letter == '?' || (is_number && !read_number(&number, optarg)) ||
        !read_option(demand, letter, optarg, number))
      return false;
  }
  return (demand->random > 0) != (optind < argc);
}

int main(int argc, char **argv) {
  struct demand demand = {.simulation = {.seed = 1, .runs = 1000, .steps = 400, .order = -1},
                          .jobs = 1,
                          .limit_ms = 10000};
  if (!read_options(&demand, argc, argv))
    return usage();
  enum status worst = demand.random > 0 ? sample_judge(&demand) : STATUS_OK;
  for (int i = optind; i < argc; i++)
    worst = status_worst(worst, judge_file(argv[i], &demand));
  return (int)worst;
}
