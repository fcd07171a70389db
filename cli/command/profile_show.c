/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof profile show` and `tailproof profile diff`: their options.
 */
#include "cli/command/profile_show.h"

#include <string.h>

#include "base/file.h"
#include "base/shown.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/figure/flame.h"
#include "cli/present/figure/flame_profiles.h"
#include "show/ledger.h"
#include "cli/present/stacks.h"
#include "trace/stacks/unit.h"
#include "trace/stacks/write.h"

/* The words of --format of `show`, in this order: those of a document but its metrics, then what
 * other programs read. */
enum show_format {
  SHOW_TEXT = OUTPUT_TEXT,
  SHOW_HTML = OUTPUT_HTML,
  SHOW_FOLDED,
  SHOW_PPROF,
  SHOW_SPEEDSCOPE,
  SHOW_PROMETHEUS
};

struct arguments {
  struct command_line line;
  struct rational confidence;
  enum show_format format;
  enum stack_first first;
  const char *out, *plot, *event;
  struct stack_weight weight;
  unsigned top;
  struct output_options output;
  double margin;
  bool full, addresses, signatures;
};

#define FIELD(name) offsetof(struct arguments, name)

#define ROWS(what)                                                                                 \
  ROW_WEIGHT(FIELD(weight)), ROW_FULL(FIELD(full)), ROW_JSON(FIELD(output.json)),                  \
      OPTION("top", 0, "N", what " (default 20)", option_count, FIELD(top)),                       \
      OPTION("plot", 0, "FILE",                                                                    \
             "draw a flame graph: .html, which can be searched and enlarged, or .svg",             \
             option_text, FIELD(plot))

static const struct option_row show_rows[] = {
    ROWS("the N functions that most samples were in"),
    ROW_CONFIDENCE(FIELD(confidence)),
    OPTION_WORDS("format", 0, "FORMAT",
                 "text (default), json, markdown, csv, html, or another program's: folded, pprof, "
                 "speedscope or prometheus",
                 option_choice, FIELD(format),
                 "text json markdown csv html folded pprof speedscope prometheus"),
    OPTION("out", 'o', "FILE", "write what --format says into a file; compressed if it ends in .gz",
           option_path, FIELD(out)),
    OPTION_WORDS("first", 0, "WHAT",
                 "what stacks of `perf script` begin with: command (default), process or thread",
                 option_choice, FIELD(first), "command process thread"),
    OPTION("event", 0, "NAME",
           "where there are several: samples of this event (of `perf script` or perf.data), values "
           "of this "
           "type (pprof), or the profile of this name (speedscope)",
           option_text, FIELD(event)),
    OPTION("addresses", 0, NULL, "functions of `perf script` without a name keep their address",
           option_flag, FIELD(addresses)),
    OPTION("signatures", 0, NULL,
           "functions of C++ in `perf script` keep their parameters, which tell instances apart",
           option_flag, FIELD(signatures)),
    {0},
};

static const struct option_row diff_rows[] = {
    ROWS("the N functions that changed most"),
    ROW_DOCUMENT_FORMAT(FIELD(output.format)),
    OPTION("confidence", 'c', "LEVEL",
           "confidence that no function is called significant by chance (default 0.95)",
           option_confidence, FIELD(confidence)),
    OPTION("margin", 'm', "SHARE",
           "ask for proof that no function has more than this share of the time (2%) more than "
           "before; without it: whether one has more",
           option_share, FIELD(margin)),
    {0},
};

static void prepare_show(void *options) {
  struct arguments *arguments = options;
  rational_set_fraction(&arguments->confidence, 99, 100);
  arguments->top = 20;
}

static void prepare_diff(void *options) {
  struct arguments *arguments = options;
  rational_set_fraction(&arguments->confidence, 95, 100);
  arguments->top = 20;
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static enum status write_bytes(const struct text *bytes, const char *path, struct text *message) {
  if (path == NULL) {
    fwrite(text_get(bytes), 1, bytes->length, stdout);
    return STATUS_OK;
  }
  return ends_with(path, ".gz") ? file_write_gzip(path, text_get(bytes), bytes->length, message)
                                : file_write(path, text_get(bytes), bytes->length, message);
}

/* One line of what the other form, or we, cannot hold of the file. */
static void say_left_out(const struct show_answer *answer, const struct arguments *arguments) {
  const struct stack_profile *profile = &answer->profile;
  struct text what = {0};
  text_append(&what, text_get(&profile->left_out));
  bool one_value = arguments->format != SHOW_PPROF && profile->values.count != 0;
  for (size_t i = 0; i < profile->values.count && one_value; i++)
    text_format(&what, "%s%s",
                i != 0             ? ", "
                : what.length == 0 ? "values ("
                                   : "; values (",
                names_text(&profile->names, profile->values.data[i].type));
  text_append(&what, one_value ? ")" : "");
  bool stacks = arguments->format == SHOW_FOLDED || arguments->format == SHOW_SPEEDSCOPE;
  if (stacks && profile->samples.count != 0)
    text_format(&what, "%smoments and threads of samples", what.length == 0 ? "" : "; ");
  struct text clean = {0};
  shown_append(&clean, text_get(&what), what.length);
  if (what.length != 0)
    fprintf(stderr, "tailproof %s: %s: left out: %s\n", arguments->line.command,
            file_name(answer->request->path), text_get(&clean));
  text_clear(&clean);
  text_clear(&what);
}

/* What another program reads. */
static enum status export(const struct show_answer *answer, const struct arguments *arguments,
                          struct text *message) {
  struct text bytes = {0}; switch (arguments->format){
    case SHOW_PPROF : stack_write_pprof(&answer->profile, &bytes); break; case SHOW_SPEEDSCOPE :
        stack_write_speedscope(&answer->profile, file_name(answer->request->path), &bytes);
    break;
    case SHOW_PROMETHEUS : stack_write_prometheus(&answer->profile, arguments->top, &bytes);
    break;
    default : stack_unit_write(&answer->profile, &bytes);
    stack_write_folded(&answer->profile, true, &bytes);
  }
enum status status = write_bytes(&bytes, arguments->out, message);
say_left_out(answer, arguments);
text_clear(&bytes);
return status;
}

static enum status present_show(struct output *output, const struct show_answer *answer,
                                const struct arguments *arguments, struct text *message) {
  struct document document;
  if (arguments->format > SHOW_HTML)
    return export(answer, arguments, message);
  stacks_document(&document, answer, arguments->full ? 0 : arguments->top);
  output_answer(output, &document, arguments->full);
  return STATUS_OK;
}

static enum status ask_show(const struct arguments *arguments, struct text *message) {
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  if (!arguments->output.json && arguments->format <= SHOW_HTML)
    output.format = (enum output_format)arguments->format;
  voice_init(&voice, &arguments->line, &output);
  struct show_request request = {.path = arguments->line.files[0],
                                 .reading = {.first = arguments->first,
                                             .addresses = arguments->addresses,
                                             .signatures = arguments->signatures,
                                             .event = arguments->event,
                                             .weight = arguments->weight},
                                 .level = rational_double(&arguments->confidence),
                                 .asker = &voice.asker};
  struct show_answer answer;
  enum status status = show_ask(&answer, &request);
  if (answer.found)
    status = present_show(&output, &answer, arguments, message);
  if (answer.found && status == STATUS_OK && arguments->plot != NULL)
    status = show_draw(&answer, arguments->plot, arguments->line.typed, message);
  show_clear_answer(&answer);
  output_clear(&output);
  return status;
}

static enum status ask_diff(const struct arguments *arguments, struct text *message) {
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct change_request request = {.before = arguments->line.files[0],
                                   .after = arguments->line.files[1],
                                   .weight = arguments->weight,
                                   .level = 1 - rational_double(&arguments->confidence),
                                   .margin = arguments->margin,
                                   .asker = &voice.asker};
  struct change_answer answer;
  enum status status = change_ask(&answer, &request), drawn = STATUS_OK;
  if (answer.found) {
    struct document document;
    change_document(&document, &answer, arguments->full ? 0 : arguments->top);
    output_answer(&output, &document, arguments->full);
  }
  if (answer.found && arguments->plot != NULL)
    drawn = change_draw(&answer, arguments->plot, arguments->line.typed, message);
  change_clear_answer(&answer);
  output_clear(&output);
  return drawn == STATUS_OK ? status : drawn;
}

static enum status check(const struct arguments *arguments, size_t files, struct text *message) {
  enum status status = need_files(
      &arguments->line, files, files,
      files == 1
          ? "a profile: a .tpp file, folded stacks, pprof, perf script, speedscope, .cpuprofile ..."
          : "two profiles, before and after");
  if (status == STATUS_OK && arguments->plot != NULL)
    status = flame_check_name(arguments->plot, message);
  if (status == STATUS_OK && arguments->out != NULL && arguments->format <= SHOW_HTML)
    return option_complain(arguments->line.command, "--out writes what another program reads", NULL,
                           "give --format folded, pprof, speedscope or prometheus");
  return status;
}

static enum status run(const struct arguments *arguments, size_t files,
                       enum status (*ask)(const struct arguments *, struct text *)) {
  struct text message;
  text_init(&message);
  enum status status = check(arguments, files, &message);
  if (status == STATUS_OK)
    status = ask(arguments, &message);
  if (message.length != 0)
    fprintf(stderr, "tailproof %s: %s\n", arguments->line.command, message.data);
  text_clear(&message);
  return status;
}

static enum status run_show(const void *options) {
  return run(options, 1, ask_show);
}

static enum status run_diff(const void *options) {
  return run(options, 2, ask_diff);
}

const struct command profile_show = {
    "show",
    "FILE",
    "say which functions are hot in a file of sampled stacks, draw it, or write it in another form",
    show_rows,
    sizeof(struct arguments),
    prepare_show,
    run_show,
    NULL};

const struct command profile_diff = {
    "diff",
    "BEFORE AFTER",
    "say which functions have more or less of the time than before",
    diff_rows,
    sizeof(struct arguments),
    prepare_diff,
    run_diff,
    NULL};
