/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/load.h"

#include <stdio.h>

#include "base/duration.h"
#include "base/jsonl.h"
#include "cli/present/stores.h"

static void print_count(size_t count, const char *what) {
  if (count != 0)
    printf(", %zu %s", count, what);
}

static void print_verdict(const struct load_answer *answer) {
  if (answer->good == 0)
    printf("cannot tell: no request succeeded\n");
  else if (answer->status == STATUS_UNKNOWN)
    printf(
        "cannot tell: of %zu of %zu requests much of the latency is this program's own, which has "
        "too little processor time; lower --rate, or run it on another machine\n",
        answer->late, answer->counted);
}

static void print_text(const struct load_answer *answer, const char *path) {
  struct text late;
  text_init(&late);
  duration_print_upper(&late, answer->latest_ns);
  printf("%s: %zu requests: %zu good", path, answer->counted, answer->good);
  print_count(answer->refused, "with a bad status");
  print_count(answer->broken, "without a whole answer");
  print_count(answer->timed_out, "timed out");
  printf("\n");
  summary_print_series(stdout, &answer->gather);
  if (answer->opened != 0)
    printf("\n  %zu connection%s opened; ", answer->opened,
           answer->opened == 1 ? " was" : "s were");
  else
    printf("\n  ");
  printf("this program saw a request %s late at most\n", text_get(&late));
  print_verdict(answer);
  summary_print_ledger(&answer->gather, false);
  text_clear(&late);
}

static void print_json(const struct load_answer *answer, const char *path) {
  struct jsonl *line = jsonl_new("load");
  jsonl_text(line, "file", path);
  jsonl_integer(line, "requests", (int64_t)answer->counted);
  jsonl_integer(line, "good", (int64_t)answer->good);
  jsonl_integer(line, "bad_status", (int64_t)answer->refused);
  jsonl_integer(line, "broken", (int64_t)answer->broken);
  jsonl_integer(line, "timed_out", (int64_t)answer->timed_out);
  jsonl_integer(line, "connections", (int64_t)answer->opened);
  jsonl_integer(line, "late", (int64_t)answer->late);
  jsonl_integer(line, "latest_ns", (int64_t)answer->latest_ns);
  jsonl_text(line, "verdict", answer->status == STATUS_UNKNOWN ? "cannot tell" : "measured");
  jsonl_print(line);
  summary_print_json(&answer->gather);
  summary_print_ledger(&answer->gather, true);
}

void load_print(const struct load_answer *answer, const char *path, bool json) {
  if (json)
    print_json(answer, path);
  else
    print_text(answer, path);
}
