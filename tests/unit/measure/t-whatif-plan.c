/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Plans of experiments: what they say, what they leave to be chosen, and what is wrong with them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/throughput/experiment/plan.h"

static const char good[] = "entry: web\n"
                           "load: run it\n"
                           "services:\n"
                           "  - {name: web, command: ./web, neighbours: [db]}\n"
                           "  - {name: db, poker: '10.0.0.2:99', workers: 3, work: 1.5ms}\n";

static void read_good(struct experiment_plan *plan, const char *text) {
  char message[PLAN_MESSAGE] = "";
  int error = plan_parse(plan, "some/plan.yaml", text, strlen(text), message);
  if (error != 0)
    fail_msg("%s", message);
}

static void a_plan(void **state) {
  (void)state;
  struct experiment_plan plan;
  read_good(&plan, good);
  assert_string_equal(plan.folder, "some");
  assert_string_equal(plan.load, "run it");
  assert_int_equal(plan.count, 2);
  assert_int_equal(plan.entry, 0);
  assert_int_equal(plan.targets, 3);
  assert_int_equal(plan.services[0].neighbours, 2);
  assert_int_equal(plan.services[1].neighbours, 1);
  assert_int_equal(plan.services[1].workers, 3);
  assert_int_equal(plan.services[1].work_ns, 1500000);
  assert_string_equal(plan.services[1].poker, "10.0.0.2:99");
  assert_int_equal(plan.level_count, 4);
  assert_int_equal(plan.levels_ppm[3], 800000);
  assert_int_equal(plan.least, 2);
  assert_int_equal(plan.most, 5);
  plan_clear(&plan);
}

static void all_keys(void **state) {
  (void)state;
  struct experiment_plan plan;
  read_good(&plan, "entry: b\n"
                   "services:\n"
                   "  - {name: a, command: x, proxy: 'l:1=b:2', count_pipe: yes, resource: m}\n"
                   "  - {name: b, command: y, resource: m}\n"
                   "  - {name: c, command: z}\n"
                   "resources: [{name: m, processors: 2}]\n"
                   "targets: [c]\nlevels: [60, 12.5%, 99.99]\nkey: k\npause: signal\nwarmup: 0s\n"
                   "load: run -c{users}\nusers: 12\nwindow: 250ms\nrepetitions: {most: "
                   "1}\nprecision: 0.5%\nbudget: 20s\nbatch: 7\n");
  assert_int_equal(plan.targets, 4);
  assert_int_equal(plan.services[0].neighbours, 2); /* of the entry, as no neighbours are named */
  assert_int_equal(plan.services[1].neighbours, 5);
  assert_int_equal(plan.services[1].processors, 2);
  assert_int_equal(plan.services[2].processors, 0);
  assert_true(plan.services[0].count_pipe);
  assert_int_equal(plan.levels_ppm[0], 125000);
  assert_int_equal(plan.levels_ppm[1], 600000);
  assert_int_equal(plan.levels_ppm[2], 999900);
  assert_int_equal(plan.warmup_ns, 0);
  assert_int_equal(plan.window_ns, 250000000);
  assert_int_equal(plan.least, 1);
  assert_int_equal(plan.precision_ppm, 5000);
  assert_int_equal(plan.batch, 7);
  assert_int_equal(plan.users, 12);
  plan_clear(&plan);
  read_good(&plan, "entry: a\nservices: [{name: a, command: x}]\ntargets: []\nlevels: []\n");
  assert_int_equal(plan.targets, 0);
  assert_int_equal(plan.level_count, 0);
  plan_clear(&plan);
}

/* Words of the message that a plan gets. */
static const struct {
  const char *text, *words;
} cases[] = {
    {"", "empty"},
    {"entry: a\nservices: []\n", "services: empty"},
    {"entry: b\nservices: [{name: a, command: x}]\n", "entry: \"b\" is no service"},
    {"entry: a\nservices: [{name: a}]\n", "give either command"},
    {"entry: a\nservices: [{name: a, command: x, poker: 'h:1'}]\n", "give either command"},
    {"entry: a\nservices: [{name: a, command: ''}]\n", "empty"},
    {"entry: a\nservices: [{name: a b, command: x}]\n", "printable characters"},
    {"entry: a\nservices: [{name: a, command: x}, {name: a, command: x}]\n", "there twice"},
    {"entry: a\nservices: [{name: a, command: x, colour: red}]\n", "Unexpected key: colour"},
    {"entry: a\nservices: [{name: a, command: x, neighbours: [z]}]\n", "\"z\" is no other service"},
    {"entry: a\nservices: [{name: a, command: x, neighbours: [a]}]\n", "\"a\" is no other service"},
    {"entry: a\nservices: [{name: a, command: x, neighbours: [b]}, {name: b, command: x}, {name: "
     "c, "
     "command: x}]\n",
     "services, c, neighbours: rounds do not get there"},
    {"entry: a\nservices: [{name: a, command: x, workers: 0}]\n", "from 1 to 100000"},
    {"entry: a\nservices: [{name: a, command: x, work: 3}]\n", "a time with its unit"},
    {"entry: a\nservices: [{name: a, command: x, work: 0s}]\n", "out of range"},
    {"entry: a\nservices: [{name: a, command: x, count_pipe: maybe}]\n", "yes or no"},
    {"entry: a\nservices: [{name: a, command: x, proxy: b}]\n", "LISTEN=BACKEND"},
    {"entry: a\nservices: [{name: a, poker: 'h:1', proxy: 'b=c'}]\n", "its own `tailproof poker`"},
    {"entry: a\nservices: [{name: a, poker: h}]\n", "HOST:PORT"},
    {"entry: a\nservices: [{name: a, command: x, relay: b}]\n", "LISTEN=BACKEND"},
    {"entry: a\nservices: [{name: a, command: x, relay: 'b=c', proxy: 'b=c'}]\n", "give one"},
    {"entry: a\nservices: [{name: a, poker: 'h:1', relay: 'b=c'}]\n", "its own `tailproof poker`"},
    {"entry: a\nservices: [{name: a, command: x}, {name: b, command: x, relay: 'b=c', calls: 2}]\n",
     "that nothing counts"},
    {"entry: a\nservices: [{name: a, command: x}, {name: b, command: x, counted_by: c}]\n",
     "\"c\" is no other service"},
    {"entry: a\nservices: [{name: a, command: x}, {name: b, command: x, calls: none}]\n",
     "a number from"},
    {"entry: a\nservices: [{name: a, command: x, counted_by: b}, {name: b, command: x}]\n",
     "it has to count"},
    {"entry: a\nservices: [{name: a, command: x}, {name: b, command: x, counted_by: c}, {name: c, "
     "command: x, calls: 2}]\n",
     "c does not count by itself either"},
    {"entry: a\nservices: [{name: a, command: x}]\nnot_waited_for: [h]\n", "HOST:PORT"},
    {"entry: a\nload: x\nusers: 3\nservices: [{name: a, command: x}]\n", "nothing tells the load"},
    {"entry: a\nusers: 3\nservices: [{name: a, command: x}]\n", "nothing tells the load"},
    {"entry: a\nload: x {users}\nservices: [{name: a, command: x}]\n", "give `users`"},
    {"entry: a\nload: x {users}\nusers: 0\nservices: [{name: a, command: x}]\n", "from 1 to"},
    {"entry: a\nservices: [{name: a, command: x, resource: m}]\n", "is not described"},
    {"entry: a\nservices: [{name: a, command: x}]\nresources: [{name: m, processors: 1}]\n",
     "is no service's"},
    {"entry: a\nservices: [{name: a, command: x, resource: m}]\nresources: [{name: m, "
     "processors: "
     "1}, {name: m, processors: 1}]\n",
     "there twice"},
    {"entry: a\nservices: [{name: a, command: x}]\ntargets: [b]\n", "targets: \"b\""},
    {"entry: a\nservices: [{name: a, command: x}]\ntargets: [a, a]\n", "there twice"},
    {"entry: a\nservices: [{name: a, command: x}]\nlevels: [0]\n", "levels: \"0\""},
    {"entry: a\nservices: [{name: a, command: x}]\nlevels: [100%]\n", "levels: \"100%\""},
    {"entry: a\nservices: [{name: a, command: x}]\nlevels: [20, 20%]\n", "there twice"},
    {"entry: a\nservices: [{name: a, command: x}]\nlevels: [-20]\n", "levels: \"-20\""},
    {"entry: a\nservices: [{name: a, command: x}]\nwindow: 1ms\n", "out of range"},
    {"entry: a\nservices: [{name: a, command: x}]\nbudget: lots\n", "budget: \"lots\""},
    {"entry: a\nservices: [{name: a, command: x}]\nrepetitions: {least: 3, most: 2}\n",
     "least is more than most"},
    {"entry: a\nservices: [{name: a, command: x}]\nprecision: 200%\n", "precision: "},
    {"entry: a\nservices: [{name: a, command: x}]\nbatch: 0\n", "from 1 to 1000000"},
    {"entry: a\nservices: [{name: a, command: x}]\npause: never\n", "auto, freeze or signal"},
    {"entry: [a]\nservices: [{name: a, command: x}]\n", "plan.yaml: "},
    {"entry: a\n\tservices:\n", "indent with blanks"},
};

/* Who counts by itself has no stated calls. */
static void counts(void **state) {
  (void)state;
  static const char text[] = "entry: a\nnot_waited_for: ['h:1', '[::1]:2']\nservices:\n"
                             "  - {name: b, command: x, counted_by: c, calls: 2.5}\n"
                             "  - {name: a, command: x, proxy: 'l:1=b:2'}\n"
                             "  - {name: c, command: x, relay: 'l:3=b:4'}\n"
                             "  - {name: d, command: x, calls: 3}\n";
  struct experiment_plan plan;
  char message[PLAN_MESSAGE];
  assert_int_equal(plan_parse(&plan, "plan.yaml", text, sizeof text - 1, message), 0);
  assert_true(plan.services[0].calls_stated == 2.5 && plan.services[0].counted_by == 2);
  assert_true(plan.services[1].calls_stated == 0 && plan.services[2].calls_stated == 0);
  assert_true(plan.services[3].calls_stated == 3 && plan.services[3].counted_by == 1);
  assert_string_equal(plan.services[2].relay, "l:3=b:4");
  assert_int_equal(plan.unwaited_count, 2);
  assert_string_equal(plan.unwaited[1], "[::1]:2");
  plan_clear(&plan);
}

static void mistakes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct experiment_plan plan;
    char message[PLAN_MESSAGE] = "";
    int error = plan_parse(&plan, "plan.yaml", cases[i].text, strlen(cases[i].text), message);
    if (error != EBADMSG || strstr(message, cases[i].words) == NULL ||
        strncmp(message, "plan.yaml: ", 11) != 0 || strchr(message, '\n') != NULL)
      fail_msg("case %zu: %d, \"%s\" without \"%s\"", i, error, message, cases[i].words);
    assert_null(plan.path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan),
      cmocka_unit_test(all_keys),
      cmocka_unit_test(counts),
      cmocka_unit_test(mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
