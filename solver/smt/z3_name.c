/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The name of the solver in use (smt.h).
 */
#include <pthread.h>
#include <stdio.h>

#include "solver/smt/smt.h"
#include "solver/smt/z3_loaded.h"

static char name[64];

static void make_name(void) {
  unsigned major, minor, build, revision;
  z3_need();
  z3.get_version(&major, &minor, &build, &revision);
  snprintf(name, sizeof name, "Z3 %u.%u.%u", major, minor, build);
}

const char *smt_name(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_name);
  return name;
}
