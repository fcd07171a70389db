/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples/services/mesh.h"

#include "examples/common/complain.h"

#include <string.h>

size_t mesh_find(const struct mesh *mesh, const char *name) {
  size_t i = 0;
  while (i < mesh->count && strcmp(mesh->services[i].name, name) != 0)
    i++;
  if (i == mesh->count)
    complain("the graph has no service %s", name);
  return i;
}

/* Uniform in 0 .. MESH_SURE - 1: a draw that never gave 0 would make every share a little wrong. */
const struct mesh_choice *mesh_draw(const struct mesh_step *step, struct random *random) {
  uint64_t drawn = random_upto(random, MESH_SURE - 1);
  for (size_t i = 0; i < step->count; i++) {
    if (drawn < step->choices[i].millionths)
      return &step->choices[i];
    drawn -= step->choices[i].millionths;
  }
  return NULL;
}

/* What one round of calls adds: visits[] of each endpoint to the next ones'. */
static void visits_pass(const struct mesh *mesh,
                        double visits[MESH_SERVICES_MAX][MESH_ENDPOINTS_MAX],
                        double next[MESH_SERVICES_MAX][MESH_ENDPOINTS_MAX]) {
  for (size_t s = 0; s < mesh->count; s++)
    for (size_t e = 0; e < mesh->services[s].count; e++) {
      const struct mesh_endpoint *endpoint = &mesh->services[s].endpoints[e];
      for (size_t i = 0; i < endpoint->count; i++)
        for (size_t j = 0; j < endpoint->steps[i].count; j++) {
          const struct mesh_choice *choice = &endpoint->steps[i].choices[j];
          next[choice->service][choice->endpoint] += visits[s][e] * choice->millionths / MESH_SURE;
        }
    }
}

bool mesh_calls(const struct mesh *mesh, double calls[MESH_SERVICES_MAX],
                double work_us[MESH_SERVICES_MAX]) {
  static double visits[MESH_SERVICES_MAX][MESH_ENDPOINTS_MAX];
  static double next[MESH_SERVICES_MAX][MESH_ENDPOINTS_MAX];
  enum { DEEPEST = 1000 };
  memset(visits, 0, sizeof visits);
  memset(calls, 0, MESH_SERVICES_MAX * sizeof *calls);
  memset(work_us, 0, MESH_SERVICES_MAX * sizeof *work_us);
  for (size_t i = 0; i < mesh->users.count; i++)
    visits[mesh->users.choices[i].service][mesh->users.choices[i].endpoint] +=
        (double)mesh->users.choices[i].millionths / MESH_SURE;
  for (int depth = 0; depth < DEEPEST; depth++) {
    double sum = 0;
    for (size_t s = 0; s < mesh->count; s++)
      for (size_t e = 0; e < mesh->services[s].count; e++) {
        calls[s] += visits[s][e];
        work_us[s] += visits[s][e] * (double)mesh->services[s].endpoints[e].work_ns / 1000;
        sum += visits[s][e];
      }
    if (sum < 1e-9)
      return true;
    memset(next, 0, sizeof next);
    visits_pass(mesh, visits, next);
    memcpy(visits, next, sizeof visits);
  }
  complain("the calls of the graph go round for ever");
  return false;
}
