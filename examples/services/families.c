/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/services/families.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct family families[] = {
    {"chain-d2", "Chain, 3 services", 3, "0>1 1>2"},
    {"chain-d8", "Chain, 10 services", 10, "0>1 1>2 2>3 3>4 4>5 5>6 6>7 7>8 8>9"},
    {"fanout-w3", "Fan-out, 4 services", 4, "0>1,2,3"},
    {"fanout-w7", "Fan-out, 8 services", 8, "0>1,2,3,4,5,6,7"},
    {"dag-unbalanced", "Unbalanced tree", 8, "0>1,2,3 2>4 3>5,6 5>7"},
    {"dag-relay", "DAG with relay", 7, "0>1,2,3 1>4 2>4 3>4 4>5,6"},
    {"dag-cross", "DAG, five services", 5, "0>1,2,3,4 1>4 2>4 3>2"},
    {"dynamic-once", "Dynamic chain", 5, "0>1 1>2:80|3:20 2>4"},
    {"dynamic-twice", "Dynamic tree", 7, "0>1:20|2:30|3:50 1>4:80 3>5:30|6:70"},
    {"dynamic-cache", "Cache", 3, "0>1 1>2:25"},
    {"dynamic-cycle", "Cycle", 5, "0>1 1>2:34|3:33|4:33 2>1b 1b>3:50|4:50"},
    {"tree-w6", "Balanced tree, 43 services", 43,
     "0>1,2,3,4,5,6 1>7,8,9,10,11,12 2>13,14,15,16,17,18 3>19,20,21,22,23,24 "
     "4>25,26,27,28,29,30 5>31,32,33,34,35,36 6>37,38,39,40,41,42"},
};

static const struct configuration configurations[] = {
#include "examples/services/configurations.inc"
};

const struct family *family_at(size_t index) {
  return index < sizeof families / sizeof *families ? &families[index] : NULL;
}

const struct family *family_find(const char *name) {
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    if (strcmp(families[i].name, name) == 0)
      return &families[i];
  return NULL;
}

const struct configuration *configuration_at(size_t index) {
  return index < sizeof configurations / sizeof *configurations ? &configurations[index] : NULL;
}

const struct configuration *configuration_find(const char *family, int seed) {
  for (size_t i = 0; i < sizeof configurations / sizeof *configurations; i++)
    if (configurations[i].seed == seed && strcmp(configurations[i].family, family) == 0)
      return &configurations[i];
  return NULL;
}

/* ---- reading a graph */

struct reader {
  struct graph *graph;
  const char *at;
  char letter[GRAPH_WAYS]; /* of each way: 0 for the first into its service */
  char *problem;
  size_t size;
};

static bool complain(struct reader *reader, const char *what) {
  snprintf(reader->problem, reader->size, "%s at \"%.20s\"", what, reader->at);
  return false;
}

static bool read_number(struct reader *reader, int most, const char *what, int *number) {
  if (!isdigit((unsigned char)*reader->at))
    return complain(reader, what);
  char *end;
  long value = strtol(reader->at, &end, 10);
  if (value < 0 || value > most)
    return complain(reader, what);
  reader->at = end;
  *number = (int)value;
  return true;
}

/* A way that is mentioned for the first time is a new one. */
static bool read_way(struct reader *reader, int *way) {
  struct graph *graph = reader->graph;
  int service;
  if (!read_number(reader, graph->services - 1, "no service of this graph", &service))
    return false;
  *way = service;
  if (!islower((unsigned char)*reader->at))
    return true;
  char letter = *reader->at;
  for (*way = graph->services; *way < graph->ways; ++*way)
    if (graph->way[*way].service == service && reader->letter[*way] == letter)
      break;
  if (*way == GRAPH_WAYS)
    return complain(reader, "too many ways into services");
  if (*way == graph->ways) {
    graph->way[graph->ways] = (struct graph_way){.service = service};
    reader->letter[graph->ways++] = letter;
  }
  reader->at++;
  return true;
}

/* One call of `way`: alternatives with their chances. */
static bool read_call(struct reader *reader, int way, int choice) {
  struct graph *graph = reader->graph;
  int sum = 0;
  do {
    if (graph->edges_used == GRAPH_EDGES)
      return complain(reader, "too many calls");
    struct graph_edge *edge = &graph->edges[graph->edges_used];
    *edge = (struct graph_edge){.choice = choice, .from_percent = sum};
    int percent = 100;
    if (!read_way(reader, &edge->to))
      return false;
    if (*reader->at == ':') {
      reader->at++;
      if (!read_number(reader, 100, "no percentage", &percent))
        return false;
    }
    sum += percent;
    if (sum > 100)
      return complain(reader, "alternatives of more than 100 %");
    edge->to_percent = sum;
    graph->edges_used++;
    graph->way[way].edges++;
  } while (*reader->at == '|' && reader->at++);
  return true;
}

static bool read_calls(struct reader *reader) {
  struct graph *graph = reader->graph;
  int way;
  if (!read_way(reader, &way))
    return false;
  if (*reader->at++ != '>')
    return reader->at--, complain(reader, "no '>'");
  if (graph->way[way].edges != 0)
    return complain(reader, "calls of a service that has its calls already");
  graph->way[way].first = graph->edges_used;
  int choice = 0;
  do {
    if (!read_call(reader, way, choice++))
      return false;
  } while (*reader->at == ',' && reader->at++);
  return *reader->at == '\0' || isspace((unsigned char)*reader->at) ||
         complain(reader, "something else than a call");
}

/* Expected calls, along an order in which each way comes after all that call it. */
static bool count_calls(struct reader *reader) {
  struct graph *graph = reader->graph;
  double visits[GRAPH_WAYS] = {1};
  int callers[GRAPH_WAYS] = {0}, ready[GRAPH_WAYS], known = 0;
  for (int i = 0; i < graph->edges_used; i++)
    callers[graph->edges[i].to]++;
  for (int w = 0; w < graph->ways; w++)
    if (callers[w] == 0)
      ready[known++] = w;
  for (int i = 0; i < known; i++) {
    const struct graph_way *way = &graph->way[ready[i]];
    graph->calls[way->service] += visits[ready[i]];
    for (int e = way->first; e < way->first + way->edges; e++) {
      const struct graph_edge *edge = &graph->edges[e];
      visits[edge->to] += visits[ready[i]] * (edge->to_percent - edge->from_percent) / 100;
      if (--callers[edge->to] == 0)
        ready[known++] = edge->to;
    }
  }
  reader->at = "";
  return known == graph->ways || complain(reader, "calls that come back to where they began");
}

bool graph_parse(struct graph *graph, int services, const char *text, char *problem, size_t size) {
  *graph = (struct graph){.services = services, .ways = services};
  struct reader reader = {.graph = graph, .at = text, .problem = problem, .size = size};
  if (services < 1 || services > GRAPH_SERVICES)
    return complain(&reader, "no number of services that a graph may have");
  for (int s = 0; s < services; s++)
    graph->way[s].service = s;
  for (;;) {
    while (isspace((unsigned char)*reader.at))
      reader.at++;
    if (*reader.at == '\0')
      return count_calls(&reader);
    if (!read_calls(&reader))
      return false;
  }
}

void family_graph(const struct family *family, struct graph *graph) {
  char problem[128];
  if (!graph_parse(graph, family->services, family->text, problem, sizeof problem)) {
    fprintf(stderr, "family %s: %s\n", family->name, problem);
    abort();
  }
}
