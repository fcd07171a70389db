/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads recordings, which are stores (.tps), folders of them, files of other tools, pages of
 * metrics (http://...), and, where asked for, folders that `import` wrote, and adds them up by
 * series.
 *
 * Nothing is lost silently: recordings that a store says were refused or cut off are infinite in
 * every series of that store; a store of which an unknown part is missing is refused. Requests
 * that a pairing from outside could not pair are infinite, or left out, as the pairing says; every
 * series of its stores, and the table, have a note with their share. Where a
 * message's delay could not be measured since its sender has another clock, the round trip of it
 * and its answer stands for it, an upper bound; a message with neither counts as infinite.
 */
#ifndef CLI_QUESTION_STORE_GATHER_H
#define CLI_QUESTION_STORE_GATHER_H

#include "base/text.h"
#include "cli/question/setting.h"
#include "cli/question/store/fetch.h"
#include "cli/question/store/joined.h"
#include "cli/question/store/series.h"
#include "measure/outside/left_over.h"

struct format_header;
struct format_name;
struct source_page;
struct store_reader;

enum gather_by { BY_NOTHING, BY_NODE, BY_HOST, BY_INDEX };

/* A store that was read, for the summary. */
struct gathered_store {
  char *path, *node, *host;
  uint64_t process, records, overwritten, torn, refused, bad_stamps;
  bool closed;
};

/* A message whose delays may not be known everywhere. */
struct gathered_link {
  char *delay, *round_trip; /* names of the series; the second NULL without */
  uint64_t unknown;         /* arrivals in the logs whose delay is not known at all */
  struct sample answers;    /* arrivals of answers: the round trips that they end */
  lines from;               /* the stores of both */
  bool overwritten;         /* perhaps more of them are in no log any more */
  uint64_t sent, arrived;   /* in the logs */
  uint64_t lost_records;    /* overwritten ones of all stores that have the message */
  uint64_t clock;           /* identity of the first store's */
  bool clocks_differ;
};

struct gather {
  struct series_table table;
  VECTOR(struct gathered_store) stores;
  VECTOR(struct gathered_link) links;
  size_t files; /* that are no stores */
  struct joined joined;
  struct left_over left_over; /* beside the store that is read */
  /* to be set by the caller: */
  enum gather_by by;
  bool imported; /* folders may hold .tph files */
  bool look;     /* only look: also at stores that are damaged */
  const settings *units;
  settings selects;                /* borrowed: which histogram of a page is which series */
  bool mix;                        /* all kinds of requests of a file are one series */
  const struct source_page *since; /* what pages of metrics counted before is subtracted; or NULL */
  bool text_pages;                 /* ask for pages as text, as the earlier one is */
  unsigned timeout_ms;             /* of a page that is asked for */
  struct fetch_trust trust;
};

void gather_clear(struct gather *gather);

/* Reads what is at a path. STATUS_NO_INPUT, STATUS_DATA or STATUS_USAGE with one line. */
enum status gather_add(struct gather *gather, const char *path, struct text *message);

/* After the last path: the delays that were not measured, the notes, the order, and, unless one
 * only looks, the table of what belongs together. */
enum status gather_finish(struct gather *gather, struct text *message);

/* Private to the parts of gather: the series of an open store, and of its logs by index. */
enum status gather_store(struct gather *gather, const struct store_reader *reader, const char *path,
                         struct text *message);
enum status gather_logs(struct gather *gather, const struct store_reader *reader, const char *path,
                        const struct series *about, struct text *message);

/* The kind under which names with one series are added up: an action's component is a component. 0
 * for names that have none. */
int gather_kind(const struct format_name *name);

/* The first name of the store with the series of this one. */
uint32_t gather_first(const struct store_reader *reader, uint32_t name);

/* "store node=N host=H process=P start=S": what tells a recording from all others. */
char *gather_identity(const struct format_header *header);

#endif
