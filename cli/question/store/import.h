/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `import` and `merge`: series of what was recorded, in a folder.
 */
#ifndef CLI_QUESTION_STORE_IMPORT_H
#define CLI_QUESTION_STORE_IMPORT_H

#include "base/asker.h"
#include "cli/question/store/gather.h"
#include "cli/question/store/server.h"

struct import_request {
  const struct asker *asker;
  const char *const *sources;
  size_t source_count; /* stores, folders of stores, files of measurements, addresses of pages of
                          metrics; at least one unless a server is asked */
  struct server_request server;
  settings selects;    /* NAME=METRIC{LABELS}: which histograms of pages are which series */
  const char *since;   /* an earlier page, file or address, to be subtracted; NULL: none */
  unsigned timeout_ms; /* of a page that is asked for; 0: 30 s */
  bool imported;       /* the folders are those that `import` wrote */
  enum gather_by by;   /* also keep series by this */
  settings units;      /* of files that state none */
  const char *out;     /* folder: new, empty, or an older import, which is replaced */
};

/* The answer is what was gathered, initialised in any case and cleared with gather_clear.
 * STATUS_OK: it is written; else the asker knows why, and what was at `out` is as it was. `request`
 * must outlive it. */
enum status import_ask(struct gather *gather, const struct import_request *request);

#endif
