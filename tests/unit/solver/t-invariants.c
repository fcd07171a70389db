/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What breaks the invariant of a world, or of the lists of an instance under check, is found.
 */
#include "tests/unit/base/breaks.h"

#include "solver/conform/inside.h"
#include "solver/judge/world.h"
#include "tests/unit/solver/loaded.h"

static const char protocol[] =
    "protocol two\nrole a\nrole b\ncomponent C\ndelay d\nmessage M(k: int) : a -> b\n"
    "state b { seen : bool = false }\naction a.Do cost C { send M(1) }\n"
    "action b.Take on M(k) { seen := true }\nbound x: delivered M(1) within C + d(M(1))\n";

struct fixture {
  struct loaded loaded;
  struct interpreter *interpreter;
  struct world *world;
  const struct message *message;
  struct text key;
};

static void add(struct fixture *f, int64_t k) {
  world_add_message(f->world, f->message, &k, 0);
  f->world->next_order++;
}

static void fixture_init(struct fixture *f) {
  loaded_init(&f->loaded, "two", protocol);
  assert_non_null(f->loaded.model);
  text_init(&f->key);
  f->interpreter = interpreter_new(f->loaded.model, NULL, &f->key);
  assert_non_null(f->interpreter);
  f->message = f->loaded.model->messages.items[0];
  f->world = world_new(f->interpreter, NULL);
  add(f, 7);
  add(f, 3);
}

static void fixture_clear(struct fixture *f) {
  world_free(f->world);
  interpreter_free(f->interpreter);
  text_clear(&f->key);
  loaded_clear(&f->loaded);
}

static void add_again(void *context) {
  add(context, 7);
}

static void charge_twice(void *context) {
  struct fixture *f = context;
  const struct component *c = f->loaded.model->components.items[0];
  const struct occurrence *o = interpreter_cost(f->interpreter, c, NULL);
  world_add_charge(f->world, c, o);
  world_add_charge(f->world, c, o);
}

static void pack(void *context) {
  struct fixture *f = context;
  world_pack(&f->key, f->world);
}

static void copy(void *context) {
  struct fixture *f = context;
  world_free(world_copy(f->world));
}

static void unpack_short(void *context) {
  struct fixture *f = context;
  text_init(&f->key);
  world_pack(&f->key, f->world);
  world_free(world_unpack(f->interpreter, f->key.data, f->key.length - 1));
}

static void worlds(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  struct world_message *m = f.world->messages.data;
  assert_true(world_is_valid(f.world));
  breaks(add_again, &f, "world_message(world, message, fields) == NULL");
  breaks(charge_twice, &f, "!world_charged(world, component, occurrence->indices)");
  breaks(unpack_short, &f, "at == key + length");
  m[0].fields[0] = 9; /* behind the other */
  breaks(pack, &f, "world_is_valid(world)");
  breaks(copy, &f, "world_is_valid(from)");
  m[0].fields[0] = 3;
  m[0].fields[1] = 1; /* of a message with one field */
  breaks(pack, &f, "world_is_valid(world)");
  m[0].fields[1] = 0;
  m[0].order = f.world->next_order; /* of one that is still to be sent */
  breaks(pack, &f, "world_is_valid(world)");
  m[0].order = 0;
  assert_true(world_is_valid(f.world));
  fixture_clear(&f);
}

static void lists(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  struct conform c = {.interpreter = f.interpreter};
  size_t next[2] = {0, 0}, past[2] = {0, 0};
  c.next = next;
  c.past = past;
  struct conform_event sent[2] = {
      {.kind = CONFORM_SEND, .what.message = f.message, .arguments = {1}},
      {.kind = CONFORM_SEND, .what.message = f.message, .arguments = {2}}};
  vector_push(&c.sends, &sent[0]);
  vector_push(&c.sends, &sent[1]);
  assert_true(index_is_valid(&c));
  c.sends.data[0] = &sent[1];
  c.sends.data[1] = &sent[0];
  assert_false(index_is_valid(&c));
  c.sends.count = 0;
  const struct action *action = f.loaded.model->actions.items[0];
  struct conform_event step = {.kind = CONFORM_STEP, .what.action = action, .role = action->role};
  vector_push(&c.steps, &step);
  assert_false(index_is_valid(&c)); /* a step of no node */
  past[dense(&c, &step)] = 1;
  assert_true(index_is_valid(&c));
  past[1 - dense(&c, &step)] = 1;
  assert_false(index_is_valid(&c)); /* of two */
  vector_clear(&c.sends);
  vector_clear(&c.steps);
  fixture_clear(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worlds),
      cmocka_unit_test(lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
