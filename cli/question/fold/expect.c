/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/fold/expect.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/text.h"
#include "trace/span/format.h"

enum { NAMED = 3 };

struct shard_expectation {
  const struct trace_fold *fold;
  const struct asker *asker;
  size_t shards, missing;
  struct text names; /* of the first that are missing */
};

static enum status expect_file(struct shard_expectation *e, const char *path) {
  char digest[DIGEST_LENGTH + 1];
  struct text message;
  text_init(&message);
  enum status status = digest_file(digest, path, &message);
  if (status != STATUS_OK)
    asker_fail(e->asker, status, "%s", text_get(&message));
  text_clear(&message);
  e->shards++;
  if (status == STATUS_OK && fold_shard_find(e->fold, digest) == NULL && e->missing++ < NAMED)
    text_format(&e->names, "%s%s", e->missing == 1 ? "" : ", ", path);
  return status;
}

static bool holds_traces(const char *path) {
  struct json_scan scan;
  const struct span_layout *layout;
  bool holds =
      scan_open(&scan, path) == STATUS_OK && trace_format_tell(&scan, NULL, &layout) != TRACE_NONE;
  scan_close(&scan);
  return holds;
}

static int is_shown(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static enum status expect_path(struct shard_expectation *e, const char *path, bool listed);

/* Links to folders are not followed: `trace fold` does not, either. */
static enum status expect_folder(struct shard_expectation *e, const char *folder) {
  struct dirent **entries = NULL;
  enum status status = STATUS_OK;
  int count = scandir(folder, &entries, is_shown, alphasort);
  if (count < 0)
    return asker_fail(e->asker, STATUS_NO_INPUT, "%s: cannot be opened: %s", folder,
                      strerror(errno));
  for (int i = 0; i < count; i++) {
    struct text path;
    text_init(&path);
    text_format(&path, "%s/%s", folder, entries[i]->d_name);
    if (status == STATUS_OK)
      status = expect_path(e, path.data, true);
    text_clear(&path);
    free(entries[i]);
  }
  free(entries);
  return status;
}

static enum status expect_path(struct shard_expectation *e, const char *path, bool listed) {
  struct stat about, link;
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
    bool is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    return listed && is_link ? STATUS_OK : expect_folder(e, path);
  }
  return listed && !holds_traces(path) ? STATUS_OK : expect_file(e, path);
}

enum status fold_expect(const struct trace_fold *fold, const texts *paths,
                        const struct asker *asker) {
  struct shard_expectation e = {.fold = fold, .asker = asker};
  enum status status = STATUS_OK;
  text_init(&e.names);
  for (size_t i = 0; i < paths->count && status == STATUS_OK; i++)
    status = expect_path(&e, paths->data[i], false);
  if (status == STATUS_OK && e.missing != 0)
    status = asker_fail(asker, STATUS_DATA,
                        "%zu of the %zu shards expected are not counted as they are now: %s%s; "
                        "fold them, and those again that have changed since",
                        e.missing, e.shards, text_get(&e.names), e.missing > NAMED ? ", ..." : "");
  text_clear(&e.names);
  return status;
}
