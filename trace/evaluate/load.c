/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which measurement stands for a call under load, failures and shards (scenario.h).
 */
#include "trace/evaluate/scenario.h"

#include <inttypes.h>

#include "base/invariant.h"
#include "dist/evaluate/compose.h"

/* The load on one replica, and how it is divided; the last change of each kind counts. */
struct loaded {
  struct rational users;               /* times the calls of one request */
  const struct request_change *shards; /* or NULL */
  bool any;
};

static const struct request_change *last_of(const struct scenario *scenario, enum change_kind kind,
                                            const char *service, const char *operation) {
  const struct request_change *found = NULL;
  for (size_t i = 0; i < scenario->changes.count; i++)
    if (scenario->changes.data[i].kind == kind &&
        change_means(scenario->changes.data[i].name, service, operation))
      found = &scenario->changes.data[i];
  return found;
}

static struct loaded load_of(const struct scenario *scenario, const char *service,
                             const char *operation, uint64_t calls) {
  struct loaded loaded = {.shards = last_of(scenario, CHANGE_SHARDS, service, operation)};
  const struct request_change *load = last_of(scenario, CHANGE_LOAD, service, operation);
  const struct request_change *fail = last_of(scenario, CHANGE_FAIL, service, operation);
  rational_init(&loaded.users);
  loaded.any = load != NULL;
  if (load == NULL)
    return loaded;
  struct rational factor;
  rational_init(&factor);
  rational_set_integer(&loaded.users, (int64_t)load->number);
  rational_set_integer(&factor, (int64_t)calls);
  rational_mul(&loaded.users, &loaded.users, &factor);
  if (fail != NULL) {
    rational_set_fraction(&factor, (int64_t)fail->number, (int64_t)(fail->number - fail->failed));
    rational_mul(&loaded.users, &loaded.users, &factor);
  }
  rational_clear(&factor);
  return loaded;
}

/* The measurement of a call at this concurrency, or at the least greater one. */
static size_t profile_at(const struct scenario *scenario, const char *service,
                         const char *operation, uint64_t wanted, uint64_t *most) {
  size_t best = SIZE_MAX;
  *most = 0;
  for (size_t i = 0; i < scenario->changes.count; i++) {
    const struct request_change *change = &scenario->changes.data[i];
    if (change->kind != CHANGE_PROFILE || !change_means(change->name, service, operation))
      continue;
    *most = change->number > *most ? change->number : *most;
    if (change->number >= wanted &&
        (best == SIZE_MAX || change->number < scenario->changes.data[best].number))
      best = i;
  }
  return best;
}

/* Of the mixture over the shards: the share and the measurement of one of them. */
static enum status add_shard(struct text *text, struct scenario *scenario,
                             const struct loaded *loaded, uint64_t shard, const char *service,
                             const char *operation, struct scenario_law *law) {
  struct rational share, here;
  rational_init(&share);
  rational_init(&here);
  rational_set_integer(&share, 1);
  if (loaded->shards != NULL)
    change_share(&share, loaded->shards, shard);
  rational_mul(&here, &loaded->users, &share);
  int64_t wanted = INT64_MAX;
  rational_ceil(&wanted, &here);
  enum status status = STATUS_OK;
  if (rational_sign(&share) > 0) {
    uint64_t most;
    size_t at = profile_at(scenario, service, operation, (uint64_t)wanted, &most);
    if (at == SIZE_MAX) {
      status =
          asker_fail(scenario->request->asker, STATUS_USAGE,
                     "%s/%s would have %" PRId64 " calls at once, and is measured for up to "
                     "%" PRIu64 "; measure it there, and add --change '%s/%s@%" PRId64 " = FILE'",
                     service, operation, wanted, most, service, operation, wanted);
    } else {
      const struct request_change *profile = &scenario->changes.data[at];
      ledger_note(&scenario->ledger, LEDGER_DATA,
                  "%s/%s with %" PRId64 " calls at once takes as long as measured with %" PRIu64,
                  service, operation, wanted, profile->number);
      text_append(text, law->samples.count == 0 ? "mix(" : ", ");
      rational_print(text, &share);
      text_format(text, " p%zu", law->samples.count);
      vector_push(&law->samples, scenario->laws.data[scenario->of.data[at].law]->samples.data[0]);
    }
  }
  rational_clear(&share);
  rational_clear(&here);
  return status;
}

static void keep_law(size_t *index, struct scenario *scenario, struct scenario_law *law) {
  struct text message;
  text_init(&message);
  invariant(compose_parse(&law->compose, law->text, &message) == STATUS_OK);
  text_clear(&message);
  struct scenario_law *kept = mem_alloc(1, sizeof *kept);
  *kept = *law;
  vector_push(&scenario->laws, kept);
  *index = scenario->laws.count - 1;
}

enum status load_choose(size_t *index, struct scenario *scenario, const char *service,
                        const char *operation, uint64_t calls) {
  *index = SIZE_MAX;
  uint64_t most;
  struct loaded loaded = load_of(scenario, service, operation, calls);
  profile_at(scenario, service, operation, UINT64_MAX, &most);
  struct scenario_law law = {0};
  struct text text;
  text_init(&text);
  enum status status = STATUS_OK;
  if (loaded.any && most != 0) {
    uint64_t shards = loaded.shards == NULL ? 1 : loaded.shards->number;
    for (uint64_t i = 0; i < shards && status == STATUS_OK; i++)
      status = add_shard(&text, scenario, &loaded, i, service, operation, &law);
    text_append(&text, ")");
    law.text = text_take(&text);
    if (status == STATUS_OK) {
      keep_law(index, scenario, &law);
    } else {
      mem_free(law.text);
      vector_clear(&law.samples);
    }
  }
  rational_clear(&loaded.users);
  return status;
}
