/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/print.h"

#include <string.h>

#include "lang/layout.h"
#include "lang/printer.h"

struct printer {
  struct text *out;
  const struct ast *ast;
  size_t comment; /* the next one to print */
  bool fresh;     /* at the start of the file or of a block: no blank line */
  struct format_layout layout;
};

static const struct comment *next_comment(const struct printer *p) {
  return p->comment < p->ast->comments.count ? p->ast->comments.items[p->comment] : NULL;
}

static bool is_blank_before(const struct printer *p, size_t offset) {
  size_t lines = 0;
  for (; offset > 0 && strchr(" \t\r\n", p->ast->bytes[offset - 1]) != NULL; offset--)
    lines += p->ast->bytes[offset - 1] == '\n';
  return lines > 1;
}

static void keep_blank(struct printer *p, size_t offset) {
  if (!p->fresh && is_blank_before(p, offset))
    text_append(p->out, "\n");
  p->fresh = false;
}

static void print_comment(struct printer *p, const struct comment *comment) {
  text_append_bytes(p->out, p->ast->bytes + comment->span.start,
                    comment->span.end - comment->span.start);
  p->comment++;
}

/* The comments before `offset`, each on its line. */
static void comments_before(struct printer *p, size_t offset, size_t indent) {
  const struct comment *comment;
  while ((comment = next_comment(p)) != NULL && comment->span.start < offset) {
    keep_blank(p, comment->span.start);
    text_format(p->out, "%*s", (int)indent, "");
    print_comment(p, comment);
    text_append(p->out, "\n");
  }
}

/* A comment behind what ends at `offset`, on the same line, goes before the newline just printed.
 */
static void comment_behind(struct printer *p, size_t offset) {
  const struct comment *comment = next_comment(p);
  if (comment == NULL)
    return;
  for (size_t i = offset; i < comment->span.start; i++)
    if (strchr(" \t\r;,", p->ast->bytes[i]) == NULL)
      return;
  size_t line = --p->out->length;
  while (line > 0 && p->out->data[line - 1] != '\n')
    line--;
  text_append(p->out, "  ");
  size_t start = comment->span.start;
  while (start > 0 && p->ast->bytes[start - 1] != '\n')
    start--;
  struct layout_behind behind = {line, p->out->length,
                                 line_columns(p->ast->bytes + start, comment->span.start - start)};
  vector_push(&p->layout.behind, behind);
  print_comment(p, comment);
  text_append(p->out, "\n");
}

static void flush(struct printer *p, const struct line *line, size_t indent,
                  struct source_span span) {
  layout_flush(&p->layout, p->out, line, indent, p->ast, span);
}

static bool is_one_line(const struct printer *p, struct source_span span) {
  return memchr(p->ast->bytes + span.start, '\n', span.end - span.start) == NULL;
}

void line_for_all(struct line *line, const struct list *binders) {
  if (binders->count == 0)
    return;
  line_break(line, 1);
  text_append(&line->text, "for all ");
  line_binders(line, binders);
}

static void line_simple(struct line *line, const struct statement_syntax *s) {
  struct text *out = &line->text;
  if (s->kind == STATEMENT_SYNTAX_WHEN) {
    text_append(out, "when ");
    line_term(line, s->value);
  } else if (s->kind == STATEMENT_SYNTAX_ASSIGN) {
    text_append(out, s->name.text);
    if (s->key != NULL) {
      text_append(out, "[");
      line_term(line, s->key);
      text_append(out, "]");
    }
    text_append(out, " :=");
    line_break(line, 0);
    line_term(line, s->value);
  } else {
    text_append(out, "send ");
    line_message(line, &s->name, &s->args);
    if (s->to != NULL) {
      text_append(out, " to ");
      line_term(line, s->to);
    }
    line_for_all(line, &s->binders);
  }
}

static void line_statement(struct line *line, const struct statement_syntax *s);

/* A block written on one line: { a; b } */
static void line_block(struct line *line, const struct list *statements) {
  text_append(&line->text, " {");
  for (size_t i = 0; i < statements->count; i++) {
    text_append(&line->text, i == 0 ? " " : "; ");
    line_statement(line, statements->items[i]);
  }
  text_append(&line->text, statements->count == 0 ? "}" : " }");
}

static void line_statement(struct line *line, const struct statement_syntax *s) {
  if (s->kind != STATEMENT_SYNTAX_IF) {
    line_simple(line, s);
    return;
  }
  text_append(&line->text, "if ");
  line_term(line, s->value);
  line_block(line, &s->then_block->statements);
  if (s->else_block == NULL)
    return;
  text_append(&line->text, " else");
  if (s->else_block->has_else_if) {
    text_append(&line->text, " ");
    line_statement(line, s->else_block->statements.items[0]);
  } else {
    line_block(line, &s->else_block->statements);
  }
}

static void print_statement(struct printer *p, const struct statement_syntax *s, size_t indent);

static void print_statements(struct printer *p, const struct block_syntax *block, size_t indent) {
  p->fresh = true;
  for (size_t i = 0; i < block->statements.count; i++)
    print_statement(p, block->statements.items[i], indent);
  comments_before(p, block->span.end, indent);
  p->fresh = false;
}

static bool fits(const struct printer *p, const struct line *line, size_t indent) {
  size_t width = p->layout.keeps ? LAYOUT_WIDTH : LINE_WIDTH;
  return line_columns(text_get(&line->text), line->text.length) + indent <= width;
}

/* `if` over several lines; `before` is what stands before the word, from `start` in the source: ""
 * or "} else ". */
static void print_if(struct printer *p, const struct statement_syntax *s, const char *before,
                     uint32_t start, size_t indent) {
  struct line line;
  line_init(&line);
  text_format(&line.text, "%sif ", before);
  line_term(&line, s->value);
  text_append(&line.text, " {");
  flush(p, &line, indent, (struct source_span){start, s->then_block->span.start + 1});
  line_clear(&line);
  comment_behind(p, s->then_block->span.start + 1);
  print_statements(p, s->then_block, indent + 2);
  if (s->else_block == NULL) {
    text_format(p->out, "%*s}\n", (int)indent, "");
  } else if (s->else_block->has_else_if) {
    print_if(p, s->else_block->statements.items[0], "} else ", s->then_block->span.end - 1, indent);
  } else {
    text_format(p->out, "%*s} else {\n", (int)indent, "");
    comment_behind(p, s->else_block->span.start + 1);
    print_statements(p, s->else_block, indent + 2);
    text_format(p->out, "%*s}\n", (int)indent, "");
  }
}

static void print_statement(struct printer *p, const struct statement_syntax *s, size_t indent) {
  bool simple = s->kind != STATEMENT_SYNTAX_IF;
  comments_before(p, simple ? s->span.end : s->then_block->span.start, indent);
  keep_blank(p, s->span.start);
  struct line line;
  line_init(&line);
  line_statement(&line, s);
  if (simple || (is_one_line(p, s->span) && fits(p, &line, indent)))
    flush(p, &line, indent, s->span);
  else
    print_if(p, s, "", s->span.start, indent);
  line_clear(&line);
  comment_behind(p, s->span.end);
}

static void line_entry(struct line *line, const struct item_syntax *entry) {
  text_format(&line->text, "%s%s : ", entry->ghost ? "ghost " : "", entry->name.text);
  line_type(line, entry->type);
  text_append(&line->text, " = ");
  line_term(line, entry->initial);
}

static void print_entries(struct printer *p, const struct declaration *d) {
  p->fresh = true;
  for (size_t i = 0; i < d->items.count; i++) {
    const struct item_syntax *entry = d->items.items[i];
    struct line line;
    line_init(&line);
    comments_before(p, entry->span.end, 2);
    keep_blank(p, entry->span.start);
    line_entry(&line, entry);
    flush(p, &line, 2, entry->span);
    line_clear(&line);
    comment_behind(p, entry->span.end);
  }
  comments_before(p, d->span.end, 2);
  p->fresh = false;
}

static void print_parts(struct printer *p, const struct declaration *d) {
  p->fresh = true;
  for (size_t i = 0; i < d->parts.count; i++) {
    const struct declaration *part = d->parts.items[i];
    struct line line;
    line_init(&line);
    comments_before(p, part->span.end, 2);
    keep_blank(p, part->span.start);
    line_declaration(&line, part);
    flush(p, &line, 2, part->span);
    line_clear(&line);
    comment_behind(p, part->span.end);
  }
  comments_before(p, d->span.end, 2);
  p->fresh = false;
}

/* A state whose author wrote it on one line, and which fits there. */
static bool print_short_state(struct printer *p, const struct declaration *d, struct line *line) {
  if (!p->layout.keeps || !is_one_line(p, d->span))
    return false;
  size_t head = line->text.length;
  for (size_t i = 0; i < d->items.count; i++) {
    text_append(&line->text, i == 0 ? " " : "; ");
    line_entry(line, d->items.items[i]);
  }
  text_append(&line->text, d->items.count == 0 ? "}" : " }");
  if (fits(p, line, 0)) {
    flush(p, line, 0, d->span);
    return true;
  }
  line_truncate(line, head);
  return false;
}

static void print_action(struct printer *p, const struct declaration *d, struct line *line) {
  size_t head = line->text.length;
  line_block(line, &d->block->statements);
  if (is_one_line(p, d->span) && fits(p, line, 0)) {
    flush(p, line, 0, d->span);
    return;
  }
  line_truncate(line, head);
  text_append(&line->text, " {");
  flush(p, line, 0, d->head);
  comment_behind(p, d->head.end);
  print_statements(p, d->block, 2);
  text_append(p->out, "}\n");
}

static void print_declaration(struct printer *p, const struct declaration *d) {
  bool block =
      d->kind == DECLARATION_STATE || d->kind == DECLARATION_ACTION || d->kind == DECLARATION_PHASE;
  struct line line;
  line_init(&line);
  comments_before(p, block ? d->head.end : d->span.end, 0);
  keep_blank(p, d->span.start);
  line_declaration(&line, d);
  if (d->kind == DECLARATION_ACTION) {
    print_action(p, d, &line);
  } else if (d->kind != DECLARATION_STATE || !print_short_state(p, d, &line)) {
    flush(p, &line, 0, block ? d->head : d->span);
    if (block) {
      comment_behind(p, d->head.end);
      if (d->kind == DECLARATION_STATE)
        print_entries(p, d);
      else
        print_parts(p, d);
      text_append(p->out, "}\n");
    }
  }
  comment_behind(p, d->span.end);
  line_clear(&line);
}

/* The first of `count` declarations, and those that are joined to it; how many. */
static size_t print_next(struct printer *p, const struct declaration *const *list, size_t count) {
  size_t joined = 1;
  while (joined < count && list[joined]->joined)
    joined++;
  if (joined == 1) {
    print_declaration(p, list[0]);
    return 1;
  }
  struct line line;
  line_init(&line);
  comments_before(p, list[joined - 1]->span.end, 0);
  keep_blank(p, list[0]->span.start);
  line_listed(&line, list, joined);
  flush(p, &line, 0, (struct source_span){list[0]->span.start, list[joined - 1]->span.end});
  comment_behind(p, list[joined - 1]->span.end);
  line_clear(&line);
  return joined;
}

static void print(struct text *out, const struct ast *ast, bool keeps) {
  struct text plain;
  text_init(&plain);
  struct printer p = {.out = &plain, .ast = ast, .fresh = true, .layout = {.keeps = keeps}};
  if (ast->name.text != NULL) {
    comments_before(&p, ast->head.end, 0);
    keep_blank(&p, ast->head.start);
    text_format(&plain, "protocol %s\n", ast->name.text);
    comment_behind(&p, ast->head.end);
  }
  for (size_t i = 0; i < ast->declarations.count;)
    i += print_next(&p, (const struct declaration *const *)ast->declarations.items + i,
                    ast->declarations.count - i);
  comments_before(&p, SIZE_MAX, 0);
  layout_align(out, &plain, &p.layout);
  layout_clear(&p.layout);
  text_clear(&plain);
}

void print_ast(struct text *out, const struct ast *ast) {
  print(out, ast, false);
}

void format_ast(struct text *out, const struct ast *ast) {
  print(out, ast, true);
}
