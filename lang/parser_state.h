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

enum { NO_ARROW = 1 << 30 };

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
  struct source_span span;
  struct name name;
  bool too_deep; /* reported */

  /* What context.c knows of the tokens before this one. */
  int before;               /* the last of them */
  int declaration;          /* the token that started the declaration */
  size_t since_declaration; /* tokens since that one */
  size_t since_arrow;       /* tokens since the "->" of this declaration; NO_ARROW: there is none */
  bool paced;               /* this declaration has said "paced" */
};

/* scanner.l: the token of a word, TOKEN_NAME when it is no word of the language; can it be a name?
 */
int scanner_word(const char *text);
bool scanner_is_name(int token);

/* context.c: the token of a name that is a word of the language where it stands, else TOKEN_NAME.
 * To be called once for every name, then context_note for every token. */
int context_word(const struct parser_state *state, const char *word);
void context_note(struct parser_state *state, int token);
bool context_starts_line(const struct parser_state *state);
bool context_starts_declaration(const struct parser_state *state, int token);

#endif
