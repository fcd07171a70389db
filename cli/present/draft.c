/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/draft.h"

#include "trace/graph/family.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key flow_keys[] = {
    KEY("root", TEXT, .marks = MARK_NAMES),
    KEY("calls", COUNT, .note = "the least that a request makes"),
    KEY("calls_most", COUNT, .note = "more where calls are repeated in a loop"),
    KEY("requests", COUNT),
    KEY("share", SHARE),
    KEY("name", TEXT, .marks = MARK_NAMES | MARK_NULL, .note = "null where none was drafted"),
    KEY("reason", TEXT, .marks = MARK_NULL),
    {0}};
static const struct object_kind flow_kind = {"flow", NULL, flow_keys};

static const struct object_key draft_keys[] = {KEY("requests", COUNT),
                                               KEY("folder", TEXT, .marks = MARK_NAMES),
                                               KEY("flows", OBJECTS, .objects = &flow_kind),
                                               {0}};
static const struct object_kind draft_kind = {"draft", NULL, draft_keys};

const struct object_kind *const draft_kinds[] = {&draft_kind, &assumption_kind, NULL};

/* --- the answer ------------------------------------------------------------------------------- */

static void put_flow(struct objects *flows, const struct draft_answer *answer,
                     const struct draft_file *file, const char *folder) {
  struct text root;
  text_init(&root);
  struct family_calls calls = flow_family_calls(file->family);
  flow_call_name(&root, file->family->shape.flow, 0, &answer->store.names);
  objects_add(flows);
  object_text(flows, "root", text_get(&root));
  object_count(flows, "calls", calls.least);
  object_count(flows, "calls_most", calls.most);
  if (calls.most > calls.least)
    object_words(flows, "calls", "%zu .. %zu", calls.least, calls.most);
  object_count(flows, "requests", file->family->requests);
  object_number(flows, "share",
                (double)file->family->requests / (double)answer->store.requests.count);
  object_text(flows, "name", file->name);
  object_text(flows, "reason", file->name == NULL ? file->reason : NULL);
  if (file->name != NULL)
    object_words(flows, "name", "%s/%s.tp", folder, file->name);
  else
    object_words(flows, "name", "not drafted: %s", file->reason);
  text_clear(&root);
}

static void show_flows(struct document *document, const struct draft_answer *answer,
                       const struct draft_request *request) {
  static const struct object_column columns[] = {
      {.title = "flow", .key = "root"},
      {.title = "calls", .align = TABLE_RIGHT, .key = "calls"},
      {.title = "requests", .align = TABLE_RIGHT, .key = "requests"},
      {.title = "share", .align = TABLE_RIGHT, .key = "share", .decimals = 1},
      {.title = "drafted as", .key = "name"},
  };
  struct objects *drafts = document_objects(document, &draft_kind);
  objects_add(drafts);
  object_count(drafts, "requests", answer->store.requests.count);
  object_text(drafts, "folder", request->out);
  struct objects *flows = object_list(drafts, "flows");
  for (size_t i = 0; i < answer->files.count; i++)
    put_flow(flows, answer, &answer->files.data[i], request->out);
  document_table(document, LINES_APART, 2, flows, columns, sizeof columns / sizeof *columns);
}

static void say_next(struct document *document, const struct draft_answer *answer,
                     const struct draft_request *request) {
  const char *name = NULL, *set = NULL;
  struct text text;
  for (size_t i = answer->files.count; i-- > 0;)
    if (answer->files.data[i].name != NULL) {
      name = answer->files.data[i].name;
      set = answer->files.data[i].set;
    }
  if (name == NULL)
    return;
  text_init(&text);
  text_format(
      &text,
      "    tailproof verify --infer --write %s/%s.tp\n"
      "    tailproof replay %s/%s.tp --traces %s%s%s%s\n"
      "    tailproof percentiles %s/%s.tp --joint %s/%s.csv --observed request -p 50,90,99%s\n",
      request->out, name, request->out, name, request->traces[0],
      request->selection.fold_names ? " --fold-names" : "",
      request->selection.follow == NULL ? "" : " --follow messages", set, request->out, name,
      request->out, name, set);
  document_say(document, LINES_APART, "Next:");
  document_pre(document, LINES_CLOSE, &text);
}

void draft_document(struct document *document, const struct draft_answer *answer,
                    const struct draft_request *request) {
  struct text text;
  document_init(document, "draft", draft_kinds);
  document_title(document, "Protocols of recorded requests");
  text_init(&text);
  text_format(&text, "%zu requests, %zu flow%s", answer->store.requests.count, answer->files.count,
              answer->files.count == 1 ? "" : "s");
  document_take(document, LINES_CLOSE, 0, &text);
  show_flows(document, answer, request);
  say_next(document, answer, request);
  document_ledger(document, &answer->ledger);
}
