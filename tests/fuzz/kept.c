/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the file of a verdict that was kept: it counts as missing, or says what was kept. With an odd first byte the
 * rest gets the right head and checksum, without which nothing is believed. With clang -fsanitize=fuzzer a libFuzzer target;
 * with -DSTANDALONE a program that replays the files it is given.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "cli/question/verify/proof_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    abort();
}

#define QUESTION "a question"
static char home[] = "/tmp/tailproof-fuzz-XXXXXX";
static char below[64], path[160];

static void remove_folder(void) {
  unlink(path);
  rmdir(below);
  rmdir(home);
}

static void prepare(void) {
  char name[DIGEST_LENGTH + 1];
  require(mkdtemp(home) != NULL && setenv("XDG_CACHE_HOME", home, 1) == 0);
  snprintf(below, sizeof below, "%s/tailproof", home);
  require(mkdir(below, 0700) == 0);
  digest_bytes(name, QUESTION, strlen(QUESTION));
  snprintf(path, sizeof path, "%s/%s", below, name);
  atexit(remove_folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (path[0] == '\0')
    prepare();
  bool sealed = size > 0 && data[0] % 2 == 1;
  data += size > 0;
  size -= size > 0;
  char digest[DIGEST_LENGTH + 1];
  digest_bytes(digest, data, size);
  FILE *file = fopen(path, "wb");
  require(file != NULL);
  if (sealed)
    fprintf(file, "tailproof kept answer 1 %s\n", digest);
  require(fwrite(data, 1, size, file) == size && fclose(file) == 0);
  struct text answer;
  time_t asked = 0;
  text_init(&answer);
  bool found = proof_cache_find(&answer, &asked, QUESTION);
  const char start[] = QUESTION "\n";
  const size_t head = sizeof start - 1;
  bool whole = size >= head && memcmp(data, start, head) == 0;
  if (sealed)
    require(found == (whole && size <= PROOF_CACHE_BYTES));
  if (found && sealed)
    require(answer.length == size - head && asked != 0 &&
            (answer.length == 0 || memcmp(answer.data, data + head, answer.length) == 0));
  if (!found)
    require(answer.length == 0);
  text_clear(&answer);
  return 0;
}

#include "tests/fuzz/standalone.h"
