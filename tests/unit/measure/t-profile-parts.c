/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parts of the sampler: records of the kernel, address spaces, names of what is compiled at run
 * time, tables of symbols.
 */
#include "base/text.h"
#include "measure/profile/event.h"
#include "measure/profile/jit.h"
#include "measure/profile/space.h"
#include "measure/profile/symbols.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- records --- */

struct made {
  uint64_t words[64];
  size_t count;
};

static void add_head(struct made *made, uint32_t type, uint16_t misc) {
  struct perf_event_header header = {type, misc, 0};
  memcpy(&made->words[made->count++], &header, sizeof header);
}

static void add(struct made *made, uint64_t word) {
  made->words[made->count++] = word;
}

static bool decode(struct made *made, struct ring_event *event, bool stacks) {
  struct perf_event_header header;
  memcpy(&header, made->words, sizeof header);
  header.size = (uint16_t)(made->count * 8);
  memcpy(made->words, &header, sizeof header);
  return event_decode(event, (const unsigned char *)made->words, made->count * 8, stacks);
}

static uint64_t pair(uint32_t low, uint32_t high) {
  return (uint64_t)high << 32 | low;
}

static struct made make_sample(void) {
  struct made made = {.count = 0};
  add_head(&made, PERF_RECORD_SAMPLE, 0);
  add(&made, pair(7, 8));
  add(&made, 1000); /* time */
  add(&made, 5);    /* period */
  add(&made, 2);    /* chain */
  add(&made, (uint64_t)PERF_CONTEXT_USER);
  add(&made, 0x401000);
  add(&made, PERF_SAMPLE_REGS_ABI_64);
  add(&made, 11), add(&made, 12), add(&made, 13);
  add(&made, 16); /* stack */
  add(&made, 21), add(&made, 22);
  add(&made, 8); /* of which are filled */
  return made;
}

static void samples_are_decoded(void **state) {
  (void)state;
  struct made made = make_sample();
  struct ring_event event;
  assert_true(decode(&made, &event, true));
  assert_int_equal(event.kind, EVENT_SAMPLE);
  assert_int_equal(event.process, 7);
  assert_int_equal(event.thread, 8);
  assert_int_equal(event.time, 1000);
  assert_int_equal(event.chain_count, 2);
  assert_int_equal(event.chain[1], 0x401000);
  assert_true(event.has_registers);
  assert_int_equal(event.registers[2], 13);
  assert_int_equal(event.stack_size, 8);
}

/* Every part of a record, and records with every word replaced: nothing is read beyond the end
 * (the sanitizers look), and what was not decoded whole is refused. */
static void broken_records_are_refused(void **state) {
  (void)state;
  struct made whole = make_sample();
  struct ring_event event;
  for (size_t count = 0; count < whole.count; count++) {
    uint64_t *copy = mem_alloc(count, sizeof *copy);
    memcpy(copy, whole.words, count * sizeof *copy);
    if (count != 0)
      ((struct perf_event_header *)(void *)copy)->size = (uint16_t)(count * 8);
    assert_false(event_decode(&event, (const unsigned char *)copy, count * 8, true));
    mem_free(copy);
  }
  for (size_t at = 1; at < whole.count; at++) {
    static const uint64_t words[] = {0, 1, 7, 1u << 16, UINT64_MAX, UINT64_MAX / 8};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      struct made made = whole;
      made.words[at] = words[i];
      if (decode(&made, &event, true))
        assert_true(event.chain_count <= made.count && event.stack_size <= made.count * 8);
    }
  }
}

static void others_are_decoded(void **state) {
  (void)state;
  struct ring_event event;
  struct made fork = {.count = 0};
  add_head(&fork, PERF_RECORD_FORK, 0);
  add(&fork, pair(10, 9)), add(&fork, pair(11, 9)), add(&fork, 77);
  add(&fork, pair(9, 9)), add(&fork, 1234);
  assert_true(decode(&fork, &event, true));
  assert_int_equal(event.kind, EVENT_FORK);
  assert_int_equal(event.process, 10);
  assert_int_equal(event.parent_process, 9);
  assert_int_equal(event.thread, 11);
  assert_int_equal(event.time, 1234);
  struct made lost = {.count = 0};
  add_head(&lost, PERF_RECORD_LOST, 0);
  add(&lost, 1), add(&lost, 42), add(&lost, pair(9, 9)), add(&lost, 1235);
  assert_true(decode(&lost, &event, true));
  assert_int_equal(event.kind, EVENT_LOST);
  assert_int_equal(event.lost, 42);
  struct made endless = {.count = 0}; /* a name without an end */
  add_head(&endless, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
  add(&endless, pair(9, 9)), add(&endless, UINT64_MAX), add(&endless, pair(9, 9));
  add(&endless, 1236);
  assert_false(decode(&endless, &event, true));
}

/* --- address spaces --- */

static void expect_module(const struct address_space *space, uint64_t address, uint32_t module,
                          uint64_t offset) {
  const struct space_mapping *mapping = space_find(space, address);
  assert_non_null(mapping);
  assert_int_equal(mapping->module, module);
  assert_int_equal(address - mapping->start + mapping->offset, offset);
}

/* Against a plain array of what each page holds. */
static void mappings_replace_what_they_cover(void **state) {
  (void)state;
  enum { PAGES = 64, STEPS = 3000 };
  struct {
    uint32_t module;
    uint64_t offset;
  } pages[PAGES] = {{0, 0}};
  struct address_space space = {.version = 1};
  uint64_t random = 7;
  for (uint32_t step = 1; step <= STEPS; step++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    uint64_t start = (random >> 33) % PAGES, end = start + 1 + (random >> 50) % 9;
    end = end > PAGES ? PAGES : end;
    space_map(&space, &(struct space_mapping){start * 16, end * 16, step * 1000, step});
    for (uint64_t page = start; page < end; page++) {
      pages[page].module = step;
      pages[page].offset = step * 1000 + (page - start) * 16;
    }
  }
  for (uint64_t page = 0; page < PAGES; page++) {
    if (pages[page].module == 0)
      assert_null(space_find(&space, page * 16));
    else
      expect_module(&space, page * 16 + 3, pages[page].module, pages[page].offset + 3);
  }
  for (size_t i = 1; i < space.mappings.count; i++)
    assert_true(space.mappings.data[i - 1].end <= space.mappings.data[i].start);
  assert_null(space_find(&space, PAGES * 16));
  vector_clear(&space.mappings);
}

/* --- code that is made at run time --- */

static void newer_code_has_its_name(void **state) {
  (void)state;
  static const char lines[] = "1000 100 first\n2000 10 second name\nnonsense\n1080 10 third\nfff";
  struct jit jit = {0};
  assert_int_equal(jit_add_lines(&jit, lines, sizeof lines - 1), sizeof lines - 4);
  assert_null(jit_find(&jit, 0xfff));
  assert_null(jit_find(&jit, 0x1000)); /* the third lies on a part of the first, which is gone */
  assert_string_equal(jit_find(&jit, 0x1085)->name, "third");
  assert_null(jit_find(&jit, 0x1090));
  assert_string_equal(jit_find(&jit, 0x200f)->name, "second name");
  assert_null(jit_find(&jit, 0x2010));
  jit_clear(&jit);
}

/* Lines in any order and in any pieces: by address, the last line whose code nothing lies on. */
static void random_code_in_pieces(void **state) {
  (void)state;
  enum { ADDRESSES = 64, LINES = 40 };
  for (unsigned seed = 1; seed <= 3000; seed++) {
    struct jit jit = {0};
    struct text lines = {0};
    int owner[ADDRESSES], first[LINES], last[LINES];
    srand(seed);
    memset(owner, -1, sizeof owner);
    for (int i = 0; i < LINES; i++) {
      first[i] = 1 + rand() % (ADDRESSES - 2);
      last[i] = first[i] + rand() % ((int)seed % 9 + 1);
      last[i] = last[i] < ADDRESSES ? last[i] : ADDRESSES - 1;
      for (int at = first[i]; at <= last[i]; at++)
        for (int k = 0, gone = owner[at]; k < ADDRESSES && gone >= 0; k++)
          owner[k] = owner[k] == gone ? -1 : owner[k];
      for (int at = first[i]; at <= last[i]; at++)
        owner[at] = i;
      text_format(&lines, "%x %x f%d\n", (unsigned)first[i], (unsigned)(last[i] - first[i] + 1), i);
      if (rand() % 8 == 0 || i == LINES - 1) {
        assert_int_equal(jit_add_lines(&jit, text_get(&lines), lines.length), lines.length);
        lines.length = 0;
      }
    }
    for (int at = 0; at < ADDRESSES; at++) {
      const struct jit_code *code = jit_find(&jit, (uint64_t)at);
      assert_int_equal(code == NULL ? -1 : atoi(code->name + 1), owner[at]);
    }
    text_clear(&lines);
    jit_clear(&jit);
  }
}

/* 300000 lines that fall, each before all others: moving them for each would take minutes. */
static void falling_addresses(void **state) {
  (void)state;
  enum { LINES = 300000 };
  struct jit jit = {0};
  struct text lines = {0};
  for (unsigned i = LINES; i > 0; i--)
    text_format(&lines, "%x 30 f%u\n", i * 64, i);
  assert_int_equal(jit_add_lines(&jit, text_get(&lines), lines.length), lines.length);
  assert_int_equal(jit.codes.count, LINES);
  for (unsigned i = 1; i <= LINES; i += 997) {
    char name[32];
    snprintf(name, sizeof name, "f%u", i);
    assert_string_equal(jit_find(&jit, i * 64)->name, name);
  }
  text_clear(&lines);
  jit_clear(&jit);
}

/* What is no map is not read to its end; what was read of it counts. */
static void endless_lines(void **state) {
  (void)state;
  char path[64];
  struct jit jit = {0};
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("1000 100 first\n", file);
  assert_int_equal(fflush(file), 0);
  assert_true(jit_read(&jit, (uint32_t)getpid()) && !jit.refused);
  assert_int_equal(ftruncate(fileno(file), (off_t)4 << 30), 0);
  jit_read(&jit, (uint32_t)getpid());
  assert_true(jit.refused && jit.read < 1000000);
  assert_false(jit_read(&jit, (uint32_t)getpid()));
  assert_string_equal(jit_find(&jit, 0x1010)->name, "first");
  fclose(file);
  remove(path);
  jit_clear(&jit);
}

/* --- symbols --- */

static const char *name_at(const struct symbols *symbols, uint64_t address) {
  const struct code_symbol *symbol = symbols_find(symbols, address);
  return symbol == NULL ? NULL : symbol->name;
}

static void gaps_have_no_name(void **state) {
  (void)state;
  struct symbols symbols = {.debug = {.descriptor = -1}};
  static const struct code_symbol list[] = {{300, 400, "outer", 0},    {320, 330, "inner", 0},
                                            {100, 150, "weak", 9},     {100, 150, "strong", 1},
                                            {200, 200, "sizeless", 0}, {390, 390, "last", 0}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    vector_push(&symbols.list, list[i]);
  vector_push(&symbols.bounds, 450);
  vector_push(&symbols.bounds, 260);
  symbols_sort(&symbols);
  assert_string_equal(name_at(&symbols, 149), "strong");
  assert_null(name_at(&symbols, 150));
  assert_string_equal(name_at(&symbols, 259), "sizeless"); /* up to the end of its section */
  assert_null(name_at(&symbols, 260));
  assert_string_equal(name_at(&symbols, 325), "inner");
  assert_string_equal(name_at(&symbols, 330), "outer");
  assert_string_equal(name_at(&symbols, 449), "last");
  assert_null(name_at(&symbols, 450));
  symbols_clear(&symbols);
}

/* This program's own functions, by its own file. */
static void programs_are_read(void **state) {
  (void)state;
  struct image image;
  struct symbols symbols;
  assert_true(image_open(&image, open("/proc/self/exe", O_RDONLY | O_CLOEXEC)));
  symbols_load(&symbols, &image, "/proc/self/exe");
  assert_true(symbols.named);
  size_t found = 0;
  for (size_t i = 0; i < symbols.list.count; i++) {
    const char *name = symbols.list.data[i].name;
    if (name != NULL && strcmp(name, "programs_are_read") == 0) {
      assert_string_equal(name_at(&symbols, symbols.list.data[i].start + 1), "programs_are_read");
      found++;
    }
  }
  assert_int_equal(found, 1);
  symbols_clear(&symbols);
  image_clear(&image);
  assert_false(image_open(&image, open("/dev/null", O_RDONLY | O_CLOEXEC)));
}

/* Two containers: one path and one inode, but on two devices. And one file, twice. */
static void files_of_two_devices_are_two(void **state) {
  (void)state;
  enum { NOBODY = 1 << 30 };
  struct spaces spaces = {0};
  for (uint32_t i = 0; i < 3; i++)
    spaces_follow(&spaces, &(struct ring_event){.kind = EVENT_MAP,
                                                .process = NOBODY,
                                                .thread = NOBODY,
                                                .address = 0x1000 * (1 + i),
                                                .length = 0x1000,
                                                .inode = 77,
                                                .minor = 40 + i / 2,
                                                .executable = true,
                                                .name = "/usr/lib/libx.so"});
  const struct address_space *space = spaces_get(&spaces, NOBODY);
  uint32_t first = space_find(space, 0x1000)->module;
  assert_int_equal(space_find(space, 0x2000)->module, first);
  assert_int_not_equal(space_find(space, 0x3000)->module, first);
  spaces_clear(&spaces);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_of_two_devices_are_two),
      cmocka_unit_test(samples_are_decoded),
      cmocka_unit_test(broken_records_are_refused),
      cmocka_unit_test(others_are_decoded),
      cmocka_unit_test(mappings_replace_what_they_cover),
      cmocka_unit_test(newer_code_has_its_name),
      cmocka_unit_test(random_code_in_pieces),
      cmocka_unit_test(falling_addresses),
      cmocka_unit_test(endless_lines),
      cmocka_unit_test(gaps_have_no_name),
      cmocka_unit_test(programs_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
