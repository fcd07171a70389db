/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The grammar. Line breaks mean nothing: a statement ends where the next token cannot continue it.
 * The domain of max, min and sum is followed by "(": a `sum`, in which a name before "(" is no call. */
%code requires {
#include "lang/parser_state.h"
}

%code provides {
int parser_lex(PARSER_STYPE *value, PARSER_LTYPE *location, struct parser_state *state);
}

%code {
static void parser_error(YYLTYPE *location, struct parser_state *state, const char *message);
#include "lang/grammar.h"
}

%define api.prefix {parser_}
%define api.pure full
%define api.token.prefix {TOKEN_}
%define api.location.type {struct source_span}
%define parse.error custom
%define parse.lac full
%locations
%param {struct parser_state *state}
%expect 0

%union {
  struct name name;
  struct list list;
  const struct syntax *term;
  const struct binder *binder;
  const struct type_syntax *type;
  struct item_syntax *item;
  struct side_syntax side;
  struct statement_syntax *statement;
  struct block_syntax *block;
  struct declaration *declaration;
  enum syntax_kind kind;
  bool flag;
  struct paced_syntax paced;
}

%token END 0 "end of file"
%token <name> NAME "a name" INTEGER "a number" DURATION "a duration" BAD_NUMBER "a malformed number"
%token <name> FIRST "first" LAST "last" NEXT "next" PREV "prev" INDEX "index" TIME "time"
%token <name> RECEIVER "receiver" TO "to"
%token <name> INT "int" BOOL "bool"
%token ACTION "action" ALL "all" AND "and" ASSUME "assume" AT "at" BOUND "bound" CHARGED "charged"
%token COMPONENT "component" COST "cost" DELAY "delay" DELIVERED "delivered" ELSE "else"
%token ENUM "enum" EXISTS "exists" EXTERNAL "external" FALSE "false" FOR "for" FORALL "forall"
%token IF "if" IFF "iff" IMPLIES "implies" IN "in" INVARIANT "invariant" MAP "map" MAX "max"
%token MESSAGE "message" MIN "min" NOT "not" OF "of" ON "on" OR "or" PARAM "param"
%token PENDING "pending" PROTOCOL "protocol" QUEUEING "queueing" RECEIVED "received" ROLE "role"
%token SEND "send" SENT "sent" SET "set" STATE "state" SUM "sum" THEN "then" TRUE "true"
%token WHEN "when" WITHIN "within" PACED "paced" BEFORE "before"
%token TIMING "timing" REPEATED "repeated" TIMEOUT "timeout" SCHEDULE "schedule" PHASE "phase"
%token OVER "over" FIFO "fifo" GHOST "ghost" READS "reads" TIMER "timer" START "start" FINISH "end"
%token ARRIVALS "arrivals" EVERY "every" BURST "burst" JITTER "jitter" LOSES "loses" LOST "lost" PRIORITY "priority"
%token LET "let" FROM "from" BY "by" PHASES "phases" KTH "kth" SLOT_TIMEOUT "timeout " ANY "any" ONCE "once"
%token FIELD_DOT "." DOT ". " RANGE ".." ASSIGN ":=" ARROW "->" INITIAL "="
%token EQ "==" NE "!=" LE "<=" GE ">=" LT "<" GT ">" RESYNC_STATEMENT RESYNC_DECLARATION

%precedence QUANTIFIER
%left IFF
%right IMPLIES
%left OR
%left AND
%precedence NOT
%nonassoc EQ NE LT LE GT GE IN
%left '+' '-' '&'
%left '*' '/'
%precedence NEGATION
%nonassoc '^'
%precedence '[' '(' FIELD_DOT

%type <name> told_node name field_name node_opt over_opt priority_opt slot_timeout_opt slot_opt read_opt
%type <list> listed roles kinds choices_opt declarations names name_list arguments argument_list binders for_all_opt fields
%type <list> field_list components entries statements types phase_parts
%type <term> term domain sum_domain product unary postfix place count_opt to_opt cost_opt message
%type <term> end_node folded expression from_opt loses_opt
%type <flag> is_time limit fifo_opt ghost_opt by_phases_opt
%type <binder> binder
%type <paced> paced_opt
%type <type> type scalar
%type <item> component field entry
%type <side> side <statement> statement if_statement <block> block else_opt
%type <declaration> declaration role kind action_head target trigger_opt claim phase_part
%type <kind> comparison soft_kind extreme

%%

file: header declarations { state->ast->declarations = $declarations; };

header:
  PROTOCOL name { state->ast->name = $name; state->ast->head = @$; }
| error RESYNC_DECLARATION { yyerrok; };

declarations:
  %empty { $$ = (struct list){0}; }
| declarations declaration { $$ = $1; if ($2 != NULL) { $2->span = @2; list_add(ARENA, &$$, $2); } }
| declarations listed { $$ = $1; grammar_add_listed(state, &$$, &$2, @2); };

name: NAME | FIRST | LAST | NEXT | PREV | INDEX | TIME | RECEIVER;
field_name: name | TO;

name_list:
  name { $$ = (struct list){0}; grammar_add_name(state, &$$, $1); }
| name_list ',' name { $$ = $1; grammar_add_name(state, &$$, $3); };

names: name_list | name_list ',';

count_opt: %empty { $$ = NULL; } | '[' term ']' { $$ = $2; };

node_opt: %empty { $$ = (struct name){0}; } | name;

listed: /* several that differ in what stands in the list alone */
  PARAM name_list ':' is_time { $$ = grammar_params(state, &$name_list, $is_time, SYNTAX_ERROR, NULL); }
| PARAM name_list ':' is_time comparison term { $$ = grammar_params(state, &$name_list, $is_time, $comparison, $term); }
| ROLE roles { $$ = $roles; }
| EXTERNAL roles { $$ = $roles; grammar_external(&$$); }
| MESSAGE kinds ':' side[from] ARROW side[to] over_opt fifo_opt loses_opt paced_opt priority_opt {
    $$ = $kinds;
    grammar_send_over(&$$, &(struct channel_syntax){$from, $to, $over_opt, $priority_opt, $fifo_opt, $loses_opt, $paced_opt});
  };

roles: role { $$ = (struct list){0}; list_add(ARENA, &$$, $1); }
| roles ',' role { $$ = $1; list_add(ARENA, &$$, $3); };
role: name count_opt { $$ = grammar_declare(state, DECLARATION_ROLE, $name); $$->formula = $count_opt; $$->span = @$; }
| name '[' term[owner] ',' term[each] ']' { $$ = grammar_declare(state, DECLARATION_ROLE, $name); $$->formula = $owner; $$->expression = $each; $$->span = @$; };

kinds: kind { $$ = (struct list){0}; list_add(ARENA, &$$, $1); }
| kinds ',' kind { $$ = $1; list_add(ARENA, &$$, $3); };
kind: name fields { $$ = grammar_declare(state, DECLARATION_MESSAGE, $name); $$->items = $fields; $$->span = @$; };

declaration:
  TIMING name { $$ = grammar_declare(state, DECLARATION_TIMING, $name); }
| ASSUME term { $$ = grammar_declare(state, DECLARATION_ASSUME, (struct name){0}); $$->formula = $term; }
| LET name fields INITIAL term { $$ = grammar_let(state, $name, $fields, $term); }
| ENUM name '{' names '}' { $$ = grammar_names(state, DECLARATION_ENUM, $name, $names); }
| COMPONENT components { $$ = grammar_declare(state, DECLARATION_COMPONENT, (struct name){0}); $$->items = $components; }
| REPEATED name_list { $$ = grammar_names(state, DECLARATION_REPEATED, (struct name){0}, $name_list); }
| TIMEOUT name_list { $$ = grammar_names(state, DECLARATION_TIMEOUT, (struct name){0}, $name_list); }
| DELAY name_list { $$ = grammar_names(state, DECLARATION_DELAY, (struct name){0}, $name_list); }
| QUEUEING name { $$ = grammar_declare(state, DECLARATION_QUEUEING, $name); }
| STATE name node_opt '{' open entries close {
    $$ = grammar_declare(state, DECLARATION_STATE, $name);
    $$->node = $node_opt;
    $$->items = $entries;
    $$->head = (struct source_span){@1.start, @4.end};
  }
| ARRIVALS name EVERY term[every] limit term[most] { $$ = grammar_arrivals(state, $name, $every, $limit, $most); }
| SCHEDULE name INITIAL '[' names ']' slot_timeout_opt { $$ = grammar_schedule(state, $name, $names, $slot_timeout_opt); }
| action_head slot_opt trigger_opt read_opt cost_opt block {
    $$ = $trigger_opt;
    $$->name = $action_head->name;
    $$->role = $action_head->role;
    $$->node = $action_head->node;
    $$->binders = $action_head->binders;
    $$->slot = $slot_opt;
    $$->read = $read_opt;
    $$->cost = $cost_opt;
    $$->block = $block;
    $$->head = (struct source_span){@1.start, $block->span.start + 1};
  }
| claim
| BOUND name for_all_opt ':' from_opt target WITHIN expression by_phases_opt {
    $$ = $target;
    $$->from = $from_opt->name, $$->from_args = $from_opt->args;
    $$->name = $name;
    $$->binders = $for_all_opt;
    $$->expression = $expression;
    $$->by_phases = $by_phases_opt;
    $$->target_span = (struct source_span){$from_opt->name.text == NULL ? @target.start : @from_opt.start, @target.end};
  }
| PHASE name '{' open phase_parts close {
    $$ = grammar_declare(state, DECLARATION_PHASE, $name);
    $$->parts = $phase_parts;
    $$->head = (struct source_span){@1.start, @3.end};
  }
| error RESYNC_DECLARATION { $$ = NULL; yyerrok; };

claim: INVARIANT name ':' term { $$ = grammar_declare(state, DECLARATION_INVARIANT, $name); $$->formula = $term; };

expression: term | '?' { $$ = NULL; };

by_phases_opt: %empty { $$ = false; } | BY PHASES { $$ = true; };

phase_parts:
  %empty { $$ = (struct list){0}; }
| phase_parts phase_part { $$ = $1; $2->span = @2; list_add(ARENA, &$$, $2); }
| phase_parts ';'
| phase_parts error RESYNC_STATEMENT { $$ = $1; yyerrok; };

phase_part:
  START term {
    $$ = grammar_declare(state, DECLARATION_START, (struct name){NULL, @START});
    $$->formula = $term;
  }
| claim
| FINISH target WITHIN expression {
    $$ = $target;
    $$->kind = DECLARATION_END;
    $$->name.span = @FINISH;
    $$->expression = $expression;
    $$->target_span = @target;
  };

over_opt: %empty { $$ = (struct name){0}; } | OVER name { $$ = $name; };
fifo_opt: %empty { $$ = false; } | FIFO { $$ = true; };
loses_opt: %empty { $$ = NULL; } | LOSES term { $$ = $term; };
paced_opt: %empty { $$ = (struct paced_syntax){0}; } | PACED EVERY term[every] BURST term[burst] { $$ = (struct paced_syntax){$every, $burst}; };
priority_opt: %empty { $$ = (struct name){0}; } | PRIORITY INTEGER { $$ = $INTEGER; $$.span = @INTEGER; };

slot_timeout_opt: %empty { $$ = (struct name){0}; } | SLOT_TIMEOUT name { $$ = $name; };
limit: BURST { $$ = false; } | JITTER { $$ = true; };
is_time: INT { $$ = false; } | TIME { $$ = true; };

comparison:
  EQ { $$ = SYNTAX_EQ; } | NE { $$ = SYNTAX_NE; }
| LT { $$ = SYNTAX_LT; } | LE { $$ = SYNTAX_LE; }
| GT { $$ = SYNTAX_GT; } | GE { $$ = SYNTAX_GE; };

components:
  component { $$ = (struct list){0}; list_add(ARENA, &$$, $1); }
| components ',' component { $$ = $1; list_add(ARENA, &$$, $3); };

component:
  name { $$ = grammar_item(state, @$, $name); }
| name '[' types ']' { $$ = grammar_item(state, @$, $name); $$->index = $types; };

types:
  scalar { $$ = (struct list){0}; list_add(ARENA, &$$, $1); }
| types ',' scalar { $$ = $1; list_add(ARENA, &$$, $3); };

scalar:
  INT { $$ = grammar_type(state, TYPE_SYNTAX_NAME, @$, $1); }
| BOOL { $$ = grammar_type(state, TYPE_SYNTAX_NAME, @$, $1); }
| name { $$ = grammar_type(state, TYPE_SYNTAX_NAME, @$, $1); };

type:
  scalar
| SET OF name { $$ = grammar_type(state, TYPE_SYNTAX_SET, @$, $name); }
| MAP name TO scalar {
    struct type_syntax *made = grammar_type(state, TYPE_SYNTAX_MAP, @$, $name);
    made->element = $scalar;
    $$ = made;
  };

fields: %empty { $$ = (struct list){0}; } | '(' ')' { $$ = (struct list){0}; } | '(' field_list ')' { $$ = $2; };

field_list:
  field { $$ = (struct list){0}; list_add(ARENA, &$$, $1); }
| field_list ',' field { $$ = $1; list_add(ARENA, &$$, $3); };

field: field_name ':' type { $$ = grammar_item(state, @$, $field_name); $$->type = $type; };

side:
  name { $$ = (struct side_syntax){.role = $1}; }
| name field_name { $$ = (struct side_syntax){.role = $1, .field = $2}; };

open: %empty { state->blocks++; };

close:
  '}' { state->blocks--; }
| error RESYNC_DECLARATION { state->blocks--; }
| RESYNC_DECLARATION { state->blocks--; };

entries:
  %empty { $$ = (struct list){0}; }
| entries entry { $$ = $1; list_add(ARENA, &$$, $2); }
| entries ';'
| entries ','
| entries error RESYNC_STATEMENT { $$ = $1; yyerrok; };

ghost_opt: %empty { $$ = false; } | GHOST { $$ = true; };

entry: ghost_opt name ':' type INITIAL term {
    $$ = grammar_item(state, (struct source_span){$ghost_opt ? @1.start : @2.start, @term.end}, $name);
    $$->ghost = $ghost_opt;
    $$->type = $type;
    $$->initial = $term;
  };

action_head:
  ACTION name[role] node_opt FIELD_DOT name[action] choices_opt {
    $$ = grammar_declare(state, DECLARATION_ACTION, $action);
    $$->role = $role;
    $$->node = $node_opt;
    $$->binders = $choices_opt;
  };

choices_opt: %empty { $$ = (struct list){0}; } | '(' binders ')' { $$ = $binders; };

slot_opt: %empty { $$ = (struct name){0}; } | IN name { $$ = $name; };

trigger_opt:
  %empty { $$ = grammar_declare(state, DECLARATION_ACTION, (struct name){0}); }
| ON name { $$ = grammar_declare(state, DECLARATION_ACTION, $name); $$->message = $name; }
| ON name '(' ')' { $$ = grammar_declare(state, DECLARATION_ACTION, $name); $$->message = $name; }
| ON name '(' name_list ')' { $$ = grammar_names(state, DECLARATION_ACTION, $name, $name_list); $$->message = $name; }
| ON TIMEOUT name { $$ = grammar_declare(state, DECLARATION_ACTION, $name); $$->timeout = $name; }
| ON TIMER term { $$ = grammar_declare(state, DECLARATION_ACTION, (struct name){0}); $$->timer = $term; }
| AT ANY TIME { $$ = grammar_declare(state, DECLARATION_ACTION, (struct name){0}); $$->any_time = true; }
| AT ONCE { $$ = grammar_declare(state, DECLARATION_ACTION, (struct name){0}); $$->at_once = true; };

read_opt: %empty { $$ = (struct name){0}; } | READS name { $$ = $name; };
cost_opt: %empty { $$ = NULL; } | COST term { $$ = $term; };

block: '{' open statements close {
    $$ = arena_alloc(ARENA, 1, sizeof *$$);
    $$->span = (struct source_span){@1.start, @close.end};
    $$->statements = $statements;
  };

statements:
  %empty { $$ = (struct list){0}; }
| statements statement { $$ = $1; grammar_add_statement(state, &$$, $2); }
| statements ';'
| statements error RESYNC_STATEMENT { $$ = $1; yyerrok; };

statement:
  WHEN term { $$ = grammar_statement(state, STATEMENT_SYNTAX_WHEN, @$); $$->value = $term; }
| name ASSIGN term {
    $$ = grammar_statement(state, STATEMENT_SYNTAX_ASSIGN, @$);
    $$->name = $name;
    $$->value = $term;
  }
| name '[' term[key] ']' ASSIGN term[value] {
    $$ = grammar_statement(state, STATEMENT_SYNTAX_ASSIGN, @$);
    $$->name = $name;
    $$->key = $key;
    $$->value = $value;
  }
| if_statement
| SEND message to_opt for_all_opt {
    $$ = grammar_statement(state, STATEMENT_SYNTAX_SEND, @$);
    $$->name = $message->name;
    $$->args = $message->args;
    $$->to = $to_opt;
    $$->binders = $for_all_opt;
  };

if_statement: IF term block else_opt {
    $$ = grammar_statement(state, STATEMENT_SYNTAX_IF, @$);
    $$->value = $term;
    $$->then_block = $block;
    $$->else_block = $else_opt;
    if ($else_opt == NULL)
      $$->span.end = $block->span.end;
    grammar_measure_statement($$);
  };

else_opt:
  %empty { $$ = NULL; }
| ELSE block { $$ = $block; }
| ELSE if_statement {
    $$ = arena_alloc(ARENA, 1, sizeof *$$);
    $$->span = @if_statement;
    $$->has_else_if = true;
    grammar_add_statement(state, &$$->statements, $if_statement);
  };

to_opt: %empty { $$ = NULL; } | TO term { $$ = $term; };

for_all_opt: %empty { $$ = (struct list){0}; } | FOR ALL binders { $$ = $binders; };

from_opt:
  %empty { $$ = grammar_leaf(state, SYNTAX_NAME, (struct name){NULL, @$}); }
| FROM SENT message { $$ = $message; };

target:
  SENT message { $$ = grammar_target(state, TARGET_SENT, $message); }
| DELIVERED message { $$ = grammar_target(state, TARGET_DELIVERED, $message); }
| WHEN term AT place { $$ = grammar_when(state, $term, $place, NULL); }
| WHEN term[left] AT place AND term[right] { $$ = grammar_when(state, $left, $place, $right); };

message:
  name { $$ = grammar_leaf(state, SYNTAX_NAME, $name); }
| name '(' arguments ')' { $$ = grammar_node(state, SYNTAX_CALL, @$, $name, $arguments); };

arguments: %empty { $$ = (struct list){0}; } | argument_list;

argument_list:
  term { $$ = (struct list){0}; list_add(ARENA, &$$, $1); }
| argument_list ',' term { $$ = $1; list_add(ARENA, &$$, $3); };

binders:
  binder { $$ = (struct list){0}; list_add(ARENA, &$$, $1); }
| binders ',' binder { $$ = $1; list_add(ARENA, &$$, $3); };

binder: name IN domain { $$ = grammar_bind(state, $name, $domain); };

domain:
  INT { $$ = grammar_leaf(state, SYNTAX_ALL_INTEGERS, (struct name){NULL, @$}); }
| sum_domain
| sum_domain[low] RANGE sum_domain[high] { $$ = grammar_branch(state, SYNTAX_RANGE, @$, $low, $high); }
| sum_domain[family] BEFORE end_node { $$ = grammar_branch(state, SYNTAX_BEFORE, @$, $family, $end_node); };

end_node: FIRST { $$ = grammar_leaf(state, SYNTAX_NAME, $1); } | LAST { $$ = grammar_leaf(state, SYNTAX_NAME, $1); }
| NAME { $$ = grammar_leaf(state, SYNTAX_NAME, $1); } | '(' term ')' { $$ = $2; }
| told_node '(' arguments ')' { $$ = grammar_node(state, SYNTAX_CALL, @$, $1, $3); };

sum_domain:
  product
| sum_domain '+' product { $$ = grammar_branch(state, SYNTAX_ADD, @$, $1, $3); }
| sum_domain '-' product { $$ = grammar_branch(state, SYNTAX_SUB, @$, $1, $3); }
| sum_domain '&' product { $$ = grammar_branch(state, SYNTAX_INTERSECTION, @$, $1, $3); };

product: unary | product '*' unary { $$ = grammar_branch(state, SYNTAX_MUL, @$, $1, $3); }
| product '/' unary { $$ = grammar_branch(state, SYNTAX_DIV, @$, $1, $3); };

unary: postfix | '-' unary { $$ = grammar_branch(state, SYNTAX_NEG, @$, $2, NULL); }
| postfix[base] '^' postfix[exponent] { $$ = grammar_branch(state, SYNTAX_POWER, @$, $base, $exponent); };

postfix:
  NAME { $$ = grammar_leaf(state, SYNTAX_NAME, $1); }
| FIRST %prec QUANTIFIER { $$ = grammar_leaf(state, SYNTAX_NAME, $1); }
| LAST %prec QUANTIFIER { $$ = grammar_leaf(state, SYNTAX_NAME, $1); }
| INTEGER { $$ = grammar_leaf(state, SYNTAX_INTEGER, $1); }
| FIRST '(' arguments ')' { $$ = grammar_node(state, SYNTAX_CALL, @$, $1, $3); }
| LAST '(' arguments ')' { $$ = grammar_node(state, SYNTAX_CALL, @$, $1, $3); }
| told_node '(' arguments ')' { $$ = grammar_node(state, SYNTAX_CALL, @$, $1, $3); }
| folded | postfix FIELD_DOT name { $$ = grammar_field(state, @$, $1, $3); }
| postfix '[' argument_list ']' { $$ = grammar_subscript(state, @$, $1, $3); }
| '{' arguments '}' { $$ = grammar_node(state, SYNTAX_SET, @$, (struct name){0}, $2); }
| '|' term '|' { $$ = grammar_branch(state, SYNTAX_CARDINALITY, @$, $2, NULL); }
| '(' term ')' { $$ = $2; }
;

told_node: NEXT | PREV | INDEX | RECEIVER;
place: postfix;

soft_kind:
  SENT { $$ = SYNTAX_SENT; } | PENDING { $$ = SYNTAX_PENDING; }
| RECEIVED { $$ = SYNTAX_RECEIVED; } | LOST { $$ = SYNTAX_LOST; };

term:
  name { $$ = grammar_leaf(state, SYNTAX_NAME, $1); }
| INTEGER { $$ = grammar_leaf(state, SYNTAX_INTEGER, $1); }
| DURATION { $$ = grammar_leaf(state, SYNTAX_TIME, grammar_duration(state, $1)); }
| BAD_NUMBER { $$ = grammar_leaf(state, SYNTAX_ERROR, (struct name){NULL, @$}); }
| TRUE { $$ = grammar_leaf(state, SYNTAX_TRUE, (struct name){NULL, @$}); }
| FALSE { $$ = grammar_leaf(state, SYNTAX_FALSE, (struct name){NULL, @$}); }
| name '(' arguments ')' { $$ = grammar_node(state, SYNTAX_CALL, @$, $1, $3); }
| term FIELD_DOT name { $$ = grammar_field(state, @$, $1, $3); }
| term '[' argument_list ']' { $$ = grammar_subscript(state, @$, $1, $3); }
| '{' arguments '}' { $$ = grammar_node(state, SYNTAX_SET, @$, (struct name){0}, $2); }
| '|' term '|' { $$ = grammar_branch(state, SYNTAX_CARDINALITY, @$, $2, NULL); }
| '(' term ')' { $$ = $2; }
| soft_kind message { $$ = grammar_node(state, $1, @$, $2->name, $2->args); }
| CHARGED name %prec QUANTIFIER { $$ = grammar_node(state, SYNTAX_CHARGED, @$, $2, (struct list){0}); }
| CHARGED name '[' argument_list ']' { $$ = grammar_node(state, SYNTAX_CHARGED, @$, $2, $4); }
| NOT term { $$ = grammar_branch(state, SYNTAX_NOT, @$, $2, NULL); }
| '-' term %prec NEGATION { $$ = grammar_branch(state, SYNTAX_NEG, @$, $2, NULL); }
| term IFF term { $$ = grammar_branch(state, SYNTAX_IFF, @$, $1, $3); }
| term IMPLIES term { $$ = grammar_branch(state, SYNTAX_IMPLIES, @$, $1, $3); }
| term OR term { $$ = grammar_branch(state, SYNTAX_OR, @$, $1, $3); }
| term AND term { $$ = grammar_branch(state, SYNTAX_AND, @$, $1, $3); }
| term EQ term { $$ = grammar_branch(state, SYNTAX_EQ, @$, $1, $3); }
| term NE term { $$ = grammar_branch(state, SYNTAX_NE, @$, $1, $3); }
| term LT term { $$ = grammar_branch(state, SYNTAX_LT, @$, $1, $3); }
| term LE term { $$ = grammar_branch(state, SYNTAX_LE, @$, $1, $3); }
| term GT term { $$ = grammar_branch(state, SYNTAX_GT, @$, $1, $3); }
| term GE term { $$ = grammar_branch(state, SYNTAX_GE, @$, $1, $3); }
| term IN term { $$ = grammar_branch(state, SYNTAX_IN, @$, $1, $3); }
| term '+' term { $$ = grammar_branch(state, SYNTAX_ADD, @$, $1, $3); }
| term '-' term { $$ = grammar_branch(state, SYNTAX_SUB, @$, $1, $3); }
| term '&' term { $$ = grammar_branch(state, SYNTAX_INTERSECTION, @$, $1, $3); }
| term '*' term { $$ = grammar_branch(state, SYNTAX_MUL, @$, $1, $3); }
| term '/' term { $$ = grammar_branch(state, SYNTAX_DIV, @$, $1, $3); }
| term '^' term { $$ = grammar_branch(state, SYNTAX_POWER, @$, $1, $3); }
| IF term THEN term ELSE term %prec QUANTIFIER { $$ = grammar_choice(state, @$, $2, $4, $6); }
| FORALL binders DOT term %prec QUANTIFIER { $$ = grammar_binding(state, SYNTAX_FORALL, @$, $2, $4); }
| EXISTS binders DOT term %prec QUANTIFIER { $$ = grammar_binding(state, SYNTAX_EXISTS, @$, $2, $4); }
| folded;

extreme: MAX { $$ = SYNTAX_MAX; } | MIN { $$ = SYNTAX_MIN; };
folded:
  extreme '(' argument_list ')' { $$ = grammar_node(state, $1, @$, (struct name){0}, $3); }
| extreme binder '(' term ')' { $$ = grammar_binding(state, $1 == SYNTAX_MAX ? SYNTAX_MAX_OVER : SYNTAX_MIN_OVER, @$, grammar_binder_list(state, $2), $4); }
| SUM binder '(' term ')' { $$ = grammar_binding(state, SYNTAX_SUM_OVER, @$, grammar_binder_list(state, $2), $4); }
| KTH '(' term[rank] ',' binder '(' term[body] ')' ')' { $$ = grammar_kth(state, @$, $rank, $binder, $body); };

%%

static void parser_error(YYLTYPE *location, struct parser_state *state, const char *message) {
  (void)message; /* only ever "memory exhausted": the stack's limit */
  grammar_too_deep(state, *location);
}

static int yyreport_syntax_error(const yypcontext_t *context, struct parser_state *state) {
  yysymbol_kind_t found[YYNTOKENS];
  int count = yypcontext_expected_tokens(context, found, YYNTOKENS);
  struct expectation expected = {0};
  for (int i = 0; i < count && i < 128; i++)
    expected.tokens[expected.count++] = yysymbol_name(found[i]);
  report_syntax_error(state, &expected);
  return 0;
}
