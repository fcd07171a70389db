/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The graphs of examples/services/families.h as meshes. Kept apart: the two use the same words.
 */
#include "examples/common/complain.h"
#include "examples/services/families.h"
#include "examples/services/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The endpoint that a way into its service is. */
static size_t endpoint_of(const struct graph *graph, int way) {
  size_t endpoint = 0;
  for (int i = 0; i < way; i++)
    endpoint += graph->way[i].service == graph->way[way].service;
  return endpoint;
}

/* Edges of one choice become one step. */
static bool steps_take(struct mesh_endpoint *endpoint, const struct graph *graph,
                       const struct graph_way *way) {
  int choice = -1;
  for (int i = way->first; i < way->first + way->edges; i++) {
    const struct graph_edge *edge = &graph->edges[i];
    if (edge->choice != choice) {
      if (endpoint->count == MESH_STEPS_MAX)
        return false;
      endpoint->count++;
      choice = edge->choice;
    }
    struct mesh_step *step = &endpoint->steps[endpoint->count - 1];
    if (step->count == MESH_CHOICES_MAX)
      return false;
    step->choices[step->count++] = (struct mesh_choice){
        .service = (uint16_t)graph->way[edge->to].service,
        .endpoint = (uint16_t)endpoint_of(graph, edge->to),
        .millionths = (uint32_t)(edge->to_percent - edge->from_percent) * (MESH_SURE / 100)};
  }
  return true;
}

static bool ways_take(struct mesh *mesh, const struct graph *graph, const double *work_us,
                      bool together) {
  for (int i = 0; i < graph->ways; i++) {
    size_t index = (size_t)graph->way[i].service, e = endpoint_of(graph, i);
    if (index >= MESH_SERVICES_MAX || e >= MESH_ENDPOINTS_MAX)
      return false;
    struct mesh_endpoint *endpoint = &mesh->services[index].endpoints[e];
    mesh->services[index].count =
        e + 1 > mesh->services[index].count ? e + 1 : mesh->services[index].count;
    snprintf(endpoint->name, sizeof endpoint->name, "way%zu", e);
    endpoint->work_ns = (uint64_t)llround(work_us[index] * 1000);
    endpoint->together = together;
    if (!steps_take(endpoint, graph, &graph->way[i]))
      return false;
  }
  return true;
}

bool mesh_family(struct mesh *mesh, const char *name, uint64_t seed, uint32_t workers,
                 bool together) {
  const struct family *family = family_find(name);
  const struct configuration *configuration =
      family != NULL && seed <= INT32_MAX ? configuration_find(name, (int)seed) : NULL;
  static struct graph graph;
  memset(mesh, 0, sizeof *mesh);
  if (family == NULL || configuration == NULL) {
    complain(family == NULL ? "--family %s: no such family; see examples/services/families.h"
                            : "--family %s has no times for --seed %" PRIu64
                              "; see examples/services/families.h",
             name, seed);
    return false;
  }
  family_graph(family, &graph);
  mesh->count = (size_t)family->services;
  for (size_t i = 0; i < mesh->count && i < MESH_SERVICES_MAX; i++) {
    snprintf(mesh->services[i].name, MESH_NAME_MAX, "service%zu", i);
    mesh->services[i].workers = workers;
  }
  mesh->users = (struct mesh_step){.count = 1, .choices = {{.millionths = MESH_SURE}}};
  if (ways_take(mesh, &graph, configuration->work_us, together))
    return true;
  complain("--family %s is too large", name);
  return false;
}
