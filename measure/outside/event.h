/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What probes in programs that know nothing of it have seen: events, one each time that a thread
 * came by a probe, with what was read there.
 *
 * Events come from a capture (measure/outside/capture.h) or from a file of text
 * (measure/outside/event_text.h), and go to a sink in order of time. Names of probes mean nothing
 * here.
 */
#ifndef MEASURE_OUTSIDE_EVENT_H
#define MEASURE_OUTSIDE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  OUTSIDE_FIELDS = 8,   /* that a probe reads, at most */
  OUTSIDE_TEXT = 256,   /* bytes of all its texts */
  OUTSIDE_PROBES = 256, /* in a file */
  OUTSIDE_NAME = 63,    /* bytes of a name */
};

enum outside_kind { OUTSIDE_UNSIGNED, OUTSIDE_SIGNED, OUTSIDE_TEXTS };

struct outside_field {
  char name[OUTSIDE_NAME + 1];
  enum outside_kind kind;
};

/* What a reader of events must know of a probe. */
struct outside_probe {
  char name[OUTSIDE_NAME + 1];
  uint32_t field_count;
  struct outside_field field[OUTSIDE_FIELDS];
  uint32_t begun; /* the number, from 1, of the field that says when the call began; 0: none */
  bool sends;     /* it means that time, if nothing else is said, as others can have got the bytes
                     before the call was done */
};

struct outside_event {
  uint64_t time_ns; /* CLOCK_MONOTONIC; of a call when it was done */
  uint32_t probe;   /* its number in the list of probes */
  uint32_t pid, tid;
  uint32_t fields;                /* bit i: field i could be read; of others the rest is 0 */
  uint32_t text_size;             /* bytes of text in use */
  uint64_t field[OUTSIDE_FIELDS]; /* a number (of OUTSIDE_SIGNED as int64_t), or where a text is */
  uint8_t text[OUTSIDE_TEXT];     /* any bytes, without a NUL behind each */
};

/* A text's place, as field[i] holds it. */
static inline uint64_t outside_place(uint32_t offset, uint32_t length) {
  return (uint64_t)offset << 32 | length;
}

static inline const uint8_t *outside_text(const struct outside_event *event, uint32_t field,
                                          uint32_t *length) {
  *length = (uint32_t)event->field[field];
  return event->text + (event->field[field] >> 32);
}

static inline bool outside_has(const struct outside_event *event, uint32_t field) {
  return (event->fields >> field & 1) != 0;
}

/* Takes events in order of time. False ends the recording or the reading; why is the sink's to say.
 */
struct outside_sink {
  bool (*take)(void *context, const struct outside_event *event);
  void *context;
  /* Or NULL: what a file says of a process, before its events. */
  void (*process)(void *context, uint32_t pid, const char *command);
};

/* Of each probe, at the end. */
struct outside_count {
  uint64_t hits;   /* that became events */
  uint64_t lost;   /* for want of space, or as the kernel did not run the probe */
  uint64_t unread; /* events in which a field could not be read */
  uint64_t aside;  /* times of which nobody asks for the event: it was not recorded */
};

/* What was recorded, besides the events. */
struct outside_run {
  uint64_t clock;    /* identity of CLOCK_MONOTONIC (measure/record/clock.h); 0: not known */
  uint64_t start_ns; /* all probes were in place from here; 0: not known */
  uint64_t end_ns;   /* until here; 0: not known, the recorder was ended before its time */
  struct outside_count count[OUTSIDE_PROBES];
};

#endif
