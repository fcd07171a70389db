/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words that are words of the language only where they can stand, and names everywhere else. The
 * token before, the text behind and the kind of declaration tell; two names in a row are nowhere
 * else in the language. */
#include <string.h>

#include "lang/parser_state.h"

#include "lang/parser.h"
#include "lang/source.h"

enum { WORD_LIMIT = 64 };

/* What stands behind the current token, comments and white space apart. */
struct behind {
  const char *at;        /* its first character; the end of the text: "" */
  char word[WORD_LIMIT]; /* the word there, cut; "" when there is none */
  bool same_line;
};

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static struct behind look_behind(const struct parser_state *state) {
  const char *at = state->source->bytes + state->span.end;
  const char *end = state->source->bytes + state->source->length;
  struct behind behind = {.at = "", .same_line = true};
  while (at < end && (strchr(" \t\r\n", *at) != NULL || *at == '#')) {
    if (*at == '#')
      while (at + 1 < end && at[1] != '\n')
        at++;
    behind.same_line &= *at != '\n';
    at++;
  }
  if (at == end)
    return behind;
  behind.at = at;
  size_t length = 0;
  if (is_letter(*at))
    while (at + length < end && length + 1 < WORD_LIMIT &&
           (is_letter(at[length]) || (at[length] >= '0' && at[length] <= '9')))
      length++;
  memcpy(behind.word, at, length);
  return behind;
}

static bool is_name(const struct behind *behind) {
  return behind->word[0] != '\0' && scanner_is_name(scanner_word(behind->word));
}

bool context_starts_line(const struct parser_state *state) {
  size_t at = state->span.start;
  while (at > 0 && strchr(" \t\r", state->source->bytes[at - 1]) != NULL)
    at--;
  return at == 0 || state->source->bytes[at - 1] == '\n';
}

static bool is_in_phase(const struct parser_state *state) {
  return state->declaration == TOKEN_PHASE && state->blocks != 0;
}

bool context_starts_declaration(const struct parser_state *state, int token) {
  static const int tokens[] = {TOKEN_PARAM,    TOKEN_ASSUME,    TOKEN_ENUM,     TOKEN_ROLE,
                               TOKEN_EXTERNAL, TOKEN_COMPONENT, TOKEN_DELAY,    TOKEN_QUEUEING,
                               TOKEN_MESSAGE,  TOKEN_STATE,     TOKEN_ACTION,   TOKEN_INVARIANT,
                               TOKEN_BOUND,    TOKEN_TIMING,    TOKEN_REPEATED, TOKEN_TIMEOUT,
                               TOKEN_SCHEDULE, TOKEN_PHASE,     TOKEN_LET,      TOKEN_ARRIVALS};
  if (token == TOKEN_INVARIANT && is_in_phase(state))
    return false;
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
    if (tokens[i] == token)
      return true;
  return false;
}

void context_note(struct parser_state *state, int token) {
  if (token == TOKEN_TIMEOUT && state->before == TOKEN_ON) {
    state->since_declaration++;
  } else if (context_starts_declaration(state, token)) {
    state->declaration = token;
    state->since_declaration = 0;
    state->since_arrow = NO_ARROW;
    state->paced = false;
  } else {
    state->paced |= token == TOKEN_PACED;
    state->since_declaration++;
    if (token == TOKEN_ARROW)
      state->since_arrow = 0;
    else if (state->since_arrow < NO_ARROW)
      state->since_arrow++;
  }
  state->before = token;
}

/* Can what came before end a declaration, or an entry of a state or phase? */
static bool is_after_end(const struct parser_state *state) {
  int token = state->before;
  if (token == TOKEN_TO) /* a field of this name */
    return state->since_arrow == 2;
  return scanner_is_name(token) || token == TOKEN_INT || token == TOKEN_BOOL ||
         token == TOKEN_INTEGER || token == TOKEN_DURATION || token == TOKEN_BAD_NUMBER ||
         token == TOKEN_TRUE || token == TOKEN_FALSE || token == TOKEN_FIFO ||
         token == TOKEN_PHASES || (token != 0 && token < 128 && strchr(")]}|?", token) != NULL);
}

static bool is_entry(const struct parser_state *state) {
  return state->before == '{' || state->before == ';' || state->before == ',' ||
         is_after_end(state);
}

/* arrivals, timing, repeated, timeout, schedule, phase, let */
static bool is_declaration(const struct parser_state *state, const struct behind *behind) {
  bool field = state->since_arrow == 1 && !context_starts_line(state);
  return is_name(behind) && is_after_end(state) && !field;
}

static int word_timeout(const struct parser_state *state, const struct behind *behind) {
  if (state->declaration == TOKEN_SCHEDULE && state->before == ']' && !context_starts_line(state))
    return TOKEN_SLOT_TIMEOUT;
  bool trigger = state->before == TOKEN_ON && is_name(behind);
  return trigger || is_declaration(state, behind) ? TOKEN_TIMEOUT : TOKEN_NAME;
}

static bool is_timer(const struct parser_state *state, const struct behind *behind) {
  bool fields = behind->at == state->source->bytes + state->span.end && behind->at[0] == '(';
  return state->before == TOKEN_ON && !fields && behind->at[0] != '{' &&
         strcmp(behind->word, "cost") != 0;
}

static bool is_kth(const struct parser_state *state, const struct behind *behind) {
  static const int names[] = {TOKEN_SEND,      TOKEN_SENT, TOKEN_PENDING, TOKEN_RECEIVED,
                              TOKEN_DELIVERED, TOKEN_ON,   TOKEN_MESSAGE, TOKEN_FIELD_DOT};
  bool name = behind->at[0] != '(';
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    name |= state->before == names[i];
  return !name;
}

static bool is_end(const struct parser_state *state, const struct behind *behind) {
  return is_in_phase(state) && is_entry(state) &&
         (strcmp(behind->word, "sent") == 0 || strcmp(behind->word, "delivered") == 0 ||
          strcmp(behind->word, "when") == 0);
}

static bool is_over(const struct parser_state *state, const struct behind *behind) {
  return (state->since_arrow == 1 && behind->same_line && is_name(behind)) ||
         state->since_arrow == 2;
}

static bool is_fifo(const struct parser_state *state, const struct behind *behind) {
  (void)behind;
  return state->since_arrow >= 1 && state->since_arrow <= 4 && state->before != TOKEN_OVER;
}

/* Behind the receiver of a message or what else is said of its channel. A field of this name, which
 * names the receiver, is followed by what is said of the channel, or by the next declaration. */
static bool is_loses(const struct parser_state *state, const struct behind *behind) {
  bool channel = strcmp(behind->word, "over") == 0 || strcmp(behind->word, "fifo") == 0 ||
                 strcmp(behind->word, "loses") == 0 || strcmp(behind->word, "paced") == 0;
  bool term =
      is_name(behind) || behind->at[0] == '(' || (behind->at[0] >= '0' && behind->at[0] <= '9');
  return state->since_arrow >= 1 && state->since_arrow <= 5 && state->before != TOKEN_OVER &&
         behind->same_line && term && !channel;
}

/* The same: nothing else is followed by "every". */
static bool is_paced(const struct parser_state *state, const struct behind *behind) {
  return state->declaration == TOKEN_MESSAGE && state->since_arrow >= 1 &&
         state->since_arrow < NO_ARROW && state->before != TOKEN_OVER &&
         strcmp(behind->word, "every") == 0;
}

/* Behind all else that is said of a message: a field of this name is followed by no number. */
static bool is_priority(const struct parser_state *state, const struct behind *behind) {
  return state->declaration == TOKEN_MESSAGE && state->since_arrow >= 1 &&
         state->since_arrow < NO_ARROW && state->before != TOKEN_OVER && behind->same_line &&
         behind->at[0] >= '0' && behind->at[0] <= '9';
}

/* lost M(..): of formulas alone, in which no name follows another. */
static bool is_lost(const struct parser_state *state, const struct behind *behind) {
  bool formula = state->declaration == TOKEN_INVARIANT || state->declaration == TOKEN_BOUND ||
                 state->declaration == TOKEN_LET || state->declaration == TOKEN_PHASE;
  return formula && behind->same_line && is_name(behind) && strcmp(behind->word, "end") != 0;
}

static bool is_from(const struct parser_state *state, const struct behind *behind) {
  return state->declaration == TOKEN_BOUND && state->before == ':' && behind->word[0] != '\0';
}

static bool is_ghost(const struct parser_state *state, const struct behind *behind) {
  return state->declaration == TOKEN_STATE && state->blocks != 0 && is_entry(state) &&
         is_name(behind);
}

static bool is_reads(const struct parser_state *state, const struct behind *behind) {
  bool trigger = is_after_end(state) || state->before == TOKEN_ONCE;
  return state->declaration == TOKEN_ACTION && state->blocks == 0 && trigger && is_name(behind);
}

static bool is_start(const struct parser_state *state, const struct behind *behind) {
  (void)behind;
  return is_in_phase(state) && state->since_declaration == 2;
}

static bool is_by(const struct parser_state *state, const struct behind *behind) {
  return state->declaration == TOKEN_BOUND && is_after_end(state) &&
         strcmp(behind->word, "phases") == 0;
}

/* at any time; a node of this name is followed by "within" or by "and" */
static bool is_any(const struct parser_state *state, const struct behind *behind) {
  return state->declaration == TOKEN_ACTION && state->before == TOKEN_AT &&
         strcmp(behind->word, "time") == 0;
}

/* at once */
static bool is_once(const struct parser_state *state, const struct behind *behind) {
  (void)behind;
  return state->declaration == TOKEN_ACTION && state->blocks == 0 && state->before == TOKEN_AT;
}

/* FAMILY before NODE, where nothing else puts a name behind a name */
static bool is_before(const struct parser_state *state, const struct behind *behind) {
  bool term = state->declaration == TOKEN_INVARIANT || state->declaration == TOKEN_BOUND ||
              state->declaration == TOKEN_LET || state->declaration == TOKEN_PHASE ||
              state->declaration == TOKEN_ACTION || state->declaration == TOKEN_ASSUME;
  bool family = state->before == TOKEN_NAME || state->before == ')' || state->before == ']';
  return term && family && (is_name(behind) || behind->at[0] == '(');
}

static bool is_phases(const struct parser_state *state, const struct behind *behind) {
  (void)behind;
  return state->before == TOKEN_BY;
}

static bool is_every(const struct parser_state *state, const struct behind *behind) {
  (void)behind;
  return (state->declaration == TOKEN_ARRIVALS && state->since_declaration == 1) ||
         state->before == TOKEN_PACED;
}

/* of a pacer, behind the time of which a word may be "burst" */
static bool is_burst(const struct parser_state *state, const struct behind *behind) {
  return state->paced && state->before != TOKEN_EVERY && is_after_end(state) &&
         behind->at[0] != '\0';
}

/* burst, jitter */
static bool is_limit(const struct parser_state *state, const struct behind *behind) {
  return state->declaration == TOKEN_ARRIVALS && state->since_declaration > 2 &&
         is_after_end(state) && behind->at[0] != '\0';
}

static bool is_burst_or_limit(const struct parser_state *state, const struct behind *behind) {
  return is_burst(state, behind) || is_limit(state, behind);
}

int context_word(const struct parser_state *state, const char *word) {
  static const struct {
    const char *word;
    int token;
    bool (*is)(const struct parser_state *state, const struct behind *behind);
  } words[] = {{"any", TOKEN_ANY, is_any},
               {"arrivals", TOKEN_ARRIVALS, is_declaration},
               {"before", TOKEN_BEFORE, is_before},
               {"burst", TOKEN_BURST, is_burst_or_limit},
               {"by", TOKEN_BY, is_by},
               {"end", TOKEN_FINISH, is_end},
               {"every", TOKEN_EVERY, is_every},
               {"fifo", TOKEN_FIFO, is_fifo},
               {"from", TOKEN_FROM, is_from},
               {"ghost", TOKEN_GHOST, is_ghost},
               {"jitter", TOKEN_JITTER, is_limit},
               {"kth", TOKEN_KTH, is_kth},
               {"let", TOKEN_LET, is_declaration},
               {"loses", TOKEN_LOSES, is_loses},
               {"lost", TOKEN_LOST, is_lost},
               {"once", TOKEN_ONCE, is_once},
               {"over", TOKEN_OVER, is_over},
               {"paced", TOKEN_PACED, is_paced},
               {"phase", TOKEN_PHASE, is_declaration},
               {"phases", TOKEN_PHASES, is_phases},
               {"priority", TOKEN_PRIORITY, is_priority},
               {"reads", TOKEN_READS, is_reads},
               {"repeated", TOKEN_REPEATED, is_declaration},
               {"schedule", TOKEN_SCHEDULE, is_declaration},
               {"start", TOKEN_START, is_start},
               {"timer", TOKEN_TIMER, is_timer},
               {"timing", TOKEN_TIMING, is_declaration}};
  if (strcmp(word, "timeout") == 0) {
    struct behind behind = look_behind(state);
    return word_timeout(state, &behind);
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i].word) == 0) {
      struct behind behind = look_behind(state);
      return words[i].is(state, &behind) ? words[i].token : TOKEN_NAME;
    }
  return TOKEN_NAME;
}
