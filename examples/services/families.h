/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Call graphs of services: those on which SLOWPOKE (NSDI'26) was evaluated (eleven synthetic
 * families, and the tree of 43 services of its section on scale), and any other that is written
 * down in the same way:
 *
 *   0>1,2 1>3:80|2:20 3>1b
 *
 * Service 0 is the entry. "0>1,2": to serve one call 0 calls 1, then 2 (or both at once and waits
 * for both, which is up to who runs the graph). "3:80|2:20" is one call that goes to 3 with a
 * chance of 80 % and else to 2; where the chances do not add up to 100 there may be none. "1b" is a
 * second way into service 1, which calls what "1b>..." says and not what "1>..." says: so a service
 * may occur twice on one path without an endless loop.
 */
#ifndef EXAMPLES_SERVICES_FAMILIES_H
#define EXAMPLES_SERVICES_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

#define GRAPH_SERVICES 64
#define GRAPH_WAYS 80 /* ways into services; way s < services is the first one into service s */
#define GRAPH_EDGES 160

/* Edges of one way are next to each other, in the order in which they are called; those of one
 * choice are alternatives, of which at most one is called. */
struct graph_edge {
  int to;                       /* a way */
  int choice;                   /* numbered from 0 in each way; the same for alternatives */
  int from_percent, to_percent; /* taken when a draw from [0, 100) is in [from, to) */
};

struct graph_way {
  int service;
  int first, edges; /* of graph.edges */
};

struct graph {
  int services, ways, edges_used;
  struct graph_way way[GRAPH_WAYS];
  struct graph_edge edges[GRAPH_EDGES];
  double calls[GRAPH_SERVICES]; /* of each service for one user request, on average: its c */
};

struct family {
  const char *name;  /* chain-d2 */
  const char *title; /* Chain */
  int services;
  const char *text; /* the graph */
};

/* The families, in the order of the publication; NULL when there are no more. */
const struct family *family_at(size_t index);
/* NULL when there is none of that name. */
const struct family *family_find(const char *name);

/* Reads a graph of `services` services. False when the text is none, or a call may come back to the
 * way that it came from (it would not end); then `problem` says why, in one line. */
bool graph_parse(struct graph *graph, int services, const char *text, char *problem, size_t size);

/* The graph of a family, which is one of the above. */
void family_graph(const struct family *family, struct graph *graph);

/* What was run: a family, by which protocol, whether calls are made at once, whose work is made
 * shorter, and the work of a call of each service in microseconds, as drawn from the seed by
 * draw_times.py. */
struct configuration {
  const char *family, *protocol;
  bool at_once;
  int target, seed, connections;
  const double *work_us; /* of each service */
};

/* The 108 configurations of the publication, then two of the tree; NULL when there are no more. */
#define CONFIGURATIONS_PUBLISHED 108
const struct configuration *configuration_at(size_t index);

/* The configuration of a family with this seed: the first one; NULL when there is none. */
const struct configuration *configuration_find(const char *family, int seed);

#endif
