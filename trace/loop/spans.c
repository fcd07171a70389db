/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/loop/spans.h"

#include <string.h>

#include "base/text.h"
#include "trace/event/word.h"
#include "trace/span/builder.h"

enum { CLASSES = EVENT_PROGRAM + 1, CALL_BYTES = 10 };

/* How much is known of when instances of a class became ready. */
enum readiness { READY_ALWAYS, READY_NEVER, READY_SOMETIMES };

struct spans {
  struct span_store *store;
  const struct event_log *log;
  const struct event_chains *chains;
  const struct trace_reading *reading;
  struct builder *builder;
  enum readiness readiness[CLASSES];
  bool placed[CLASSES]; /* the place of each instance is known */
  bool arrivals;        /* some arrival is known, apart from when it was noticed */
  struct text name, id;
  uint32_t instance; /* names of the store ... */
  size_t calls;      /* of the request so far */
  VECTOR(char) ids;  /* of them, CALL_BYTES each */
  uint32_t status_key;
};

/* ---- what is known */

static enum event_class class_of(const struct spans *spans, const struct event_link *link) {
  uint8_t class = spans->log->class.data[link->row];
  return class < CLASSES ? (enum event_class) class : EVENT_OTHER;
}

/* How many instances of a class there are; of how many it is not known when they became ready, or
 * as an interval; and of how many it is known where in the program they are. */
struct ready_counts {
  uint64_t all, unknown, inexact, placed;
};

static enum readiness readiness_of(const struct ready_counts *counts) {
  return counts->inexact == 0             ? READY_ALWAYS
         : counts->unknown == counts->all ? READY_NEVER
                                          : READY_SOMETIMES;
}

static void count_link(const struct spans *spans, struct ready_counts *counts,
                       const struct event_link *link) {
  bool inexact = link->ready_low != link->ready_high;
  counts->all++;
  counts->inexact += inexact;
  counts->placed += spans->log->place.data[link->row] != 0;
  counts->unknown += inexact && spans->log->ready_source.data[link->row] == EVENT_READY_UNKNOWN;
}

static void count_ready(struct spans *spans) {
  struct ready_counts counts[CLASSES] = {{0, 0, 0, 0}};
  for (size_t i = 0; i < spans->chains->chains.count; i++) {
    const struct event_chain *chain = &spans->chains->chains.data[i];
    if (chain->count == 0)
      continue;
    for (uint32_t j = 1; j < chain->count; j++) {
      const struct event_link link = event_link_at(spans->chains, spans->log, chain, j);
      count_link(spans, &counts[class_of(spans, &link)], &link);
    }
    spans->arrivals |= chain->arrived != event_link_at(spans->chains, spans->log, chain, 0).begin;
  }
  for (size_t i = 0; i < CLASSES; i++) {
    spans->readiness[i] = readiness_of(&counts[i]);
    spans->placed[i] = counts[i].placed == counts[i].all;
  }
}

/* Whether the link only goes on with the turn before it: a tick, or a promise that the turn
 * released. */
static bool goes_on(const struct spans *spans, const struct event_link *link) {
  enum event_class class = class_of(spans, link);
  const char *type = names_text(&spans->log->names, spans->log->type.data[link->row]);
  return (class == EVENT_PROMISE || class == EVENT_TICK) && strcmp(type, "Immediate") != 0 &&
         !link->shared && link->ready_high == link->registered;
}

/* ---- names */

static const char *word_of(const char *type, enum event_class class) {
  const char *word = event_word(type);
  return word != NULL             ? word
         : type[0] != '\0'        ? type
         : class == EVENT_PROGRAM ? "program"
                                  : "callback";
}

static uint32_t store_name(struct spans *spans, const char *text) {
  return names_number(&spans->store->names, (struct slice){text, strlen(text)});
}

static struct slice name_text(const struct spans *spans, uint32_t name) {
  return spans->store->names.texts.data[name];
}

/* "shared timer app.js:12:3 tick io". A place that only some know would make two kinds of one. */
static void name_call(struct spans *spans, const struct event_link *link, bool source,
                      const char *part) {
  const struct event_log *log = spans->log;
  const char *type = names_text(&log->names, log->type.data[link->row]);
  bool placed = spans->placed[class_of(spans, link)] && !source;
  const char *place = names_text(&log->names, placed ? log->place.data[link->row] : 0);
  text_clear(&spans->name);
  text_format(&spans->name, "%s%s%s%s %s", link->shared ? "shared " : "",
              source ? "request" : word_of(type, class_of(spans, link)), *place == '\0' ? "" : " ",
              place, part);
}

/* ---- spans */

static void add_call(struct spans *spans, const struct event_chain *chain, int64_t start,
                     int64_t end) {
  char *id = spans->ids.data + spans->calls * CALL_BYTES;
  uint32_t name = store_name(spans, text_get(&spans->name));
  const struct event_request *request = &spans->log->requests.data[chain->request];
  const struct event_loop *loop = &spans->log->loops.data[request->loop];
  spans->calls++;
  builder_add(spans->builder,
              &(struct span_record){.id = {id, CALL_BYTES},
                                    .parent = {"root", 4},
                                    .service = spans->log->names.texts.data[loop->name],
                                    .operation = name_text(spans, name),
                                    .instance = name_text(spans, spans->instance),
                                    .start = start,
                                    .end = end,
                                    .kind = SPAN_INTERNAL,
                                    .mark = SPAN_IN_TURN});
}

static void add_part(struct spans *spans, const struct event_chain *chain,
                     const struct event_link *link, bool source, const char *part, int64_t start,
                     int64_t end) {
  name_call(spans, link, source, part);
  add_call(spans, chain, start, end);
}

/* All parts of its class, those that take no time as well: requests of a kind are alike. */
static void add_waits(struct spans *spans, const struct event_chain *chain,
                      const struct event_link *link, bool source) {
  enum event_class class = class_of(spans, link);
  enum readiness readiness = spans->readiness[class];
  bool io = class != EVENT_TICK && class != EVENT_PROMISE;
  if (source) {
    if (spans->arrivals)
      add_part(spans, chain, link, true, "queue", link->registered, link->begin);
    return;
  }
  if (readiness == READY_NEVER) {
    add_part(spans, chain, link, false, "wait", link->registered, link->begin);
    return;
  }
  if (io || readiness == READY_SOMETIMES)
    add_part(spans, chain, link, false, class == EVENT_TIMER ? "time" : "io", link->registered,
             link->ready_low);
  if (readiness == READY_SOMETIMES)
    add_part(spans, chain, link, false, "wait", link->ready_low, link->ready_high);
  add_part(spans, chain, link, false, "queue",
           io || readiness == READY_SOMETIMES ? link->ready_high : link->registered, link->begin);
}

static void add_links(struct spans *spans, const struct event_chain *chain) {
  for (uint32_t i = 0; i < chain->count;) {
    const struct event_link link = event_link_at(spans->chains, spans->log, chain, i);
    int64_t stop = link.stop;
    bool source = i == 0;
    for (i++; i < chain->count; i++) {
      const struct event_link next = event_link_at(spans->chains, spans->log, chain, i);
      if (!goes_on(spans, &next))
        break;
      stop = next.stop;
    }
    add_waits(spans, chain, &link, source);
    add_part(spans, chain, &link, source, "run", link.begin, stop);
  }
}

/* ---- requests */

/* The process, and the thread if it is not the main one: "4711", "4711/2". */
static uint32_t name_instance(struct spans *spans, const struct event_loop *loop) {
  text_clear(&spans->name);
  text_format(&spans->name, "%llu", (unsigned long long)loop->process);
  if (loop->thread != 0)
    text_format(&spans->name, "/%u", loop->thread);
  return store_name(spans, loop->process == 0 ? "" : text_get(&spans->name));
}

static void add_root(struct spans *spans, const struct event_chain *chain) {
  const struct event_request *request = &spans->log->requests.data[chain->request];
  const struct event_loop *loop = &spans->log->loops.data[request->loop];
  struct span_tag tag = {0, 0};
  if (spans->reading->tags && request->status != 0) {
    text_clear(&spans->name);
    text_format(&spans->name, "%u", request->status);
    tag = (struct span_tag){spans->status_key, store_name(spans, text_get(&spans->name))};
  }
  spans->instance = name_instance(spans, loop);
  builder_add(spans->builder,
              &(struct span_record){.id = {"root", 4},
                                    .parent = {"", 0},
                                    .service = spans->log->names.texts.data[loop->name],
                                    .operation = spans->log->names.texts.data[request->route],
                                    .instance = name_text(spans, spans->instance),
                                    .start = chain->arrived,
                                    .end = chain->answer,
                                    .kind = SPAN_SERVER,
                                    .status = request->status >= 500 ? SPAN_ERROR : SPAN_UNSET,
                                    .tags = &tag,
                                    .tag_count = tag.key != 0});
}

/* Ids of a fixed width are in the order of the calls. */
static void make_ids(struct spans *spans, size_t count) {
  while (spans->ids.count / CALL_BYTES < count) {
    struct text text;
    text_init(&text);
    text_format(&text, "%0*zu", CALL_BYTES, spans->ids.count / CALL_BYTES);
    for (size_t i = 0; i < CALL_BYTES; i++)
      vector_push(&spans->ids, text.data[i]);
    text_clear(&text);
  }
}

static enum status give_chain(struct spans *spans, size_t number) {
  const struct event_chain *chain = &spans->chains->chains.data[number];
  const struct event_request *request = &spans->log->requests.data[chain->request];
  const struct event_loop *loop = &spans->log->loops.data[request->loop];
  enum status status = STATUS_OK;
  text_clear(&spans->id);
  text_format(&spans->id, "%s", names_text(&spans->log->names, loop->name));
  if (loop->process != 0)
    text_format(&spans->id, ".%llu", (unsigned long long)loop->process);
  text_format(&spans->id, "#%zu", number + 1);
  make_ids(spans, 4 * (size_t)chain->count);
  spans->calls = 0;
  builder_begin(spans->builder, (struct slice){spans->id.data, spans->id.length});
  add_root(spans, chain);
  add_links(spans, chain);
  size_t made = builder_finish(spans->builder);
  if (spans->reading->visit != NULL && made != SIZE_MAX)
    status = spans->reading->visit(spans->store, made, spans->reading->context);
  if (!spans->reading->keep)
    span_store_forget(spans->store);
  return status;
}

/* ---- what there is to say */

static void tell_incomplete(const struct event_chains *chains, struct ledger *ledger) {
  for (size_t state = CHAIN_COMPLETE + 1; state < CHAIN_STATES; state++)
    if (chains->states[state] != 0)
      ledger_note(ledger, LEDGER_DATA, "%llu requests are left out: %s",
                  (unsigned long long)chains->states[state],
                  chain_state_name((enum chain_state)state));
}

static void tell_dropped(const struct event_log *log, struct ledger *ledger) {
  for (size_t i = 0; i < log->loops.count; i++)
    if (log->loops.data[i].dropped != 0)
      ledger_warn(ledger, LEDGER_DATA,
                  "%llu records of %s were dropped, as there was no space for them; requests that "
                  "need them are left out",
                  (unsigned long long)log->loops.data[i].dropped,
                  names_text(&log->names, log->loops.data[i].name));
}

static void tell(const struct spans *spans, struct ledger *ledger) {
  const struct event_chains *chains = spans->chains;
  tell_dropped(spans->log, ledger);
  tell_incomplete(chains, ledger);
  if (chains->shared != 0)
    ledger_note(ledger, LEDGER_DATA,
                "%llu requests waited for a callback that they had not begun, such as a timer that "
                "answers all that came before it; it is called shared",
                (unsigned long long)chains->shared);
  if (chains->unseen != 0)
    ledger_note(ledger, LEDGER_DATA,
                "when %llu of the requests arrived at the socket nobody saw: their latency counts "
                "from when the server read them",
                (unsigned long long)chains->unseen);
  bool unknown = false;
  for (size_t i = 0; i < CLASSES; i++)
    unknown |= spans->readiness[i] != READY_ALWAYS;
  if (unknown)
    ledger_note(
        ledger, LEDGER_DATA,
        "when some callbacks became ready is not known, or as an interval: what may be I/O as "
        "well as the queue is called wait");
}

enum status loop_spans_make(struct span_store *store, const struct event_log *log,
                            const struct event_chains *chains, const struct trace_reading *reading,
                            struct ledger *ledger) {
  struct spans spans = {.store = store, .log = log, .chains = chains, .reading = reading};
  enum status status = STATUS_OK;
  text_init(&spans.name);
  text_init(&spans.id);
  spans.builder = builder_new(store);
  if (!reading->ids)
    builder_drop_ids(spans.builder);
  spans.status_key = store_name(&spans, "http.status_code");
  count_ready(&spans);
  for (size_t i = 0; i < chains->chains.count && status == STATUS_OK; i++)
    if (chains->chains.data[i].state == CHAIN_COMPLETE)
      status = give_chain(&spans, i);
  tell(&spans, ledger);
  builder_free(spans.builder);
  vector_clear(&spans.ids);
  text_clear(&spans.name);
  text_clear(&spans.id);
  return status;
}
