/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/question/percentiles/unread.h"
#include "cli/command/command.h"
#include "cli/present/json.h"
#include "dist/source/sample.h"
#include "dist/source/source.h"
#include "solver/tell/premise.h"

enum audit_kind { AUDIT_STATED, AUDIT_MODEL, AUDIT_MEASURED, AUDIT_INVENTED, AUDIT_KIND_COUNT };

static const char *const kind_names[] = {"stated", "model", "measured", "invented"};

struct line {
  enum audit_kind kind;
  const char *source;
  char *text, *discharge;
};

struct audit {
  const struct options *options;
  const struct model *model;
  VECTOR(struct line) lines;
  enum status status;
};

/* Each text once. */
static void add(struct audit *audit, enum audit_kind kind, const char *source, const char *text,
                const char *discharge) {
  for (size_t i = 0; i < audit->lines.count; i++)
    if (strcmp(audit->lines.data[i].text, text) == 0)
      return;
  vector_push(&audit->lines, (struct line){kind, source, mem_copy_text(text, strlen(text)),
                                           mem_copy_text(discharge, strlen(discharge))});
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
  text_format(&discharge, "measure %s: put %s.csv (or .tph, .hgrm, .hlog, .prom, .json) into %s",
              what[component->kind], component->name,
              audit->options->data == NULL ? "a folder and name it with --data"
                                           : audit->options->data);
  add(audit, AUDIT_INVENTED, "data", text.data, discharge.data);
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
  enum status status =
      source_read(&sample, &notes, path, laws_unit(audit->options, path, component->name), &text);
  if (status == STATUS_OK) {
    text_format(&text, "the %" PRIu64 " observations in %s are independent draws of one law",
                sample.real, path);
    add(audit, AUDIT_MEASURED, "data", text.data,
        "measure again on another day and under other load, and compare");
  } else {
    fprintf(stderr, "tailproof: %s\n", text_get(&text));
    audit->status = status_worst(audit->status, status);
  }
  for (size_t i = 0; i < notes.count; i++)
    add(audit, AUDIT_MEASURED, "data", notes.lines[i], "measure it directly");
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
  if (audit->options->data != NULL)
    status = source_find(&path, audit->options->data, component->name,
                         message == NULL ? NULL : message->name, zeros,
                         index_count > 8 ? 8 : index_count, &why);
  if (status == STATUS_OK) {
    add_file(audit, component, path.data);
  } else if (status != STATUS_NO_INPUT) {
    fprintf(stderr, "tailproof: %s\n", why.data);
    audit->status = status_worst(audit->status, status);
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
    add(audit, AUDIT_STATED, "model", text.data, "read it from the configuration when it starts");
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
  enum status status = parameters_read(&set, audit->model, audit->options);
  if (status == STATUS_OK)
    unread_find(&warnings, audit->options->data, &set, NULL);
  for (size_t i = 0; i < warnings.count; i++) {
    fprintf(stderr, "tailproof: warning: %s\n", warnings.lines[i]);
    add(audit, AUDIT_MEASURED, "data", warnings.lines[i],
        "name each file after what it measures, or take it away");
  }
  audit->status = status_worst(audit->status, status);
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
  add(audit, AUDIT_MODEL, "dist",
      "for percentiles: the occurrences in a bound are independent, between components and within "
      "each",
      "compare end-to-end observations with the percentiles (--observed)");
  add(audit, AUDIT_MODEL, "dist",
      "for percentiles: every occurrence of a component follows the law measured for it",
      "measure nodes and messages apart, in files such as d.Ack.csv and Step.2.csv");
  if (names.length != 0) {
    text_format(&text,
                "for percentiles with --fresh: the executions of %s are independent draws, and no "
                "proof covers that each mention of the bare name is one of them",
                names.data);
    add(audit, AUDIT_MODEL, "dist", text.data,
        "bound them instead: take the largest observation as a constant of the protocol (assume)");
  }
  text_clear(&names);
  text_clear(&text);
}

static void print_free(const struct model *model) {
  if (model->messages.count != 0)
    printf(
        "\n  Not assumed: that a message arrives at all, or, where it is not declared fifo, in the "
        "order of sending.\n");
}

static void print(const struct audit *audit, const char *file) {
  size_t counts[AUDIT_KIND_COUNT] = {0};
  for (size_t i = 0; i < audit->lines.count; i++)
    counts[audit->lines.data[i].kind]++;
  if (!audit->options->json)
    printf("%s: protocol %s: %zu stated, %zu of the model, %zu measured, %zu invented\n\n", file,
           audit->model->name, counts[0], counts[1], counts[2], counts[3]);
  for (size_t i = 0; i < audit->lines.count; i++) {
    const struct line *l = &audit->lines.data[i];
    if (!audit->options->json) {
      printf("  %-8s  %-6s  %s\n                    -> %s\n", kind_names[l->kind], l->source,
             l->text, l->discharge);
      continue;
    }
    struct jsonl *line = jsonl_new("audit");
    jsonl_text(line, "file", file);
    jsonl_text(line, "status", kind_names[l->kind]);
    jsonl_text(line, "source", l->source);
    jsonl_text(line, "text", l->text);
    jsonl_text(line, "discharge", l->discharge);
    jsonl_print(line);
  }
  if (!audit->options->json) {
    print_free(audit->model);
    return;
  }
  struct jsonl *summary = jsonl_new("audit_summary");
  jsonl_text(summary, "file", file);
  for (size_t i = 0; i < AUDIT_KIND_COUNT; i++)
    jsonl_integer(summary, kind_names[i], (int64_t)counts[i]);
  jsonl_print(summary);
}

static enum status audit_file(const char *file, const struct options *options) {
  struct protocol protocol;
  struct audit audit = {.options = options};
  audit.status = protocol_load(&protocol, file, options);
  if (audit.status == STATUS_OK) {
    audit.model = protocol.model;
    premises(audit.model, add_premise, &audit);
    audit_laws(&audit);
    for (size_t i = 0; i < audit.model->components.count; i++)
      audit_component(&audit, audit.model->components.items[i]);
    if (options->data != NULL)
      audit_unread(&audit);
    print(&audit, file);
  }
  for (size_t i = 0; i < audit.lines.count; i++) {
    mem_free(audit.lines.data[i].text);
    mem_free(audit.lines.data[i].discharge);
  }
  vector_clear(&audit.lines);
  protocol_clear(&protocol);
  return audit.status;
}

enum status command_audit(const struct options *options) {
  enum status worst = need_files(options, "audit", 1, SIZE_MAX);
  if (worst != STATUS_OK)
    return worst;
  DIR *directory = options->data == NULL ? NULL : opendir(options->data);
  if (options->data != NULL && directory == NULL) {
    fprintf(stderr, "tailproof: %s: cannot be read as a directory of measurements: %s\n",
            options->data, strerror(errno));
    return STATUS_NO_INPUT;
  }
  if (directory != NULL)
    closedir(directory);
  for (size_t i = 0; i < options->file_count; i++) {
    if (i != 0 && !options->json)
      putchar('\n');
    worst = status_worst(worst, audit_file(options->files[i], options));
  }
  return worst;
}
