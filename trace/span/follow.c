/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/follow.h"

#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/text.h"
#include "trace/span/builder.h"

/* A consumer's row, and that of its producer. */
struct followed_message {
  uint32_t consumer, producer;
};

/* A span of a request that is made. */
struct node {
  uint32_t row, up;   /* of the store; another node, or SPAN_NONE */
  bool message, last; /* it is a consumer below its producer; what it is below waits for its end */
  int64_t end;
};

struct following {
  struct span_store *store, next;
  struct builder *builder;
  struct follow_notes *notes;
  VECTOR(struct followed_message) messages; /* that are not below their producer as recorded */
  struct index of_producer;                 /* of messages, by producer */
  bool *moved;                              /* by row: it is elsewhere than it was recorded */
  uint32_t *made;                           /* by row: the request + 1 that it was last put into */
  VECTOR(struct node) nodes;
  struct arena arena; /* ids of the request that is made */
};

static bool is_message(const struct span_store *store, uint32_t row) {
  uint32_t up = store->parent.data[row];
  return store->kind.data[row] == SPAN_CONSUMER && up != SPAN_NONE &&
         store->kind.data[up] == SPAN_PRODUCER;
}

/* ---- which messages there are */

/* "TRACE/SPAN" of each row. */
static void append_full_id(struct text *text, const struct span_store *store,
                           const struct request *request, uint32_t row) {
  struct slice id = span_store_id(store, row);
  text->length = 0;
  text_append_bytes(text, request->id.start, request->id.length);
  text_append(text, "/");
  text_append_bytes(text, id.start, id.length);
}

static void index_rows(struct index *index, const struct span_store *store) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < store->requests.count; i++) {
    const struct request *request = &store->requests.data[i];
    for (uint32_t row = request->first; row < request->first + request->count; row++) {
      append_full_id(&text, store, request, row);
      index_add(index, hash_bytes(0, (struct slice){text.data, text.length}), row);
    }
  }
  text_clear(&text);
}

/* The request of each row. */
static uint32_t *requests_of_rows(const struct span_store *store) {
  uint32_t *of = mem_alloc(store->start.count, sizeof *of);
  for (uint32_t i = 0; i < store->requests.count; i++)
    for (uint32_t k = 0; k < store->requests.data[i].count; k++)
      of[store->requests.data[i].first + k] = i;
  return of;
}

static void add_message(struct following *following, uint32_t consumer, uint32_t producer) {
  index_add(&following->of_producer, hash_word(0, producer), (uint32_t)following->messages.count);
  vector_push(&following->messages, (struct followed_message){consumer, producer});
  following->moved[consumer] = true;
}

/* Links from consumers to spans of other traces. */
static void find_foreign(struct following *following) {
  const struct span_store *store = following->store;
  uint32_t *of = requests_of_rows(store);
  struct index index = {0};
  struct text text;
  text_init(&text);
  index_rows(&index, store);
  for (size_t i = 0; i < store->foreign.count; i++) {
    const struct foreign_link *link = &store->foreign.data[i];
    if (store->kind.data[link->from] != SPAN_CONSUMER || is_message(store, link->from))
      continue;
    bool found = false;
    for (struct index_look look = index_look(&index, hash_bytes(0, link->to));
         !found && index_next(&look);) {
      append_full_id(&text, store, &store->requests.data[of[look.row]], look.row);
      found = text.length == link->to.length && memcmp(text.data, link->to.start, text.length) == 0;
      if (found)
        add_message(following, link->from, look.row);
    }
    following->notes->lost += !found;
  }
  text_clear(&text);
  index_clear(&index);
  mem_free(of);
}

static bool is_below(const struct span_store *store, uint32_t row, uint32_t top) {
  return row >= top && row <= top + store->below.data[top];
}

/* Links within a trace, but to what the consumer is around or below. */
static void find_own(struct following *following) {
  const struct span_store *store = following->store;
  for (size_t i = 0; i < store->links.count; i++) {
    uint32_t from = store->links.data[i].from, to = store->links.data[i].to;
    if (store->kind.data[from] == SPAN_CONSUMER && !is_message(store, from) &&
        !is_below(store, to, from) && !is_below(store, from, to))
      add_message(following, from, to);
  }
}

/* ---- requests to their last consumer */

/* The row and all below it that was not moved. */
static void put_tree(struct following *following, uint32_t request, uint32_t top, uint32_t up,
                     bool message) {
  const struct span_store *store = following->store;
  uint32_t *place = mem_alloc(store->below.data[top] + 1, sizeof *place);
  for (uint32_t row = top; row <= top + store->below.data[top]; row++) {
    if (row != top && following->moved[row]) {
      row += store->below.data[row];
      continue;
    }
    place[row - top] = (uint32_t)following->nodes.count;
    following->made[row] = request + 1;
    vector_push(&following->nodes,
                (struct node){.row = row,
                              .up = row == top ? up : place[store->parent.data[row] - top],
                              .message = row == top ? message : is_message(store, row),
                              .end = store->end.data[row]});
  }
  mem_free(place);
}

/* Who consumes what was sent by a span: behind all nodes there are. */
static void put_consumers(struct following *following, uint32_t request, uint32_t node) {
  uint32_t row = following->nodes.data[node].row;
  for (struct index_look look = index_look(&following->of_producer, hash_word(0, row));
       index_next(&look);) {
    const struct followed_message *message = &following->messages.data[look.row];
    if (message->producer != row || following->made[message->consumer] == request + 1)
      continue;
    put_tree(following, request, message->consumer, node, true);
    following->notes->joined++;
  }
}

/* What a message is below lasts as long as it. */
static void last_long(struct following *following) {
  struct node *nodes = following->nodes.data;
  for (size_t i = following->nodes.count; i-- > 0;) {
    struct node *node = &nodes[i];
    if ((!node->message && !node->last) || node->up == SPAN_NONE)
      continue;
    struct node *up = &nodes[node->up];
    up->end = node->end > up->end ? node->end : up->end;
    up->last = true;
  }
}

/* Another one for each span, as those of two traces may be equal. */
static struct slice id_of(struct following *following, uint32_t node) {
  struct slice id = span_store_id(following->store, following->nodes.data[node].row);
  struct text text;
  text_init(&text);
  text_append_bytes(&text, id.start, id.length);
  text_format(&text, "@%u", node);
  struct slice copy = {arena_text(&following->arena, text.data, text.length), text.length};
  text_clear(&text);
  return copy;
}

static void add_span(struct following *following, uint32_t index) {
  const struct span_store *store = following->store;
  const struct node *node = &following->nodes.data[index];
  uint32_t row = node->row;
  const struct span_names *names = &following->next.names;
  bool waited = node->up != SPAN_NONE && (node->message || node->last);
  unsigned mark = store->mark.data[row] & (SPAN_FOLLOWS | SPAN_IN_TURN);
  size_t tags = row == 0 ? 0 : store->tag_end.data[row - 1];
  struct span_record record = {.id = id_of(following, index),
                               .parent = {"", 0},
                               .service = names->texts.data[store->service.data[row]],
                               .operation = names->texts.data[store->operation.data[row]],
                               .instance = names->texts.data[store->instance.data[row]],
                               .start = store->start.data[row],
                               .end = node->end,
                               .kind = (enum span_kind)store->kind.data[row],
                               .status = (enum span_status)store->status.data[row],
                               .mark = waited ? SPAN_IN_TURN : mark,
                               .tags = store->tags.count == 0 ? NULL : store->tags.data + tags,
                               .tag_count = store->tag_end.data[row] - tags};
  if (node->up != SPAN_NONE)
    record.parent = id_of(following, node->up);
  else if ((store->mark.data[row] & SPAN_ORPHAN) != 0)
    record.parent = (struct slice){"?", 1};
  builder_add(following->builder, &record);
}

/* Nothing of it is left where its root is below a producer elsewhere. */
static void make_request(struct following *following, uint32_t request) {
  const struct request *of = &following->store->requests.data[request];
  uint64_t messages = 0;
  if (following->moved[of->first])
    return;
  following->nodes.count = 0;
  for (uint32_t row = of->first; row < of->first + of->count;
       row += following->store->below.data[row] + 1)
    if (!following->moved[row])
      put_tree(following, request, row, SPAN_NONE, false);
  for (uint32_t node = 0; node < following->nodes.count; node++)
    put_consumers(following, request, node);
  last_long(following);
  builder_begin(following->builder, of->id);
  for (uint32_t node = 0; node < following->nodes.count; node++) {
    messages += following->nodes.data[node].message;
    add_span(following, node);
  }
  builder_finish(following->builder);
  arena_clear(&following->arena);
  following->notes->messages += messages;
  following->notes->requests += messages > 0;
}

void span_follow(struct span_store *store, struct follow_notes *notes) {
  struct following following = {.store = store, .notes = notes};
  *notes = (struct follow_notes){0};
  following.moved = mem_alloc(store->start.count, sizeof *following.moved);
  following.made = mem_alloc(store->start.count, sizeof *following.made);
  arena_init(&following.arena);
  find_foreign(&following);
  find_own(&following);
  span_store_init(&following.next);
  names_clear(&following.next.names);
  following.next.names = store->names;
  following.builder = builder_new(&following.next);
  for (uint32_t i = 0; i < store->requests.count; i++)
    make_request(&following, i);
  for (uint32_t i = 0; i < store->requests.count; i++) {
    /* Consumers in a circle, which nobody began. */
    uint32_t root = store->requests.data[i].first;
    bool lost = following.moved[root] && following.made[root] == 0;
    following.moved[root] = following.moved[root] && !lost;
    if (lost)
      make_request(&following, i);
  }
  builder_free(following.builder);
  names_init(&store->names);
  span_store_clear(store);
  *store = following.next;
  vector_clear(&following.messages);
  vector_clear(&following.nodes);
  index_clear(&following.of_producer);
  mem_free(following.moved);
  mem_free(following.made);
  arena_clear(&following.arena);
}
