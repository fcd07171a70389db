/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/certify/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/source.h"
#include "version.h"
#include <sys/stat.h>

#include "base/file.h"
#include "solver/encode/fact.h"
#include "solver/smt/smt.h"

enum { MANIFEST_LIMIT = 1 << 28 }; /* bytes */

#define MANIFEST_FORMAT "1"

struct jsonl *manifest_new(void) {
  struct jsonl *json = jsonl_new("certificate");
  jsonl_text(json, "format", MANIFEST_FORMAT);
  jsonl_text(json, "tailproof", TAILPROOF_VERSION);
  jsonl_text(json, "solver", smt_name());
  return json;
}

void manifest_add(struct jsonl *protocols, const struct protocol *protocol, const char *folder,
                  const struct certificate *certificate) {
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, protocol->source->bytes, protocol->source->length);
  struct jsonl *item = jsonl_item(protocols);
  jsonl_text(item, "protocol", protocol->model->name);
  jsonl_text(item, "file", protocol->source->name);
  jsonl_text(item, "sha256", digest);
  struct jsonl *list = jsonl_list(item, "obligations");
  struct text path;
  text_init(&path);
  for (size_t i = 0; i < certificate->entries.count; i++) {
    const struct certificate_entry *entry = &certificate->entries.data[i];
    struct jsonl *one = jsonl_item(list);
    text_format(&path, "%s/%s", folder, entry->file);
    struct text id;
    text_init(&id);
    text_append_bytes(&id, path.data, path.length - strlen(".smt2"));
    jsonl_text(one, "id", id.data);
    text_clear(&id);
    jsonl_text(one, "kind", entry->kind);
    jsonl_text(one, "text", entry->text);
    if (entry->subject != NULL)
      jsonl_text(one, entry->concern, entry->subject);
    jsonl_text(one, "file", path.data);
    jsonl_text(one, "sha256", entry->digest);
    jsonl_text(one, "expected", "unsat");
    struct jsonl *facts = jsonl_list(one, "facts");
    for (size_t f = 0; f < FACT_COUNT; f++)
      if ((entry->facts >> f & 1) != 0)
        jsonl_item_text(facts, encoder_fact_names[f]);
    text_clear(&path);
  }
}

/* "lock/00001.smt2": one folder and one file, of harmless characters. */
static bool is_safe(const char *path) {
  const char *slash = strchr(path, '/');
  size_t length = strlen(path);
  return slash != NULL && slash != path && slash[1] != '\0' && strchr(slash + 1, '/') == NULL &&
         path[0] != '.' && slash[1] != '.' &&
         strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/") ==
             length;
}

static bool is_digest(const char *text) {
  return text != NULL && strlen(text) == DIGEST_LENGTH &&
         strspn(text, "0123456789abcdef") == DIGEST_LENGTH;
}

/* "lock/00001" of "lock/00001.smt2" */
static bool is_id_of(const char *id, const char *file) {
  size_t length = strlen(id);
  return strncmp(id, file, length) == 0 && strcmp(file + length, ".smt2") == 0;
}

/* What the obligation is about: at most one of three fields names it. */
static bool read_concern(struct manifest_query *query, const struct jsonl *json) {
  static const char *const concerns[] = {"bound", "invariant", "generated"};
  for (size_t i = 0; i < sizeof concerns / sizeof *concerns; i++) {
    const char *subject = jsonl_get_text(json, concerns[i]);
    if (subject == NULL)
      continue;
    if (query->subject != NULL)
      return false;
    query->concern = concerns[i];
    query->subject = subject;
  }
  return true;
}

static const char *read_query(struct manifest *manifest, const struct jsonl *json) {
  struct manifest_query query = {.text = jsonl_get_text(json, "text"),
                                 .file = jsonl_get_text(json, "file"),
                                 .digest = jsonl_get_text(json, "sha256"),
                                 .kind = jsonl_get_text(json, "kind")};
  const char *expected = jsonl_get_text(json, "expected"), *id = jsonl_get_text(json, "id");
  if (query.text == NULL)
    return "an obligation has no text";
  if (query.file == NULL || !is_safe(query.file))
    return "an obligation has no file in the folder";
  if (!is_digest(query.digest))
    return "an obligation has no digest";
  if (expected == NULL || strcmp(expected, "unsat") != 0)
    return "an obligation does not expect \"unsat\"";
  if (query.kind == NULL || !certificate_is_kind(query.kind))
    return "an obligation is of no kind that there is";
  if (id == NULL || !is_id_of(id, query.file))
    return "the id of an obligation is not its file's name";
  if (!read_concern(&query, json))
    return "an obligation is about two things";
  vector_push(&manifest->queries, query);
  return NULL;
}

static const char *read_protocol(struct manifest *manifest, const struct jsonl *json) {
  const struct jsonl *list = jsonl_get_list(json, "obligations");
  struct manifest_protocol protocol = {
      .name = jsonl_get_text(json, "protocol"),
      .file = jsonl_get_text(json, "file"),
      .digest = jsonl_get_text(json, "sha256"),
      .first = manifest->queries.count,
      .count = list == NULL ? 0 : jsonl_count(list),
  };
  if (protocol.name == NULL || protocol.file == NULL || !is_digest(protocol.digest) || list == NULL)
    return "a protocol lacks its name, file, digest or obligations";
  if (protocol.count == 0)
    return "a protocol has no obligations, so nothing would be checked";
  const char *wrong = NULL;
  for (size_t i = 0; i < protocol.count && wrong == NULL; i++)
    wrong = read_query(manifest, jsonl_at(list, i));
  vector_push(&manifest->protocols, protocol);
  return wrong;
}

static int by_file(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of all files, sorted; owned. */
static const char **sorted_files(const struct manifest *manifest) {
  const char **files = mem_alloc(manifest->queries.count + 1, sizeof *files);
  for (size_t i = 0; i < manifest->queries.count; i++)
    files[i] = manifest->queries.data[i].file;
  qsort(files, manifest->queries.count, sizeof *files, by_file);
  return files;
}

static bool has_double(const struct manifest *manifest) {
  const char **files = sorted_files(manifest);
  bool twice = false;
  for (size_t i = 1; i < manifest->queries.count; i++)
    twice = twice || strcmp(files[i - 1], files[i]) == 0;
  mem_free(files);
  return twice;
}

/* What is wrong with it, or NULL. */
static const char *read_all(struct manifest *manifest) {
  const char *kind = jsonl_get_text(manifest->json, "kind");
  const char *format = jsonl_get_text(manifest->json, "format");
  const struct jsonl *list = jsonl_get_list(manifest->json, "protocols");
  manifest->version = jsonl_get_text(manifest->json, "tailproof");
  manifest->solver = jsonl_get_text(manifest->json, "solver");
  if (kind == NULL || strcmp(kind, "certificate") != 0 || format == NULL || list == NULL)
    return "it lacks \"kind\": \"certificate\", a format or the protocols";
  if (strcmp(format, MANIFEST_FORMAT) != 0)
    return "it has another format than this program reads";
  if (manifest->version == NULL || manifest->solver == NULL)
    return "it does not say what made it (\"tailproof\", \"solver\")";
  if (jsonl_count(list) == 0)
    return "it has no protocol, so nothing would be checked";
  const char *wrong = NULL;
  for (size_t i = 0; i < jsonl_count(list) && wrong == NULL; i++)
    wrong = read_protocol(manifest, jsonl_at(list, i));
  return wrong == NULL && has_double(manifest) ? "it names a file twice" : wrong;
}

enum status manifest_read(struct manifest *manifest, const char *folder, struct text *message) {
  memset(manifest, 0, sizeof *manifest);
  struct text path, why;
  text_init(&path);
  text_init(&why);
  text_format(&path, "%s/%s", folder, MANIFEST_FILE);
  char *bytes;
  size_t length;
  enum status status = file_read(path.data, MANIFEST_LIMIT, &bytes, &length, message);
  if (status == STATUS_OK) {
    manifest->json = jsonl_parse(bytes, length, &why);
    const char *wrong = manifest->json == NULL ? text_get(&why) : read_all(manifest);
    if (wrong != NULL) {
      text_format(message, "%s: is no manifest of a certificate: %s", path.data, wrong);
      status = STATUS_DATA;
    }
  }
  mem_free(bytes);
  text_clear(&path);
  text_clear(&why);
  return status;
}

void manifest_clear(struct manifest *manifest) {
  if (manifest->json != NULL)
    jsonl_free(manifest->json);
  vector_clear(&manifest->protocols);
  vector_clear(&manifest->queries);
}

struct listing {
  const char *folder;
  const char **files;
  size_t count;
  void (*found)(const char *path, void *context);
  void *context;
};

/* `below` is "" or "lock/". */
static bool list_folder(const struct listing *listing, const char *below) {
  struct text path;
  text_init(&path);
  text_format(&path, "%s/%s", listing->folder, below);
  DIR *dir = opendir(path.data);
  text_clear(&path);
  if (dir == NULL)
    return false;
  bool good = true;
  for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
        (below[0] == '\0' && strcmp(e->d_name, MANIFEST_FILE) == 0))
      continue;
    struct text name, full;
    text_init(&name);
    text_init(&full);
    text_format(&name, "%s%s", below, e->d_name);
    text_format(&full, "%s/%s", listing->folder, name.data);
    struct stat what;
    bool folder = below[0] == '\0' && lstat(full.data, &what) == 0 && S_ISDIR(what.st_mode);
    const char *key = name.data;
    if (folder) {
      text_append(&name, "/");
      good = list_folder(listing, name.data) && good;
    } else if (bsearch(&key, listing->files, listing->count, sizeof key, by_file) == NULL) {
      listing->found(name.data, listing->context);
    }
    text_clear(&name);
    text_clear(&full);
  }
  closedir(dir);
  return good;
}

bool manifest_extras(const struct manifest *manifest, const char *folder,
                     void (*found)(const char *path, void *context), void *context) {
  struct listing listing = {folder, sorted_files(manifest), manifest->queries.count, found,
                            context};
  bool good = list_folder(&listing, "");
  mem_free(listing.files);
  return good;
}
