/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/draft/folder.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

static bool is_empty(DIR *folder) {
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      return false;
  return true;
}

enum status draft_make_folder(const struct asker *asker, const char *out) {
  if (mkdir(out, 0777) == 0)
    return STATUS_OK;
  if (errno != EEXIST)
    return asker_fail(asker, STATUS_INTERNAL, "%s: cannot be made: %s", out, strerror(errno));
  DIR *folder = opendir(out);
  if (folder == NULL)
    return asker_fail(asker, STATUS_INTERNAL, "%s: cannot be opened: %s", out, strerror(errno));
  bool empty = is_empty(folder);
  closedir(folder);
  if (empty)
    return STATUS_OK;
  return asker_fail(asker, STATUS_USAGE,
                    "%s: holds something already; name a new folder with --out", out);
}

enum status draft_write(const struct asker *asker, const char *out, const char *name,
                        const char *ending, const struct text *content) {
  struct text path, message;
  text_init(&path);
  text_init(&message);
  text_format(&path, "%s/%s%s%s", out, name, ending == NULL ? "" : ".",
              ending == NULL ? "" : ending);
  enum status status = file_write(text_get(&path), text_get(content), content->length, &message);
  if (status != STATUS_OK)
    asker_say(asker, SAYING_FAILURE, "%s", text_get(&message));
  text_clear(&path);
  text_clear(&message);
  return status;
}
