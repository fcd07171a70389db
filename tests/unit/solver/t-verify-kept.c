/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Verdicts as text and back: nothing is lost, and what is no such text is no verdict.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "solver/tell/timeline.h"
#include "solver/verify_kept.h"
#include "tests/unit/solver/loaded.h"

/* One bound that holds, one that an execution breaks, one with a term that nothing charges; the
 * action b.Never is never taken. */
static const char text[] =
    "protocol p\nparam n : int >= 1\nparam P : time\nrole a\nrole b[n]\nexternal c\n"
    "component A\ncomponent B[b]\ndelay d\nqueueing Queuing\n"
    "message Ask(i: b) : a -> b i\nmessage Done : a -> c\n"
    "state a { started : bool = false }\nstate b { never : bool = false }\n"
    "action a.Go cost A { when not started  started := true  send Done  send Ask(i) for all i in b "
    "}\n"
    "action b i.Serve on Ask(i) cost B[i] { }\n"
    "action b i.Never cost 0 { when never  never := false }\n"
    "invariant fresh: not started implies time(a) <= 0\n"
    "invariant no: forall i in b. not i.never\n"
    "bound right: delivered Done within A + d(Done)\n"
    "bound loose: delivered Done within 2 * A + d(Done)\n"
    "bound wrong: delivered Done within d(Done) + P\n";

struct judged {
  struct loaded loaded;
  struct verification verification;
};

static void judge(struct judged *j) {
  loaded_init(&j->loaded, "p.tp", text);
  assert_non_null(j->loaded.model);
  struct verify_options options = {.jobs = 1, .limit_ms = 10000, .search_seconds = 5};
  verification_init(&j->verification, j->loaded.model, &options);
}

static void clear(struct judged *j) {
  verification_clear(&j->verification);
  loaded_clear(&j->loaded);
}

static void nothing_is_lost(void **state) {
  (void)state;
  struct judged j;
  judge(&j);
  assert_true(verification_is_final(&j.verification));
  char *kept = verification_keep(&j.verification);
  struct verification again;
  assert_true(verification_recall(&again, j.loaded.model, NULL, kept, strlen(kept)));
  char *kept_again = verification_keep(&again);
  assert_string_equal(kept, kept_again);
  assert_int_equal(again.bounds.count, 3);
  for (size_t i = 0; i < 3; i++) {
    const struct bound_report *was = &j.verification.bounds.data[i], *is = &again.bounds.data[i];
    assert_ptr_equal(was->bound, is->bound);
    assert_int_equal(was->verdict, is->verdict);
    assert_int_equal(was->tight, is->tight);
    assert_true(is->reused && !was->reused);
  }
  assert_int_equal(again.bounds.data[2].verdict, VERDICT_REFUTED);
  const struct timeline *was = j.verification.bounds.data[2].execution;
  assert_int_equal(was->rows.count, again.bounds.data[2].execution->rows.count);
  assert_int_equal(was->constants.count, 1);
  assert_string_equal(again.bounds.data[2].execution->constants.data[0].name, "P");
  assert_int_equal(
      rational_compare(&was->rows.data[0].end, &again.bounds.data[2].execution->rows.data[0].end),
      0);
  for (size_t i = 0; i < j.loaded.model->actions.count; i++)
    assert_int_equal(j.verification.never[i], again.never[i]);
  assert_true(again.never[2]);
  mem_free(kept);
  mem_free(kept_again);
  verification_clear(&again);
  clear(&j);
}

static void one_of_several(void **state) {
  (void)state;
  struct judged j;
  judge(&j);
  char *kept = verification_keep(&j.verification);
  struct verification again;
  const struct bound *only = j.loaded.model->bounds.items[1];
  assert_true(verification_recall(&again, j.loaded.model, only, kept, strlen(kept)));
  assert_int_equal(again.bounds.count, 1);
  assert_ptr_equal(again.bounds.data[0].bound, only);
  verification_clear(&again);
  mem_free(kept);
  clear(&j);
}

/* Each line left out in turn: it is refused, or nothing of what it says is made up. */
static void what_is_missing(void **state) {
  (void)state;
  struct judged j;
  judge(&j);
  char *kept = verification_keep(&j.verification);
  struct verification again;
  size_t length = strlen(kept), refused = 0, lines = 0;
  for (size_t cut = 0; cut < length - 2; cut += 5)
    assert_false(verification_recall(&again, j.loaded.model, NULL, kept, cut));
  for (const char *line = kept; *line != '\0'; line = strchr(line, '\n') + 1, lines++) {
    struct text without;
    text_init(&without);
    text_append_bytes(&without, kept, (size_t)(line - kept));
    text_append(&without, strchr(line, '\n') + 1);
    bool believed =
        verification_recall(&again, j.loaded.model, NULL, text_get(&without), without.length);
    refused += !believed;
    if (believed)
      verification_clear(&again);
    text_clear(&without);
  }
  assert_true(refused > lines / 2);
  assert_false(verification_recall(&again, j.loaded.model, NULL, "{}", 2));
  mem_free(kept);
  clear(&j);
}

static void what_is_open_is_not_final(void **state) {
  (void)state;
  struct judged j;
  judge(&j);
  j.verification.bounds.data[1].verdict = VERDICT_UNKNOWN;
  assert_false(verification_is_final(&j.verification));
  j.verification.bounds.data[1].verdict = VERDICT_PROVED;
  j.verification.interrupted = true;
  assert_false(verification_is_final(&j.verification));
  clear(&j);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_lost), cmocka_unit_test(one_of_several),
      cmocka_unit_test(what_is_missing), cmocka_unit_test(what_is_open_is_not_final)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
