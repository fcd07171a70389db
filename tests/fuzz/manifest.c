/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the manifest of a certificate: refused with one line, or obligations of which each names a file within the
 * folder that no other names. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that replays the
 * files it is given.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "cli/question/certify/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    abort();
}

static char folder[] = "/tmp/tailproof-fuzz-XXXXXX";
static char path[64];

static void remove_folder(void) {
  unlink(path);
  rmdir(folder);
}

static void write_manifest(const uint8_t *data, size_t size) {
  if (path[0] == '\0') {
    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/" MANIFEST_FILE, folder);
    atexit(remove_folder);
  }
  FILE *file = fopen(path, "wb");
  require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static void require_query(const struct manifest *manifest, size_t index) {
  const struct manifest_query *query = &manifest->queries.data[index];
  require(query->text != NULL && query->kind != NULL && certificate_is_kind(query->kind));
  require((query->concern == NULL) == (query->subject == NULL));
  require(strlen(query->digest) == DIGEST_LENGTH &&
          strspn(query->digest, "0123456789abcdef") == DIGEST_LENGTH);
  require(query->file[0] != '/' && query->file[0] != '\0' && strstr(query->file, "..") == NULL);
  for (size_t i = 0; i < index && index < 64; i++)
    require(strcmp(manifest->queries.data[i].file, query->file) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  write_manifest(data, size);
  struct manifest manifest;
  struct text message;
  text_init(&message);
  if (manifest_read(&manifest, folder, &message) == STATUS_OK) {
    require(manifest.protocols.count != 0 && manifest.queries.count != 0);
    for (size_t i = 0; i < manifest.queries.count; i++)
      require_query(&manifest, i);
    for (size_t i = 0; i < manifest.protocols.count; i++) {
      const struct manifest_protocol *protocol = &manifest.protocols.data[i];
      require(protocol->count != 0 && protocol->first <= manifest.queries.count &&
              protocol->count <= manifest.queries.count - protocol->first);
    }
  } else {
    require(message.length != 0 && strchr(text_get(&message), '\n') == NULL);
  }
  manifest_clear(&manifest);
  text_clear(&message);
  return 0;
}

#include "tests/fuzz/standalone.h"
