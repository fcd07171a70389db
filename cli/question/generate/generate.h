/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `generate`: which C takes the steps of a protocol's roles? The answer is written
 * into a folder.
 */
#ifndef CLI_QUESTION_GENERATE_GENERATE_H
#define CLI_QUESTION_GENERATE_GENERATE_H

#include "base/asker.h"
#include "generate/generate.h"

struct code_request {
  const struct asker *asker;
  const char *path; /* of the protocol */
  const char *role; /* NULL: all */
  const char *out;  /* the folder, made if there is none; files of the same names are replaced */
  bool
      contracts_only; /* headers, and templates of bodies where there are no files of their names */
  bool own_state;     /* the same, and files for a part of each state that is the user's */
  bool loop;          /* also a loop around each role, and a program */
  const char *check;  /* instead: a folder whose contracts are held against the protocol; or NULL */
};

struct code_answer {
  struct generated generated;
  struct text
      stale; /* of a check: a line for each declaration whose contract is not the protocol's */
};

/* Initialises the answer in any case. STATUS_DATA: the protocol has mistakes, or says something
 * that has no C; STATUS_USAGE: there is no such role; STATUS_REFUTED: a contract is stale, which
 * `stale` names; STATUS_NO_INPUT: a file to check is missing. */
enum status code_ask(struct code_answer *answer, const struct code_request *request);
void code_answer_clear(struct code_answer *answer);

#endif
