/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/invariant.h"
#include "dist/evaluate/compose_draw.h"
#include "trace/evaluate/queue.h"
#include "trace/evaluate/replay_inside.h"
#include "trace/evaluate/waiting.h"

enum { DRAWS_LEAST = 20000, DRAWS_MAX = 4000000, REPETITIONS_MAX = 1000 };

/* --- draws ------------------------------------------------------------------------------------ */

static struct row_value draw_sample(struct random *random, const struct scenario_sample *from) {
  const struct sample *sample = &from->sample;
  uint64_t card = random_below(random, sample->total);
  size_t low = 0, high = sample->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (from->below[middle] > card)
      high = middle;
    else
      low = middle + 1;
  }
  if (low == sample->count)
    return (struct row_value){ROW_INFINITE, ROW_INFINITE};
  return (struct row_value){sample->bins[low].lower_ns, sample->bins[low].upper_ns};
}

static struct row_value draw_recorded(const struct replaying *r) {
  const struct edit *edit = r->edit;
  int64_t from = edit->lead == SPAN_NONE ? 0 : r->finish[edit->lead];
  uint64_t took = (uint64_t)(r->finish[edit->activity] - from);
  return (struct row_value){took, took};
}

static struct row_value draw_name(void *context, const char *name) {
  struct replaying *r = context;
  const struct scenario *scenario = r->request->scenario;
  const struct scenario_law *law = scenario->laws.data[r->edit->law];
  size_t i = 0;
  while (strcmp(compose_name(law->compose, i), name) != 0)
    i++;
  size_t sample = law->samples.data[i];
  return sample == SAMPLE_RECORDED ? draw_recorded(r)
                                   : draw_sample(&r->random, scenario->samples.data[sample]);
}

static int64_t draw(void *context, const struct edit *edit) {
  struct replaying *r = context;
  const struct scenario_law *law = r->request->scenario->laws.data[edit->law];
  struct compose_draws draws = {.draw = draw_name, .context = r, .random = &r->random};
  r->edit = edit;
  uint64_t ns = compose_draw(law->compose, &draws).upper_ns;
  int64_t longest = r->editing.longest;
  return ns > (uint64_t)longest ? longest : (int64_t)ns;
}

/* --- requests --------------------------------------------------------------------------------- */

struct scratch {
  int64_t *finish, *durations;
};

static size_t most_activities(const struct variants *variants) {
  size_t most = 1;
  for (size_t f = 0; f < variants->flows.count; f++)
    if (variants->flows.data[f].flow.activities.count > most)
      most = variants->flows.data[f].flow.activities.count;
  return most;
}

void replaying_init(struct replaying *r, const struct replay_wish *request,
                    struct replayed *replayed) {
  *r = (struct replaying){.request = request, .replayed = replayed, .random = {request->seed}};
  r->editing = (struct editing){.draw = draw, .context = r};
  r->finish = mem_alloc(most_activities(request->variants), sizeof *r->finish);
}

void replaying_clear(struct replaying *r) {
  mem_free(r->finish);
}

void replaying_variant(struct replaying *r, const struct flow_variant *variant) {
  r->variant = variant;
  r->editing.longest = edits_longest(variant);
}

int64_t replaying_latency(const struct replaying *r, int64_t ns) {
  return ns >= r->editing.longest ? LATENCY_NEVER : ns;
}

void replaying_redo(struct replaying *r, int64_t *durations, size_t i) {
  const struct request_flow *recorded = r->variant->recorded;
  const struct queue_waiting *waiting = r->request->waiting;
  size_t count = recorded->activities.count;
  size_t f = (size_t)(r->variant - r->request->variants->flows.data);
  const int64_t *row = recorded->durations.data + i * count, *held = NULL;
  if (r->replayed->drawn)
    flow_finish(r->finish, recorded, row);
  if (waiting != NULL && waiting->durations[f] != NULL) {
    row = waiting->durations[f] + i * count;
    held = waiting->held[f] + i * count;
  }
  memcpy(durations, row, count * sizeof *durations);
  edits_apply(durations, r->variant, &r->editing);
  for (size_t a = 0; a < count && held != NULL; a++)
    if (held[a] < r->editing.longest - durations[a])
      durations[a] += held[a];
}

static void replay_flow(struct replaying *r, struct scratch *scratch, int64_t *after) {
  const struct request_flow *flow = &r->variant->flow;
  const uint32_t *requests = flow->requests.data;
  for (size_t i = 0; i < flow->requests.count; i++) {
    if (r->variant->edits.count == 0) {
      after[requests[i]] = r->replayed->before.data[requests[i]];
      continue;
    }
    replaying_redo(r, scratch->durations, i);
    after[requests[i]] =
        replaying_latency(r, flow_finish(scratch->finish, flow, scratch->durations));
  }
}

static bool has_limits(const struct flow_variant *variant) {
  return variant->limit_of.count != 0;
}

/* Requests that meet a limit, as they arrive there. */
static bool replay_queue(struct replaying *r, int64_t *after) {
  const struct replay_wish *request = r->request;
  const struct scenario *scenario = request->scenario;
  VECTOR(struct queued_request) queue = {0};
  VECTOR(uint32_t) which = {0};
  VECTOR(int64_t *) rows = {0};
  for (size_t f = 0; f < request->variants->flows.count; f++) {
    const struct flow_variant *variant = &request->variants->flows.data[f];
    size_t count = variant->flow.activities.count;
    if (!has_limits(variant))
      continue;
    replaying_variant(r, variant);
    int64_t *durations = mem_alloc(count * variant->flow.requests.count, sizeof *durations);
    vector_push(&rows, durations);
    for (size_t i = 0; i < variant->flow.requests.count; i++) {
      uint32_t index = variant->flow.requests.data[i];
      replaying_redo(r, durations + i * count, i);
      struct queued_request queued = {
          .variant = variant,
          .start_ns = request->store->start.data[request->store->requests.data[index].first],
          .durations = durations + i * count};
      vector_push(&queue, queued);
      vector_push(&which, index);
    }
  }
  VECTOR(uint64_t) servers = {0};
  for (size_t i = 0; i < scenario->changes.count; i++)
    vector_push(&servers, scenario->changes.data[i].number);
  for (size_t q = 0; request->waiting != NULL && q < request->waiting->queues.count; q++)
    vector_push(&servers, request->waiting->queues.data[q].servers);
  bool done =
      queue_run(queue.data, queue.count, servers.data, r->replayed->use.data, servers.count);
  for (size_t i = 0; i < queue.count; i++) {
    replaying_variant(r, queue.data[i].variant);
    after[which.data[i]] = replaying_latency(r, queue.data[i].latency_ns);
  }
  for (size_t i = 0; i < rows.count; i++)
    mem_free(rows.data[i]);
  vector_clear(&rows);
  vector_clear(&servers);
  vector_clear(&queue);
  vector_clear(&which);
  return done;
}

/* --- how often -------------------------------------------------------------------------------- */

/* How many draws one request takes of a sample. */
static uint64_t draws_of(const struct replay_wish *request, const struct flow_variant *variant,
                         size_t sample) {
  uint64_t draws = 0;
  for (size_t i = 0; i < variant->edits.count; i++) {
    const struct edit *edit = &variant->edits.data[i];
    if (edit->kind != EDIT_DRAW)
      continue;
    const struct scenario_law *law = request->scenario->laws.data[edit->law];
    for (size_t k = 0; k < law->samples.count; k++)
      if (law->samples.data[k] == sample)
        draws += compose_draw_count(law->compose, k);
  }
  return draws;
}

static void count_draws(struct replayed *replayed, const struct replay_wish *request) {
  const struct variants *variants = request->variants;
  replayed->draws = UINT64_MAX;
  for (size_t f = 0; f < variants->flows.count; f++) {
    const struct flow_variant *variant = &variants->flows.data[f];
    for (size_t i = 0; i < variant->edits.count; i++)
      replayed->drawn = replayed->drawn || variant->edits.data[i].kind == EDIT_DRAW;
    replayed->queued = replayed->queued || has_limits(variant);
    for (size_t s = 0; s < request->scenario->samples.count; s++) {
      uint64_t draws = draws_of(request, variant, s);
      const struct scenario_sample *sample = request->scenario->samples.data[s];
      if (draws == 0 || sample->sample.real / draws >= replayed->draws)
        continue;
      replayed->draws = sample->sample.real / draws;
      replayed->scarce = sample->path;
    }
  }
}

/* So often that drawing adds a sixteenth to the variance, or less. */
static size_t choose_repetitions(const struct replayed *replayed,
                                 const struct replay_wish *request) {
  uint64_t requests = request->store->requests.count;
  if (!replayed->drawn || requests == 0)
    return 1;
  if (request->repetitions != 0)
    return request->repetitions;
  uint64_t wanted = 16 * (replayed->draws < requests ? replayed->draws : requests);
  wanted = wanted < DRAWS_LEAST ? DRAWS_LEAST : wanted > DRAWS_MAX ? DRAWS_MAX : wanted;
  uint64_t times = (wanted + requests - 1) / requests;
  return times > REPETITIONS_MAX ? REPETITIONS_MAX : (size_t)times;
}

/* --- all of it -------------------------------------------------------------------------------- */

static struct scratch new_scratch(const struct variants *variants) {
  size_t most = most_activities(variants);
  return (struct scratch){mem_alloc(most, sizeof(int64_t)), mem_alloc(most, sizeof(int64_t))};
}

static void replay_before(struct replayed *replayed, const struct replay_wish *request,
                          struct scratch *scratch) {
  const struct variants *variants = request->variants;
  for (size_t i = 0; i < request->store->requests.count; i++)
    vector_push(&replayed->before, 0);
  for (size_t f = 0; f < variants->flows.count; f++) {
    const struct request_flow *flow = variants->flows.data[f].recorded;
    for (size_t i = 0; i < flow->requests.count; i++)
      replayed->before.data[flow->requests.data[i]] =
          flow_finish(scratch->finish, flow, flow->durations.data + i * flow->activities.count);
  }
}

static bool repeat(struct replaying *r, struct scratch *scratch, int64_t *after) {
  const struct variants *variants = r->request->variants;
  for (size_t f = 0; f < variants->flows.count; f++) {
    replaying_variant(r, &variants->flows.data[f]);
    if (!has_limits(r->variant))
      replay_flow(r, scratch, after);
  }
  return !r->replayed->queued || replay_queue(r, after);
}

bool requests_replay(struct replayed *replayed, const struct replay_wish *request) {
  *replayed = (struct replayed){0};
  size_t requests = request->store->requests.count;
  struct scratch scratch = new_scratch(request->variants);
  struct replaying r;
  replaying_init(&r, request, replayed);
  replay_before(replayed, request, &scratch);
  count_draws(replayed, request);
  replayed->repetitions = choose_repetitions(replayed, request);
  for (size_t i = 0; i < replayed->repetitions * requests; i++)
    vector_push(&replayed->after, 0);
  size_t limits = request->scenario->changes.count;
  limits += request->waiting == NULL ? 0 : request->waiting->queues.count;
  for (size_t i = 0; replayed->queued && i < limits; i++)
    vector_push(&replayed->use, (struct queue_use){0});
  bool done = true;
  for (size_t i = 0; i < replayed->repetitions && done; i++)
    done = repeat(&r, &scratch, replayed->after.data + i * requests);
  replayed->shortened = r.editing.shortened;
  replaying_clear(&r);
  mem_free(scratch.finish);
  mem_free(scratch.durations);
  return done;
}

void replayed_clear(struct replayed *replayed) {
  vector_clear(&replayed->before);
  vector_clear(&replayed->after);
  vector_clear(&replayed->use);
}

uint64_t replayed_worth(const struct replayed *replayed, uint64_t requests) {
  if (!replayed->drawn || requests == 0)
    return requests;
  double least = (double)(replayed->draws < requests ? replayed->draws : requests);
  double times = (double)replayed->after.count;
  double worth = least == 0 ? 1 : 1 / (1 / least + 1 / times);
  return worth < 1 ? 1 : (uint64_t)worth;
}
