/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was said on TCP connections: exchanges, in each of which one end asks and the other tells.
 * Each end of a connection has its own list of them, in which the order of its events is right;
 * stamps of two ends may cross. An exchange is what one end asks until it is told something, and
 * what it is told until it asks again. The two ends' are joined by the position in the stream that
 * the question ends at.
 */
#ifndef MEASURE_TALK_EXCHANGE_H
#define MEASURE_TALK_EXCHANGE_H

#include "measure/outside/event.h"
#include "measure/talk/table.h"

struct talk_event {
  uint64_t time_ns, done_ns; /* of what is sent time_ns is when the call began, if it is known */
  uint64_t begins, ends;     /* positions in the stream, as probes read them */
  uint32_t process, thread;
  uint16_t local, remote;
  bool sends;
};

struct talk_exchange {
  uint32_t process;
  bool asks;                   /* this is the end that asks */
  uint16_t port, other;        /* that is asked; of the end that asks */
  uint64_t begin_ns;           /* its first event */
  uint64_t asked_ns;           /* the question's last event */
  uint64_t asked_end;          /* the position of its end */
  uint64_t tell_ns;            /* the answer's first event; 0: there is none */
  uint64_t told_ns;            /* its last */
  uint32_t asked, told;        /* events of the question, of the answer */
  uint64_t first, least, most; /* bytes of the question's first event; of the others */
  uint32_t begin_thread, asked_thread,
      told_thread; /* of the first, of question and answer's last */
  long twin;       /* the other end's, or TALK_NONE */
  long part;       /* that the process plays, or TALK_NONE (measure/talk/part.h) */
  bool alone;      /* of a teller: its process has no other request meanwhile, */
  bool alone_here; /* nor has its thread */
};

struct talk {
  struct talk_table table;
  VECTOR(struct talk_event) events;
  VECTOR(struct talk_exchange) exchanges; /* by process, ports and time */
  uint64_t begin_ns, end_ns;              /* of the recording */
  uint64_t lost;                          /* events */
};

/* The probes whose events are taken: send and receive, of any port. */
#define TALK_PROBES                                                                                \
  "probes:\n"                                                                                      \
  "  send:    {socket.send: tcp, read: {local: local, remote: remote, begins: begins, ends: "      \
  "ends}}\n"                                                                                       \
  "  receive: {socket.receive: tcp, read: {local: local, remote: remote, begins: begins, ends: "   \
  "ends}}\n"
enum { TALK_SEND, TALK_RECEIVE, TALK_PROBE_COUNT };
extern const struct outside_probe talk_probes[TALK_PROBE_COUNT];

/* A sink's (measure/outside/event.h): the context is the talk. */
bool talk_take(void *talk, const struct outside_event *event);
void talk_take_process(void *talk, uint32_t process, const char *command);

/* The port of the two that is asked: the one that is listened at; else the one that is no
 * ephemeral port, else the lower one. */
uint16_t talk_asked_port(const struct talk_table *table, uint16_t local, uint16_t remote,
                         uint32_t process);

/* Makes exchanges of events, once; the table is the one of the recording. */
void talk_join(struct talk *talk);
void talk_clear(struct talk *talk);

#endif
