/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/question/audit/audit.h"

#include "base/memory.h"
#include "cli/question/law/laws.h"
#include "cli/question/percentiles/unread.h"
#include "cli/question/verify/parameters.h"
#include "dist/source/sample.h"
#include "dist/source/source.h"
#include "solver/tell/premise.h"

struct audit {
  const struct audit_request *request;
  const struct model *model;
  struct audit_answer *answer;
};

const char *audit_kind_name(enum audit_kind kind) {
  static const char *const names[] = {"stated", "model", "measured", "invented"};
  return names[kind];
}

/* Each text once. */
static void add(struct audit *audit, enum audit_kind kind, enum ledger_source source,
                const char *text, const char *discharge) {
  struct audit_answer *answer = audit->answer;
  for (size_t i = 0; i < answer->lines.count; i++)
    if (strcmp(answer->lines.data[i].text, text) == 0)
      return;
  answer->counts[kind]++;
  vector_push(&answer->lines,
              (struct audit_line){kind, source, mem_copy_text(text, strlen(text)),
                                  mem_copy_text(discharge, strlen(discharge)), false});
}

static void add_premise(const struct premise *premise, void *context) {
  add(context, premise->stated ? AUDIT_STATED : AUDIT_MODEL, premise->source, premise->text,
      premise->discharge);
}

/* What a component is measured from, and under which names its files are looked for. */
static const char *const what[] = {
    [COMPONENT_STEP] = "the time of the step",
    [COMPONENT_DELAY] = "the time from the end of the sending step to the delivery",
    [COMPONENT_QUEUEING] = "the time from the delivery to the start of the receiving step",
    [COMPONENT_TIMEOUT] = "the time until the wait is given up",
};

static void add_invented(struct audit *audit, const struct component *component,
                         const char *occurrences) {
  struct text text, discharge;
  text_init(&text);
  text_init(&discharge);
  text_format(&text, "the law of %s is invented until it is measured", occurrences);
  text_format(
      &discharge, "measure %s: put %s.csv (or .tph, .hgrm, .hlog, .prom, .pb, .json) into %s",
      what[component->kind], component->name,
      audit->request->data == NULL ? "a folder and name it with --data" : audit->request->data);
  add(audit, AUDIT_INVENTED, LEDGER_DATA, text.data, discharge.data);
  text_clear(&text);
  text_clear(&discharge);
}

static void add_file(struct audit *audit, const struct component *component, const char *path) {
  struct sample sample;
  struct source_notes notes;
  struct text text;
  sample_init(&sample);
  source_notes_init(&notes);
  text_init(&text);
  const struct source_options options = {
      .unit = laws_unit(&audit->request->units, path, component->name),
      .select = laws_unit(&audit->request->selects, path, component->name),
      .is_delay = component->kind == COMPONENT_DELAY};
  enum status status = source_read_with(&sample, &notes, NULL, path, &options, &text);
  if (status == STATUS_OK) {
    text_format(&text, "the %" PRIu64 " observations in %s are independent draws of one law",
                sample.real, path);
    add(audit, AUDIT_MEASURED, LEDGER_DATA, text.data,
        "measure again on another day and under other load, and compare");
  } else {
    asker_fail(audit->request->asker, status, "%s", text_get(&text));
    audit->answer->status = status_worst(audit->answer->status, status);
  }
  for (size_t i = 0; i < notes.count; i++)
    add(audit, AUDIT_MEASURED, LEDGER_DATA, notes.lines[i], "measure it directly");
  source_notes_clear(&notes);
  sample_clear(&sample);
  text_clear(&text);
}

/* Looks for the file of an occurrence; its indices are all 0, which stands for any. */
static bool look(struct audit *audit, const struct component *component,
                 const struct message *message, size_t index_count) {
  static const int64_t zeros[8];
  struct text path, why;
  text_init(&path);
  text_init(&why);
  enum status status = STATUS_NO_INPUT;
  if (audit->request->data != NULL)
    status = source_find(&path, audit->request->data, component->name,
                         message == NULL ? NULL : message->name, zeros,
                         index_count > 8 ? 8 : index_count, &why);
  if (status == STATUS_OK) {
    add_file(audit, component, path.data);
  } else if (status != STATUS_NO_INPUT) {
    asker_fail(audit->request->asker, status, "%s", why.data);
    audit->answer->status = status_worst(audit->answer->status, status);
  }
  text_clear(&path);
  text_clear(&why);
  return status == STATUS_OK;
}

/* One delay or wait may have a file for each kind of message. */
static void audit_by_message(struct audit *audit, const struct component *component) {
  struct text missing;
  text_init(&missing);
  for (size_t i = 0; i < audit->model->messages.count; i++) {
    const struct message *message = audit->model->messages.items[i];
    bool other = component->kind == COMPONENT_DELAY ? message->delay != component
                                                    : message->receiver->external;
    if (other)
      continue;
    if (!look(audit, component, message, message->field_count))
      text_format(&missing, "%s%s(%s)", missing.length == 0 ? "" : ", ", component->name,
                  message->name);
  }
  if (missing.length != 0)
    add_invented(audit, component, missing.data);
  text_clear(&missing);
}

static void audit_component(struct audit *audit, const struct component *component) {
  struct text text;
  text_init(&text);
  if (component->kind == COMPONENT_CONSTANT) {
    text_format(&text, "the time %s is what the system is configured with", component->name);
    add(audit, AUDIT_STATED, LEDGER_MODEL, text.data,
        "read it from the configuration when it starts");
  } else if (component->kind == COMPONENT_DELAY || component->kind == COMPONENT_QUEUEING) {
    audit_by_message(audit, component);
  } else if (!look(audit, component, NULL, component->index_count)) {
    add_invented(audit, component, component->name);
  }
  text_clear(&text);
}

/* Files that no occurrence can be measured by; of roles of a size that --set gives. */
static void audit_unread(struct audit *audit) {
  struct parameters set;
  struct source_notes warnings;
  source_notes_init(&warnings);
  enum status status =
      parameters_read(&set, audit->model, &audit->request->set, audit->request->asker);
  if (status == STATUS_OK)
    unread_find(&warnings, audit->request->data, &set, NULL);
  for (size_t i = 0; i < warnings.count; i++) {
    add(audit, AUDIT_MEASURED, LEDGER_DATA, warnings.lines[i],
        "name each file after what it measures, or take it away");
    audit->answer->lines.data[audit->answer->lines.count - 1].is_warning = true;
  }
  audit->answer->status = status_worst(audit->answer->status, status);
  parameters_clear(&set);
  source_notes_clear(&warnings);
}

static void audit_laws(struct audit *audit) {
  const struct model *model = audit->model;
  struct text names, text;
  text_init(&names);
  text_init(&text);
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->repeated)
      text_format(&names, "%s%s", names.length == 0 ? "" : ", ", model->components.items[i]->name);
  add(audit, AUDIT_MODEL, LEDGER_DIST,
      "for percentiles: the occurrences in a bound are independent, between components and within "
      "each",
      "compare end-to-end observations with the percentiles (--observed)");
  add(audit, AUDIT_MODEL, LEDGER_DIST,
      "for percentiles: every occurrence of a component follows the law measured for it",
      "measure nodes and messages apart, in files such as d.Ack.csv and Step.2.csv");
  if (names.length != 0) {
    text_format(&text,
                "for percentiles with --fresh: the executions of %s are independent draws, and no "
                "proof covers that each mention of the bare name is one of them",
                names.data);
    add(audit, AUDIT_MODEL, LEDGER_DIST, text.data,
        "bound them instead: take the largest observation as a constant of the protocol (assume)");
  }
  text_clear(&names);
  text_clear(&text);
}

enum status audit_ask(struct audit_answer *answer, const struct audit_request *request) {
  *answer = (struct audit_answer){0};
  struct audit audit = {.request = request, .answer = answer};
  answer->status = protocol_load(&answer->protocol, request->path, request->asker);
  if (answer->status != STATUS_OK)
    return answer->status;
  audit.model = answer->protocol.model;
  answer->free_order = audit.model->messages.count != 0;
  premises(audit.model, add_premise, &audit);
  audit_laws(&audit);
  for (size_t i = 0; i < audit.model->components.count; i++)
    audit_component(&audit, audit.model->components.items[i]);
  if (request->data != NULL)
    audit_unread(&audit);
  return answer->status;
}

void audit_answer_clear(struct audit_answer *answer) {
  for (size_t i = 0; i < answer->lines.count; i++) {
    mem_free(answer->lines.data[i].text);
    mem_free(answer->lines.data[i].discharge);
  }
  vector_clear(&answer->lines);
  protocol_clear(&answer->protocol);
}

enum status audit_check_folder(const char *data, const struct asker *asker) {
  DIR *directory = opendir(data);
  if (directory == NULL)
    return asker_fail(asker, STATUS_NO_INPUT,
                      "%s: cannot be read as a directory of measurements: %s", data,
                      strerror(errno));
  closedir(directory);
  return STATUS_OK;
}
