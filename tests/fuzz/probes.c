/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a file of probes, and as a condition of a pair: one message, or probes of which each has
 * what its kind needs. With clang -fsanitize=fuzzer a libFuzzer target; with -DSTANDALONE a program that
 * replays the files it is given.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/outside/condition.h"
#include "measure/outside/probe_plan.h"
#include "measure/outside/probes.h"
#include "measure/outside/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition)
    abort();
}

static void check_site(const struct outside_site *site) {
  bool of_file =
      site->kind == SITE_UPROBE || site->kind == SITE_URETPROBE || site->kind == SITE_USDT;
  require(!of_file || site->path != NULL);
  require(site->kind != SITE_USDT || (site->group != NULL && site->name != NULL));
  require(site->kind != SITE_TRACEPOINT || (site->group != NULL && site->name != NULL));
  require(site->kind != SITE_SYSCALL || site->name != NULL);
  require(strnlen(site->build_id, SITE_BUILD_ID) < SITE_BUILD_ID);
  struct text text;
  text_init(&text);
  probe_plan_describe(&text, site);
  require(text.length != 0);
  text_clear(&text);
}

static void read_file(const char *bytes, size_t size) {
  char message[600] = "";
  struct outside_probes probes = {0};
  struct tree_node *tree = tree_parse(bytes, size, message, sizeof message);
  if (tree != NULL && probes_read(&probes, tree, message, sizeof message)) {
    require(probes.list.count == probes.sites.count && probes.list.count != 0);
    for (size_t i = 0; i < probes.sites.count; i++)
      check_site(&probes.sites.data[i]);
    probes_clear(&probes);
  } else {
    require(message[0] != '\0' && strchr(message, '\n') == NULL);
  }
  tree_free(tree);
}

static void read_words(const char *bytes, size_t size) {
  char message[600] = "", *text = malloc(size + 1);
  require(text != NULL);
  memcpy(text, bytes, size);
  text[size] = '\0';
  struct condition condition;
  require(condition_parse(&condition, text, "r", message, sizeof message) ||
          (message[0] != '\0' && strchr(message, '\n') == NULL));
  struct usdt_arguments arguments;
  usdt_parse(&arguments, text);
  require(arguments.count <= USDT_ARGUMENTS);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_file((const char *)data, size);
  read_words((const char *)data, size);
  return 0;
}

#include "tests/fuzz/standalone.h"
