/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The way to the list is walked token by token, so that a list may have any length; each item of it
 * is a tree in memory.
 */
#include "trace/span/rows.h"

#include <string.h>

#include "trace/span/json_tree.h"
#include "trace/span/row.h"
#include "trace/span/value.h"

enum { STEPS_MOST = 8, NESTED_MOST = 100, LATEST_MOST = 8, FOUND_MOST = 16 };

/* What a `$` column had last. */
struct latest {
  struct slice path;
  struct text text;
};

/* What was found around a span; those beside it have the same around them. */
struct found {
  const char *path;
  uint32_t around, node;
};

struct rows {
  struct json_scan *scan;
  const struct span_columns *columns;
  struct row_maker maker;
  struct slice steps[STEPS_MOST]; /* of the list's path; "[]" for its items */
  size_t step_count, depth;       /* how many are entered */
  bool taken;                     /* something was */
  struct json_tree tree;
  struct latest latest[LATEST_MOST];
  size_t latest_count;
  struct found found[FOUND_MOST]; /* in the item */
  size_t found_count;
  bool any;                 /* of the item has been given */
  uint32_t root, span;      /* of the item, of the span that is looked at */
  struct text room;         /* of a document that stands in a text */
  struct json_scan *values; /* which has the values in memory: the scan, or one of `room` */
};

/* ---- the keys of a span */

static bool is_object(const struct rows *rows, uint32_t node) {
  return rows->tree.nodes.data[node].kind == TREE_OBJECT;
}

static uint32_t around(const struct rows *rows, uint32_t node) {
  return rows->tree.nodes.data[node].around;
}

/* In what is around the span, the nearest or the outermost that has it. */
static uint32_t find_around(const struct rows *rows, struct slice path, bool outermost) {
  uint32_t found = TREE_NONE;
  for (uint32_t at = around(rows, rows->span); at != TREE_NONE; at = around(rows, at)) {
    uint32_t here = is_object(rows, at) ? json_tree_find(&rows->tree, at, path) : TREE_NONE;
    if (here != TREE_NONE && json_tree_text(&rows->tree, here).length != 0)
      found = here;
    if (found != TREE_NONE && !outermost)
      return found;
  }
  return found;
}

static uint32_t known_around(struct rows *rows, struct slice path, bool outermost) {
  uint32_t beside = around(rows, rows->span);
  size_t i = 0;
  while (i < rows->found_count && rows->found[i].path != path.start)
    i++;
  if (i < rows->found_count && rows->found[i].around == beside)
    return rows->found[i].node;
  uint32_t node = find_around(rows, path, outermost);
  if (i < FOUND_MOST) {
    rows->found[i] = (struct found){path.start, beside, node};
    rows->found_count += i == rows->found_count;
  }
  return node;
}

static struct slice latest_of(const struct rows *rows, struct slice path) {
  for (size_t i = 0; i < rows->latest_count; i++)
    if (slice_same(rows->latest[i].path, path))
      return (struct slice){text_get(&rows->latest[i].text), rows->latest[i].text.length};
  return (struct slice){"", 0};
}

static struct slice look(void *context, const struct column_source *source, struct slice path) {
  struct rows *rows = context;
  uint32_t found = TREE_NONE;
  if (source->from == FROM_LATEST)
    return latest_of(rows, path);
  if (source->from == FROM_SPAN)
    found = json_tree_find(&rows->tree, rows->span, path);
  else
    found = known_around(rows, path, source->from == FROM_OUTERMOST);
  return found == TREE_NONE ? (struct slice){"", 0} : json_tree_text(&rows->tree, found);
}

/* Keeps what later documents do not say. */
static void note_latest(struct rows *rows) {
  for (size_t i = 0; i < rows->latest_count; i++) {
    struct latest *latest = &rows->latest[i];
    uint32_t found = json_tree_find(&rows->tree, rows->root, latest->path);
    struct slice text =
        found == TREE_NONE ? (struct slice){"", 0} : json_tree_text(&rows->tree, found);
    if (text.length == 0)
      continue;
    text_clear(&latest->text);
    text_append_bytes(&latest->text, text.start, text.length);
  }
}

static void list_latest(struct rows *rows) {
  for (size_t i = 0; i < rows->columns->sources.count; i++) {
    const struct column_source *source = &rows->columns->sources.data[i];
    if (source->from == FROM_LATEST && rows->latest_count < LATEST_MOST)
      rows->latest[rows->latest_count++] = (struct latest){.path = source->path};
  }
}

/* ---- tags */

static void add_tag(struct rows *rows, struct slice key, struct slice value) {
  struct span_tag tag;
  if (value.length != 0 && intake_tag(rows->maker.intake, &tag, key, value))
    vector_push(&rows->maker.tags, tag);
}

static void add_tags(struct rows *rows, uint32_t node) {
  const struct json_tree *tree = &rows->tree;
  for (uint32_t i = tree->nodes.data[node].first; i != TREE_NONE; i = tree->nodes.data[i].next) {
    struct slice key;
    uint32_t value = i;
    if (tree->nodes.data[node].kind == TREE_OBJECT)
      key = tree->nodes.data[i].key;
    else if (!json_tree_pair(tree, i, &key, &value))
      continue;
    add_tag(rows, key, json_tree_text(tree, value));
  }
}

static void take_tags(struct rows *rows) {
  rows->maker.tags.count = 0;
  for (size_t i = 0; i < rows->columns->sources.count && rows->maker.intake->reading->tags; i++) {
    const struct column_source *source = &rows->columns->sources.data[i];
    if (source->role != COLUMN_TAGS)
      continue;
    uint32_t node = slice_is(source->path, "*")
                        ? rows->span
                        : json_tree_find(&rows->tree, rows->span, source->path);
    if (node != TREE_NONE)
      add_tags(rows, node);
  }
}

/* ---- links */

static struct slice said_by(const struct rows *rows, uint32_t node, const char *path) {
  uint32_t found = json_tree_find(&rows->tree, node, (struct slice){path, strlen(path)});
  return found == TREE_NONE ? (struct slice){"", 0} : json_tree_text(&rows->tree, found);
}

static void take_links(struct rows *rows) {
  const struct span_layout *layout = rows->maker.layout;
  const struct json_tree *tree = &rows->tree;
  rows->maker.links.count = 0;
  if (layout->links == NULL)
    return;
  uint32_t list =
      json_tree_find(tree, rows->span, (struct slice){layout->links, strlen(layout->links)});
  if (list == TREE_NONE || tree->nodes.data[list].kind != TREE_LIST)
    return;
  for (uint32_t i = tree->nodes.data[list].first; i != TREE_NONE; i = tree->nodes.data[i].next) {
    struct row_link link = {.trace = said_by(rows, i, layout->link_trace),
                            .span = said_by(rows, i, layout->link_span)};
    if (link.span.length != 0)
      vector_push(&rows->maker.links, link);
  }
}

/* ---- the spans of an item */

static bool give(struct rows *rows, uint32_t node, int depth) {
  const char *nested = rows->maker.layout->nested;
  if (!is_object(rows, node))
    return true;
  rows->any = true;
  rows->span = node;
  columns_fill(&rows->maker.values, rows->columns, look, rows);
  take_tags(rows);
  take_links(rows);
  if (!row_scatter(&rows->maker, rows->values, depth != 0))
    return false;
  uint32_t list = nested == NULL || depth == NESTED_MOST
                      ? TREE_NONE
                      : json_tree_find(&rows->tree, node, (struct slice){nested, strlen(nested)});
  if (list == TREE_NONE)
    return true;
  for (uint32_t i = rows->tree.nodes.data[list].first; i != TREE_NONE;
       i = rows->tree.nodes.data[i].next)
    if (!give(rows, i, depth + 1))
      return false;
  return true;
}

/* A document that stands in a text: X-Ray's segments. Its messages are of the text's place. */
static bool give_text(struct rows *rows, uint32_t node) {
  enum { BEHIND = 8 }; /* bytes that a scan looks at together */
  struct slice written = rows->tree.nodes.data[node].text, text;
  uint32_t root;
  text = value_text(&rows->room, written);
  struct text copy;
  text_init(&copy);
  text_append_bytes(&copy, text.start, text.length);
  text_append_bytes(&copy, "\0\0\0\0\0\0\0\0", BEHIND);
  struct json_scan within = {.name = rows->scan->name, .line = 1, .ended = true};
  within.at = within.bytes = copy.data;
  within.unit = copy.data;
  within.end = copy.data + text.length;
  rows->values = &within;
  bool good = json_tree_take(&rows->tree, &within, rows->tree.nodes.data[node].around, &root);
  good = good && give(rows, root, 0);
  rows->values = rows->scan;
  if (!scan_good(&within))
    scan_fail(rows->scan, written.start, "the document in this text: %s",
              text_get(&within.message) + strlen(rows->scan->name));
  vector_clear(&within.open);
  text_clear(&within.message);
  text_clear(&copy);
  return good;
}

static bool each_span(struct rows *rows, uint32_t node, struct slice path);

static bool each_item(struct rows *rows, uint32_t list, struct slice path) {
  if (rows->tree.nodes.data[list].kind != TREE_LIST)
    return true;
  for (uint32_t i = rows->tree.nodes.data[list].first; i != TREE_NONE;
       i = rows->tree.nodes.data[i].next)
    if (!each_span(rows, i, path))
      return false;
  return true;
}

/* Calls itself as often as a path has steps. */
static bool each_span(struct rows *rows, uint32_t node, struct slice path) {
  if (path.length == 0) {
    const struct json_node *at = &rows->tree.nodes.data[node];
    bool is_text = at->kind == TREE_SCALAR && at->text.length != 0 && *at->text.start == '{';
    return is_text ? give_text(rows, node) : give(rows, node, 0);
  }
  size_t length = 0;
  while (length < path.length && path.start[length] != '[' && path.start[length] != '.')
    length++;
  struct slice rest = {path.start + length, path.length - length};
  if (length != 0) {
    node = json_tree_find(&rows->tree, node, (struct slice){path.start, length});
    if (rest.length != 0 && *rest.start == '.')
      rest = (struct slice){rest.start + 1, rest.length - 1};
    return node == TREE_NONE || each_span(rows, node, rest);
  }
  size_t step = rest.length > 2 && rest.start[2] == '.' ? 3 : 2;
  return each_item(rows, node, (struct slice){rest.start + step, rest.length - step});
}

static bool take_item(struct rows *rows) {
  struct slice paths = {rows->maker.layout->spans, strlen(rows->maker.layout->spans)}, path;
  rows->tree.nodes.count = rows->found_count = 0;
  if (!json_tree_take(&rows->tree, rows->scan, TREE_NONE, &rows->root))
    return false;
  note_latest(rows);
  rows->any = false;
  while (slice_field(&path, &paths, '|'))
    if (!each_span(rows, rows->root, path))
      return false;
  rows->maker.intake->notes.no_spans += !rows->any;
  return true;
}

/* ---- the way to them */

static void take_steps(struct rows *rows, const char *path) {
  while (*path != '\0' && rows->step_count < STEPS_MOST) {
    size_t length = *path == '[' ? 2 : strcspn(path, ".[");
    rows->steps[rows->step_count++] = (struct slice){path, length};
    path += length;
    path += *path == '.';
  }
}

/* Enters a value, or takes it where the way ends; what is not as the way says is passed over. */
static bool enter(struct rows *rows) {
  if (rows->depth == rows->step_count)
    return take_item(rows);
  char wanted = *rows->steps[rows->depth].start == '[' ? '[' : '{';
  if (scan_peek(rows->scan) != wanted)
    return scan_skip(rows->scan);
  if (!scan_enter(rows->scan, wanted))
    return false;
  rows->depth++;
  return true;
}

/* The next member or item of what is entered, or its end. */
static bool take_next(void *context) {
  struct rows *rows = context;
  struct slice key;
  if (rows->depth == 0)
    return enter(rows);
  struct slice step = rows->steps[rows->depth - 1];
  bool list = *step.start == '[';
  if (list ? !scan_item(rows->scan) : !scan_key(rows->scan, &key)) {
    rows->depth -= scan_good(rows->scan);
    return scan_good(rows->scan);
  }
  return list || slice_same(key, step) ? enter(rows) : scan_skip(rows->scan);
}

enum status rows_read(struct intake *intake, struct json_scan *scan,
                      const struct span_layout *layout, const struct span_columns *columns) {
  struct rows rows = {.scan = scan,
                      .columns = columns,
                      .values = scan,
                      .maker = {.intake = intake, .layout = layout}};
  take_steps(&rows, layout->list);
  list_latest(&rows);
  while (rows.maker.status == STATUS_OK && scan_good(scan) &&
         (rows.depth != 0 || !scan_at_end(scan)))
    if (!scan_unit(scan, take_next, &rows) && rows.taken && rows.step_count == 0 &&
        scan_forgive_end(scan)) { /* it is being written, a document at a time */
      intake->notes.broken_off++;
      break;
    } else {
      rows.taken = true;
    }
  for (size_t i = 0; i < rows.latest_count; i++)
    text_clear(&rows.latest[i].text);
  json_tree_clear(&rows.tree);
  text_clear(&rows.room);
  row_clear(&rows.maker);
  return scan_good(scan) ? rows.maker.status : scan->status;
}
