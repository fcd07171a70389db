/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The questions of `draft` and `replay --traces`: what one writes of requests the other accepts of
 * them, and of no others.
 */
#include "cli/question/draft/draft.h"
#include "cli/question/replay/traces.h"
#include "tests/unit/cli/heard.h"

static const char *const shop[] = {"examples/traces/shop.json.gz"};
enum { REQUESTS = 60 };

static enum status draft(struct draft_answer *answer, struct draft_request *request, double share) {
  static struct asker asker;
  asker = heard_asker();
  *request = (struct draft_request){.asker = &asker,
                                    .traces = shop,
                                    .trace_count = 1,
                                    .out = heard_path("drafts"),
                                    .share = share};
  return draft_ask(answer, request);
}

static enum status replay(struct traces_answer *answer, struct replay_request *request,
                          const char *const *traces) {
  static struct asker asker;
  asker = heard_asker();
  *request = (struct replay_request){.asker = &asker,
                                     .path = heard_path("drafts/web_checkout.tp"),
                                     .stores = traces,
                                     .store_count = 1};
  return traces_ask(answer, request);
}

/* The table beside the protocol has a row for each request of the flow. */
static size_t lines_of(const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t lines = 0;
  for (int c; (c = getc(file)) != EOF;)
    lines += c == '\n';
  fclose(file);
  return lines;
}

static void what_was_drafted_is_followed(void **state) {
  (void)state;
  struct draft_request request;
  struct draft_answer drafted;
  assert_int_equal(draft(&drafted, &request, 0.05), STATUS_OK);
  assert_int_equal(drafted.written, 1);
  assert_int_equal(drafted.files.count, 1);
  assert_string_equal(drafted.files.data[0].name, "web_checkout");
  draft_answer_clear(&drafted);
  assert_int_equal(lines_of(heard_path("drafts/web_checkout.csv")), REQUESTS + 1);
  struct replay_request again;
  struct traces_answer replayed;
  assert_int_equal(replay(&replayed, &again, shop), STATUS_OK);
  assert_int_equal(replayed.fitting, REQUESTS);
  assert_int_equal(replayed.misfits + replayed.strangers, 0);
  assert_int_equal(replayed.others.count, 0);
  traces_answer_clear(&replayed);
}

/* A request of other calls is no request of the protocol: it is counted, and named. */
static void others_are_strangers(void **state) {
  (void)state;
  struct draft_request request;
  struct draft_answer drafted;
  assert_int_equal(draft(&drafted, &request, 0), STATUS_OK);
  draft_answer_clear(&drafted);
  const char *other = heard_write(
      "other.json",
      "[{\"traceId\":\"00000000000000ab\",\"id\":\"0000000000000001\",\"name\":\"sell\","
      "\"timestamp\":1000,\"duration\":500,\"localEndpoint\":{\"serviceName\":\"web\"}}]");
  struct replay_request again;
  struct traces_answer replayed;
  assert_int_equal(replay(&replayed, &again, &other), STATUS_UNKNOWN);
  assert_int_equal(replayed.fitting, 0);
  assert_int_equal(replayed.strangers, 1);
  assert_int_equal(replayed.others.count, 1);
  assert_non_null(strstr(replayed.others.data[0].id, "ab"));
  assert_null(replayed.others.data[0].reason);
  traces_answer_clear(&replayed);
  const char *nothing = heard_path("nothing.json");
  assert_int_equal(replay(&replayed, &again, &nothing), STATUS_NO_INPUT);
  assert_null(replayed.conform);
  heard_only(SAYING_FAILURE, "nothing.json");
  traces_answer_clear(&replayed);
}

static void what_is_there_stays(void **state) {
  (void)state;
  struct draft_request request;
  struct draft_answer answer;
  assert_int_equal(draft(&answer, &request, 0), STATUS_OK);
  draft_answer_clear(&answer);
  assert_int_not_equal(draft(&answer, &request, 0), STATUS_OK);
  assert_int_equal(answer.written, 0);
  heard_only(SAYING_MISTAKE, "drafts");
  draft_answer_clear(&answer);
  assert_int_equal(lines_of(heard_path("drafts/web_checkout.csv")), REQUESTS + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, heard_setup, heard_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(what_was_drafted_is_followed), TEST(others_are_strangers),
                                     TEST(what_is_there_stays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
