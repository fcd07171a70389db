/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What scanner, grammar and driver (parse.c) share during one parse. Only those three include it.
 *
 * Recovery: after a syntax error the driver skips tokens up to a place where parsing can go on, and
 * puts one of two made-up tokens before it: RESYNC_STATEMENT (inside the braces of an action or a
 * state) or RESYNC_DECLARATION. The grammar's `error` rules wait for them.
 */
#ifndef LANG_PARSER_STATE_H
#define LANG_PARSER_STATE_H

#include "lang/ast.h"
#include "lang/diagnostic.h"

struct parser_state {
  struct ast *ast;
  const struct source *source;
  struct diagnostics *diagnostics;
  void *scanner;
  const char *base;  /* the scanner's copy of the text */
  size_t blocks;     /* open braces of actions, their statements, and states */
  bool recovering;   /* an error was reported at the last token */
  bool again;        /* the last token is to be returned once more */
  size_t resyncs;    /* RESYNC_DECLARATION tokens still to be returned */
  size_t last_error; /* offset + 1 of the latest error's token */
  int token;         /* the last token */
  struct span span;
  struct name name;
  struct name pattern; /* the message after the latest "on" */
  bool too_deep;       /* reported */
};

#endif
