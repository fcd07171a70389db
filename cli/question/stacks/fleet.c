/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/stacks/fleet.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/question/stacks/keep.h"
#include "trace/stacks/merge.h"
#include "trace/stacks/read.h"

enum { RATE_MOST = 1000000, MACHINES_MOST = 1000000, NS = 1000000000 };

bool fleet_is_profile(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) && stack_profile_is(path);
}

/* The value that is set for a path, 1 .. most; 0: none is. */
static enum status number_of(uint64_t *number, const settings *list, const char *path,
                             uint64_t most, const struct fleet_request *request) {
  *number = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->data[i].name, path) != 0)
      continue;
    const char *value = list->data[i].value;
    if (strspn(value, "0123456789") == strlen(value) && strlen(value) < 10)
      for (; *value != '\0'; value++)
        *number = *number * 10 + (uint64_t)(*value - '0');
    if (*number == 0 || *number > most)
      return asker_fail(request->asker, STATUS_USAGE,
                        "%s=%s: give a whole number from 1 to %llu behind the equals sign", path,
                        list->data[i].value, (unsigned long long)most);
  }
  return STATUS_OK;
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

/* Samples become processor time where the rate is said; the profile of a machine is counted as
 * often as there are such machines. */
static enum status weigh(struct stack_profile *profile, const char *path,
                         const struct fleet_request *request) {
  uint64_t rate, machines;
  enum status status = number_of(&rate, &request->rates, path, RATE_MOST, request);
  if (status == STATUS_OK)
    status = number_of(&machines, &request->machines, path, MACHINES_MOST, request);
  if (status != STATUS_OK)
    return status;
  if (rate != 0 && profile->unit != STACK_SAMPLES)
    return asker_fail(request->asker, STATUS_USAGE,
                      "--rate %s: its weights are no numbers of samples; leave it out", path);
  machines = machines == 0 ? 1 : machines;
  if (rate != 0)
    profile->unit = STACK_NANOSECONDS;
  if (rate != 0 || machines != 1)
    stack_profile_scale(profile, rate == 0 ? machines : machines * NS, rate == 0 ? 1 : rate);
  return STATUS_OK;
}

static enum status add(struct fleet_answer *answer, const char *path,
                       const struct fleet_request *request) {
  struct stack_profile profile;
  struct text message;
  text_init(&message);
  stack_profile_init(&profile);
  enum status status = stack_profile_read(&profile, path, NULL, &message);
  if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  else
    status = weigh(&profile, path, request);
  if (status == STATUS_OK && !stack_profile_merge(&answer->profile, &profile, &message))
    status = asker_fail(request->asker, STATUS_DATA, "%s: %s", file_name(path), text_get(&message));
  answer->files++;
  stack_profile_clear(&profile);
  text_clear(&message);
  return status;
}

enum status fleet_ask(struct fleet_answer *answer, const struct fleet_request *request) {
  *answer = (struct fleet_answer){0};
  stack_profile_init(&answer->profile);
  enum status status = check_settings(&request->rates, "rate", request);
  if (status == STATUS_OK)
    status = check_settings(&request->machines, "machines", request);
  for (size_t i = 0; i < request->path_count && status == STATUS_OK; i++)
    status = asker_stopped(request->asker) ? STATUS_INTERRUPTED
                                           : add(answer, request->paths[i], request);
  if (status != STATUS_OK)
    return status;
  struct text message;
  text_init(&message);
  status = stacks_keep(&answer->profile, request->out, &message);
  if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  text_clear(&message);
  return status;
}

void fleet_clear_answer(struct fleet_answer *answer) {
  stack_profile_clear(&answer->profile);
}
