/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What measurements know of themselves, for programs: an object for each file that an answer rests
 * on (base/evidence.h).
 */
#ifndef CLI_PRESENT_EVIDENCE_H
#define CLI_PRESENT_EVIDENCE_H

#include "dist/statistics/serial.h"
#include "show/document.h"

struct evidence;
struct sample;

extern const struct object_kind evidence_kind;

/* Adds the object of a sample that is called `name`; `serial`: what its order says. */
void evidence_put(struct objects *objects, const char *name, const struct sample *sample,
                  const struct serial *serial);

/* The same of a sample that is gone. */
struct evidence_known {
  const char *name;
  const struct evidence *evidence;
  uint64_t real;
  bool ordered; /* something is known of the order */
  struct serial serial;
};
void evidence_put_known(struct objects *objects, const struct evidence_known *known);

#endif
