/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Rows of options that several commands have, with the same meaning and so the same text; `field`
 * is where the command's struct keeps it.
 */
#ifndef CLI_COMMAND_ROWS_H
#define CLI_COMMAND_ROWS_H

#include "cli/command/option.h"
#include "cli/present/output.h"
#include "cli/question/law/request.h"

/* enum output_format, one of `words`. */
extern const struct option_kind option_format[1];

/* All processors, 10 s, and verdicts of earlier proofs are reused. */
struct effort command_effort(void);

/* STATUS_USAGE after a message when a report's name does not say what it is to be. */
enum status command_check_output(const struct command_line *line,
                                 const struct output_options *options);

/* The same when a picture's name does not say which kind it is to be; plot NULL: none is wanted. */
enum status command_check_plot(const struct command_line *line, const char *plot);

/* Says what is in the message, if anything, as a mistake of the command; clears it. */
void command_tell(const struct command_line *line, struct text *message);

/* The same effort, confidence 0.99. */
void command_calculation(struct calculation_request *request);

#define ROW_FULL(field)                                                                            \
  OPTION("full", 0, NULL, "also list all that the result rests on", option_flag, field)

/* Of what proves. */
#define ROW_FULL_PROOF(field)                                                                      \
  OPTION("full", 0, NULL,                                                                          \
         "also list all that the result rests on, how large each proof is and what execution "     \
         "reaches the event",                                                                      \
         option_flag, field)

#define ROW_JSON(field)                                                                            \
  OPTION("json", 0, NULL, "one JSON object a line, each with a \"kind\"", option_flag, field)

#define ROW_JOBS(field)                                                                            \
  OPTION("jobs", 'j', "N", "threads (default: all processors)", option_jobs, field)

#define ROW_TIMEOUT(field)                                                                         \
  OPTION("timeout", 't', "S",                                                                      \
         "effort for one obligation, in seconds of a usual machine (default 10)", option_seconds,  \
         field)

#define ROW_NO_CACHE(field)                                                                        \
  OPTION("no-cache", 0, NULL,                                                                      \
         "prove again, also what was proved before of the same file in the same way", option_off,  \
         field)

/* Of a command whose answer is a document; and of one that has findings, too. */
#define ROW_DOCUMENT_FORMAT(field)                                                                 \
  OPTION_WORDS("format", 0, "FORMAT",                                                              \
               "text (default), json (as --json), markdown, csv, html (a page) or prometheus",     \
               option_format, field, OUTPUT_WORDS_OF_DOCUMENTS)
#define ROW_ANY_FORMAT(field)                                                                      \
  OPTION_WORDS("format", 0, "FORMAT",                                                              \
               "text (default), json (as --json), markdown, csv, html (a page), prometheus, "      \
               "sarif (2.1.0, for code scanning) or junit (XML, for CI)",                          \
               option_format, field, OUTPUT_WORDS)

#define ROW_REPORT(field)                                                                          \
  OPTION("report", 0, "FILE", "also write a document: .sarif, .xml (JUnit) or .md; repeatable",    \
         option_paths, field)

#define ROW_BOUND(field) OPTION("bound", 'b', "NAME", "only this bound", option_text, field)

#define ROW_SET(field)                                                                             \
  OPTION("set", 's', "NAME=VALUE",                                                                 \
         "the value of a parameter, a time with its unit (EL=300ms); may be repeated",             \
         option_settings, field)

#define ROW_UNIT(field)                                                                            \
  OPTION("unit", 'u', "NAME=UNIT",                                                                 \
         "unit of a file that states none (ns, us, ms, s); may be repeated", option_settings,      \
         field)

#define ROW_SELECT(field)                                                                          \
  OPTION("select", 0, "NAME=KIND",                                                                 \
         "which kind of requests of a file that holds several, by name: A=READ, "                  \
         "'A={method=\"GET\"}', all of them A={}; repeatable",                                     \
         option_settings, field)

#define ROW_DATA(field)                                                                            \
  OPTION("data", 'd', "DIR", "folder with one file of measurements per component", option_path,    \
         field)

#define ROW_JOINT(field)                                                                           \
  OPTION(                                                                                          \
      "joint", 0, "FILE",                                                                          \
      "measurements that belong together: a table with a row for each request and a column for "   \
      "each "                                                                                      \
      "occurrence, stores, or a folder of series of which the rows belong together; repeatable; "  \
      "none: not even DIR/joint.csv",                                                              \
      option_paths, field)

#define ROW_SPANS(field)                                                                           \
  OPTION("spans", 0, "FILE",                                                                       \
         "which spans of traces are which occurrences of the protocol, a YAML file: then --joint " \
         "names traces",                                                                           \
         option_path, field)

#define ROW_EXCHANGEABLE(field)                                                                    \
  OPTION(                                                                                          \
      "exchangeable", 0, NULL,                                                                     \
      "take it for granted that the order of observations means nothing, whatever the tests say",  \
      option_flag, field)

#define ROW_CONFIDENCE(field)                                                                      \
  OPTION(                                                                                          \
      "confidence", 'c', "LEVEL",                                                                  \
      "confidence in the measurements, from 0, below 1 (default 0.99; 0 takes the samples as the " \
      "whole truth)",                                                                              \
      option_confidence, field)

#define ROW_WEIGHT(field)                                                                          \
  OPTION("weight", 0, "WHAT",                                                                      \
         "what numbers of folded stacks are that do not say it: samples, ns, us, ms, s, or what "  \
         "one sample weighs",                                                                      \
         option_weight, field)

#define ROW_PERCENTILES(field)                                                                     \
  OPTION("percentiles", 'p', "LIST", "percentages, separated by commas (default 50,90,99,99.9)",   \
         option_text, field)

/* Of what is asked about recorded requests: a member of type struct request_selection. */
#define ROWS_SELECTION(member)                                                                     \
  OPTION("root", 0, "NAME",                                                                        \
         "only requests whose root is SERVICE or SERVICE/OPERATION; * stands for anything",        \
         option_text, FIELD(member.root)),                                                         \
      OPTION("where", 0, "TAG=VALUE", "only requests with a span that has this tag; repeatable",   \
             option_settings, FIELD(member.where)),                                                \
      OPTION("from", 0, "TIME",                                                                    \
             "only requests that start from then on: 2026-01-31T12:00:00Z, or seconds since 1970", \
             option_text, FIELD(member.from)),                                                     \
      OPTION("to", 0, "TIME", "only requests that start before", option_text, FIELD(member.to)),   \
      OPTION_WORDS("status", 0, "STATUS", "only requests whose root failed (error) or not (ok)",   \
                   option_choice, FIELD(member.status), "any ok error")

#define ROW_FOLD_NAMES(field)                                                                      \
  OPTION("fold-names", 0, NULL,                                                                    \
         "take calls for one whose names differ in numbers or ids alone: GET /users/:id",          \
         option_flag, field)

#define ROW_FOLLOW(field)                                                                          \
  OPTION_WORDS("follow", 0, "WHAT",                                                                \
               "messages: a request lasts until the last consumer of what it sends has ended",     \
               option_word, field, "messages")

/* Of what reads recorded requests. */
#define ROW_COLUMNS(field)                                                                         \
  OPTION("columns", 0, "ROLE=KEY,..",                                                              \
         "what the columns of a table of spans, or the keys of its JSON, say: "                    \
         "trace=KEY,span=KEY,parent=KEY,start:ms=KEY,duration:us=KEY and so on",                   \
         option_text, field)

#define ROW_FRESH(field)                                                                           \
  OPTION("fresh", 0, NULL, "draw each mention of a bare name anew (no proof covers that step)",    \
         option_flag, field)

#define ROW_TOGETHER(field)                                                                        \
  OPTION("together", 0, "A,B",                                                                     \
         "components or occurrences that may depend on each other in any way; repeatable",         \
         option_texts, field)

#define ROW_TOGETHER_EACH(field)                                                                   \
  OPTION("together-each", 0, "A,B",                                                                \
         "the same, but only those of one message or index; repeatable", option_texts, field)

#define ROW_GRID(field)                                                                            \
  OPTION_WORDS("grid", 0, "GRID",                                                                  \
               "grid of latencies: log, linear or auto (default: the one with less rounding)",     \
               option_choice, field, "auto log linear")

#define ROW_BAND(field)                                                                            \
  OPTION_WORDS("band", 0, "BAND", "confidence bands: ranks, dkw or both (default)", option_choice, \
               field, "both ranks dkw")

#define ROW_CAP(field)                                                                             \
  OPTION("cap", 0, "NAME=TIME:WHY",                                                                \
         "no latency of the component exceeds TIME, and why; repeatable", option_settings, field)

#define ROW_LAW(field)                                                                             \
  OPTION("law", 0, "NAME=EXPR",                                                                    \
         "the law of a component in terms of measured ones: mix(0.9 Hit, 0.1 Miss)",               \
         option_settings, field)

/* Who is trusted of https://. */
#define ROW_CA(field)                                                                              \
  OPTION("ca", 0, "FILE",                                                                          \
         "of https://: a file of certificates (PEM); servers that they sign are trusted, instead " \
         "of those that this machine trusts",                                                      \
         option_path, field)
#define ROW_INSECURE(field)                                                                        \
  OPTION("insecure", 0, NULL, "of https://: take any certificate, so also that of somebody else",  \
         option_flag, field)

/* --- sets of rows that go together --------------------------------------------------------------
 *
 * `of` is the path of the member that the request keeps them in; FIELD is the command's.
 */

#define ROWS_EFFORT(effort)                                                                        \
  ROW_JOBS(FIELD(effort.jobs)), ROW_TIMEOUT(FIELD(effort.timeout_ms)),                             \
      ROW_NO_CACHE(FIELD(effort.reuse))

#define ROWS_DOCUMENT(output)                                                                      \
  ROW_JSON(FIELD(output.json)), ROW_DOCUMENT_FORMAT(FIELD(output.format))
#define ROWS_ANY_OUTPUT(output)                                                                    \
  ROW_JSON(FIELD(output.json)), ROW_ANY_FORMAT(FIELD(output.format)),                              \
      ROW_REPORT(FIELD(output.reports))

#define ROWS_BOUND(of) ROW_BOUND(FIELD(of.bound)), ROW_SET(FIELD(of.set))

/* A bound and what was measured for it. */
#define ROWS_MEASURED(of)                                                                          \
  ROWS_BOUND(of), ROW_DATA(FIELD(of.data)), ROW_JOINT(FIELD(of.joint)), ROW_SPANS(FIELD(of.spans))

#define ROWS_TOGETHER(of)                                                                          \
  ROW_TOGETHER(FIELD(of.together)), ROW_TOGETHER_EACH(FIELD(of.together_each))

/* How laws are made of measurements. */
#define ROWS_LAW(of) ROW_GRID(FIELD(of.grid)), ROW_BAND(FIELD(of.band)), ROW_CAP(FIELD(of.caps))

#endif
