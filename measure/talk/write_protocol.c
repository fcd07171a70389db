/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The drafted protocol. A service takes a question, makes its calls stage by stage, and tells; one
 * that is asked by a chosen member, or is one, has the member's number in its messages.
 */
#include <stdio.h>
#include <string.h>

#include "measure/talk/names.h"
#include "measure/talk/exchange.h"

struct protocol_writing {
  struct text *text;
  const struct talk_draft *draft;
};

#define SAY(...) text_format(writing->text, __VA_ARGS__)

static const char *name(const struct protocol_writing *writing, size_t call) {
  return writing->draft->names->call[call];
}

static const char *role(const struct protocol_writing *writing, size_t call) {
  return writing->draft->names->role[call];
}

static const struct shape_call *call_of(const struct protocol_writing *writing, size_t call) {
  return &writing->draft->shape->calls[call];
}

/* The family whose member a call is made for; NULL. */
static const char *family(const struct protocol_writing *writing, size_t call) {
  long choice = draft_choice(writing->draft, call);
  return choice == TALK_NONE ? NULL : role(writing, (size_t)choice);
}

/* "(u)" of messages that have a member's number. */
static const char *number(const struct protocol_writing *writing, size_t call, const char *form) {
  return family(writing, call) == NULL ? "" : form;
}

static bool is_first_of(const struct protocol_writing *writing, size_t call) {
  for (size_t i = 0; i < call; i++)
    if (strcmp(role(writing, i), role(writing, call)) == 0)
      return false;
  return true;
}

static bool has_gathering(const struct protocol_writing *writing) {
  size_t calls[SHAPE_CALLS];
  for (size_t i = 0; i < writing->draft->shape->count; i++)
    for (unsigned s = 0; s < draft_stages(writing->draft, i); s++)
      if (draft_in_stage(calls, writing->draft, i, s) > 1)
        return true;
  return false;
}

/* --- declarations --- */

static void say_head(struct protocol_writing *writing) {
  const struct talk_shape *shape = writing->draft->shape;
  SAY("# A draft of what a request to %s makes, %s.\n"
      "# What was guessed, or could not be told, is listed at the top of the probe file.\n\n"
      "protocol %s\n\n",
      name(writing, 0), writing->draft->origin, name(writing, 0));
  for (size_t i = 0; i < shape->count; i++)
    if (shape->calls[i].chosen && is_first_of(writing, i))
      SAY("param n_%s : int >= 1   # recorded: %u\n", role(writing, i), shape->calls[i].members);
  SAY("\nrole client\n");
  for (size_t i = 0; i < shape->count; i++) {
    if (is_first_of(writing, i) && shape->calls[i].chosen)
      SAY("role %s[n_%s]\n", role(writing, i), role(writing, i));
    else if (is_first_of(writing, i))
      SAY("role %s\n", role(writing, i));
    for (unsigned s = 0; s < draft_stages(writing->draft, i); s++) {
      size_t calls[SHAPE_CALLS];
      char then[2 * TALK_NAME];
      draft_role(then, writing->draft, i, s + 1);
      if (draft_in_stage(calls, writing->draft, i, s) > 1)
        SAY("role %s   # %s, when all that it asked side by side have told\n", then,
            role(writing, i));
    }
  }
}

/* What a call's service does between two of its moments, stage by stage. */
static void component(struct protocol_writing *writing, size_t call, unsigned stage, bool used) {
  unsigned stages = draft_stages(writing->draft, call);
  long choice = draft_choice(writing->draft, call);
  if (stages == 0)
    SAY("Work_%s", name(writing, call));
  else if (stage == 0)
    SAY("Begin_%s", name(writing, call));
  else if (stage == stages)
    SAY("End_%s", name(writing, call));
  else
    SAY("Between_%s_%u", name(writing, call), stage);
  if (choice != TALK_NONE)
    SAY("[%s]", used ? "u" : role(writing, (size_t)choice));
}

static void say_components(struct protocol_writing *writing) {
  SAY("\n");
  for (size_t i = 0; i < writing->draft->shape->count; i++)
    for (unsigned s = 0; s <= draft_stages(writing->draft, i); s++) {
      SAY("component ");
      component(writing, i, s, false);
      SAY("\n");
    }
  SAY("delay     d\n");
  if (has_gathering(writing))
    SAY("delay     bus   # from the last answer to what follows: no time\n");
  SAY("queueing  Queuing\n\n");
}

static void say_message(struct protocol_writing *writing, const char *word, size_t call) {
  SAY("message %s_%s", word, name(writing, call));
  if (family(writing, call) != NULL)
    SAY("(member: %s)", family(writing, call));
  SAY(" : ");
}

/* "up member" of a role whose nodes are named by the message's field, "redis" of others. */
static void say_side(struct protocol_writing *writing, size_t call, unsigned stage) {
  char then[2 * TALK_NAME];
  draft_role(then, writing->draft, call, stage);
  SAY("%s%s", then, draft_is_member(writing->draft, call) ? " member" : "");
}

static void say_messages(struct protocol_writing *writing) {
  const struct talk_draft *draft = writing->draft;
  const char *over = has_gathering(writing) ? " over d" : "";
  SAY("message Request : client -> %s%s\n", role(writing, 0), over);
  for (size_t i = 1; i < draft->shape->count; i++) {
    size_t caller = (size_t)call_of(writing, i)->caller;
    unsigned stage = call_of(writing, i)->stage;
    say_message(writing, "Ask", i);
    say_side(writing, caller, stage);
    SAY(" -> ");
    say_side(writing, i, 0);
    SAY("%s\n", over);
    say_message(writing, "Tell", i);
    say_side(writing, i, draft_stages(draft, i));
    SAY(" -> ");
    say_side(writing, caller, stage);
    SAY("%s\n", over);
  }
  for (size_t i = 0; i < draft->shape->count; i++)
    for (unsigned s = 0; s < draft_stages(draft, i); s++) {
      size_t calls[SHAPE_CALLS];
      if (draft_in_stage(calls, draft, i, s) < 2)
        continue;
      SAY("message Gathered_%s_%u : ", name(writing, i), s + 1);
      say_side(writing, i, s);
      SAY(" -> ");
      say_side(writing, i, s + 1);
      SAY(" over bus\n");
    }
  SAY("message Reply : ");
  say_side(writing, 0, draft_stages(draft, 0));
  SAY(" -> client%s\n\n", over);
}

static void say_states(struct protocol_writing *writing) {
  SAY("state client { asked : bool = false }\n");
  for (size_t i = 0; i < writing->draft->shape->count; i++)
    for (unsigned s = 0; s < draft_stages(writing->draft, i); s++) {
      size_t calls[SHAPE_CALLS], count = draft_in_stage(calls, writing->draft, i, s);
      char then[2 * TALK_NAME];
      draft_role(then, writing->draft, i, s);
      if (count < 2)
        continue;
      SAY("state %s {", then);
      for (size_t k = 0; k < count; k++)
        SAY(" told_%s : bool = false ", name(writing, calls[k]));
      SAY("}\n");
    }
  SAY("\n");
}

/* --- steps --- */

/* "nginx.", "up u.": a step of the role that does what a call asks. */
static void say_step(struct protocol_writing *writing, size_t call, unsigned stage) {
  char then[2 * TALK_NAME];
  draft_role(then, writing->draft, call, stage);
  SAY("action %s%s.", then, draft_is_member(writing->draft, call) ? " u" : "");
}

/* The choice that a stage makes: "(u in up)". */
static void say_choice(struct protocol_writing *writing, const size_t *calls, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (call_of(writing, calls[k])->chosen) {
      SAY("(u in %s)", role(writing, calls[k]));
      return;
    }
}

/* What follows stage `stage` - 1: the next calls, or the answer. */
static void say_sends(struct protocol_writing *writing, size_t call, unsigned stage) {
  size_t calls[SHAPE_CALLS], count = draft_in_stage(calls, writing->draft, call, stage);
  SAY(" cost ");
  component(writing, call, stage, true);
  SAY(" {");
  for (size_t k = 0; k < count; k++)
    SAY(" send Ask_%s%s", name(writing, calls[k]), number(writing, calls[k], "(u)"));
  if (count == 0 && call == 0)
    SAY(" send Reply");
  else if (count == 0)
    SAY(" send Tell_%s%s", name(writing, call), number(writing, call, "(u)"));
  SAY(" }\n");
}

static void say_trigger(struct protocol_writing *writing, const char *word, size_t call) {
  SAY(" on %s_%s%s", word, name(writing, call), number(writing, call, "(u)"));
}

/* All that were asked side by side: each answer is noted, the last one lets it go on. */
static void say_gathering(struct protocol_writing *writing, size_t call, unsigned stage,
                          const size_t *calls, size_t count) {
  for (size_t k = 0; k < count; k++) {
    say_step(writing, call, stage);
    SAY("Note_%s", name(writing, calls[k]));
    say_trigger(writing, "Tell", calls[k]);
    SAY(" {\n  told_%s := true\n  if ", name(writing, calls[k]));
    const char *join = "";
    for (size_t i = 0; i < count; i++)
      if (i != k) {
        SAY("%stold_%s", join, name(writing, calls[i]));
        join = " and ";
      }
    SAY(" { send Gathered_%s_%u }\n}\n", name(writing, call), stage + 1);
  }
  say_step(writing, call, stage + 1);
  SAY("Go_%s_%u", name(writing, call), stage + 1);
  size_t next[SHAPE_CALLS];
  say_choice(writing, next, draft_in_stage(next, writing->draft, call, stage + 1));
  SAY(" on Gathered_%s_%u", name(writing, call), stage + 1);
  say_sends(writing, call, stage + 1);
}

static void say_steps_of(struct protocol_writing *writing, size_t call) {
  size_t calls[SHAPE_CALLS], count = draft_in_stage(calls, writing->draft, call, 0);
  say_step(writing, call, 0);
  SAY("Take_%s", name(writing, call));
  say_choice(writing, calls, count);
  if (call == 0)
    SAY(" on Request");
  else
    say_trigger(writing, "Ask", call);
  say_sends(writing, call, 0);
  for (unsigned s = 0; s < draft_stages(writing->draft, call); s++) {
    count = draft_in_stage(calls, writing->draft, call, s);
    if (count > 1) {
      say_gathering(writing, call, s, calls, count);
      continue;
    }
    size_t next[SHAPE_CALLS];
    say_step(writing, call, s);
    SAY("Go_%s_%u", name(writing, call), s + 1);
    say_choice(writing, next, draft_in_stage(next, writing->draft, call, s + 1));
    say_trigger(writing, "Tell", calls[0]);
    say_sends(writing, call, s + 1);
  }
}

void draft_protocol_of(struct text *text, const struct talk_draft *draft) {
  struct protocol_writing state = {text, draft}, *writing = &state;
  say_head(writing);
  say_components(writing);
  say_messages(writing);
  say_states(writing);
  SAY("action client.Begin { when not asked  asked := true  send Request }\n");
  for (size_t i = 0; i < draft->shape->count; i++)
    say_steps_of(writing, i);
  SAY("\nbound request: delivered Reply within ?\n");
}
