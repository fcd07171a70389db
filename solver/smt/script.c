/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/smt/script.h"

#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/vector.h"

enum kind { WORD_END, WORD_OPEN, WORD_CLOSE, WORD_SYMBOL, WORD_NUMERAL, WORD_KEYWORD, WORD_WRONG };

struct word {
  enum kind kind;
  const char *at; /* of a quoted symbol what is between the bars */
  size_t length;
  bool quoted; /* so it is a name, and no word of the language */
};

struct script_name {
  const char *at;
  size_t length;
  bool sort;      /* of a sort; otherwise of a function, or bound */
  size_t command; /* that binds it; 0: declared */
};

struct script {
  const char *end, *at;
  size_t line, command;
  struct text *message;
  struct word word;
  VECTOR(struct script_name) names;
  struct index index; /* of names */
};

/* What stands in an open parenthesis of a term. */
enum script_place { PLACE_TERM, PLACE_BINDERS, PLACE_BINDING };

struct level {
  enum script_place place;
  size_t items;
  bool binds, sorted, annotates; /* a term's head: let or a quantifier; the latter; "!" */
};

static bool fail(struct script *s, const char *why) {
  text_format(s->message, "%zu: %s", s->line, why);
  return false;
}

static bool fail_word(struct script *s, const char *why) {
  size_t shown = s->word.length < 40 ? s->word.length : 40;
  text_format(s->message, "%zu: %.*s%s %s", s->line, (int)shown, s->word.at,
              shown < s->word.length ? ".." : "", why);
  return false;
}

static bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
         (c != '\0' && strchr("~!@$%^&*_-+=<>.?/", c) != NULL);
}

/* Over blanks and comments; false at a byte that is neither printable nor the end of a line. */
static bool skip(struct script *s) {
  bool comment = false;
  for (; s->at < s->end; s->at++) {
    if (*s->at == '\n')
      comment = false, s->line++;
    else if (!is_printable(*s->at))
      return fail(s, "has a byte that is neither printable ASCII nor a line feed");
    else if (!comment && *s->at == ';')
      comment = true;
    else if (!comment && *s->at != ' ')
      return true;
  }
  return true;
}

/* A numeral: digits, or digits with a point among them. */
static bool is_numeral(const struct word *word) {
  size_t points = 0;
  for (size_t i = 0; i < word->length; i++) {
    if (word->at[i] == '.')
      points++;
    else if (!is_digit(word->at[i]))
      return false;
  }
  return points <= 1 && word->at[word->length - 1] != '.';
}

/* |...| of what a symbol may have, blanks and parentheses. */
static bool quoted(struct script *s) {
  s->word = (struct word){WORD_SYMBOL, ++s->at, 0, true};
  while (s->at < s->end && (is_symbol(*s->at) || strchr(" (),", *s->at) != NULL) && *s->at != '\0')
    s->at++;
  s->word.length = (size_t)(s->at - s->word.at);
  if (s->at == s->end || *s->at != '|' || s->word.length > SCRIPT_WORD)
    return fail(s, "has a quoted name that certify does not write");
  s->at++;
  return true;
}

/* The next word into s->word. False, with a message, for what is none. */
static bool next(struct script *s) {
  if (!skip(s)) {
    s->word.kind = WORD_WRONG;
    return false;
  }
  s->word = (struct word){WORD_END, s->at, 0, false};
  if (s->at == s->end)
    return true;
  char c = *s->at;
  if (c == '(' || c == ')') {
    s->word = (struct word){c == '(' ? WORD_OPEN : WORD_CLOSE, s->at++, 1, false};
    return true;
  }
  if (c == '|')
    return quoted(s);
  s->word.kind = c == ':' ? WORD_KEYWORD : WORD_SYMBOL;
  s->at += c == ':';
  while (s->at < s->end && is_symbol(*s->at))
    s->at++;
  s->word.length = (size_t)(s->at - s->word.at);
  if (s->word.length > SCRIPT_WORD)
    return fail(s, "has a word that is too long");
  if (s->word.length == 0)
    return fail(s, c == '"' ? "has a string, where certify writes none"
                            : "has a character that certify does not write");
  if (is_digit(c)) {
    s->word.kind = WORD_NUMERAL;
    return is_numeral(&s->word) || fail_word(s, "is no numeral");
  }
  return true;
}

static bool is(const struct script *s, const char *text) {
  return (s->word.kind == WORD_SYMBOL || s->word.kind == WORD_KEYWORD ||
          s->word.kind == WORD_NUMERAL) &&
         !s->word.quoted && s->word.length == strlen(text) &&
         memcmp(s->word.at, text, s->word.length) == 0;
}

static bool is_among(const struct script *s, const char *const *words) {
  while (*words != NULL && !is(s, *words))
    words++;
  return *words != NULL;
}

static bool expect(struct script *s, enum kind kind, const char *text, const char *why) {
  if (!next(s))
    return false;
  return (s->word.kind == kind && (text == NULL || is(s, text))) || fail(s, why);
}

static bool expect_close(struct script *s) {
  return expect(s, WORD_CLOSE, NULL, "has a command with more in it than certify writes");
}

/* A name as smt_print has them; none that the standard keeps for solvers. */
static bool is_name(const struct word *word) {
  if (word->kind != WORD_SYMBOL || word->length < 2 || word->at[0] == '.' || word->at[0] == '@')
    return false;
  bool shared = (word->at[0] == '$' || word->at[0] == '?') && word->at[1] == 'x';
  for (size_t i = 1; i < word->length; i++)
    shared = shared || strchr(".!@", word->at[i]) != NULL;
  return shared;
}

static uint64_t hash_of(const struct word *word) {
  return hash_bytes(0, (struct slice){word->at, word->length});
}

static struct script_name *find(struct script *s, const struct word *word) {
  for (struct index_look look = index_look(&s->index, hash_of(word)); index_next(&look);) {
    struct script_name *name = &s->names.data[look.row];
    if (name->length == word->length && memcmp(name->at, word->at, word->length) == 0)
      return name;
  }
  return NULL;
}

/* Takes in the word as a name; one that is bound again is bound by this command. */
static void take(struct script *s, bool sort, size_t command) {
  struct script_name *old = find(s, &s->word);
  if (old != NULL) {
    if (old->command != 0)
      old->command = command;
    return;
  }
  index_add(&s->index, hash_of(&s->word), (uint32_t)s->names.count);
  vector_push(&s->names, (struct script_name){s->word.at, s->word.length, sort, command});
}

static bool declare(struct script *s, bool sort) {
  if (!next(s))
    return false;
  if (!is_name(&s->word))
    return fail_word(s, "is declared, and no name that certify gives");
  if (find(s, &s->word) != NULL)
    return fail_word(s, "is declared twice, or bound before");
  take(s, sort, 0);
  return true;
}

static bool is_sort(struct script *s) {
  static const char *const sorts[] = {"Bool", "Int", "Real", NULL};
  const struct script_name *name = s->word.kind == WORD_SYMBOL ? find(s, &s->word) : NULL;
  return is_among(s, sorts) || (name != NULL && name->sort);
}

static bool declare_sort(struct script *s) {
  return declare(s, true) &&
         expect(s, WORD_NUMERAL, "0", "has a sort of sorts, where certify declares none") &&
         expect_close(s);
}

static bool declare_fun(struct script *s) {
  if (!declare(s, false) || !expect(s, WORD_OPEN, NULL, "has a declaration without arguments"))
    return false;
  do {
    if (!next(s))
      return false;
  } while (is_sort(s));
  if (s->word.kind != WORD_CLOSE || !next(s) || !is_sort(s))
    return s->word.kind == WORD_WRONG ? false : fail_word(s, "is no sort that is declared");
  return expect_close(s);
}

/* The words of terms: Core, Reals_Ints, and what binds. */
static bool is_operator(const struct script *s) {
  static const char *const words[] = {
      "let", "forall", "exists", "!", "and", "or", "not", "=>", "=", "distinct", "ite",     "true",
      "+",   "-",      "*",      "/", "div", "<=", "<",   ">=", ">", "false",    "to_real", NULL};
  return is_among(s, words);
}

/* A symbol in a term. */
static bool symbol(struct script *s, struct level *in) {
  if (in->place == PLACE_BINDERS)
    return fail_word(s, "stands among variables without a parenthesis");
  if (in->place == PLACE_BINDING && in->items == 0) {
    if (!is_name(&s->word))
      return fail_word(s, "is bound, and no name that certify gives");
    take(s, false, s->command);
    return true;
  }
  if (in->place == PLACE_BINDING && in->sorted)
    return is_sort(s) || fail_word(s, "is no sort that is declared");
  if (is_operator(s)) {
    if (in->place == PLACE_TERM && in->items == 0) {
      in->sorted = is(s, "forall") || is(s, "exists");
      in->binds = in->sorted || is(s, "let");
      in->annotates = is(s, "!");
    }
    return true;
  }
  const struct script_name *name = find(s, &s->word);
  bool known = name != NULL && !name->sort && (name->command == 0 || name->command == s->command);
  return known || fail_word(s, "is neither declared nor a word of terms that certify writes");
}

static struct level opened(const struct level *in) {
  if (in->place == PLACE_BINDERS)
    return (struct level){.place = PLACE_BINDING, .sorted = in->sorted};
  if (in->place == PLACE_TERM && in->binds && in->items == 1)
    return (struct level){.place = PLACE_BINDERS, .sorted = in->sorted};
  return (struct level){.place = PLACE_TERM};
}

/* One word of a term, the innermost open parenthesis being the last of the levels. */
static bool word_of_term(struct script *s, struct level *in) {
  switch (s->word.kind) {
  case WORD_SYMBOL:
    return symbol(s, in);
  case WORD_NUMERAL:
    return in->place == PLACE_TERM || in->items != 0 || fail_word(s, "is bound, and no name");
  case WORD_KEYWORD:
    return (in->annotates && is(s, ":pattern")) ||
           fail_word(s, "is an attribute that certify does not write");
  default:
    return fail(s, "ends within an assertion");
  }
}

/* The term of an assertion and the parenthesis that ends it. */
static bool assertion(struct script *s) {
  VECTOR(struct level) levels = {0};
  vector_push(&levels, (struct level){.place = PLACE_TERM, .items = 1}); /* behind "assert" */
  bool good = true;
  while (good && levels.count != 0) {
    good = next(s);
    if (!good)
      break;
    struct level *in = &levels.data[levels.count - 1];
    if (s->word.kind == WORD_CLOSE) {
      levels.count--;
      continue;
    }
    if (levels.count == 1 && in->items == 2) {
      good = fail(s, "has an assertion of two terms");
    } else if (s->word.kind != WORD_OPEN) {
      good = word_of_term(s, in);
      in->items++;
    } else if (levels.count >= SCRIPT_NESTING) {
      good = fail(s, "has more parentheses in each other than certify writes");
    } else {
      struct level inner = opened(in);
      in->items++;
      vector_push(&levels, inner);
    }
  }
  vector_clear(&levels);
  return good;
}

/* A command behind its parenthesis. */
static bool command(struct script *s, bool *asked) {
  if (!next(s))
    return false;
  if (is(s, "assert"))
    return assertion(s);
  if (is(s, "declare-fun"))
    return declare_fun(s);
  if (is(s, "declare-sort"))
    return declare_sort(s);
  if (is(s, "check-sat")) {
    *asked = true;
    return expect_close(s);
  }
  if (is(s, "set-info"))
    return expect(s, WORD_KEYWORD, ":status", "has a set-info of something but :status") &&
           expect(s, WORD_SYMBOL, "unknown", "has a set-info that tells the answer") &&
           expect_close(s);
  if (is(s, "set-logic"))
    return expect(s, WORD_SYMBOL, "ALL", "has a logic other than ALL") && expect_close(s);
  return s->word.kind == WORD_SYMBOL || s->word.kind == WORD_KEYWORD
             ? fail_word(s, "is no command of a certificate")
             : fail(s, "has a command without a name");
}

static bool commands(struct script *s) {
  bool asked = false;
  for (;;) {
    if (!next(s))
      return false;
    if (s->word.kind == WORD_END)
      return asked || fail(s, "ends without (check-sat)");
    if (asked)
      return fail(s, "goes on behind (check-sat)");
    if (s->word.kind != WORD_OPEN)
      return fail_word(s, "stands outside of a command");
    if (++s->command > SCRIPT_COMMANDS)
      return fail(s, "has more commands than certify writes");
    if (!command(s, &asked))
      return false;
  }
}

bool script_is_plain(const char *bytes, size_t length, struct text *message) {
  struct script s = {.end = bytes + length, .at = bytes, .line = 1, .message = message};
  bool good =
      length <= SCRIPT_LIMIT ? commands(&s) : fail(&s, "is longer than what certify writes");
  vector_clear(&s.names);
  index_clear(&s.index);
  return good;
}
