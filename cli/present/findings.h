/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run has to say about files, kept for the documents that are written at its end: SARIF
 * 2.1.0 for code scanning, JUnit XML for CI, Markdown for people. options->findings is there when
 * one of them is asked for.
 */
#ifndef CLI_PRESENT_FINDINGS_H
#define CLI_PRESENT_FINDINGS_H

#include "base/vector.h"
#include "lang/diagnostic.h"
#include "lang/source.h"

struct bound_report;
struct model;

enum finding_kind {
  FINDING_FILE,    /* a file was looked at; comes before what there is to say about it */
  FINDING_ERROR,   /* a diagnostic, or a file that cannot be read */
  FINDING_WARNING, /* a diagnostic */
  FINDING_VALUE,   /* a number that nothing is claimed of; in Markdown only */
  FINDING_GOOD,    /* a claim that holds, proved or met */
  FINDING_BAD,     /* one that does not */
  FINDING_OPEN,    /* one that is neither; also: a file without bounds */
};

struct finding {
  enum finding_kind kind;
  char *file;
  char *rule;    /* "E0203", "R-refuted", "U-unknown"; "" of a file and of what holds */
  char *name;    /* of the claim, or "" */
  char *verdict; /* one or two words ("proved"), or "" */
  char *message; /* one line */
  char *detail;  /* further lines, or "" */
  char *context; /* what stays the same when lines move: the line of a diagnostic, or "" */
  struct place start, end;
  double seconds;
};

struct findings {
  VECTOR(struct finding) items;
};

enum rule_id {
#define RULE(id, code, level, title, meaning, remedy) RULE_##id,
#include "cli/present/rules.def"
#undef RULE
  RULE_COUNT
};

struct finding_rule {
  const char *code, *level, *title, *meaning, *remedy;
};
const struct finding_rule *finding_rule(enum rule_id id);

void findings_clear(struct findings *findings);
/* Also once for a file that a question reads twice on end, so that it has its say once: false. */
bool findings_add_file(struct findings *findings, const char *file);
void findings_add_unreadable(struct findings *findings, const char *file, const char *message);
void findings_add_diagnostics(struct findings *findings, const struct diagnostics *diagnostics,
                              const struct source *source);
void findings_add_bound(struct findings *findings, const struct bound_report *report,
                        const struct model *model, const struct source *source);
/* A protocol about which nothing was claimed. */
void findings_add_no_bound(struct findings *findings, const struct source *source);

/* A claim, good, bad or open, at a place that the caller may set; the rule is that of a claim which
 * does not hold. Or a value. */
struct finding *findings_add(struct findings *findings, enum finding_kind kind, const char *file,
                             enum rule_id rule, const char *name, const char *verdict,
                             const char *message, const char *detail);
void finding_set_place(struct finding *finding, const struct source *source,
                       struct source_span span);

/* What the answers of other commands are, for the files that they are about. */
struct percentiles;
struct compare;
struct replay_answer;
void findings_add_percentiles(struct findings *findings, const struct percentiles *run);
void findings_add_compare(struct findings *findings, const struct compare *compare);
/* Of a run that was judged, as far as that went. */
void findings_add_replay(struct findings *findings, const struct replay_answer *answer);

/* --- reports ---------------------------------------------------------------------------------- */

enum report_form { REPORT_SARIF, REPORT_JUNIT, REPORT_MARKDOWN };

/* By the end of the file's name: .sarif, .xml or .md; false for all others. */
bool report_form_of_name(enum report_form *form, const char *path);

/* Appends the whole report. */
void report_append(struct text *out, enum report_form form, const struct findings *findings);

/* cli/present/sarif.c, junit.c, markdown.c. */
void sarif_append(struct text *out, const struct findings *findings);
void junit_append(struct text *out, const struct findings *findings);
void markdown_append(struct text *out, const struct findings *findings);

#endif
