/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The drafted probe file. Of each call there are four moments: it is asked (at its caller), got and
 * told (at its service), and back. Those of a chosen member, and of what is asked for it, have its
 * number.
 */
#include <stdio.h>
#include <string.h>

#include "measure/talk/names.h"
#include "measure/talk/exchange.h"

struct probes_writing {
  struct text *text;
  const struct talk_draft *draft;
};

#define SAY(...) text_format(writing->text, __VA_ARGS__)

enum { MOMENT = TALK_NAME + 24 };

struct moment {
  char name[MOMENT];
};

static const struct shape_call *call_of(const struct probes_writing *writing, size_t call) {
  return &writing->draft->shape->calls[call];
}

static const char *name(const struct probes_writing *writing, size_t call) {
  return writing->draft->names->call[call];
}

/* --- names of moments --- */

static bool is_numbered(const struct probes_writing *writing, size_t call) {
  return draft_choice(writing->draft, call) != TALK_NONE;
}

/* Whether what the call's caller sees of it has a number: it is a member, or works for one. */
static bool is_numbered_at_caller(const struct probes_writing *writing, size_t call) {
  long caller = call_of(writing, call)->caller;
  return caller != TALK_NONE && is_numbered(writing, (size_t)caller);
}

static struct moment make(const char *first, const char *word, const char *call, bool numbered) {
  struct moment moment;
  if (first != NULL)
    snprintf(moment.name, sizeof moment.name, "%s", first);
  else
    snprintf(moment.name, sizeof moment.name, "%s_%s%s", word, call, numbered ? "[u]" : "");
  return moment;
}

static struct moment got(const struct probes_writing *writing, size_t call);

static struct moment asked(const struct probes_writing *writing, size_t call) {
  if (call == 0 && !call_of(writing, 0)->asked_here)
    return got(writing, 0);
  return make(call == 0 ? "asked" : NULL, "ask", name(writing, call),
              is_numbered_at_caller(writing, call));
}

static struct moment back(const struct probes_writing *writing, size_t call);

/* What is not seen at the service is taken for what its caller sees. */
static struct moment got(const struct probes_writing *writing, size_t call) {
  if (!call_of(writing, call)->told_here)
    return asked(writing, call);
  return make(call == 0 ? "took" : NULL, "got", name(writing, call), is_numbered(writing, call));
}

static struct moment told(const struct probes_writing *writing, size_t call) {
  unsigned tells = call_of(writing, call)->tells;
  char word[16];
  if (!call_of(writing, call)->told_here)
    return back(writing, call);
  snprintf(word, sizeof word, tells > 1 ? "tell_%u" : "tell", tells);
  struct moment moment = make(NULL, word, name(writing, call), is_numbered(writing, call));
  if (call == 0)
    snprintf(moment.name, sizeof moment.name, tells > 1 ? "told_%u" : "told", tells);
  return moment;
}

static struct moment back(const struct probes_writing *writing, size_t call) {
  if (call == 0 && !call_of(writing, 0)->asked_here)
    return told(writing, 0);
  return make(call == 0 ? "answered" : NULL, "back", name(writing, call),
              is_numbered_at_caller(writing, call));
}

/* Of calls side by side: when the first is asked, and the last is back. */
static struct moment all_asked(const struct probes_writing *writing, size_t call, unsigned stage) {
  size_t calls[SHAPE_CALLS];
  struct moment moment;
  if (draft_in_stage(calls, writing->draft, call, stage) == 1)
    return asked(writing, calls[0]);
  snprintf(moment.name, sizeof moment.name, "asks_%s_%u", name(writing, call), stage + 1);
  return moment;
}

static struct moment all_back(const struct probes_writing *writing, size_t call, unsigned stage) {
  size_t calls[SHAPE_CALLS];
  struct moment moment;
  if (draft_in_stage(calls, writing->draft, call, stage) == 1)
    return back(writing, calls[0]);
  snprintf(moment.name, sizeof moment.name, "all_%s_%u", name(writing, call), stage + 1);
  return moment;
}

/* --- head, probes and places --- */

static void say_head(struct probes_writing *writing) {
  const struct talk_shape *shape = writing->draft->shape;
  SAY("# A draft, %s. Edit it as you like; docs/outside.md says what stands here.\n#\n",
      writing->draft->origin);
  for (size_t i = 0; i < shape->notes.count; i++)
    SAY("# %s: %s.\n", shape->notes.data[i].guess ? "guess" : "cannot tell",
        shape->notes.data[i].text);
  SAY("\n");
}

static bool is_probed_before(const struct probes_writing *writing, size_t call) {
  for (size_t i = 0; i < call; i++)
    if (call_of(writing, i)->port == call_of(writing, call)->port)
      return true;
  return false;
}

/* "sent_6379", "sent_tcp". */
static void say_probe(struct probes_writing *writing, size_t call, bool sends) {
  uint16_t port = call_of(writing, call)->port;
  SAY(sends ? "sent_" : "received_");
  if (port == 0)
    SAY("tcp");
  else
    SAY("%u", port);
}

static void say_probes(struct probes_writing *writing) {
  SAY("probes:\n");
  for (size_t i = 0; i < writing->draft->shape->count; i++)
    for (int sends = 1; sends >= 0 && !is_probed_before(writing, i); sends--) {
      uint16_t port = call_of(writing, i)->port;
      SAY("  ");
      say_probe(writing, i, sends != 0);
      SAY(": {socket.%s: ", sends != 0 ? "send" : "receive");
      if (port == 0)
        SAY("tcp");
      else
        SAY("%u", port);
      SAY(", read: {local: local, remote: remote, begins: begins, ends: ends, bytes: bytes}}\n");
    }
}

void talk_pattern_append(struct text *text, const char *place, const char *pattern) {
  text_format(text, "  %s: '", place);
  for (; *pattern != '\0'; pattern++)
    text_format(text, *pattern == '\'' ? "''" : "%c", *pattern);
  text_append(text, "'\n");
}

static void say_place(struct probes_writing *writing, size_t call, unsigned member) {
  const struct shape_call *own = call_of(writing, call);
  const char *role = writing->draft->names->role[call];
  char place[MOMENT];
  snprintf(place, sizeof place, own->chosen ? "'%s[%u]'" : "%s", role, member);
  talk_pattern_append(writing->text, place,
                      writing->draft->parts->list.data[own->part[member]].pattern);
}

static void say_places(struct probes_writing *writing) {
  const struct talk_draft *draft = writing->draft;
  SAY("\n# Which process is which: by its command line.\nplaces:\n");
  if (draft->shape->client != TALK_NONE)
    talk_pattern_append(writing->text, "client",
                        draft->parts->list.data[draft->shape->client].pattern);
  for (size_t i = 0; i < draft->shape->count; i++) {
    const struct shape_call *call = call_of(writing, i);
    bool known = !call->told_here;
    for (size_t k = 0; k < i; k++)
      known = known || strcmp(draft->names->role[k], draft->names->role[i]) == 0;
    for (unsigned m = 0; m < call->members && !known; m++)
      say_place(writing, i, m);
  }
}

/* --- moments --- */

/* "{probe: sent_80, at: nginx, after: took, where: '...', optional: yes}" up to the condition. */
static void say_moment(struct probes_writing *writing, struct moment moment, size_t call,
                       bool sends, const char *at, const char *after) {
  SAY("  '%s': {probe: ", moment.name);
  say_probe(writing, call, sends);
  SAY(", at: %s", at);
  if (after != NULL)
    SAY(", after: '%s'", after);
  SAY(", where: '");
}

static void say_end(struct probes_writing *writing, bool numbered) {
  SAY("'%s}\n", numbered ? ", optional: yes" : "");
}

/* Where a call's service does its work: "redis", "'up[u]'", "client" of none. */
static struct moment place_of(const struct probes_writing *writing, long call) {
  struct moment place;
  if (call == TALK_NONE)
    snprintf(place.name, sizeof place.name, "client");
  else if (call_of(writing, (size_t)call)->chosen)
    snprintf(place.name, sizeof place.name, "'%s[u]'", writing->draft->names->role[call]);
  else
    snprintf(place.name, sizeof place.name, "%s", writing->draft->names->role[call]);
  return place;
}

/* That a caller asks this service, and not another one or its own caller. */
static void say_ports(struct probes_writing *writing, size_t call) {
  const struct shape_call *own = call_of(writing, call);
  if (own->low == own->high) {
    SAY("remote == %u", own->low);
    return;
  }
  SAY("remote >= %u and remote <= %u", own->low, own->high);
  if (own->caller != TALK_NONE && call_of(writing, (size_t)own->caller)->port != 0)
    SAY(" and local != %u", call_of(writing, (size_t)own->caller)->port);
  unsigned others = 0;
  for (size_t i = 0; i < writing->draft->shape->count && others < 2; i++) {
    uint16_t port = call_of(writing, i)->port;
    if (port > own->low && port < own->high && i != call) {
      SAY(" and remote != %u", port);
      others++;
    }
  }
}

/* The question, of a call that a service makes; `before` came last there, its event is `tie`. */
static void say_asked(struct probes_writing *writing, size_t call, const char *before,
                      const char *tie) {
  struct moment at = place_of(writing, call_of(writing, call)->caller);
  bool numbered = is_numbered_at_caller(writing, call);
  const char *kind = call_of(writing, call)->by_thread ? "thread" : "process";
  say_moment(writing, asked(writing, call), call, true, at.name, before);
  say_ports(writing, call);
  SAY(" and %s == %s.%s", kind, tie, kind);
  say_end(writing, numbered);
}

static void say_got(struct probes_writing *writing, size_t call) {
  struct moment at = place_of(writing, (long)call), from = asked(writing, call);
  say_moment(writing, got(writing, call), call, false, at.name, from.name);
  SAY("remote == %s.local and ends >= %s.ends", from.name, from.name);
  say_end(writing, is_numbered(writing, call));
}

/* The answer's pieces. */
static void say_told(struct probes_writing *writing, size_t call, const char *after) {
  struct moment at = place_of(writing, (long)call), taken = got(writing, call), piece;
  char before[MOMENT];
  unsigned tells = call_of(writing, call)->tells;
  snprintf(before, sizeof before, "%s", after);
  for (unsigned i = 1; i <= tells; i++) {
    const char *mark = is_numbered(writing, call) ? "[u]" : "";
    char count[16] = "";
    if (i > 1)
      snprintf(count, sizeof count, "_%u", i);
    if (call == 0)
      snprintf(piece.name, sizeof piece.name, "told%s", count);
    else
      snprintf(piece.name, sizeof piece.name, "tell%s_%s%s", count, name(writing, call), mark);
    say_moment(writing, piece, call, true, at.name, before);
    SAY("remote == %s.remote", taken.name);
    if (i > 1)
      SAY(" and begins >= %s.ends", before);
    say_end(writing, is_numbered(writing, call));
    snprintf(before, sizeof before, "%s", piece.name);
  }
}

static void say_back(struct probes_writing *writing, size_t call) {
  const struct shape_call *own = call_of(writing, call);
  struct moment at = place_of(writing, own->caller), from = asked(writing, call),
                until = told(writing, call);
  bool positions = own->told_here && !own->chosen;
  say_moment(writing, back(writing, call), call, false, at.name,
             positions ? until.name : from.name);
  SAY("local == %s.local", from.name);
  if (positions)
    SAY(" and ends >= %s.ends", until.name);
  else if (own->low == own->high)
    SAY(" and remote == %u", own->low);
  else
    SAY(" and remote == %s.remote", from.name);
  say_end(writing, is_numbered_at_caller(writing, call));
}

static void say_call(struct probes_writing *writing, size_t call);

/* Of calls that are made together, when the first is asked or the last is back. */
static void say_together(struct probes_writing *writing, const char *word, struct moment moment,
                         const size_t *calls, size_t count,
                         struct moment (*each)(const struct probes_writing *, size_t)) {
  SAY("  '%s': {%s: [", moment.name, word);
  for (size_t k = 0; k < count; k++)
    SAY("%s'%s'", k == 0 ? "" : ", ", each(writing, calls[k]).name);
  SAY("]}\n");
}

/* The calls of a call's service, stage by stage; *last is then what comes last there. */
static void say_calls(struct probes_writing *writing, size_t call, struct moment *last) {
  *last = got(writing, call);
  struct moment tie = *last;
  for (unsigned stage = 0; stage < draft_stages(writing->draft, call); stage++) {
    size_t calls[SHAPE_CALLS], count = draft_in_stage(calls, writing->draft, call, stage);
    for (size_t k = 0; k < count; k++)
      say_asked(writing, calls[k], last->name, tie.name);
    if (count > 1)
      say_together(writing, "earliest", all_asked(writing, call, stage), calls, count, asked);
    for (size_t k = 0; k < count; k++)
      say_call(writing, calls[k]);
    if (count > 1)
      say_together(writing, "latest", all_back(writing, call, stage), calls, count, back);
    *last = all_back(writing, call, stage);
    tie = back(writing, calls[0]);
  }
}

/* What follows the question: how it is got, worked on, and answered. */
static void say_call(struct probes_writing *writing, size_t call) {
  struct moment last;
  if (call_of(writing, call)->told_here) {
    if (call != 0)
      say_got(writing, call);
    say_calls(writing, call, &last);
    say_told(writing, call, last.name);
  }
  say_back(writing, call);
}

/* What begins a request. */
static void say_first(struct probes_writing *writing) {
  const struct shape_call *first = call_of(writing, 0);
  bool at_client = first->asked_here;
  say_moment(writing, at_client ? asked(writing, 0) : got(writing, 0), 0, at_client,
             at_client ? "client" : place_of(writing, 0).name, NULL);
  SAY("%s == %u", at_client ? "remote" : "local", first->low);
  if (first->asks > 1)
    SAY(" and bytes >= %llu and bytes <= %llu", (unsigned long long)first->first_least,
        (unsigned long long)first->first_most);
  say_end(writing, false);
  if (at_client && first->told_here)
    say_got(writing, 0);
}

static void say_moments(struct probes_writing *writing) {
  struct moment last;
  SAY("\n# One request, event by event.\nmoments:\n");
  say_first(writing);
  if (call_of(writing, 0)->told_here) {
    say_calls(writing, 0, &last);
    say_told(writing, 0, last.name);
  }
  if (call_of(writing, 0)->asked_here)
    say_back(writing, 0);
}

/* --- steps and messages --- */

/* ", chose: got_up[u]": of what is done by, or for, one of a family. */
static void say_chose(struct probes_writing *writing, long choice) {
  if (choice != TALK_NONE)
    SAY(", chose: '%s'", got(writing, (size_t)choice).name);
  SAY("}\n");
}

static void say_component(struct probes_writing *writing, size_t call, unsigned stage) {
  unsigned stages = draft_stages(writing->draft, call);
  SAY(", component: '");
  if (stages == 0)
    SAY("Work_%s", name(writing, call));
  else if (stage == 0)
    SAY("Begin_%s", name(writing, call));
  else if (stage == stages)
    SAY("End_%s", name(writing, call));
  else
    SAY("Between_%s_%u", name(writing, call), stage);
  SAY("%s'", is_numbered(writing, call) ? "[u]" : "");
}

/* The role and place of what goes on behind a stage, "up[u]". */
static void say_node(struct probes_writing *writing, size_t call, unsigned stage) {
  char then[2 * TALK_NAME];
  draft_role(then, writing->draft, call, stage);
  SAY("%s%s", then, draft_is_member(writing->draft, call) ? "[u]" : "");
}

/* What a service does from one moment to another: the step behind stage `stage` - 1. */
static void say_step(struct probes_writing *writing, size_t call, unsigned stage) {
  long choice = draft_choice_at(writing->draft, call, stage);
  SAY("  '");
  say_node(writing, call, stage);
  if (stage == 0)
    SAY(".Take_%s", name(writing, call));
  else
    SAY(".Go_%s_%u", name(writing, call), stage);
  bool ends = stage == draft_stages(writing->draft, call);
  SAY("%s': {from: '%s', to: '%s'", choice == TALK_NONE ? "" : "(u)",
      stage == 0 ? got(writing, call).name : all_back(writing, call, stage - 1).name,
      ends ? told(writing, call).name : all_asked(writing, call, stage).name);
  say_component(writing, call, stage);
  say_chose(writing, choice);
}

static void say_notes(struct probes_writing *writing, size_t call, unsigned stage) {
  size_t calls[SHAPE_CALLS], count = draft_in_stage(calls, writing->draft, call, stage);
  for (size_t k = 0; k < count && count > 1; k++) {
    long choice = draft_choice(writing->draft, calls[k]);
    SAY("  '");
    say_node(writing, call, stage);
    SAY(".Note_%s%s': {at: '%s'", name(writing, calls[k]), choice == TALK_NONE ? "" : "(u)",
        back(writing, calls[k]).name);
    say_chose(writing, choice);
  }
}

static void say_steps(struct probes_writing *writing) {
  SAY("\nrequest: {name: request, node: client, from: '%s', to: '%s'}\nqueueing: Queuing\n\n",
      asked(writing, 0).name, back(writing, 0).name);
  SAY("steps:\n  client.Begin: {at: '%s'}\n", asked(writing, 0).name);
  for (size_t i = 0; i < writing->draft->shape->count; i++)
    for (unsigned stage = 0; stage <= draft_stages(writing->draft, i); stage++) {
      if (stage > 0)
        say_notes(writing, i, stage - 1);
      say_step(writing, i, stage);
    }
}

static void say_message(struct probes_writing *writing, const char *word, size_t call) {
  SAY("  '%s_%s%s': {from: '", word, name(writing, call), is_numbered(writing, call) ? "(u)" : "");
}

static void say_messages_of(struct probes_writing *writing, size_t call) {
  size_t caller = (size_t)call_of(writing, call)->caller;
  unsigned stage = call_of(writing, call)->stage;
  long choice = draft_choice(writing->draft, call);
  say_message(writing, "Ask", call);
  say_node(writing, caller, stage);
  SAY("', to: '");
  say_node(writing, call, 0);
  SAY("', sent: '%s', arrived: '%s', delay: d", all_asked(writing, caller, stage).name,
      got(writing, call).name);
  say_chose(writing, choice);
  say_message(writing, "Tell", call);
  say_node(writing, call, draft_stages(writing->draft, call));
  SAY("', to: '");
  say_node(writing, caller, stage);
  SAY("', sent: '%s', arrived: '%s', delay: d", told(writing, call).name, back(writing, call).name);
  say_chose(writing, choice);
}

static void say_messages(struct probes_writing *writing) {
  const struct talk_draft *draft = writing->draft;
  SAY("\nmessages:\n  Request: {from: client, to: %s, sent: '%s', arrived: '%s', delay: d}\n",
      draft->names->role[0], asked(writing, 0).name, got(writing, 0).name);
  for (size_t i = 1; i < draft->shape->count; i++)
    say_messages_of(writing, i);
  for (size_t i = 0; i < draft->shape->count; i++)
    for (unsigned stage = 0; stage < draft_stages(draft, i); stage++) {
      size_t calls[SHAPE_CALLS];
      struct moment all = all_back(writing, i, stage);
      if (draft_in_stage(calls, draft, i, stage) < 2)
        continue;
      SAY("  Gathered_%s_%u: {from: ", name(writing, i), stage + 1);
      say_node(writing, i, stage);
      SAY(", to: ");
      say_node(writing, i, stage + 1);
      SAY(", sent: '%s', arrived: '%s', delay: bus}\n", all.name, all.name);
    }
  SAY("  Reply: {from: ");
  say_node(writing, 0, draft_stages(draft, 0));
  SAY(", to: client, sent: '%s', arrived: '%s', delay: d}\n", told(writing, 0).name,
      back(writing, 0).name);
}

void draft_probes(struct text *text, const struct talk_draft *draft) {
  struct probes_writing state = {text, draft}, *writing = &state;
  say_head(writing);
  say_probes(writing);
  say_places(writing);
  say_moments(writing);
  say_steps(writing);
  say_messages(writing);
}
