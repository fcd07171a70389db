/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof record -- PROGRAM`: runs a program with the recording library and gathers what it
 * wrote.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command/node_attach.h"
#include "cli/command/node_record.h"
#include "cli/command/pair.h"
#include "cli/command/probe_record.h"
#include "cli/command/rows.h"
#include "cli/question/store/gather.h"
#include "cli/present/stores.h"
#include "measure/core/format.h"

extern char **environ;

struct arguments {
  struct command_line line;
  const char *out, *node;
  bool preload;
  settings units; /* none */
  struct probe_record outside;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_DOCUMENT(outside.output),
    OPTION(
        "out", 0, "DIR",
        "folder for the stores, new or empty (default tailproof-store); with --probes: new, of the "
        "requests that the probe file makes of events",
        option_path, FIELD(out)),
    OPTION(
        "node", 0, "[NAME]",
        "record the event loops of a Node.js program; with a NAME: the node of the protocol that "
        "the program is, for stores that do not say: backup[2]",
        option_text, FIELD(node)),
    OPTION("preload", 0, NULL,
           "preload the shared library, for programs that use it where it is there", option_flag,
           FIELD(preload)),
    OPTION("probes", 0, "FILE",
           "record what probes see of programs that know nothing of it: the probe file "
           "(docs/outside.md); of all processes, where no PID and no CMD is named",
           option_path, FIELD(outside.probes)),
    OPTION(
        "pid", 0, "PID",
        "with --probes: of this process and what it starts; repeatable; also beside a CMD, such as "
        "its client; with --node: one that runs already",
        option_texts, FIELD(outside.pids)),
    OPTION(
        "seconds", 0, "N",
        "with --probes, or --node --pid: for so long (default: until the processes end, or Ctrl-C)",
        option_count, FIELD(outside.seconds)),
    OPTION("ready-file", 0, "FILE",
           "with --probes, or --node --pid: write the word ready into FILE when all is in place",
           option_path, FIELD(outside.ready_file)),
    OPTION("ready-fd", 0, "N", "the same to descriptor N, from 1 on, which is then closed",
           option_count, FIELD(outside.ready_fd)),
    OPTION(
        "dry-run", 0, NULL,
        "with --probes: say what would be attached where, and attach nothing; reads the whole file",
        option_flag, FIELD(outside.dry_run)),
    OPTION("with", 0, "bpf|perf",
           "with --probes: how they are attached (default: bpf; perf where BPF is not permitted)",
           option_text, FIELD(outside.means)),
    OPTION("keep-events", 0, "FILE",
           "with --probes: what they saw, one event a line, written as it comes", option_path,
           FIELD(outside.keep)),
    OPTION("rotate", 0, "MB",
           "with --keep-events: after so many MB go on in FILE.2, then in FILE.3", option_count,
           FIELD(outside.rotate)),
    OPTION(
        "reopen", 0, NULL,
        "with --keep-events, as a service: SIGHUP ends the file, and it goes on in FILE.2, FILE.3",
        option_flag, FIELD(outside.reopen)),
    OPTION("keep-files", 0, "N", "with --rotate or --reopen: keep only the last N files",
           option_count, FIELD(outside.files)),
    {0},
};

static const char library[] = "libtailproof-measure.so.1";
enum {
  NODE_MOST = 63,
  NOT_RUN = -1,
  RECORDING_BYTES = 1 << 20 /* that the log of one writer takes, unless the program says less */
};

/* --- the folder --- */

/* Makes it, or takes an empty one; *made says which. Its absolute name is owned. */
static enum status prepare_folder(char **absolute, bool *made, const char *folder) {
  *made = mkdir(folder, 0777) == 0;
  if (!*made && errno != EEXIST) {
    fprintf(stderr,
            "tailproof record: %s: cannot be made: %s; name another folder with --out DIR\n",
            folder, strerror(errno));
    return STATUS_INTERNAL;
  }
  DIR *stream = opendir(folder);
  if (stream == NULL || access(folder, W_OK) != 0) {
    fprintf(stderr, "tailproof record: %s: cannot be written: %s; name a folder with --out DIR\n",
            folder, strerror(errno));
    if (stream != NULL)
      closedir(stream);
    return STATUS_INTERNAL;
  }
  bool empty = true;
  for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
    empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
  closedir(stream);
  if (!empty) {
    fprintf(stderr,
            "tailproof record: %s: holds something already; name a new folder with --out DIR\n",
            folder);
    return STATUS_USAGE;
  }
  *absolute = realpath(folder, NULL);
  return *absolute == NULL ? STATUS_INTERNAL : STATUS_OK;
}

/* --- the environment --- */

/* The library beside the program, in ../lib, or where the loader finds it; owned, or NULL. */
static char *find_library(void) {
  static const char *const places[] = {"", "../lib/"};
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length < 0 ? 0 : length] = '\0';
  char *slash = strrchr(program, '/');
  for (size_t i = 0; slash != NULL && i < sizeof places / sizeof *places; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%.*s/%s%s", (int)(slash - program), program, places[i], library);
    if (access(text_get(&path), R_OK) == 0)
      return text_take(&path);
    text_clear(&path);
  }
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL)
    return NULL;
  dlclose(handle);
  return mem_copy_text(library, strlen(library));
}

static enum status preload(void) {
  char *path = find_library();
  if (path == NULL) {
    fprintf(stderr,
            "tailproof record: %s is neither beside this program nor where the loader looks; "
            "install it, or link the program with the library and leave out --preload\n",
            library);
    return STATUS_UNAVAILABLE;
  }
  if (strpbrk(path, " :\t\n") != NULL) { /* the loader splits LD_PRELOAD there */
    fprintf(stderr,
            "tailproof record: %s cannot be preloaded, as its path has a blank or a colon; install "
            "it elsewhere, or link the program with the library and leave out --preload\n",
            path);
    mem_free(path);
    return STATUS_UNAVAILABLE;
  }
  struct text value;
  text_init(&value);
  text_append(&value, path);
  const char *before = getenv("LD_PRELOAD");
  if (before != NULL && *before != '\0')
    text_format(&value, " %s", before);
  setenv("LD_PRELOAD", text_get(&value), 1);
  text_clear(&value);
  mem_free(path);
  return STATUS_OK;
}

/* What the library takes as a node. */
static bool is_node(const char *name) {
  size_t length = strlen(name);
  for (const char *at = name; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~' || *at == '/')
      return false;
  return length > 0 && length <= NODE_MOST;
}

/* --node without a name is about Node.js. */
static bool is_event_loop(const struct arguments *arguments) {
  return arguments->node != NULL && *arguments->node == '\0';
}

static enum status set_environment(const struct arguments *arguments, const char *folder) {
  if (is_event_loop(arguments))
    return node_record_prepare(folder);
  if (arguments->node != NULL && !is_node(arguments->node)) {
    fprintf(stderr,
            "tailproof record: unusable node \"%s\"; name it as in the protocol, backup[2], with "
            "at most %d bytes, no blank and no '/'\n",
            arguments->node, NODE_MOST);
    return STATUS_USAGE;
  }
  setenv("TAILPROOF_STORE", folder, 1);
  if (arguments->node != NULL)
    setenv("TAILPROOF_NODE", arguments->node, 1);
  return arguments->preload ? preload() : STATUS_OK;
}

/* --- the program --- */

static volatile pid_t child;

/* What a terminal sends goes to the child as well; only what is sent to us alone is passed on. */
static void pass_on(int number, siginfo_t *about, void *context) {
  (void)context;
  int cause = errno;
  if (child > 0 && about->si_code <= 0)
    kill(child, number);
  errno = cause;
}

/* `ours`: stdout is for the answer; what the program says goes to stderr. */
static int spawn(pid_t *pid, const char *const *argv, bool ours, const sigset_t *mask) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, mask);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGXFSZ); /* which this program ignores */
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = ours ? posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO) : 0;
  if (error == 0)
    error =
        posix_spawnp(pid, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/* Its wait status, or NOT_RUN. Signals that come before the child is known wait. */
static int run_program(const struct arguments *arguments, bool ours) {
  static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t block, before;
  sigemptyset(&block);
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
    sigaddset(&block, passed[i]);
  sigprocmask(SIG_BLOCK, &block, &before);
  pid_t pid = 0;
  int error = spawn(&pid, arguments->line.files, ours, &before);
  if (error == 0) {
    child = pid;
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
      sigaction(passed[i], &action, NULL);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (error != 0) {
    fprintf(stderr, "tailproof record: %s: cannot be run: %s\n", arguments->line.files[0],
            strerror(error));
    return NOT_RUN;
  }
  int status;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  child = 0;
  return status;
}

/* --- what was collected --- */

static void present(struct output *output, const struct gather *gather, const char *folder,
                    int code, int by_signal) {
  struct document document;
  recorded_document(&document, gather, folder, code, by_signal);
  output_answer_beside(output, &document, false);
}

/* Why a file of that size cannot be made in the folder, an errno; 0 when it can. */
static int room_for(const char *folder, off_t bytes) {
  struct text path;
  text_init(&path);
  text_format(&path, "%s/room.XXXXXX", folder);
  int descriptor = mkstemp(path.data);
  int error = descriptor < 0 ? errno : posix_fallocate(descriptor, 0, bytes);
  if (descriptor >= 0) {
    close(descriptor);
    unlink(path.data);
  }
  text_clear(&path);
  return error == EOPNOTSUPP || error == EINVAL ? 0 : error;
}

/* That a full disk, a program without the library, or one that did nothing left no record. */
static void say_nothing_recorded(const struct arguments *arguments, const char *folder,
                                 bool opened) {
  const char *program = arguments->line.files[0];
  int error = room_for(folder, opened ? RECORDING_BYTES : FORMAT_SEGMENTS);
  fprintf(stderr, "tailproof record: nothing was recorded: ");
  if (error != 0)
    fprintf(stderr, "%s cannot take %s: %s; make room, or name another folder with --out DIR\n",
            folder, opened ? "what a store is to hold" : "a store", strerror(error));
  else if (opened)
    fprintf(stderr,
            "%s opened a store and wrote nothing; let it run until it has done something that it "
            "records\n",
            program);
  else
    fprintf(stderr,
            "%s opened no store; link it with libtailproof-measure%s, and let it open its store "
            "without a folder of its own\n",
            program, arguments->preload ? "" : " (or give --preload)");
}

/* STATUS_DATA, with what to do, when nothing was recorded. */
static enum status collect(const struct arguments *arguments, struct output *output,
                           const char *folder, int code, int by_signal) {
  struct gather gather = {.look = true, .units = &arguments->units};
  struct text message;
  text_init(&message);
  enum status status = gather_add(&gather, folder, &message);
  if (status == STATUS_OK)
    status = gather_finish(&gather, &message);
  uint64_t records = 0;
  for (size_t i = 0; i < gather.stores.count; i++)
    records += gather.stores.data[i].records;
  if (status == STATUS_OK && (records != 0 || gather.table.rows.count != 0)) {
    present(output, &gather, folder, code, by_signal);
  } else if (status == STATUS_OK || gather.stores.count == 0) {
    say_nothing_recorded(arguments, folder, gather.stores.count != 0);
    status = STATUS_DATA;
  } else {
    fprintf(stderr, "tailproof record: %s\n", text_get(&message));
  }
  gather_clear(&gather);
  text_clear(&message);
  return status;
}

static enum status record(const struct arguments *arguments, const char *folder, bool made) {
  struct output output;
  output_init_document(&output, &arguments->outside.output);
  int how = run_program(arguments, output.format != OUTPUT_TEXT);
  if (how == NOT_RUN) {
    node_record_abandon();
    if (made)
      rmdir(folder);
    return STATUS_UNAVAILABLE;
  }
  int by_signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
  int code = by_signal != 0 ? 128 + by_signal : WEXITSTATUS(how);
  if (by_signal != 0)
    fprintf(stderr, "tailproof record: %s was killed by signal %d (%s)\n", arguments->line.files[0],
            by_signal, strsignal(by_signal));
  if (code == STATUS_UNAVAILABLE && arguments->outside.pids.count != 0) {
    node_record_abandon(); /* it has said why */
    return STATUS_UNAVAILABLE;
  }
  enum status status = is_event_loop(arguments)
                           ? node_record_collect(&output, folder, code, by_signal)
                           : collect(arguments, &output, folder, code, by_signal);
  return code != 0 ? (enum status)code : status;
}

static bool is_outside(const struct arguments *arguments) {
  const struct probe_record *outside = &arguments->outside;
  return outside->probes != NULL || outside->pids.count != 0 || outside->seconds != 0 ||
         outside->dry_run || outside->keep != NULL || outside->means != NULL ||
         outside->rotate != 0 || outside->reopen || outside->files != 0 ||
         outside->ready_file != NULL || outside->ready_fd != 0;
}

static enum status run_outside(const struct arguments *arguments) {
  const char *command = arguments->line.command;
  if (arguments->outside.probes == NULL)
    return option_complain(command,
                           "--pid, --seconds, --dry-run, --with and --keep-events are of probes",
                           NULL, "name a probe file with --probes FILE");
  if (arguments->node != NULL || arguments->preload)
    return option_complain(command, "--probes goes with neither --node nor --preload", NULL,
                           "leave them out");
  struct probe_record outside = arguments->outside;
  bool several = outside.rotate != 0 || outside.reopen;
  if ((several && (outside.keep == NULL || arguments->out != NULL)) ||
      (outside.files != 0 && !several))
    return option_complain(
        command,
        "--rotate MB is of --keep-events FILE without --out, as is --reopen, and "
        "--keep-files of these",
        NULL,
        "pair the files afterwards: tailproof record pair PROBES FILE "
        "FILE.2 --out DIR");
  if (outside.means != NULL && strcmp(outside.means, "bpf") != 0 &&
      strcmp(outside.means, "perf") != 0)
    return option_complain(command, "--with: there is no such way to attach", NULL,
                           "give bpf or perf");
  outside.out = arguments->out;
  return probe_record_run(&arguments->line, &outside);
}

static enum status run_attached(const struct arguments *arguments) {
  const struct probe_record *outside = &arguments->outside;
  if (outside->pids.count != 1 || arguments->line.file_count != 0 || outside->dry_run ||
      outside->keep != NULL || outside->means != NULL || outside->rotate != 0 ||
      outside->files != 0 || outside->ready_fd != 0 || arguments->preload)
    return option_complain(arguments->line.command,
                           "--node --pid PID is of one process, and goes with --out, --seconds and "
                           "--ready-file only",
                           NULL, "leave out the rest");
  char *folder = NULL;
  bool made = false;
  struct node_attach attach = {0};
  enum status status =
      prepare_folder(&folder, &made, arguments->out == NULL ? "tailproof-store" : arguments->out);
  if (status == STATUS_OK)
    status = node_attach_prepare(&attach, outside->pids.data[0], folder, outside->seconds,
                                 outside->ready_file);
  if (status == STATUS_OK) {
    struct arguments program = *arguments;
    program.line.files = attach.words;
    status = record(&program, folder, made);
  }
  if (status != STATUS_OK && made)
    rmdir(folder);
  node_attach_clear(&attach);
  free(folder);
  return status;
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  if (is_event_loop(arguments) && arguments->outside.pids.count != 0 &&
      arguments->outside.probes == NULL)
    return run_attached(arguments);
  if (is_outside(arguments))
    return run_outside(arguments);
  if (arguments->line.file_count == 0) {
    fprintf(stderr, "tailproof record: name a program to run: tailproof record -- CMD ARGS\n");
    return STATUS_USAGE;
  }
  char *folder = NULL;
  bool made = false;
  enum status status =
      prepare_folder(&folder, &made, arguments->out == NULL ? "tailproof-store" : arguments->out);
  if (status == STATUS_OK) {
    status = set_environment(arguments, folder);
    if (status == STATUS_OK)
      status = record(arguments, folder, made);
    else if (made)
      rmdir(folder);
  }
  free(folder);
  return status;
}

static const struct command *const questions[] = {&record_pair, NULL};

const struct command record_command = {
    "record",
    "-- CMD ARGS... | --node --pid PID | --probes FILE [--pid PID] | pair PROBES.yaml EVENTS",
    "run a program that records what its parts take, or watch any by probes",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    questions};
