/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "dist/source/joint_reader.h"
#include "dist/source/stem.h"
#include "tests/unit/dist/parse.h"

struct joined {
  enum status status;
  struct joint joint;
  struct source_notes notes;
  struct text message;
};

static struct joined join_bytes(const char *bytes, size_t length, const char *unit) {
  struct joined joined;
  joint_init(&joined.joint);
  source_notes_init(&joined.notes);
  text_init(&joined.message);
  char *copy = mem_copy_text(bytes, length);
  joined.status =
      joint_parse(&joined.joint, &joined.notes, "f", copy, length, unit, &joined.message);
  mem_free(copy);
  return joined;
}

static struct joined join_path(const char *path, const char *unit) {
  struct joined joined;
  joint_init(&joined.joint);
  source_notes_init(&joined.notes);
  text_init(&joined.message);
  joined.status = joint_read(&joined.joint, &joined.notes, path, unit, &joined.message);
  return joined;
}

/* With the zero bytes inside. */
#define join_literal(bytes) join_bytes(bytes, sizeof(bytes) - 1, NULL)

static void joined_clear(struct joined *joined) {
  joint_clear(&joined->joint);
  source_notes_clear(&joined->notes);
  text_clear(&joined->message);
}

/* What must hold of every table whatsoever. */
static void joined_check(const struct joined *joined, const char *bytes) {
  bool good;
  if (joined->status == STATUS_OK)
    good = joint_is_valid(&joined->joint) && joined->message.length == 0;
  else
    good = joined->message.length != 0 && strchr(joined->message.data, '\n') == NULL &&
           joined->joint.rows == 0 && joined->joint.columns.count == 0 &&
           joined->joint.path == NULL && joined->notes.count == 0;
  if (!good)
    fail_msg("status %d, message \"%s\" on: %s", joined->status, text_get(&joined->message), bytes);
}

static void put_cell(struct text *text, struct joint_cell cell) {
  if (cell.lower_ns > cell.upper_ns)
    text_append(text, " -");
  else if (cell.lower_ns == SAMPLE_NS_MAX)
    text_append(text, " inf");
  else if (cell.upper_ns == SAMPLE_NS_MAX)
    text_append(text, " ?");
  else if (cell.lower_ns == cell.upper_ns)
    text_format(text, " %" PRIu64, cell.lower_ns);
  else
    text_format(text, " %" PRIu64 "..%" PRIu64, cell.lower_ns, cell.upper_ns);
}

/* "a.0: 1 ? - inf; d.M: ...; ignored x": columns, then what is ignored. */
static void assert_joint(const struct joint *joint, const char *expected) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < joint->columns.count; i++) {
    text_format(&text, "%s%s:", i == 0 ? "" : "; ", joint->columns.data[i].name);
    for (size_t row = 0; row < joint->rows; row++)
      put_cell(&text, joint->columns.data[i].cells[row]);
  }
  for (size_t i = 0; i < joint->ignored.count; i++)
    text_format(&text, "%s%s", i == 0 ? "; ignored " : ", ", joint->ignored.data[i]);
  assert_string_equal(text_get(&text), expected);
  text_clear(&text);
}

static void ok(const char *bytes, const char *unit, const char *expected) {
  struct joined joined = join_bytes(bytes, strlen(bytes), unit);
  if (joined.status != STATUS_OK)
    fail_msg("%s on: %s", text_get(&joined.message), bytes);
  joined_check(&joined, bytes);
  assert_joint(&joined.joint, expected);
  joined_clear(&joined);
}

static void bad(const char *bytes, const char *unit, const char *expected) {
  struct joined joined = join_bytes(bytes, strlen(bytes), unit);
  joined_check(&joined, bytes);
  assert_int_equal(joined.status, STATUS_DATA);
  assert_string_equal(text_get(&joined.message), expected);
  joined_clear(&joined);
}

static void cells_are_ranges(void **unused) {
  (void)unused;
  ok("A_ns,d.Wal.0_us,B.1_ms\n1,1.5,2\n2.5,0.0001,-\n,timeout,Inf\n", NULL,
     "A: 1 2..3 ?; d.Wal.0: 1500 0..1 inf; B.1: 2000000 - inf");
  ok("A_us,B_ns\n1..2,7..7\n0.0001..1.00001,0..9223372036854775807\n", NULL,
     "A: 1000..2000 0..1001; B: 7 ?");
  ok("A_s\n9223372036.854775807\n+inf\n", NULL, "A: inf inf");
  struct joined joined = join_literal("A_ns,B_ns\n1,\n-,-\n,\n3,4\n");
  assert_int_equal(joined.joint.rows, 4);
  assert_int_equal(joined.joint.columns.data[0].missing, 1);
  assert_int_equal(joined.joint.columns.data[0].absent, 1);
  assert_int_equal(joined.joint.columns.data[1].missing, 2);
  assert_int_equal(joined.joint.columns.data[1].absent, 1);
  assert_string_equal(joined.joint.path, "f");
  joined_clear(&joined);
}

static void names_as_in_files_and_in_bounds(void **unused) {
  (void)unused;
  ok("d(Wal(0))_ns,Receive[0]_ns,d(Reply)_ns\n1,2,3\n", NULL,
     "d.Wal.0: 1; Receive.0: 2; d.Reply: 3");
  ok("\"d(Ack(2, 3))_ns\",\" Grant[ -1 ,2 ]_us\"\n1,2\n", NULL, "d.Ack.2.3: 1; Grant.-1.2: 2000");
  ok("request.put_ns,a_b_ns,_x.0_ns\n1,2,3\n", NULL, "request.put: 1; a_b: 2; _x.0: 3");
}

static void other_columns_are_listed(void **unused) {
  (void)unused;
  ok("instance,A_ns,start_ns,host,requestTimestamp_ms,end_time_us,p99 of_ms\nx,1,2,3,4,5,6\n", NULL,
     "A: 1; ignored instance, start_ns, host, requestTimestamp_ms, end_time_us, p99 of_ms");
  ok("Start_ns,restart_ns,d.time_ns,end[1]_ns\n1,2,3,4\n", NULL,
     "Start: 1; restart: 2; d.time: 3; end.1: 4");
}

static void a_stated_unit_is_for_names_without_one(void **unused) {
  (void)unused;
  ok("instance,A,B_ns,d(M(1)),time,trace_id,x y\n7,1,2,3,4,5,6\n", "us",
     "A: 1000; B: 2; d.M.1: 3000; ignored instance, time, trace_id, x y");
  ok("A,B_ns\n7,1\n", NULL, "B: 1; ignored A");
}

static void layouts(void **unused) {
  (void)unused;
  ok("A_ns,B_ns\r\n1,2\r\n\r\n3,\r\n", NULL, "A: 1 3; B: 2 ?");
  ok("\xef\xbb\xbf\"A_ns\" , \"B_ns\"\n \"1\",\" - \"\n\n", NULL, "A: 1; B: -");
  struct joined joined = join_literal("A_us\n12000\ntimeout\n3000");
  assert_int_equal(joined.notes.count, 3);
  assert_non_null(strstr(joined.notes.lines[0], "such as of 1e3 ns in A"));
  assert_non_null(strstr(joined.notes.lines[1], "the last line has no end"));
  assert_non_null(strstr(joined.notes.lines[2], "1 of 3 cells never ended"));
  joined_clear(&joined);
}

static void bad_headers(void **unused) {
  (void)unused;
  bad("\n", NULL,
      "f:1:1: the file is empty; its first line names the occurrences and their units, such as "
      "Grant.0_ns, and a row for each request follows");
  bad("A_ns\n", NULL, "f:2:1: the table has a header and no rows; at least one request is needed");
  bad("x,start_ns\n1,2\n", NULL,
      "f:1:1: found \"x,start_ns\", a header in which no column is a latency; name each for its "
      "occurrence and its unit, such as Grant.0_ns");
  bad("A_ns,B_ns,\"A_us\"\n1,2,3\n", NULL,
      "f:1:12: found \"A_us\", a second column of the same occurrence; keep one of them");
  bad("d.M.1_ns,d(M(1))_ns\n1,2\n", NULL,
      "f:1:10: found \"d(M(1))_ns\", a second column of the same occurrence; keep one of them");
  static const char *const malformed[] = {"d(M(1)_ns", "d(M(1)))_ns", "3))_ns",      "A[]_ns",
                                          "A[x]_ns",   "A[01]_ns",    "d(M(-0))_ns", "d()_ns"};
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
    char bytes[64], expected[256];
    snprintf(bytes, sizeof bytes, "%s\n1\n", malformed[i]);
    snprintf(expected, sizeof expected,
             "f:1:1: found \"%s\", which names no occurrence; write it as d.Ack.2_ns, "
             "d(Ack(2))_ns or Receive[0]_ns, in quotes where it holds a comma",
             malformed[i]);
    bad(bytes, NULL, expected);
  }
  bad("\"A_ns\n1\n", NULL, "f:1:1: a quote is opened and not closed on this line; close it");
}

static void bad_cells(void **unused) {
  (void)unused;
  bad("A_ns,B_us\n1,2\n3,x\n", NULL,
      "f:3:3: found \"x\", where a number is expected, such as 1250 or 12.5");
  bad("A_ns,B_us\n1,5ms\n", NULL,
      "f:2:3: found \"5ms\", a number with a unit; all values are in us, as the header says: "
      "convert this one and write the number alone");
  static const char *const ranges[] = {"2..1", "1..", "..2", "1..x", "1...2..3"};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    char bytes[64], expected[256];
    snprintf(bytes, sizeof bytes, "A_ns\n%s\n", ranges[i]);
    snprintf(expected, sizeof expected,
             "f:2:1: found \"%s\", where a number is expected, such as 1250 or 12.5", ranges[i]);
    bad(bytes, NULL, expected);
  }
  bad("A_ns,B_us\n1,NaN\n", NULL,
      "f:2:3: found \"NaN\", which is no time; leave the cell empty where it was not measured, "
      "write \"-\" where it did not happen, \"timeout\" where it never ended");
  bad("A_ns,B_us\n-1,2\n", NULL,
      "f:2:1: found \"-1\", a negative time; correct the clock it came from, or leave the cell "
      "empty: not measured");
  bad("A_s\n9223372037\n", NULL,
      "f:2:1: found \"9223372037\", which is above 2^63-1 ns (292 years); is the unit of \"A_s\" "
      "right?");
  bad("A_ns,B_us\n1,2\n3\n", NULL,
      "f:3:1: the row has 1 cell, the header 2; is a row cut off, or a comma meant as a decimal "
      "point?");
  bad("A_ns,B_us\n1,2,3\n", NULL,
      "f:2:1: the row has 3 cells, the header 2; is a row cut off, or a comma meant as a decimal "
      "point?");
  bad("A_ns,B_us\n1,\"2\n", NULL, "f:2:3: a quote is opened and not closed on this line; close it");
  struct joined joined = join_literal("A_ns\n1\0\n");
  assert_int_equal(joined.status, STATUS_DATA);
  assert_non_null(strstr(text_get(&joined.message), "f:2:2: found a zero byte"));
  joined_clear(&joined);
}

static void every_damage_is_one_message(void **unused) {
  (void)unused;
  static const char bytes[] = "instance,d(M(1))_us,\"A[2]_ns\"\r\n1,2.5,-\n2,timeout,\n";
  static const char nasty[] = {'\0', '\n', ' ', ',', '"', '-', '9', 'e', '\xff', '(', ']', '_'};
  char copy[sizeof bytes];
  for (size_t cut = 0; cut < sizeof bytes; cut++) {
    struct joined joined = join_bytes(bytes, cut, NULL);
    joined_check(&joined, bytes);
    joined_clear(&joined);
    for (size_t k = 0; k < sizeof nasty; k++) {
      memcpy(copy, bytes, sizeof bytes);
      copy[cut] = nasty[k];
      joined = join_bytes(copy, sizeof bytes - 1, k % 2 == 0 ? NULL : "us");
      joined_check(&joined, copy);
      joined_clear(&joined);
    }
  }
}

/* More rows than the first room, each cell another number. */
static void many_rows(void **unused) {
  (void)unused;
  struct text bytes;
  text_init(&bytes);
  text_append(&bytes, "A_ns,x,B_ns\n");
  for (uint64_t i = 0; i < 5000; i++)
    text_format(&bytes, "%" PRIu64 ",y,%" PRIu64 "\n", i, i * i);
  struct joined joined = join_bytes(bytes.data, bytes.length, NULL);
  joined_check(&joined, "many rows");
  assert_int_equal(joined.joint.rows, 5000);
  for (uint64_t i = 0; i < 5000; i++) {
    assert_int_equal(joined.joint.columns.data[0].cells[i].upper_ns, i);
    assert_int_equal(joined.joint.columns.data[1].cells[i].lower_ns, i * i);
  }
  joined_clear(&joined);
  text_clear(&bytes);
}

static void too_many_columns(void **unused) {
  (void)unused;
  struct text bytes;
  text_init(&bytes);
  for (size_t i = 0; i <= JOINT_COLUMNS_MAX; i++)
    text_format(&bytes, "A.%zu_ns,", i);
  struct joined joined = join_bytes(bytes.data, bytes.length, NULL);
  joined_check(&joined, "many columns");
  assert_non_null(strstr(text_get(&joined.message), "one column more than the 4096 latencies"));
  joined_clear(&joined);
  text_clear(&bytes);
}

static void find_wants_the_full_name(void **unused) {
  (void)unused;
  struct joined joined = join_literal("Receive_ns,Receive.0_ns,\"d(Ack(2,3))_ns\"\n1,2,3\n");
  const int64_t indices[] = {0, 2, 3};
  struct occurrence receive = {.component = "Receive", .index_count = 1, .indices = indices};
  struct occurrence ack = {
      .component = "d", .message = "Ack", .index_count = 2, .indices = indices + 1};
  assert_int_equal(joint_find(&joined.joint, &receive), 1);
  assert_int_equal(joint_find(&joined.joint, &ack), 2);
  receive.indices = indices + 1;
  ack.index_count = 1;
  assert_true(joint_find(&joined.joint, &receive) == SIZE_MAX);
  assert_true(joint_find(&joined.joint, &ack) == SIZE_MAX);
  receive.index_count = 0;
  assert_int_equal(joint_find(&joined.joint, &receive), 0);
  joined_clear(&joined);
}

static char folder[] = "/tmp/t-joint-table.XXXXXX";
static names_type made;

static void put(const char *name, const char *bytes) {
  struct text path, message;
  text_init(&path);
  text_init(&message);
  text_format(&path, "%s/%s", folder, name);
  assert_int_equal(file_write(path.data, bytes, strlen(bytes), &message), STATUS_OK);
  vector_push(&made, text_take(&path));
  text_clear(&message);
}

static void remove_all(void) {
  for (size_t i = 0; i < made.count; i++)
    unlink(made.data[i]);
  names_release(&made);
}

/* `expected` with DIR for the folder. */
static void bad_path(const char *path, enum status status, const char *words) {
  struct joined joined = join_path(path, NULL);
  joined_check(&joined, path);
  assert_int_equal(joined.status, status);
  if (strstr(text_get(&joined.message), words) == NULL ||
      strstr(text_get(&joined.message), folder) == NULL)
    fail_msg("%s", text_get(&joined.message));
  joined_clear(&joined);
}

static void a_folder_of_series(void **unused) {
  (void)unused;
  put("A.0.csv", "x_us\n1.5\n0.0001\n");
  put("d.M.csv", "rtt_ns\n7\ntimeout\n");
  put("read-me.csv", "no table at all");
  struct joined joined = join_path(folder, NULL);
  joined_check(&joined, folder);
  assert_joint(&joined.joint, "A.0: 1500 0..1; d.M: 3..4 inf; ignored read-me.csv");
  assert_int_equal(joined.notes.count, 2);
  assert_string_equal(joined.joint.path, folder);
  joined_clear(&joined);
  put("B.csv", "x_ns\n1\n2\n3\n");
  bad_path(folder, STATUS_DATA,
           "the series have different numbers of rows: A.0.csv 2, B.csv 3, d.M.csv 2; write a row");
  put("B.csv.gz", "x_ns\n1\n2\n");
  bad_path(folder, STATUS_DATA, "B.csv.gz: a second file of the same occurrence; keep one of them");
  put("C.tph", "whatever");
  bad_path(folder, STATUS_DATA, "B.csv.gz: a second");
  put("A.1.tph", "whatever");
  bad_path(folder, STATUS_DATA, "A.1.tph: has no order, so its rows cannot be joined");
  remove_all();
  bad_path(folder, STATUS_NO_INPUT, "the directory holds no series of an occurrence");
}

static void a_folder_with_a_table(void **unused) {
  (void)unused;
  put("A.tph", "whatever");
  put("joint.csv", "A_ns\n4\n");
  struct joined joined = join_path(folder, NULL);
  joined_check(&joined, folder);
  assert_joint(&joined.joint, "A: 4");
  joined_clear(&joined);
  put("joint.csv.gz", "A_ns\n4\n");
  bad_path(folder, STATUS_DATA, "holds both joint.csv and joint.csv.gz; keep one of them");
  bad_path(made.data[0], STATUS_DATA, "A.tph: has no order, so its rows cannot be joined");
  remove_all();
  bad_path(folder, STATUS_NO_INPUT, "no joint.csv");
  struct text path;
  text_init(&path);
  text_format(&path, "%s/none.csv", folder);
  bad_path(path.data, STATUS_NO_INPUT, "cannot be opened");
  text_clear(&path);
}

static void a_unit_that_is_none(void **unused) {
  (void)unused;
  struct joined joined = join_path(folder, "min");
  assert_int_equal(joined.status, STATUS_USAGE);
  assert_non_null(strstr(text_get(&joined.message), "the unit \"min\" is none of"));
  joined_clear(&joined);
}

/* Columns that are no latency say which request a row is of, of which kind, and whether it failed.
 */
static void rows_of_requests(void **unused) {
  (void)unused;
  bad("instance,A_ns\n1,1\n2,2\n1,1\n", NULL,
      "f:4:1: found \"1\", a \"instance\" that an earlier row has, so that one request would count "
      "twice; keep one row for each");
  ok("instance,run_id,A_ns\n1,1,1\n1,2,2\n", NULL, "A: 1 2; ignored instance, run_id");
  ok("A_ns,B_ns,success\n1,2,true\n3,-,false\n", NULL, "A: 1 ?; B: 2 -; ignored success");
  bad("A_ns,status\n1,200\n2,300\n", NULL,
      "f:3:3: found \"300\", in the column \"status\", which does not say whether the request "
      "failed; write ok or failed there, or add a column \"success\" with true or false");
  bad("A_ns,endpoint\n1,/a\n2,/b\n", NULL,
      "f:3:1: 2 kinds of requests: {endpoint=\"/a\"}, {endpoint=\"/b\"}; choose one: --select "
      "'NAME={endpoint=\"/a\"}', or all of them: --select 'NAME={}'");
  /* With a unit stated, a name in lower case is no component where it says this. */
  struct joined joined = join_bytes("A,Status,status\n1,2,500\n", 24, "us");
  assert_int_equal(joined.status, STATUS_OK);
  assert_int_equal(joined.joint.columns.count, 2);
  assert_int_equal(joined.joint.columns.data[0].missing, 1);
  joined_clear(&joined);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_are_ranges),
      cmocka_unit_test(names_as_in_files_and_in_bounds),
      cmocka_unit_test(other_columns_are_listed),
      cmocka_unit_test(a_stated_unit_is_for_names_without_one),
      cmocka_unit_test(layouts),
      cmocka_unit_test(bad_headers),
      cmocka_unit_test(bad_cells),
      cmocka_unit_test(every_damage_is_one_message),
      cmocka_unit_test(many_rows),
      cmocka_unit_test(too_many_columns),
      cmocka_unit_test(find_wants_the_full_name),
      cmocka_unit_test(a_folder_of_series),
      cmocka_unit_test(a_folder_with_a_table),
      cmocka_unit_test(a_unit_that_is_none),
      cmocka_unit_test(rows_of_requests),
  };
  if (mkdtemp(folder) == NULL)
    return EXIT_FAILURE;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  rmdir(folder);
  return failed;
}
