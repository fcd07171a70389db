/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/stacks/fleet.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/parallel.h"
#include "cli/question/stacks/keep.h"
#include "trace/stacks/hot.h"
#include "trace/stacks/known.h"
#include "trace/stacks/merge.h"
#include "trace/stacks/pool.h"
#include "trace/stacks/read.h"
#include "trace/stacks/values.h"

enum { RATE_MOST = 1000000, MACHINES_MOST = 1000000, NS = 1000000000 };
enum { KNOWN_MOST = 128 << 20 }; /* bytes, of all parts */

bool fleet_is_profile(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) && stack_profile_is(path);
}

/* The value that is set for a path, 1 .. most; 0: none is. */
static enum status number_of(uint64_t *number, const settings *list, const char *path,
                             uint64_t most, struct text *message) {
  const char *value = settings_find(list, path), *at = value;
  *number = 0;
  if (value == NULL)
    return STATUS_OK;
  if (strspn(value, "0123456789") == strlen(value) && strlen(value) < 10)
    for (; *at != '\0'; at++)
      *number = *number * 10 + (uint64_t)(*at - '0');
  if (*number != 0 && *number <= most)
    return STATUS_OK;
  text_format(message, "%s=%s: give a whole number from 1 to %llu behind the equals sign", path,
              value, (unsigned long long)most);
  return STATUS_USAGE;
}

/* Every setting must be of a file that is merged. */
static enum status check_settings(const settings *list, const char *option,
                                  const struct fleet_request *request) {
  for (size_t i = 0; i < list->count; i++) {
    bool found = false;
    for (size_t k = 0; k < request->path_count; k++)
      found |= strcmp(list->data[i].name, request->paths[k]) == 0;
    if (!found)
      return asker_fail(request->asker, STATUS_USAGE,
                        "--%s %s=%s: no such file is merged; name it as it is given", option,
                        list->data[i].name, list->data[i].value);
  }
  return STATUS_OK;
}

/* Some of the files, added up on a thread of their own. */
struct fleet_part {
  const struct fleet_request *request;
  size_t first, last; /* paths */
  struct stack_profile profile;
  struct stack_known known;
  enum status status;
  struct text message; /* what is wrong, if `status` says so, with the file before `first` */
};

/* The rate that is said of samples, by the file or by an option. */
static enum status find_rate(uint64_t *rate, const struct stack_profile *profile, const char *path,
                             struct fleet_part *part) {
  enum status status = number_of(rate, &part->request->rates, path, RATE_MOST, &part->message);
  if (status == STATUS_OK && *rate != 0 && profile->unit != STACK_SAMPLES)
    text_format(&part->message, "--rate %s: its weights are no numbers of samples; leave it out",
                path);
  else if (status == STATUS_OK && *rate != 0 && profile->rate != 0 && profile->rate != *rate)
    text_format(&part->message,
                "--rate %s=%llu: the file says that it was sampled %u times a second; leave it out",
                path, (unsigned long long)*rate, profile->rate);
  if (*rate == 0)
    *rate = profile->rate;
  return part->message.length != 0 ? STATUS_USAGE : status;
}

/* How many samples there are of each stack is kept beside its time. */
static void become_time(struct stack_profile *profile, uint64_t rate) {
  stack_value_keep_samples(profile);
  stack_value_drop(profile, "cpu", "nanoseconds");
  profile->unit = STACK_NANOSECONDS;
  profile->rate = 0;
  profile->period = (NS + rate / 2) / rate;
  profile->period_type = names_number(&profile->names, (struct slice){"cpu", 3});
  profile->period_unit = names_number(&profile->names, (struct slice){"nanoseconds", 11});
}

/* Samples become processor time where their rate is known; the profile of a machine is counted as
 * often as there are such machines. */
static enum status weigh(struct stack_profile *profile, const char *path, struct fleet_part *part) {
  const struct fleet_request *request = part->request;
  uint64_t rate, machines;
  enum status status = find_rate(&rate, profile, path, part);
  if (status == STATUS_OK)
    status = number_of(&machines, &request->machines, path, MACHINES_MOST, &part->message);
  if (status != STATUS_OK)
    return status;
  machines = machines == 0 ? 1 : machines;
  if (rate != 0)
    become_time(profile, rate);
  stack_values_multiply(profile, machines);
  if (rate != 0 || machines != 1)
    stack_profile_scale(profile, rate == 0 ? machines : machines * NS, rate == 0 ? 1 : rate);
  return STATUS_OK;
}

/* Folded stacks that need no scaling are added as they are read; STATUS_UNKNOWN of other files. */
static enum status add_folded(struct fleet_part *part, const char *path) {
  struct stack_reading reading = {
      .known = &part->known, .folded_only = true, .weight = part->request->weight};
  uint64_t before = part->profile.total;
  enum status status = stack_profile_read(&part->profile, path, &reading, &part->message);
  if (status != STATUS_OK || part->profile.total != before)
    return status;
  text_format(&part->message, "%s: holds no sample; leave it out, or sample for longer",
              file_name(path));
  return STATUS_DATA;
}

static enum status add(struct fleet_part *part, const char *path) {
  struct stack_profile profile;
  stack_profile_init(&profile);
  struct phases phases = {0};
  const struct stack_reading reading = {.phases = &phases, .weight = part->request->weight};
  enum status status = stack_profile_read(&profile, path, &reading, &part->message);
  double worth = stack_evidence_of(&profile, 0, 0).samples;
  if (status == STATUS_OK && phases.windows.count != 0 && stack_profile_pool(&profile, &phases))
    stack_evidence_keep(&profile, worth);
  phases_clear(&phases);
  if (status == STATUS_OK)
    status = weigh(&profile, path, part);
  if (status == STATUS_OK) {
    struct text why = {0};
    if (!stack_profile_merge(&part->profile, &profile, &why)) {
      text_format(&part->message, "%s: %s", file_name(path), text_get(&why));
      status = STATUS_DATA;
    }
    text_clear(&why);
  }
  stack_profile_clear(&profile);
  return status;
}

static void add_all(size_t index, void *context) {
  struct fleet_part *part = (struct fleet_part *)context + index;
  const struct fleet_request *request = part->request;
  for (; part->first < part->last && part->status == STATUS_OK; part->first++) {
    const char *path = request->paths[part->first];
    bool plain = settings_find(&request->rates, path) == NULL &&
                 settings_find(&request->machines, path) == NULL &&
                 part->profile.unit == STACK_SAMPLES && !request->weight.time;
    part->status = asker_stopped(request->asker) ? STATUS_INTERRUPTED
                   : plain                       ? add_folded(part, path)
                                                 : STATUS_UNKNOWN;
    if (part->status == STATUS_UNKNOWN)
      part->status = add(part, path);
  }
}

/* Each processor takes a stretch of the files. */
static enum status add_parts(struct fleet_answer *answer, const struct fleet_request *request) {
  size_t count = parallel_processors(), files = request->path_count;
  count = count > files ? files : count;
  struct fleet_part *parts = mem_alloc(count, sizeof *parts);
  enum status status = STATUS_OK;
  for (size_t i = 0; i < count; i++) {
    parts[i] = (struct fleet_part){.request = request,
                                   .first = files * i / count,
                                   .last = files * (i + 1) / count,
                                   .known = {.most = KNOWN_MOST / count}};
    stack_profile_init(&parts[i].profile);
  }
  parallel_run(count, count, add_all, parts);
  for (size_t i = 0; i < count; i++) {
    struct fleet_part *part = &parts[i];
    const char *path = request->paths[part->last == 0 ? 0 : part->last - 1];
    struct text why = {0};
    if (status == STATUS_OK && part->status != STATUS_OK)
      status = asker_fail(request->asker, part->status, "%s", text_get(&part->message));
    else if (status == STATUS_OK && !stack_profile_merge(&answer->profile, &part->profile, &why))
      status = asker_fail(request->asker, STATUS_DATA, "%s: %s", file_name(path), text_get(&why));
    text_clear(&why);
    stack_profile_clear(&part->profile);
    stack_known_clear(&part->known);
    text_clear(&part->message);
  }
  mem_free(parts);
  answer->files = files;
  return status;
}

enum status fleet_ask(struct fleet_answer *answer, const struct fleet_request *request) {
  *answer = (struct fleet_answer){0};
  stack_profile_init(&answer->profile);
  enum status status = check_settings(&request->rates, "rate", request);
  if (status == STATUS_OK)
    status = check_settings(&request->machines, "machines", request);
  if (status == STATUS_OK)
    status = add_parts(answer, request);
  if (status != STATUS_OK)
    return status;
  struct text message;
  text_init(&message);
  status = stacks_keep(&answer->profile, request->out, &message);
  if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  text_clear(&message);
  bool doubtful = answer->profile.unit == STACK_WEIGHTS && answer->files > 1;
  return status == STATUS_OK && doubtful ? STATUS_CONDITIONAL : status;
}

void fleet_clear_answer(struct fleet_answer *answer) {
  stack_profile_clear(&answer->profile);
}
