/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/explain.h"

#include <string.h>
#include <strings.h>

enum { WIDTH = 88 };

#define TEN(x) x x x x x x x x x x

static const struct diagnostic_explanation explanations[DIAGNOSTIC_COUNT] = {
#define EXPLAIN(code, context, meaning, wrong, right)                                              \
  [DIAGNOSTIC_##code] = {EXPLAIN_##context, meaning, wrong, right},
#include "lang/explain.def"
#include "lang/explain_rules.def"
#undef EXPLAIN
};

static const char frame[] = "protocol example\n"
                            "param n : int >= 1\n"
                            "role main\n"
                            "role node[n]\n"
                            "external client\n"
                            "component Work, Step[node]\n"
                            "delay d\n"
                            "queueing Queuing\n"
                            "enum Phase { idle, busy }\n"
                            "message Ask(to: node) : main -> node to\n"
                            "message Answer(from: node) : node from -> main\n"
                            "message Pass(lap: int) : node -> node\n"
                            "message Done : main -> client\n"
                            "state main {\n"
                            "  phase : Phase = idle\n"
                            "  seen : set of node = {}\n"
                            "  mark : map node to bool = false\n"
                            "}\n"
                            "state node i { held : bool = i == first  laps : int = 0 }\n"
                            "action main.Go cost Work {\n"
                            "  when phase == idle\n"
                            "  phase := busy\n"
                            "  send Ask(b) for all b in node\n"
                            "}\n"
                            "action node i.Reply on Ask(i) cost Step[i] {\n"
                            "  when held\n"
                            "  laps := laps + 1\n"
                            "  send Answer(i)\n"
                            "  send Pass(laps) to next(i)\n"
                            "}\n"
                            "action main.End on Answer(b) {\n"
                            "  seen := seen + {b}\n"
                            "  mark[b] := true\n"
                            "  if seen == node and mark[b] { send Done }\n"
                            "}\n"
                            "bound done: sent Done within\n"
                            "  Work + max b in node (d(Ask(b)) + Step[b]) + n*d + 3 ms\n";

const struct diagnostic_explanation *explanation_of(enum diagnostic_code code) {
  return explanations[code].meaning == NULL ? NULL : &explanations[code];
}

const char *explain_frame(void) {
  return frame;
}

void explain_source(struct text *out, const struct diagnostic_explanation *e, const char *example) {
  if (e->context == EXPLAIN_LINES)
    text_append(out, frame);
  text_append(out, example);
}

bool diagnostic_code_find(enum diagnostic_code *code, const char *name) {
  for (size_t i = 0; i < DIAGNOSTIC_COUNT; i++) {
    if (strcasecmp(diagnostic_code_name((enum diagnostic_code)i), name) != 0)
      continue;
    *code = (enum diagnostic_code)i;
    return true;
  }
  return false;
}

/* Indented lines; bytes that are no text as \xNN, long lines cut. */
static void print_lines(struct text *out, const char *lines) {
  while (*lines != '\0') {
    size_t length = strcspn(lines, "\n"), shown = length < WIDTH ? length : WIDTH;
    text_append(out, "    ");
    for (size_t i = 0; i < shown; i++) {
      unsigned char byte = (unsigned char)lines[i];
      if (byte >= 0x20 && byte < 0x7F)
        text_append_bytes(out, lines + i, 1);
      else
        text_format(out, "\\x%02X", byte);
    }
    text_append(out, shown < length ? " ...\n" : "\n");
    lines += length + (lines[length] == '\n');
  }
}

/* A paragraph, broken between words. */
static void print_paragraph(struct text *out, const char *words) {
  size_t column = 0;
  while (*words != '\0') {
    size_t length = strcspn(words, " ");
    if (column != 0 && column + 1 + length > WIDTH) {
      text_append(out, "\n");
      column = 0;
    }
    if (column != 0)
      text_append(out, " ");
    text_append_bytes(out, words, length);
    column += length + (column != 0);
    words += length + strspn(words + length, " ");
  }
  text_append(out, "\n");
}

void explain_print(struct text *out, enum diagnostic_code code) {
  const struct diagnostic_explanation *e = explanation_of(code);
  text_format(out, "%s (%s): %s\n\n", diagnostic_code_name(code),
              diagnostic_is_error(code) ? "error" : "warning", diagnostic_title(code));
  if (e == NULL)
    return;
  print_paragraph(out, e->meaning);
  text_append(out, "\nWrong:\n\n");
  print_lines(out, e->wrong);
  text_append(out, "\nRight:\n\n");
  print_lines(out, e->right);
  if (e->context == EXPLAIN_WHOLE)
    return;
  text_append(out, "\nThe lines stand behind this protocol:\n\n");
  print_lines(out, frame);
}
