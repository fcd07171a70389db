/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `tail` about event logs as text. */
#include "cli/present/loops.h"
#include "show/wrapped.h"
#include "cli/question/loops/loops.h"

enum { SHOWN_ROUTES = 3 };

static void print_table(struct table *table, size_t indent) {
  table_print(stdout, table, indent);
  table_clear(table);
}

static void print_route(const struct loops_answer *a, const struct loops_route *route, bool full) {
  struct table table;
  struct text text;
  text_init(&text);
  loops_slow_say(&text, a, route);
  putchar('\n');
  wrapped_format(2, 2, "%s", text_get(&text));
  text_clear(&text);
  if (route->judgement.lines.count != 0) {
    putchar('\n');
    loops_parts_table(&table, a, route, full);
    print_table(&table, 4);
    putchar('\n');
  }
  text_init(&text);
  loops_verdict_say(&text, a, route);
  wrapped_format(2, 2, "%s", text_get(&text));
  text_clear(&text);
  if (route->verdict == LOOPS_EXPLAINED) {
    loops_causes_table(&table, a, route);
    print_table(&table, 4);
  }
}

void loops_print_text(const struct loops_answer *a, bool full) {
  struct table table;
  loops_routes_table(&table, a, full);
  print_table(&table, 2);
  size_t shown = 0;
  for (size_t i = 0; i < a->routes.count; i++)
    if (full || shown < SHOWN_ROUTES) {
      print_route(a, &a->routes.data[i], full);
      shown++;
    }
  if (shown < a->routes.count)
    printf("\n  %zu further routes: --route NAME or --full says why their requests are slow.\n",
           a->routes.count - shown);
}
