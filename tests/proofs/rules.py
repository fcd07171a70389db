#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Wrong bodies that WP would prove, or that a compiler reads otherwise, against steps/folder/tp_rules.py: each is refused,
# by a line that says why; and right ones, which resemble them, are not.
#
#   tests/proofs/rules.py FOLDER    a folder with the generated code of PROTOCOL below
import contextlib
import functools
import io
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../steps/folder"))
import tp_logic  # noqa: E402
import tp_rules  # noqa: E402

# The library is the same each time.
tp_rules.tokens = tp_logic.tokens = functools.lru_cache(maxsize=4096)(tp_rules.tokens)
LIBRARY = ["tp_lemmas.c", "tp_message.c", "tp_set.c", "tp_step.c"]

BODY = """#include "tiny_node.h"
@TOP@
void node_init(struct node *self, const struct tiny_params *params) {
  (void)params;
  self->x = 0;
}

enum tp_verdict node_Get(struct node *self, const struct tiny_params *params, int32_t e) {
  (void)params;
  if (e <= self->x)
    return TP_DISABLED;
  @STEP@
  return TP_DONE;
}
"""
GOOD = "self->x = e;"


def top(text, step=GOOD):
    return {"tiny_node.c": BODY.replace("@TOP@", text).replace("@STEP@", step)}


def step(text):
    return top("", text)


def header(text, name="tp_mine.h"):
    return dict(top('#include "%s"' % name), **{name: text})


HELPER = "/*@ assigns \\nothing; ensures same: \\result == e; */\nstatic int32_t helper(int32_t e) {\n  return e;\n}\n"
CHANGES = ("/*@ requires storage: \\valid(p); assigns *p; ensures next: *p == 1; */\nstatic int32_t change(int32_t *p) {\n"
           "  *p = 1;\n  return 1;\n}\n")
LOGIC = "/*@ logic integer bad(integer k) = %s; */"
MEASURED = "is defined by itself, and nothing shows"

# What, why it is refused, the files.
WRONG = [
    # WP takes places for separate that are one
    ("a union", "union: WP takes", step("union { int32_t i; char b[4]; } u = {e};\n  self->x = u.i;")),
    ("a union in a header", "union: WP takes", header("union both { int32_t i; char b[4]; };\n")),
    ("a bit-field", "a bit-field", step("struct { unsigned a : 3; unsigned b : 5; } s = {1, 2};\n  self->x = e;")),
    ("a bit-field in a header", "a bit-field", header("struct s {\n  unsigned a : 3;\n};\n")),
    ("a bit-field in a struct of a struct", "a bit-field", header("struct s {\n  struct { int a; int b : 2; } t;\n};\n")),
    ("a bit-field behind typedef", "a bit-field", header("typedef struct {\n  unsigned a : 3;\n} s;\n")),
    ("a cast to a pointer", "a cast to a pointer", step("self->x = *(int32_t *)&e;")),
    ("a cast to a pointer to a struct", "a cast to a pointer", step("self->x = ((const struct node *)self)->x;")),
    ("an address as a number", "uintptr_t: addresses", step("self->x = (uintptr_t)self == 0 ? 1 : e;")),
    ("memcpy", "#include <string.h>", top("#include <string.h>", "memcpy(&self->x, &e, 4);")),
    # the process ends, or goes elsewhere
    ("abort", "abort(..) is no function", step("if (e == 5)\n    abort();\n  self->x = e;")),
    ("exit, with its header", "#include <stdlib.h>", top("#include <stdlib.h>", "if (e == 5)\n    exit(0);\n  self->x = e;")),
    ("longjmp", "longjmp(..) is no function", step("if (e == 5)\n    longjmp(0, 1);\n  self->x = e;")),
    ("setjmp", "setjmp(..) is no function", step("if (setjmp(0))\n    return TP_DONE;\n  self->x = e;")),
] + [
    ("%s declared by hand" % name, "%s is declared in a source" % name,
     top("void %s(int);" % name, "if (e == 5)\n    %s(9);\n  self->x = e;" % name))
    for name in ("abort", "exit", "quick_exit", "raise", "kill", "thrd_exit", "pthread_exit", "pause", "sleep")
] + [
    ("_Exit", "_Exit: names that begin with _", step("if (e == 5)\n    _Exit(1);\n  self->x = e;")),
    ("abort declared in a header", "abort has no body that is proved", header("/*@ assigns \\nothing; ensures no: \\false; */\nvoid abort(void);\n")),
    ("a trap", "__builtin_trap: names", step("if (e == 5)\n    __builtin_trap();\n  self->x = e;")),
    ("unreachable code", "__builtin_unreachable: names", step("if (e == 5)\n    __builtin_unreachable();\n  self->x = e;")),
    ("_Noreturn", "_Noreturn: names", top("_Noreturn static void stop(void);")),
    ("a pointer to a function", "a call of something that is no name", step("self->x = (self->f)(e);")),
    ("a pointer to a function as a variable", "(..) is no function", step("int (*f)(int) = 0;\n  self->x = f(e);")),
    ("a call through an array", "a call of something", step("self->x = self->f[0](e);")),
    ("a pointer to a function of the file", "a pointer to a function", top("static int (*f)(int);")),
    ("goto", "goto: write", step("goto end;\nend:\n  self->x = e;")),
    # other code for a compiler
] + [
    ("code under %s" % name, "#%s: other code" % how.split()[0],
     step("#%s %s\n  self->x = e + 1;\n#endif\n  self->x = e;" % (how, name)))
    for how, name in (("ifndef", "__OPTIMIZE__"), ("ifdef", "__FC_MACHDEP_GCC_X86_64"), ("ifdef", "__GLIBC__"), ("ifndef", "NDEBUG"),
                      ("if", "defined __FRAMAC__"), ("ifdef", "__FC_LIMITS"), ("if", "0"), ("if", "__LINE__ == 13"))
] + [
    ("# with blanks", "#ifdef: other code", step("  #  ifdef X\n#endif\n  self->x = e;")),
    ("# behind a comment", "#ifdef: other code", step("/* */ # /* */ ifdef X\n#endif\n  self->x = e;")),
    ("a digraph", "a digraph", step("%:ifdef X\n%:endif\n  self->x = e;")),
    ("a trigraph", "a trigraph", step("??=ifdef X\n??=endif\n  self->x = e;")),
    ("a trigraph in a comment", "a trigraph", step("// ??/\n  self->x = e;")),
    ("a comment that goes on", "a line that goes on", step("// what? \\\n  return TP_RANGE;\n  self->x = e;")),
    ("a word in two lines", "a line that goes on", step("self->x = e;\n  abo\\\nrt();")),
    ("a macro of the optimiser", "__OPTIMIZE__: names", step("self->x = e + __OPTIMIZE__ - 1;")),
    ("a macro of the dialect", "unix: a macro", step("self->x = e + unix - 1;")),
    ("a line's number", "__LINE__: names", step("self->x = __LINE__;")),
    ("a size of the library's", "its size is the library's", step("self->x = INT_FAST16_MAX > 40000 ? e : 1;")),
    ("wchar_t", "wchar_t: its size", step("self->x = (int32_t)sizeof(wchar_t);")),
    ("#pragma", "#pragma: other code", top("#pragma pack(1)")),
    ("#line", "#line: other code", top('#line 1 "tp_set.c"')),
    ("#undef", "#undef: other code", top("#undef TP_NODES")),
    ("#error", "#error: other code", top("#error no")),
    ("#include_next", "#include_next: other code", top("#include_next <stdint.h>")),
    ("an included macro", "#include", top("#define X <stdint.h>\n#include X")),
    ("an include within a function", "#include within a function", dict(step('#include "part.inc"\n  self->x = e;'), **{"part.inc": "e++;\n"})),
    ("a header that is not there", "is not here", top('#include "stdlib.h"')),
    ("a guard that stands open", "is read each time", header("#ifndef A_H\n#define A_H\n#endif\ntypedef int more;\n")),
    ("a guard that is never set", "without #define", header("#ifndef A_H\ntypedef int more;\n#endif\n")),
    ("the guard of another header", "is a macro of", header("#define TP_STEP_H\n")),
    ("the guard of the words of sets", "is a macro of", top("#define TP_SET_WORDS_H")),
    ("a keyword as a macro", "another meaning", top("#define if while")),
    ("a type as a macro", "gives a word", top("#define int long")),
    ("a macro with a statement", "with ; in it", top("#define X self->x = 0;")),
    ("a macro that pastes", "with ## in it", top("#define X(a) a##b")),
    ("a macro with a condition", "with ? in it", top("#define X(a) ((a) ? 1 : 2)")),
    ("a macro of a name of the contract", "it would change what this says", header("#define x y\n")),
    ("a macro of a word of the contract", "it would change what this says", header("#define TP_DONE TP_RANGE\n")),
    ("a macro of the word that is proved", "it would change what this says", top("#define node_Get other_Get")),
    ("a macro of the source that a header reads", "it would change what this says",
     {"tiny_node.c": "#define TP_DISABLED TP_DONE\n" + BODY.replace("@TOP@", "").replace("@STEP@", GOOD)}),
    ("asm", "asm: no proof knows", step('asm("" : "+r"(e));\n  self->x = e;')),
    ("__asm__", "__asm__: names", step('__asm__("nop");\n  self->x = e;')),
    ("an attribute", "__attribute__: names", top("typedef int odd __attribute__((aligned(1)));")),
    ("typeof", "typeof: name the type", step("typeof(e) f = e;\n  self->x = f;")),
    ("_Generic", "_Generic: names", step("self->x = _Generic(e, int: 1, default: e);")),
    ("a statement as an expression", "a statement as an expression", step("self->x = ({ e; });")),
    ("a range of cases", "...: write each", step("switch (e) {\n  case 1 ... 3:\n    break;\n  }\n  self->x = e;")),
    ("inline without static", "inline without static", top("inline int more(void) {\n  return 1;\n}")),
    ("floating point", "double: the proof computes", step("double d = e;\n  self->x = (int32_t)d;")),
    ("volatile", "volatile: its value", step("volatile int32_t v = e;\n  self->x = v;")),
    ("restrict", "restrict: nothing proves", top("static void f(int *restrict p);")),
    ("_Atomic", "_Atomic: names", top("_Atomic int a;")),
    ("a string", "a string", step('self->x = "ab"[0];')),
    ("a character of many", "is not understood", step("self->x = 'ab';")),
    ("a control character", "a control character", step("self->x = e;\r")),
    ("NUL", "a control character", step("self->x = e;\0")),
    ("a letter that is none", "is not understood", step("self->x\u00e4 = e;")),
    ("a comment without an end", "a comment that does not end", top("/* where")),
    # an order that the compiler chooses
    ("x++ beside x", "C leaves the order open", step("self->x = e;\n  int32_t k = e;\n  f(k + k++);")),
    ("two changes", "changes two things", step("int32_t k = e;\n  self->x = k++ + k++;")),
    ("an index that changes", "changes two things", step("int32_t k = 0, a[2] = {0, 0};\n  a[k] = k++;\n  self->x = e;")),
    ("two calls that change", "stands beside what may change", top(CHANGES, "int32_t k = e;\n  self->x = change(&k) + change(&self->x);")),
    ("a call beside what it changes", "stands beside what may change", top(CHANGES, "int32_t k = e;\n  self->x = k + change(&k);")),
    ("a call behind what it changes", "stands beside what may change", top(CHANGES, "int32_t k = e;\n  self->x = change(&k) + k;")),
    ("arguments that change", "stands beside what may change", top(CHANGES + HELPER, "int32_t k = e;\n  self->x = helper(change(&k)) * k;")),
    ("an index beside a call", "stands beside what may change", top(CHANGES, "int32_t k = 0, a[2] = {0, 0};\n  a[k] = change(&k);\n  self->x = e;")),
    ("a change within a choice", "changes something within", step("int32_t k = e;\n  k = e > 3 ? k++ : 0;\n  self->x = e;")),
    ("a macro that changes", "with += in it", top("#define X(a) ((a) += 1)", "self->x = X(e) + X(e);")),
    ("a macro that calls", "a macro that calls", top(CHANGES + "#define X(a) change(a)", "int32_t k = e;\n  self->x = X(&k) + k;")),
    ("abort in a macro", "a macro that calls", top("#define X() abort()", "if (e == 5)\n    X();\n  self->x = e;")),
    # what was never written; state
    ("a value that a case passes by", "directly in a switch", step("switch (e) {\n    int32_t k = 5;\n  case 6:\n    self->x = k;\n  }")),
    ("a value of another case", "directly in a switch", step("switch (e) {\n  case 1:;\n    int32_t k = 5;\n    break;\n  case 6:\n    self->x = k;\n  }")),
    ("a case within a loop", "within a statement of its switch", step("switch (e) {\n  case 1:\n    for (int32_t k = 5; k < 9; k++) {\n  case 6:\n      self->x = k;\n    }\n  }")),
    ("a variable that begins with itself", "is read where it gets its value", step("int32_t k = k;\n  self->x = e + (k - k);")),
    ("a variable that is read first", "k has no value where", step("int32_t k;\n  k = e + (k - k);\n  self->x = k;")),
    ("a variable that a branch writes", "k has no value where", step("int32_t k;\n  if (e > 5)\n    k = e;\n  self->x = k;")),
    ("an element never written", "k has no value where", step("int32_t k[2];\n  k[0] = e;\n  self->x = k[0] + (k[1] != k[1]);")),
    ("a variable never written", "k has no value where", step("int32_t k;\n  if (e > 3)\n    k = e;\n  self->x = k;")),
    ("the second of two", "m has no value where", step("int32_t k = 1, m;\n  self->x = e + (m - m);")),
    ("a struct never written", "s has no value where", step("struct node s;\n  self->x = e + (s.x - s.x);")),
    ("a pointer never written", "p has no value where", step("struct node *p;\n  self->x = e + (p == p ? 0 : 1);")),
    ("state in a function", "state belongs into the arguments", step("static int32_t n = 0;\n  self->x = e;")),
    ("state in a file", "state belongs into the arguments", top("static int32_t n;")),
    ("a variable of elsewhere", "extern: only the linkage", top("extern int n;")),
    # places and lives of objects
    ("pointers in order", "compares pointers", step("int32_t k = e, m = e;\n  self->x = e + ((&k < &m) + (&m < &k));")),
    ("pointers in order, by name", "compares pointers", step("int32_t k = e, m = e;\n  const int32_t *p = &k, *q = &m;\n  self->x = e + (p < q) + (q < p);")),
    ("the end of one and the next", "compares pointers", step("int32_t k[1] = {e}, m[1] = {e};\n  self->x = e + ((k + 1 == m) + (m + 1 == k));")),
    ("the end of a parameter", "compares pointers", step("const void *p = self + 1;\n  const void *q = params;\n  self->x = e + (p == q);")),
    ("pointers in parentheses", "compares pointers", step("int32_t k = e, m = e;\n  self->x = e + ((e > 3 ? &k : &m) != &m);")),
    ("members that are pointers", "compares pointers",
     top("struct two {\n  int32_t *p, *q;\n};", "int32_t k = e, m = e;\n  struct two t = {&k, &m};\n  self->x = e + (t.p > t.q);")),
    ("arrays of a struct", "compares pointers",
     top("struct two {\n  int32_t p[2], q[2];\n};", "struct two t = {{e, e}, {e, e}};\n  struct two *at = &t;\n  self->x = e + (at->p + 2 == at->q);")),
    ("what a function returns", "compares pointers",
     top("/*@ requires r: \\valid(p); assigns \\nothing; ensures s: \\result == p; */\nstatic int32_t *same(int32_t *p) {\n  return p;\n}",
         "int32_t k = e;\n  self->x = e + (same(&k) > same(&self->x));")),
    ("pointers subtracted", "subtracts a pointer", step("int32_t k = e, m = e;\n  self->x = e + (int32_t)(&k - &m);")),
    ("a macro that compares them", "hands a pointer to a macro",
     top("#define LESS(a, b) ((a) < (b))", "int32_t k = e, m = e;\n  self->x = e + LESS(&k, &m) + LESS(&m, &k);")),
    ("a struct without a name", "its place ends with its block",
     step("const struct node *p = self;\n  if (e > 3) {\n    p = &(struct node){e};\n  }\n  self->x = p->x;")),
    ("an array without a name", "its place ends with its block", step("const int32_t *p = &e;\n  {\n    p = (int32_t[]){e, 2};\n  }\n  self->x = p[0];")),
    ("a label as a value", "a label as a value", step("self->x = e;\nhere:;\n  const void *p = &&here;\n  (void)p;")),
    ("a jump to a value", "goto: write", step("void *p = &&end;\n  goto *p;\nend:\n  self->x = e;")),
    ("an array of a size that varies", "a has no value", step("int32_t a[e > 0 ? e : 1];\n  a[0] = e;\n  self->x = a[0];")),
    ("alloca", "alloca(..) is no function", step("int32_t *p = alloca(4);\n  *p = e;\n  self->x = *p;")),
    ("a pointer to a pointer, never written", "p has no value", step("int32_t **p;\n  self->x = e + (p == 0 ? 0 : 1);")),
    ("a constant never written", "k has no value", step("int32_t const k;\n  self->x = e + (k - k);")),
    ("state of each thread", "_Thread_local: names", top("static _Thread_local int32_t n;")),
    ("state that anybody sees", "state belongs into the arguments", top("int32_t n = 5;")),
    ("state in a struct", "state belongs into the arguments", top("struct {\n  int32_t a;\n} state;")),
    ("state in an array", "state belongs into the arguments", top("static int32_t seen[2] = {0, 0};")),
    ("a pointer that moves on", "state belongs into the arguments", top("static const int32_t table[2] = {1, 2};\nstatic const int32_t *at = table;")),
    ("state of a header, and main", "main: its proof takes",
     dict(header("#include <stdint.h>\nint32_t n;\n/*@ assigns n; ensures n: n == 6; */\nvoid bump(void);\n"
                 "/*@ assigns \\nothing; ensures none: \\result == 0; */\nint main(void);\n"),
          **{"hand.c": '#include "tp_mine.h"\n\nvoid bump(void) {\n  n = 6;\n}\n\nint main(void) {\n  return n;\n}\n'})),
    # a meaning that depends on who includes
    ("a struct of two headers", "struct pair has a meaning here and stands in tp_c.h",
     dict(top('#include "tp_a.h"\n#include "tp_c.h"'),
          **{"tp_a.h": "#include <stdint.h>\nstruct pair {\n  int32_t a, b;\n};\n", "tp_b.h": "#include <stdint.h>\nstruct pair {\n  int32_t b, a;\n};\n",
             "tp_c.h": "struct pair;\n/*@ requires v: \\valid(p); assigns p->a; ensures a: p->a == 5; */\nvoid set_a(struct pair *p);\n",
             "hand.c": '#include "tp_b.h"\n#include "tp_c.h"\n\nvoid set_a(struct pair *p) {\n  p->a = 5;\n}\n'})),
] + [
    (what, "has a meaning here and stands in tp_m.h",
     dict(top(before % "k == 5" + '\n#include "tp_m.h"', "self->x = helper(e);"),
          **{"tp_m.h": "#include <stdint.h>\n/*@ assigns \\nothing; ensures m: %s; */\nint32_t helper(%s e);\n" % (ensured, kind),
             "hand.c": before % "k == 6" + '\n#include "tp_m.h"\n\nint32_t helper(int32_t e) {\n  (void)e;\n  return 6;\n}\n'}))
    for what, before, ensured, kind in (
        ("a predicate before its header", "/*@ predicate mine(integer k) = %s; */", "mine(\\result)", "int32_t"),
        ("a constant before its header", "enum { FIVE = 5 }; /* %s */", "\\result == FIVE", "int32_t"),
        ("a type before its header", "typedef int small; /* %s */", "\\true", "small"))
] + [
    ("a type called integer", "contracts have a type of this name", top("typedef signed char integer;")),
    ("a type that hides another", "int32_t has a meaning here", step("typedef signed char int32_t;\n  self->x = (int32_t)e;")),
    # numbers
    ("a constant that is long to Frama-C", "INT32_C: another number", step("self->x = INT32_C(2147483647) + e > 0 ? e : 1;")),
    ("the largest path", "PATH_MAX: another number", top("#include <limits.h>", "self->x = PATH_MAX > 300 ? 7 : e;")),
    ("the sign of char", "CHAR_MIN: another number", top("#include <limits.h>", "self->x = CHAR_MIN < 0 ? e : 7;")),
    ("bytes of a character", "MB_LEN_MAX: another number", top("#include <limits.h>", "self->x = e + MB_LEN_MAX - 16;")),
    ("a number with a point", "0.5: no whole number", step("self->x = e + (int32_t)0.5;")),
    ("a number with an exponent", "1e0: no whole number", step("self->x = e * 1e0;")),
    ("an imaginary number", "1i: no whole number", step("self->x = e + (int32_t)(1i * 0);")),
    ("a binary number", "0b101: no whole number", step("self->x = e + 0b101 - 5;")),
    # more of the compiler's
    ("an attribute in brackets", "an attribute: no proof", step("[[maybe_unused]] int32_t k = e;\n  self->x = e;")),
    ("constructor", "__attribute__: names", top("static void begin(void) __attribute__((constructor));")),
    ("weak, alias, ifunc, section, cleanup", "__attribute__: names", step("int32_t k __attribute__((cleanup(f))) = e;\n  self->x = e;")),
    ("_Pragma", "_Pragma: names", step('_Pragma("GCC optimize 0") self->x = e;')),
    ("_Static_assert", "_Static_assert: names", top('_Static_assert(sizeof(int) == 4, "int");')),
    ("_Alignas", "_Alignas: names", step("_Alignas(8) int32_t k = e;\n  self->x = k;")),
    ("the function's name", "__func__: names", step("self->x = e + (__func__[0] != 'n');")),
    ("a marker of lines", "#33: other code", top('# 33 "tp_set.h" 3')),
    ("a function in a function", "inner(..) is no function", step("int32_t inner(int32_t k) {\n    return k;\n  }\n  self->x = inner(e);")),
    ("a function in the old way", "helper has no body", top("int32_t helper(k) int32_t k;\n{\n  return k;\n}")),
    ("static within a parameter", "helper is declared in a source", top("/*@ assigns \\nothing; ensures r: \\result == 5; */\nint32_t helper(int32_t a[static 1]);")),
    ("nothing between ? and :", "?: without what is between", step("self->x = e ?: 1;")),
    ("values from .. to", "...: write each", step("int32_t a[4] = {[0 ... 3] = 1};\n  self->x = e + a[0] - 1;")),
    ("arguments without a number", "...: write each", top("static int32_t f(int32_t k, ...);")),
    ("a name with a dollar", "is not understood", step("int32_t k$ = e;\n  self->x = e;")),
    ("a letter by its number", "outside of an annotation", step("int32_t caf\\u00e9 = e;\n  self->x = e;")),
    ("a letter that looks like another", "is not understood", step("self->\u0445 = e;")),
    ("a header of the system's name", "limits.h stands beside", dict(top("#include <limits.h>"), **{"limits.h": "#define INT_MAX 5\n"})),
    ("what is admitted behind an assertion", "no annotation that is known", step("self->x = e;\n  //@ assert self->x == e; admit: \\false;\n")),
    # what is believed without a proof
    ("an axiom", "assumes what it should prove", top("/*@ axiomatic A { axiom wrong: \\false; } */")),
    ("an axiom with a digit", "assumes what it should prove", top("/*@ axiomatic A { axiom a1: \\false; } */")),
    ("an axiom in two lines", "assumes what it should prove", top("/*@ axiomatic A {\n  axiom\n    a\n  : \\false; } */")),
    ("an axiom behind @", "assumes what it should prove", top("/*@ axiomatic A {\n  @ axiom\n  @ a{L}: \\false; }\n  @*/")),
    ("an axiom in one line", "assumes what it should prove", top("//@ axiomatic A { axiom a: \\false; }")),
    ("an axiom in a header", "assumes what it should prove", header("/*@ axiomatic A { axiom a1: \\false; } */\n")),
    ("an axiom in a logic file", "assumes what it should prove", header("/*@ axiomatic A { axiom a1: \\false; } */\n", "own.acsl")),
    ("an axiom by a macro", "in an axiomatic block", top("#define law axiom\n/*@ axiomatic A { law a: \\false; } */")),
    ("an axiom behind a block", "no definition that is known", top("/*@ predicate p(integer k) = 0 <= k;\n    law a: \\false; */")),
    ("a lemma", "assumes what it should prove", top("/*@ lemma l1: \\false; */")),
    ("a lemma of a label", "assumes what it should prove", top("/*@ lemma l1{L}: \\false; */")),
    ("an inductive definition", "assumes what it should prove", top("/*@ inductive p(integer k) { case c: \\forall integer k; !p(k) ==> p(k); } */")),
    ("admit", "assumes what it should prove", step("//@ admit wrong: e == 6;\n  self->x = e;")),
    ("an admitted clause", "assumes what it should prove", top(HELPER.replace("ensures", "admit ensures"))),
    ("an import", "assumes what it should prove", top("/*@ import A: B; */")),
    ("a model", "no annotation that is known", top("/*@ model struct node { integer more }; */")),
    ("a type", "no annotation that is known", top("/*@ type t = A | B(t); */")),
    ("a global invariant", "no annotation that is known", top("/*@ global invariant g: \\false; */")),
    ("a volatile clause", "no annotation that is known", top("/*@ volatile x reads r; */")),
    ("terminates", "no annotation that is known", top("/*@ terminates \\false; assigns \\nothing; */\nstatic int f(int e) {\n  return e;\n}")),
    ("terminates behind assigns", "no clause of a contract", top("/*@ assigns \\nothing; terminates \\false; */\nstatic int f(int e) {\n  return e;\n}")),
    ("exits", "no clause of a contract", top("/*@ assigns \\nothing; exits \\true; */\nstatic int f(int e) {\n  return e;\n}")),
    ("decreases", "no clause of a contract", top("/*@ assigns \\nothing; decreases e; */\nstatic int f(int e) {\n  return e;\n}")),
    ("a contract of a statement", "no annotation that is known to be harmless here", step("/*@ assigns self->x; ensures self->x == e; */\n  self->x = e;")),
    ("calls", "not known to be harmless", step("//@ calls helper;\n  self->x = e;")),
    ("a pragma of a loop", "no annotation that is known", step("/*@ loop pragma UNROLL 3; */\n  for (;;) {\n  }")),
    ("an unknown extension", "no annotation that is known", step("//@ slice pragma expr e;\n  self->x = e;")),
    ("a text as a name", "a text in an annotation", top('/*@ requires "axiom": \\true; */\nstatic int f(void) {\n  return 1;\n}')),
    ("a directive in an annotation", "a line of the preprocessor in an annotation", top("/*@ predicate p(integer k) =\n#ifdef X\n k == k;\n*/")),
    ("an annotation in a macro", "an annotation in a line of the preprocessor", top("#define X /*@ axiom */ 1")),
    ("an empty annotation", "an empty annotation", top("/*@ */")),
    ("a ghost function without a body", "has no body that is proved", header("/*@ ghost /@ assigns \\nothing; ensures no: \\false; @/ void help(void); */\n")),
    ("a ghost function without a body in the source", "is declared in a source", top("/*@ ghost /@ assigns \\nothing; ensures no: \\false; @/ void help(void); */")),
    ("a ghost call of abort", "abort(..) is no function", step("//@ ghost abort();\n  self->x = e;")),
    ("an admitted clause in ghost code", "assumes what it should prove", step("/*@ ghost\n    /@ admit no: e == 6; @/\n    int k = 0; */\n  self->x = e;")),
    ("a ghost contract in a ghost statement", "no annotation that is known", step("/*@ ghost\n    /@ axiom no: e == 6; @/\n    int k = 0; */\n  self->x = e;")),
    ("a union in ghost code", "union: WP takes", step("//@ ghost union { int a; char b; } u = {1};\n  self->x = e;")),
    ("a promise of another file", "helper is declared in a source",
     dict(top("/*@ assigns \\nothing; ensures x: \\result == e; */\nint32_t helper(int32_t e);", "self->x = helper(e);"),
          **{"helper.c": HELPER.replace("static ", "").replace("same: \\result == e", "more: \\result == e || e == 5")})),
    ("a promise in another header", "has a contract in",
     dict(header("#include <stdint.h>\n/*@ assigns \\nothing; ensures x: \\result == e; */\nint32_t helper(int32_t e);\n"),
          **{"helper.c": HELPER.replace("static ", "").replace("same: \\result == e", "more: \\result == e || e == 5")})),
    ("a header's promise that its body does not read", "which has its contract",
     dict(header("#include <stdint.h>\n/*@ assigns \\nothing; ensures x: \\result == e; */\nint32_t helper(int32_t e);\n"),
          **{"helper.c": "#include <stdint.h>\nint32_t helper(int32_t e) {\n  return 6;\n}\n"})),
    ("a second contract", "has a contract in", header("/*@ assigns \\nothing; ensures no: \\false; */\nbool tp_fits(int64_t x);\n")),
    ("a second meaning of a predicate", "which one a contract means", top("/*@ predicate tp_int(int32_t k) = \\true; */")),
    ("a second meaning in a header", "which one a contract means", header("/*@ predicate tp_int(int32_t k) = \\true; */\n")),
    # recursive words without a solution
    ("f(k) = f(k) + 1", MEASURED, top(LOGIC % "bad(k) + 1")),
    ("f(k) = .. ? f(k) + 1 : k", MEASURED, top(LOGIC % "k * k == 4 ? bad(k) + 1 : k")),
    ("it grows", MEASURED, top(LOGIC % "k <= 0 ? 0 : bad(k + 1) + 1")),
    ("it falls by nothing", MEASURED, top(LOGIC % "k <= 0 ? 0 : bad(k - 0) + 1")),
    ("it falls by less than nothing", MEASURED, top(LOGIC % "k <= 0 ? 0 : bad(k - -1) + 1")),
    ("the base uses itself", MEASURED, top(LOGIC % "k <= 0 ? bad(k) + 1 : bad(k - 1)")),
    ("the guard is the other way", MEASURED, top(LOGIC % "k >= 0 ? 0 : bad(k - 1) + 1")),
    ("the guard is itself", MEASURED, top(LOGIC % "k <= bad(k) ? 0 : bad(k - 1) + 1")),
    ("the limit moves", MEASURED, top("/*@ logic integer bad(integer m, integer k) = k <= m ? 0 : bad(m - 1, k - 1) + 1; */")),
    ("the limit falls with it", MEASURED, top(LOGIC % "k <= k - 1 ? 0 : bad(k - 1) + 1")),
    ("one of two calls falls", MEASURED, top(LOGIC % "k <= 0 ? 0 : bad(k - 1) + bad(k) + 1")),
    ("within a choice", MEASURED, top(LOGIC % "(k <= 0 ? 0 : bad(k - 1)) + bad(k)")),
    ("a choice in the base", MEASURED, top(LOGIC % "k <= 0 ? (k == 0 ? 1 : bad(k) + 1) : bad(k - 1)")),
    ("a nested choice in the base", MEASURED, top(LOGIC % "k <= 0 ? k == 0 ? 1 : bad(k) + 1 : bad(k - 1)")),
    ("of a number that goes round", MEASURED, top("/*@ logic integer bad(uint8_t k) = k <= 0 ? 0 : bad(k - 1) + 1; */")),
    ("each other", MEASURED, top("/*@ logic integer worse(integer k) = bad(k) + 1; logic integer bad(integer k) = worse(k); */")),
    ("by a macro", MEASURED, top("#define again(k) bad(k)\n" + LOGIC % "again(k) + 1")),
    ("a constant", MEASURED, top("/*@ logic integer bad = bad + 1; */")),
    ("a predicate", MEASURED, top("/*@ predicate bad(integer k) = !bad(k); */")),
    ("with labels", MEASURED, top("/*@ logic integer bad{L}(int *p) = bad{L}(p) + 1; */")),
    ("half of nothing", MEASURED, top("/*@ logic integer bad(integer l, integer h) = h - l <= 0 ? h : bad(l, (l + h) / 2) + 1; */")),
    ("half that stays", MEASURED, top("/*@ logic integer bad(integer l, integer h) = h - l <= 1 ? h : bad(l, (l + h + 1) / 2) + 1; */")),
    ("both halves at once", MEASURED, top("/*@ logic integer bad(integer l, integer h) = h - l <= 1 ? h : bad(l, h) + 1; */")),
]

RIGHT = [
    ("the body itself", step(GOOD)),
    ("an assertion", step("//@ assert known: e > self->x;\n  self->x = e;")),
    ("a function of its own", top(HELPER, "self->x = helper(e);")),
    ("what is pure, twice", top(HELPER, "self->x = helper(e) + helper(helper(0));")),
    ("a call that changes, alone", top(CHANGES, "int32_t k = e;\n  change(&k);\n  int32_t m = change(&k);\n  if (change(&k) != 1 && !change(&m))\n    return TP_RANGE;\n  self->x = e;")),
    ("a chain of values", step("int32_t a = 0, b = 0;\n  self->x = a = b = e;")),
    ("a loop", step("int32_t k = 0;\n  /*@ loop invariant all: \\forall integer i; 0 <= i < k ==> i < k;\n"
                    "      loop assigns k, self->x;\n      loop variant 3 - k; */\n  for (int32_t i = 0; k < 3; k++, i--)\n    self->x = e;")),
    ("written at once", step("enum tp_verdict v;\n  (void)e;\n  v = TP_DONE;\n  self->x = e;\n  return v;")),
    ("words of the rules in comments", step("/* union, goto, axiom a: \\false; asm, #ifdef */ self->x = e; // abort()")),
    ("a name that begins like a word", step("int32_t union_of = e, axiom1 = 0;\n  self->x = union_of + axiom1;")),
    ("pointers that are compared with none", top("/*@ requires r: p == \\null || \\valid_read(p); assigns \\nothing; */\nstatic int32_t at(const int32_t *p, int32_t e) {\n"
                                                 "  if (p == NULL || 0 == p)\n    return e;\n  return p != 0 && *p < e ? p[0] - *p : *p;\n}")),
    ("members and elements compared", top("struct two {\n  int32_t p[2], q;\n  struct node *n;\n};",
                                          "struct two t = {{e, e}, e, self};\n  struct two *at = &t;\n  if (at->p[1] - at->q < t.p[0] && t.n->x <= (*at).q)\n    return TP_RANGE;\n  self->x = e;")),
    ("limits of whole types", top("#include <limits.h>", "self->x = e < INT_MAX && e > INT32_MIN && 0x7fu < UINT8_MAX && 3L < LONG_MAX ? e : e;")),
    ("a macro that leads to a member", top("#define X_OF(p) ((p)->x)", "self->x = X_OF(self) < e ? e : e;")),
    ("a type and a constant of its own", top("typedef int32_t small;\nenum mine { MINE = 3 };", "small k = MINE;\n  self->x = k > 3 ? 0 : e;")),
    ("a macro", top("#define HALF(n) ((n) / 2)\n#define LEAST 4", "self->x = HALF(e) > LEAST ? e : e;")),
    ("a word of its own", top("/*@ predicate mine(integer k) = 0 <= k; logic integer twice(integer k) = 2 * k; */")),
    ("a word without a meaning", top("/*@ axiomatic A { predicate p(integer k) reads \\nothing; } */")),
    ("a sum", top("/*@ logic integer sum{L}(int *p, integer n) = n <= 0 ? 0 : sum(p, n - 1) + p[n - 1]; */")),
    ("from another begin", top("/*@ logic integer sum{L}(int *p, integer m, integer n) = n <= m + 1 ? 0 : sum{L}(p, m, n - 2) + p[n - 1]; */")),
    ("by halves", top("/*@ logic integer at(integer x, integer l, integer h) = h - l <= 1 ? h : x < l ? at(x, (l + h) / 2, h) : at(x, l, (l + h) / 2); */")),
    ("a struct of the file", top("struct pair {\n  int32_t a, b;\n};\nstatic const int32_t table[2] = {1, 2};", "struct pair p = {e, table[0]};\n  self->x = p.a;")),
    ("a ghost variable", step("/*@ ghost int k = 0; */\n  //@ ghost k = 1;\n  self->x = e;")),
    ("a lemma with its body", top("/*@ ghost\n  /@ assigns \\nothing; ensures yes: \\true; @/\n  void help(int k) {\n    /@ assert k == k; @/\n  } */",
                                  "//@ ghost help(e);\n  self->x = e;")),
    ("behaviours", top("/*@ requires r: e < 9;\n    assigns \\nothing;\n    behavior low:\n      assumes e < 3;\n      ensures l: \\result == 1;\n"
                       "    behavior high:\n      assumes e >= 3;\n      ensures h: \\result == 2;\n    complete behaviors;\n    disjoint behaviors;\n*/\n"
                       "static int f(int e) {\n  return e < 3 ? 1 : 2;\n}")),
    ("a switch", step("switch (e) {\n  case 1: {\n    int32_t k = e;\n    self->x = k;\n    break;\n  }\n  default:\n    self->x = e;\n  }")),
    ("two sources with words of one name", dict(top("#define LEAST 3\n/*@ predicate mine(integer k) = 0 <= k; */"),
                                                **{"hand_other.c": "#define LEAST 4\n/*@ predicate mine(integer k) = 1 <= k; */\n" + HELPER})),
    ("a header of its own", dict(header('#ifndef MINE_H\n#define MINE_H\n#include <stdint.h>\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
                                        "/*@ assigns \\nothing; ensures same: \\result == e; */\nint32_t helper(int32_t e);\n"
                                        "#ifdef __cplusplus\n}\n#endif\n#endif\n"),
                                 **{"helper.c": '#include "tp_mine.h"\n\nint32_t helper(int32_t e) {\n  return e;\n}\n'})),
]


def said(folder, files):
    with tempfile.TemporaryDirectory() as place:
        for name in os.listdir(folder):
            if name.endswith((".c", ".h", ".acsl")):
                shutil.copy(os.path.join(folder, name), place)
        for name, text in files.items():
            with open(os.path.join(place, name), "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
        sources = sorted(n for n in os.listdir(place) if n.endswith(".c") and n not in LIBRARY)
        before, out = os.getcwd(), io.StringIO()
        os.chdir(place)
        try:
            with contextlib.redirect_stdout(out):
                status = tp_rules.main([w for n in LIBRARY for w in ("--with", n)] + sources)
        finally:
            os.chdir(before)
        return status, out.getvalue()


def main(folder):
    failed = 0
    for number, (what, why, files) in enumerate(WRONG + [(w, None, f) for w, f in RIGHT], 1):
        status, out = said(folder, files)
        good = (status, out) == (0, "") if why is None else status == 1 and why in out
        print("%s %d - %s is %s" % ("ok" if good else "not ok", number, what, "accepted" if why is None else "refused"))
        if not good:
            failed += 1
            print("# wanted: %s\n# %s" % (why, out.rstrip().replace("\n", "\n# ")))
    print("1..%d" % (len(WRONG) + len(RIGHT)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
