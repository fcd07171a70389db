/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What check and verify have to say about files, kept for a document that is written at the end:
 * SARIF 2.1.0 for code scanning, JUnit XML for CI. options->findings is there for these formats.
 */
#ifndef CLI_PRESENT_FINDINGS_H
#define CLI_PRESENT_FINDINGS_H

#include "base/vector.h"
#include "lang/diagnostic.h"
#include "solver/verify.h"

enum finding_kind {
  FINDING_FILE,    /* a file was looked at; comes before what there is to say about it */
  FINDING_ERROR,   /* a diagnostic, or a file that cannot be read */
  FINDING_WARNING, /* a diagnostic */
  FINDING_PROVED,
  FINDING_REFUTED,
  FINDING_UNKNOWN, /* also: a file without bounds */
};

struct finding {
  enum finding_kind kind;
  char *file;
  char *rule;    /* "E0203", "R-refuted", "U-unknown"; "" of a file and of what is proved */
  char *name;    /* of the bound, or "" */
  char *message; /* one line */
  char *detail;  /* further lines, or "" */
  struct place start, end;
  double seconds;
};

struct findings {
  VECTOR(struct finding) items;
};

#define RULE_REFUTED "R-refuted"
#define RULE_UNKNOWN "U-unknown"
#define RULE_UNREADABLE "F-unreadable"

void findings_clear(struct findings *findings);
void findings_add_file(struct findings *findings, const char *file);
void findings_add_unreadable(struct findings *findings, const char *file, const char *message);
void findings_add_diagnostics(struct findings *findings, const struct diagnostics *diagnostics,
                              const struct source *source);
void findings_add_bound(struct findings *findings, const struct bound_report *report,
                        const struct model *model, const struct source *source);
/* A protocol about which nothing was claimed. */
void findings_add_no_bound(struct findings *findings, const struct source *source);

/* cli/present/sarif.c, cli/present/junit.c: the document, on stdout. */
void sarif_print(const struct findings *findings);
void junit_print(const struct findings *findings);

#endif
