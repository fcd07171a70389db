/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof profile`: its options, and which functions use the processor.
 */
#include "cli/command/profile_show.h"
#include "cli/command/profile_simulate.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/figure/flame.h"
#include "cli/present/figure/flame_sampled.h"
#include "show/ledger.h"
#include "cli/present/profile.h"

struct arguments {
  struct command_line line;
  struct profile_request request;
  struct rational confidence;
  unsigned top, stack, event;
  const char *plot;
  struct output_options output;
  bool full;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROW_FULL(FIELD(full)),
    ROWS_DOCUMENT(output),
    OPTION("rate", 'r', "N", "samples for each second of processor time (default 99)", option_count,
           FIELD(request.counters.rate)),
    OPTION("seconds", 0, "N", "sample for so long (default: until the program ends, or Ctrl-C)",
           option_count, FIELD(request.seconds)),
    OPTION("out", 'o', "FILE", "keep the samples, with their moments, in a file (.tpp)",
           option_path, FIELD(request.out)),
    OPTION("pid", 'p', "PID", "sample a process that runs, its threads and all that it starts",
           option_text, FIELD(request.process)),
    OPTION("cgroup", 0, "NAME", "sample a cgroup: its folder, or its name below /sys/fs/cgroup",
           option_path, FIELD(request.cgroup)),
    OPTION("all", 0, NULL, "sample everything that runs on this machine", option_flag,
           FIELD(request.all)),
    OPTION(
        "short-threads", 0, NULL,
        "a clock for each processor, not for each thread: sees threads that live shortly as often "
        "as others, and interrupts all that runs",
        option_flag, FIELD(request.counters.processors)),
    OPTION("off-cpu", 0, NULL,
           "keep where threads wait, and for how long, instead of where they run", option_flag,
           FIELD(request.off_cpu)),
    OPTION("off-cpu-min", 0, "TIME",
           "with --off-cpu: shorter waits are only counted (default 10us)", option_text,
           FIELD(request.least)),
    OPTION("adaptive", 0, NULL,
           "sample fast only while the hot functions change; --rate is then the most (default 999)",
           option_flag, FIELD(request.adaptive)),
    OPTION("floor", 0, "N", "with --adaptive: never fewer samples a second (default 20)",
           option_count, FIELD(request.floor)),
    OPTION("overhead", 0, "SHARE",
           "with --adaptive: the most that sampling may cost, as a share of one processor "
           "(default 1%)",
           option_text, FIELD(request.overhead)),
    OPTION_OLD("budget", 0, "SHARE", "overhead", option_text, FIELD(request.overhead)),
    OPTION("window", 0, "TIME", "with --adaptive: how often to look for changes (default 10s)",
           option_text, FIELD(request.window)),
    OPTION("keep", 0, "SHARE",
           "unwind only the busiest threads that hold this share of the samples (99%)", option_text,
           FIELD(request.keep)),
    OPTION("top", 0, "N", "list the N functions that most samples were in (default 20)",
           option_count, FIELD(top)),
    OPTION("plot", 0, "FILE",
           "draw a flame graph: .html, which can be searched and enlarged, or .svg", option_text,
           FIELD(plot)),
    ROW_CONFIDENCE(FIELD(confidence)),
    OPTION_WORDS("event", 0, "EVENT",
                 "what is counted: auto (default: cycles where the processor counts them), cycles, "
                 "cpu-clock or task-clock",
                 option_choice, FIELD(event), "auto cycles cpu-clock task-clock"),
    OPTION("stack", 0, "BYTES",
           "copy so much of the stack with each sample, for callers of functions without a frame "
           "pointer (default 4096; 0: none)",
           option_seed, FIELD(stack)),
    OPTION("ring", 0, "PAGES",
           "memory for each processor, in pages, a power of two (default: 1024, or 128 "
           "where a user may not have so many)",
           option_count, FIELD(request.counters.ring_pages)),
    {0},
};

static void prepare(void *options) {
  struct arguments *arguments = options;
  rational_set_fraction(&arguments->confidence, 99, 100);
  arguments->top = 20;
  arguments->stack = 4096;
}

static void present(struct output *output, const struct profile_answer *answer,
                    const struct arguments *arguments) {
  struct document document;
  profile_document(&document, answer, arguments->full ? 0 : arguments->top);
  output_answer(output, &document, arguments->full);
  fflush(stdout);
}

static enum status complain(const struct arguments *arguments, enum status status,
                            struct text *message) {
  if (status != STATUS_OK)
    fprintf(stderr, "tailproof %s: %s\n", arguments->line.command, text_get(message));
  text_clear(message);
  return status;
}

static enum status draw(const struct profile_answer *answer, const struct arguments *arguments) {
  struct text message = {0};
  enum status status = STATUS_OK;
  if (arguments->plot != NULL)
    status = profile_draw(answer, arguments->plot, arguments->line.typed, &message);
  return complain(arguments, status, &message);
}

static enum status ask(const struct arguments *arguments, const struct profile_request *asked) {
  struct output output;
  struct voice voice;
  struct profile_answer answer;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, &arguments->line, &output);
  struct profile_request request = *asked;
  request.asker = &voice.asker;
  enum status status = profile_ask(&answer, &request);
  if (answer.found) {
    present(&output, &answer, arguments);
    status = draw(&answer, arguments);
  }
  profile_wait(&answer);
  if (status == STATUS_OK && answer.exit != 0)
    status = (enum status)answer.exit; /* as `record`: that of the program */
  profile_clear_answer(&answer);
  output_clear(&output);
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  struct profile_request request = arguments->request;
  unsigned pages = request.counters.ring_pages;
  if ((pages & (pages - 1)) != 0)
    return option_complain(arguments->line.command, "--ring is no power of two", NULL,
                           "give 64, 128, 256 and so on");
  struct text message = {0};
  if (arguments->plot != NULL && flame_check_name(arguments->plot, &message) != STATUS_OK)
    return complain(arguments, STATUS_USAGE, &message);
  request.rated = request.counters.rate != 0;
  if (!request.rated)
    request.counters.rate = request.adaptive ? 999 : 99;
  request.argv = arguments->line.file_count == 0 ? NULL : arguments->line.files;
  request.counters.stack_bytes = arguments->stack;
  request.counters.event = (enum counter_event)arguments->event;
  if (request.off_cpu && request.counters.event == COUNTER_AUTO)
    request.counters.event = COUNTER_SWITCHES;
  request.level = rational_double(&arguments->confidence);
  request.quiet = arguments->output.json || arguments->output.format != OUTPUT_TEXT;
  return ask(arguments, &request);
}

static const struct command *const questions[] = {&profile_show, &profile_diff, &profile_simulate,
                                                  NULL};

const struct command profile_command = {
    "profile",
    "-- CMD ARGS... | show FILE | diff BEFORE AFTER | simulate FILE",
    "say which functions use the processor, of a program, a process or everything",
    rows,
    sizeof(struct arguments),
    prepare,
    run,
    questions};
