/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/parse.h"

#include <string.h>

#include "lang/grammar.h"
#include "lang/parser.h"
#define YYSTYPE PARSER_STYPE
#define YYLTYPE PARSER_LTYPE
#include "lang/scanner.h"
#include "lang/source.h"

int scanner_lex(YYSTYPE *value, YYLTYPE *location, yyscan_t scanner);

static bool starts_statement(int token) {
  return token == TOKEN_NAME || token == TOKEN_SEND || token == TOKEN_IF || token == TOKEN_WHEN ||
         token == TOKEN_GHOST || token == TOKEN_FINISH || token == TOKEN_INVARIANT;
}

static int scan(struct parser_state *state, YYSTYPE *value) {
  state->token = scanner_lex(value, &state->span, state->scanner);
  if (state->token == TOKEN_END)
    state->span.start = state->span.end = (uint32_t)state->source->length;
  if (state->token == TOKEN_NAME)
    state->token = context_word(state, value->name.text);
  context_note(state, state->token);
  return state->token;
}

/* Can declarations go on here? */
static bool ends_declaration(const struct parser_state *state) {
  return state->token == TOKEN_END ||
         (context_starts_declaration(state, state->token) && context_starts_line(state));
}

/* Can statements go on here, with no brace open since the error? */
static bool ends_statement(const struct parser_state *state) {
  return state->token == '}' || state->token == ';' ||
         (starts_statement(state->token) && context_starts_line(state));
}

/* Skips from the wrong token to where parsing goes on. Returns the made-up token to come first; the
 * token found is returned after it. */
static int resynchronize(struct parser_state *state, YYSTYPE *value, bool stuck) {
  state->recovering = false;
  state->again = true;
  if (stuck && state->token != TOKEN_END)
    scan(state, value);
  size_t braces = 0;
  for (;; scan(state, value)) {
    if (ends_declaration(state)) {
      state->resyncs = state->blocks == 0 ? 0 : state->blocks - 1;
      state->name = value->name;
      return TOKEN_RESYNC_DECLARATION;
    }
    if (state->blocks != 0 && braces == 0 && ends_statement(state)) {
      state->name = value->name;
      return TOKEN_RESYNC_STATEMENT;
    }
    braces += state->token == '{';
    braces -= state->token == '}' && braces != 0;
  }
}

int parser_lex(YYSTYPE *value, YYLTYPE *location, struct parser_state *state) {
  int token;
  if (state->recovering) {
    bool stuck = state->last_error == (size_t)state->span.start + 1;
    state->last_error = (size_t)state->span.start + 1;
    value->name = state->name;
    token = resynchronize(state, value, stuck);
  } else if (state->resyncs != 0) {
    state->resyncs--;
    token = TOKEN_RESYNC_DECLARATION;
  } else if (state->again) {
    state->again = false;
    value->name = state->name;
    token = state->token;
  } else {
    token = scan(state, value);
    state->name = value->name;
  }
  *location = state->span;
  return token;
}

enum { EXPRESSION = 1, OPERATOR = 2, DECLARATION = 4, STATEMENT = 8 };

/* Tokens that come as a group are named as a group: a list of twenty helps nobody. */
static const struct {
  const char *token;
  int groups;
} groups[] = {
    {"a name", EXPRESSION | STATEMENT},
    {"a number", EXPRESSION},
    {"a duration", EXPRESSION},
    {"a malformed number", EXPRESSION | OPERATOR | DECLARATION | STATEMENT},
    {"first", EXPRESSION | STATEMENT},
    {"last", EXPRESSION | STATEMENT},
    {"next", EXPRESSION | STATEMENT},
    {"prev", EXPRESSION | STATEMENT},
    {"index", EXPRESSION | STATEMENT},
    {"time", EXPRESSION | STATEMENT},
    {"receiver", EXPRESSION | STATEMENT},
    {"true", EXPRESSION},
    {"false", EXPRESSION},
    {"{", EXPRESSION},
    {"(", EXPRESSION | OPERATOR},
    {"[", OPERATOR},
    {".", OPERATOR},
    {"not", EXPRESSION},
    {"-", EXPRESSION | OPERATOR},
    {"+", OPERATOR},
    {"*", OPERATOR},
    {"/", OPERATOR},
    {"^", OPERATOR},
    {"&", OPERATOR},
    {"and", OPERATOR},
    {"or", OPERATOR},
    {"implies", OPERATOR},
    {"iff", OPERATOR},
    {"in", OPERATOR},
    {"==", OPERATOR},
    {"!=", OPERATOR},
    {"<", OPERATOR},
    {"<=", OPERATOR},
    {">", OPERATOR},
    {">=", OPERATOR},
    {"sent", EXPRESSION},
    {"pending", EXPRESSION},
    {"received", EXPRESSION},
    {"lost", EXPRESSION},
    {"charged", EXPRESSION},
    {"forall", EXPRESSION},
    {"exists", EXPRESSION},
    {"max", EXPRESSION},
    {"min", EXPRESSION},
    {"sum", EXPRESSION},
    {"kth", EXPRESSION},
    {"|", EXPRESSION | OPERATOR},
    {"if", EXPRESSION | STATEMENT},
    {"send", STATEMENT},
    {"when", STATEMENT},
    {";", STATEMENT},
    {"param", DECLARATION},
    {"assume", DECLARATION},
    {"enum", DECLARATION},
    {"role", DECLARATION},
    {"external", DECLARATION},
    {"component", DECLARATION},
    {"delay", DECLARATION},
    {"queueing", DECLARATION},
    {"message", DECLARATION},
    {"state", DECLARATION},
    {"action", DECLARATION},
    {"invariant", DECLARATION},
    {"bound", DECLARATION},
    {"timing", DECLARATION},
    {"repeated", DECLARATION},
    {"timeout", DECLARATION},
    {"schedule", DECLARATION},
    {"phase", DECLARATION},
    {"arrivals", DECLARATION},
    {"let", DECLARATION},
    {"end of file", DECLARATION},
};

static bool equal(const char *token, const char *name) {
  size_t length = strlen(name);
  if (token[0] == '\'') /* bison quotes single characters */
    return strncmp(token + 1, name, length) == 0 && token[length + 1] == '\'';
  return strcmp(token, name) == 0;
}

static int groups_of(const char *token) {
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (equal(token, groups[i].token))
      return groups[i].groups;
  return 0;
}

static bool is_expected(const struct expectation *expected, const char *name) {
  for (size_t i = 0; i < expected->count; i++)
    if (equal(expected->tokens[i], name))
      return true;
  return false;
}

static void append_choice(struct text *text, size_t *count, const char *choice, bool quote) {
  text_append(text, *count == 0 ? ", expected " : " or ");
  text_format(text, quote ? "\"%s\"" : "%s", choice);
  ++*count;
}

static void append_expected(struct text *text, const struct expectation *expected) {
  static const struct {
    const char *token, *name;
    int group;
  } wholes[] = {{"true", "an expression", EXPRESSION},
                {"implies", "an operator", OPERATOR},
                {"send", "a statement", STATEMENT},
                {"param", "a declaration", DECLARATION}};
  int whole = 0;
  size_t count = 0;
  struct text list;
  text_init(&list);
  for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
    if (is_expected(expected, wholes[i].token)) {
      whole |= wholes[i].group;
      append_choice(&list, &count, wholes[i].name, false);
    }
  bool named = is_expected(expected, "a name") && (whole & (EXPRESSION | STATEMENT)) == 0;
  if (named) {
    append_choice(&list, &count, "a name", false);
    whole |= EXPRESSION | STATEMENT; /* words that may also be names need no mention */
  }
  for (size_t i = 0; i < expected->count; i++) {
    const char *token = expected->tokens[i];
    if ((groups_of(token) & whole) != 0 || strncmp(token, "RESYNC", 6) == 0)
      continue;
    if (token[0] == '\'')
      append_choice(&list, &count, (char[]){token[1], '\0'}, true);
    else
      append_choice(&list, &count, token, strncmp(token, "a ", 2) != 0);
  }
  if (count <= 4)
    text_append(text, text_get(&list));
  text_clear(&list);
}

static void append_found(struct text *text, const struct parser_state *state) {
  struct source_span span = state->span;
  int length = (int)(span.end - span.start > 40 ? 40 : span.end - span.start);
  const char *kind = state->token == TOKEN_NAME      ? "name "
                     : state->token == TOKEN_INTEGER ? "number "
                                                     : "";
  if (state->token == TOKEN_END)
    text_append(text, "unexpected end of file");
  else
    text_format(text, "unexpected %s\"%.*s\"", kind, length, state->source->bytes + span.start);
}

/* Whether a word of the language stands where only a name can, or as a name does: assigned to, or
 * part of an expression. */
static bool is_used_as_name(const struct parser_state *state, const struct expectation *expected) {
  bool expression = is_expected(expected, "true"), statement = is_expected(expected, "send");
  if (!expression && !statement)
    return is_expected(expected, "a name");
  const char *at = state->source->bytes + state->span.end;
  const char *end = state->source->bytes + state->source->length;
  while (at < end && *at == ' ')
    at++;
  return at < end && strchr(statement ? ":[" : ".,)]+-*=<>!", *at) != NULL;
}

/* Whether an expression that needs parentheses stands where a domain, or an end of a range, does.
 */
static bool lacks_parentheses(const struct parser_state *state,
                              const struct expectation *expected) {
  static const int tokens[] = {TOKEN_IF, TOKEN_NOT, TOKEN_FORALL, TOKEN_EXISTS};
  bool starts = false;
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
    starts = starts || state->token == tokens[i];
  return starts && is_expected(expected, "a number") && is_expected(expected, "(") &&
         !is_expected(expected, "true");
}

static void hint_for(struct diagnostic *d, const struct parser_state *state,
                     const struct expectation *expected) {
  int token = state->token;
  bool compares = token == TOKEN_EQ || token == TOKEN_NE || token == TOKEN_LT ||
                  token == TOKEN_LE || token == TOKEN_GT || token == TOKEN_GE;
  const char *bytes = state->source->bytes + state->span.start;
  bool word = (bytes[0] >= 'a' && bytes[0] <= 'z') && token != TOKEN_NAME && token != TOKEN_END;
  if (token == TOKEN_INITIAL)
    diagnostic_hint(d, "\"==\" compares, \":=\" assigns; \"=\" only gives initial values");
  else if (token == TOKEN_ASSIGN && is_expected(expected, "=="))
    diagnostic_hint(d, "\"==\" compares, \":=\" assigns");
  else if (compares && is_expected(expected, "and"))
    diagnostic_hint(d, "comparisons do not chain: write \"a <= b and b <= c\"");
  else if (token == ',' && state->declaration == TOKEN_ROLE)
    diagnostic_hint(d, "a family has one size, such as 3*n for 3 groups of n nodes");
  else if (token == TOKEN_FIELD_DOT && is_expected(expected, "and"))
    diagnostic_hint(d, "the dot of a quantifier needs a space behind it");
  else if (is_expected(expected, ". ") && token != TOKEN_DOT)
    diagnostic_hint(d, "a quantifier reads \"forall x in D. F\", with a space behind the dot");
  else if (token == TOKEN_PROTOCOL && !is_used_as_name(state, expected))
    diagnostic_hint(d, "a file holds one protocol, named at its start");
  else if (lacks_parentheses(state, expected))
    diagnostic_hint(d, "put the expression in parentheses: (%.*s ...)",
                    (int)(state->span.end - state->span.start), bytes);
  else if (word && is_used_as_name(state, expected))
    diagnostic_hint(d, "\"%.*s\" is a word of the language; choose another name",
                    (int)(state->span.end - state->span.start), bytes);
}

void report_syntax_error(struct parser_state *state, const struct expectation *expected) {
  if (state->token == TOKEN_END)
    state->span.start = state->span.end = (uint32_t)state->source->length;
  bool repeated = state->last_error == (size_t)state->span.start + 1;
  state->recovering = true;
  const struct diagnostics *queue = state->diagnostics;
  const struct diagnostic *latest =
      queue->items.count == 0 ? NULL : &queue->items.data[queue->items.count - 1];
  /* The scanner may have complained of this very token. */
  if (repeated || (latest != NULL && latest->span.start == state->span.start &&
                   latest->span.end == state->span.end))
    return;
  struct text text;
  text_init(&text);
  append_found(&text, state);
  append_expected(&text, expected);
  struct diagnostic *d =
      diagnostics_add(state->diagnostics, DIAGNOSTIC_E0101, state->span, "%s", text_get(&text));
  hint_for(d, state, expected);
  text_clear(&text);
}

/* Reports what makes the bytes no protocol text at all. */
static bool is_text(const struct source *source, struct diagnostics *diagnostics) {
  size_t bad = source_invalid(source);
  if (bad == source->length)
    return true;
  struct diagnostic *d = diagnostics_add(
      diagnostics, DIAGNOSTIC_E0104, (struct source_span){(uint32_t)bad, (uint32_t)bad + 1},
      "this is not UTF-8 text: byte 0x%02X", (unsigned)(unsigned char)source->bytes[bad]);
  diagnostic_hint(d, "a protocol is a plain text file; was another file meant?");
  return false;
}

struct ast *parse(const struct source *source, struct diagnostics *diagnostics) {
  struct ast *ast = ast_new(source->bytes, source->length);
  if (!is_text(source, diagnostics))
    return ast;
  if (strspn(source->bytes, " \t\r\n") == source->length) {
    struct diagnostic *d = diagnostics_add(diagnostics, DIAGNOSTIC_E0106,
                                           (struct source_span){0, 0}, "the file is empty");
    diagnostic_hint(d, "a protocol starts with \"protocol NAME\"");
    return ast;
  }
  struct parser_state state = {
      .ast = ast, .source = source, .diagnostics = diagnostics, .since_arrow = NO_ARROW};
  yyscan_t scanner;
  if (scanner_lex_init_extra(&state, &scanner) != 0)
    bug("the scanner cannot start");
  YY_BUFFER_STATE buffer = scanner__scan_bytes(source->bytes, (int)source->length, scanner);
  state.scanner = scanner;
  state.base = buffer->yy_ch_buf;
  if (parser_parse(&state) == 2)
    grammar_too_deep(&state, state.span);
  scanner_lex_destroy(scanner);
  return ast;
}
