/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/stacks/form.h"

#include <stdbool.h>
#include <string.h>

enum { LOOKED = 65536 };

struct foreign_form {
  const char *begins; /* the first bytes */
  size_t length;
  const char *holds; /* and in the beginning; NULL: nothing */
  const char *what;
};

#define BYTES(text) text, sizeof(text) - 1

static const struct foreign_form binary[] = {
    {BYTES("PERFILE2"), NULL, "is perf's own file; print it with `perf script -i FILE`"},
    {BYTES("PERFFILE"), NULL, "is perf's own file; print it with `perf script -i FILE`"},
    {BYTES("\xfd"
           "7zXZ"),
     NULL, "is compressed by xz; expand it with `xz -d`"},
    {BYTES("BZh"), "1AY&SY", "is compressed by bzip2; expand it with `bzip2 -d`"},
    {BYTES("\x04\x22\x4d\x18"), NULL, "is compressed by lz4; expand it with `lz4 -d`"},
    {BYTES("PK\x03\x04"), NULL, "is an archive (zip); unpack it"},
    {BYTES("\x7f"
           "ELF"),
     NULL, "is a program and no profile; `tailproof profile -- PROGRAM` samples it"},
    {BYTES("\xff\xfe"), NULL, "is text in UTF-16; write it in UTF-8: `iconv -f UTF-16 -t UTF-8`"},
    {BYTES("\xfe\xff"), NULL, "is text in UTF-16; write it in UTF-8: `iconv -f UTF-16 -t UTF-8`"},
    {BYTES("FLR\0"), NULL,
     "is a recording of Java (JFR); write folded stacks of it with async-profiler's jfrconv"},
    {BYTES("\x04\x08{"), NULL,
     "is a dump of stackprof; print it with `stackprof --stackcollapse FILE`"},
    {BYTES("\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"), NULL,
     "is a profile of gperftools; write it with `pprof -proto PROGRAM FILE`"},
    {BYTES("SQLite format 3"), NULL,
     "is a data base (SQLite) and no profile; export folded stacks"},
};

static const struct foreign_form texts[] = {
    {BYTES("{"), "speedscope", "is a page of speedscope; give what it was made of"},
    {BYTES("{"), "callFrame",
     "is a profile of V8 (.cpuprofile); sample Node.js with --perf-basic-prof, or "
     "write it as pprof or folded stacks"},
    {BYTES("{"), "timeDeltas",
     "is a profile of V8 (.cpuprofile); sample Node.js with --perf-basic-prof, "
     "or write it as pprof or folded stacks"},
    {BYTES("{"), "raw_timestamp_deltas",
     "is a dump of stackprof (JSON); print folded stacks with `stackprof "
     "--stackcollapse`"},
    {BYTES("{"), "traceEvents",
     "is a trace of Chrome and no profile; `tailproof tail` reads traces"},
    {BYTES("{"), "resourceProfiles", "is a profile of OTLP (JSON); write it as pprof"},
    {BYTES("{"), NULL,
     "is JSON, which no reader of profiles takes; give folded stacks, pprof or the text of "
     "`perf script`"},
    {BYTES("["), "\"ph\":", "is a trace of Chrome and no profile; `tailproof tail` reads traces"},
    {BYTES("["), NULL,
     "is JSON, which no reader of profiles takes; give folded stacks, pprof or the text of "
     "`perf script`"},
    {BYTES("# callgrind format"), NULL,
     "is of callgrind, which counts instructions and no samples; sample the "
     "program with `tailproof profile`"},
    {BYTES("version: "), "callgrind",
     "is of callgrind, which counts instructions and no samples; sample the "
     "program with `tailproof profile`"},
    {BYTES("events: "), "fn=",
     "is of callgrind or kcachegrind, which has no stacks; sample the program with "
     "`tailproof profile`"},
    {BYTES("positions: "),
     "fn=", "is of callgrind or pprof's -callgrind, which has no stacks; give what it was made of"},
    {BYTES("--- contention"), NULL,
     "is a contention profile of gperftools; write it with `pprof -proto PROGRAM FILE`"},
    {BYTES("Showing nodes accounting for"), NULL,
     "is a table that pprof prints; write it with `pprof -proto`"},
    {BYTES("heap profile:"), NULL,
     "is a heap profile of gperftools; write it with `pprof -proto PROGRAM FILE`"},
    {BYTES("--- "), "cpu profile",
     "is a page of gperftools; write it with `pprof -proto PROGRAM FILE`"},
    {BYTES("# To display the perf.data header"), NULL,
     "is what `perf report` prints; give what `perf script` "
     "prints"},
    {BYTES("Flat profile:"), NULL,
     "is what gprof prints, which has no stacks; sample the program with "
     "`tailproof profile`"},
    {BYTES("<?xml"), NULL, "is a picture or a page (XML); give the profile that it was drawn of"},
    {BYTES("<svg"), NULL, "is a picture; give the profile that it was drawn of"},
    {BYTES("<!"), "html", "is a page; give the profile that it was made of"},
    {BYTES("<html"), NULL, "is a page; give the profile that it was made of"},
};

static struct slice skip_blanks(struct slice text) {
  while (text.length != 0 && memchr(" \t\r\n", text.start[0], 4) != NULL) {
    text.start++;
    text.length--;
  }
  return text;
}

/* Frames may begin with brackets, too: `{main}` of PHP, `[unknown]`. */
static bool is_json(struct slice ahead) {
  char first = ahead.start[0];
  ahead = skip_blanks((struct slice){ahead.start + 1, ahead.length - 1});
  return ahead.length != 0 && ahead.start[0] == (first == '[' ? '{' : '"');
}

static bool is_form(const struct foreign_form *form, struct slice ahead) {
  return ahead.length >= form->length && memcmp(ahead.start, form->begins, form->length) == 0 &&
         (form->holds == NULL || slice_holds(ahead, form->holds)) &&
         ((form->begins[0] != '{' && form->begins[0] != '[') || is_json(ahead));
}

const char *stack_form_foreign(struct slice ahead) {
  ahead.length = ahead.length > LOOKED ? LOOKED : ahead.length;
  for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
    if (is_form(&binary[i], ahead))
      return binary[i].what;
  ahead = skip_blanks(ahead);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (is_form(&texts[i], ahead))
      return texts[i].what;
  return NULL;
}
