/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which processes play one part: those that take connections of one listening socket, such as the
 * workers of a server. Parts of one program that one part asks in turns are a *family*: an
 * upstream of several servers.
 */
#ifndef MEASURE_TALK_PART_H
#define MEASURE_TALK_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct talk;
struct talk_exchange;
struct talk_table;

enum { TALK_NONE = -1 };

enum { TALK_NAME = 40 }; /* characters of a name in drafted files, with the NUL */

enum { TALK_PARTS = 48 };

struct talk_part {
  VECTOR(uint32_t) processes; /* with exchanges */
  char *program;              /* "/usr/sbin/nginx", "python3 up.py": owned */
  char *pattern;              /* of its command lines and no other's; owned; NULL: there is none */
  bool serves, asked;         /* it is asked by others; the user named a process of it */
  uint16_t port;              /* at which it is asked most; 0: none */
  long service;               /* the number of its family; a part alone is one as well */
};

struct talk_parts {
  VECTOR(struct talk_part) list;
  size_t services;
};

/* The part that a process plays, or TALK_NONE. */
long talk_part_of(const struct talk_parts *parts, uint32_t process);

/* Sets the part of each exchange. */
void talk_parts_make(struct talk_parts *parts, struct talk *talk);
/* The part that an asking end's question goes to, or TALK_NONE. One of another host has no
 * processes. */
long talk_part_asked(const struct talk_parts *parts, const struct talk *talk,
                     const struct talk_exchange *exchange);
void talk_parts_clear(struct talk_parts *parts);

/* Puts each member of a service into one of its own. */
void talk_parts_split(struct talk_parts *parts, long service);

/* The words of a command line that say which program it is. */
size_t talk_program_length(const char *command);

/* Patterns (measure/outside/mapping.h) that tell the parts apart by their command lines. */
void talk_parts_patterns(struct talk_parts *parts, const struct talk_table *table);

#endif
