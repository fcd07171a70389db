/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * dispatch: how long from a message to the end of its step where the caches of the core have
 * something else, or where none has it, by generated code and by hand: a voter of
 * examples/multi_paxos is told of a proposal. Both in turn, medians.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "paxos_voter_step.h"

/* Bytes: more than a core caches, and more than all do. */
enum { TURNS = 301, LINE = 64, CORE = 2 << 20, ALL = 48 << 20 };

/* In a page of its own, as what is called in a large program is. */
#define ELSEWHERE __attribute__((noinline, aligned(4096)))

struct packet {
  struct tp_message message;
  struct paxos_params params;
  struct voter voter;
};

typedef bool taken(struct packet *packet, struct voter_sends *out);

__attribute__((noinline)) static bool generated(struct packet *packet, struct voter_sends *out) {
  enum voter_action action;
  return voter_take(&packet->voter, &packet->params, 1, out, &action, &packet->message) == TP_DONE;
}

static bool vote(struct voter *self, const struct paxos_params *params, struct voter_sends *out,
                 int32_t view, int32_t command) {
  if (view < self->promised)
    return false;
  self->promised = self->voted = view;
  self->vote = command;
  out->Accepted = ((uint64_t)2 << 2 * params->f) - 1;
  out->Accepted_v = view;
  out->Accepted_x = command;
  return true;
}

static bool hear(struct voter *self, const struct paxos_params *params,
                 const struct tp_message *message) {
  if (self->decided || message->field[0] < self->view)
    return false;
  self->heard =
      (uint64_t)1 << message->field[2] | (message->field[0] > self->view ? 0 : self->heard);
  self->view = message->field[0];
  self->chosen = message->field[1];
  self->decided = __builtin_popcountll(self->heard) > params->f;
  return true;
}

static unsigned char *memory;

static void forget(size_t bytes) {
  for (size_t i = 0; i < bytes; i += LINE)
    memory[i]++;
}

ELSEWHERE static double once(taken *take, size_t bytes) {
  struct packet packet = {.message = {paxos_Propose, {1, 7, 1}}, .params = {2, 10, 100}};
  struct voter_sends out = {0};
  struct timespec start, end;
  voter_init(&packet.voter, &packet.params, 1);
  forget(bytes);
  clock_gettime(CLOCK_MONOTONIC, &start);
  const bool done = take(&packet, &out);
  clock_gettime(CLOCK_MONOTONIC, &end);
  if (!done || out.Accepted != 31 || packet.voter.vote != 7)
    fprintf(stderr, "dispatch: no vote\n");
  return (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
}

ELSEWHERE static bool by_hand(struct packet *packet, struct voter_sends *out) {
  const struct tp_message *message = &packet->message;
  if (message->kind == paxos_Propose)
    return vote(&packet->voter, &packet->params, out, message->field[0], message->field[1]);
  if (message->kind == paxos_Accepted)
    return hear(&packet->voter, &packet->params, message);
  return false;
}

static int in_order(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void row(const char *name, size_t bytes) {
  static double ns[2][TURNS];
  for (size_t i = 0; i < TURNS; i++) {
    ns[0][i] = once(generated, bytes);
    ns[1][i] = once(by_hand, bytes);
  }
  for (size_t k = 0; k < 2; k++)
    qsort(ns[k], TURNS, sizeof *ns[k], in_order);
  printf("%-58s %11.0f ns   < 30 ns\n", name, ns[0][TURNS / 2] - ns[1][TURNS / 2]);
}

int main(void) {
  memory = calloc(ALL, 1);
  if (memory == NULL)
    return 70;
  row("a dispatched step over one by hand, from shared cache", CORE);
  row("a dispatched step over one by hand, from memory", ALL);
  free(memory);
  return 0;
}
