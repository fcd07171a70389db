/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A graph of services that call each other, as all processes of a run know it. From a file, one
 * thing a line, "#" begins a comment:
 *
 *   service web workers 2             so many requests at once are worked on; 1 when not said
 *     on browse work 400us            an endpoint; a request takes so much work of one worker
 *       call cart                     when it is done, one after the other: the first endpoint of
 *       call stock.reserve 0.5        cart, and with probability 0.5 that one of stock; 2.5: two
 *       choose price 30 none 70       calls, and a third with probability 0.5. One of several
 *     on buy work 1.2ms locked 350us together    ... 350 us of the work under the one lock of the
 *       call cart                     service; the calls all at once, joined
 *   user web.browse 90                what users ask for, with weights
 *   user web.buy 10
 *
 * Times are us, ms or s. Services listen at 127.0.0.1, the first at the base port of the run, the
 * others at those that follow.
 */
#ifndef EXAMPLES_SERVICES_MESH_H
#define EXAMPLES_SERVICES_MESH_H

#include "examples/common/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MESH_SERVICES_MAX = 64,
  MESH_ENDPOINTS_MAX = 4,
  MESH_STEPS_MAX = 16,
  MESH_CHOICES_MAX = 8,
  MESH_NAME_MAX = 32,
  MESH_WORKERS_MAX = 64,
  MESH_SURE = 1000000, /* the sum of probabilities, in millionths */
};

#define MESH_WORK_MAX_NS 10000000000u

struct mesh_choice {
  uint16_t service, endpoint;
  uint32_t millionths;
};

/* One call to at most one of several; with what is missing of MESH_SURE, none. */
struct mesh_step {
  size_t count;
  struct mesh_choice choices[MESH_CHOICES_MAX];
};

struct mesh_endpoint {
  char name[MESH_NAME_MAX];
  uint64_t work_ns, locked_ns; /* locked_ns of the work_ns are under the service's lock */
  bool together;
  size_t count;
  struct mesh_step steps[MESH_STEPS_MAX];
};

struct mesh_service {
  char name[MESH_NAME_MAX];
  uint32_t workers;
  size_t count;
  struct mesh_endpoint endpoints[MESH_ENDPOINTS_MAX];
};

struct mesh {
  size_t count;
  struct mesh_service services[MESH_SERVICES_MAX];
  struct mesh_step users;
};

/* Reads a file. 0, or an exit code after a complaint that names file and line: EXIT_DATA for what
 * is no graph, EXIT_UNREADABLE. */
enum { EXIT_DATA = 65, EXIT_UNREADABLE = 66 };
int mesh_read(struct mesh *mesh, const char *path);

/* A family of examples/services/families.h with the service times drawn from `seed`; each service
 * has that many workers, and its calls are made at once or one after the other. False after a
 * complaint. */
bool mesh_family(struct mesh *mesh, const char *family, uint64_t seed, uint32_t workers,
                 bool together);

/* The index of a service; mesh->count after a complaint. */
size_t mesh_find(const struct mesh *mesh, const char *name);

/* Draws what a step calls; NULL for nothing. */
const struct mesh_choice *mesh_draw(const struct mesh_step *step, struct random *random);

/* What a user request costs each service, as expectations: its calls, and its work in microseconds.
 * A graph in which calls go round for ever has none: false after a complaint. */
bool mesh_calls(const struct mesh *mesh, double calls[MESH_SERVICES_MAX],
                double work_us[MESH_SERVICES_MAX]);

#endif
