#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes generate/reserved.c: the names that generated C cannot have, asked of the compilers.

A name is reserved where a compiler refuses it as a member, a parameter or a tag, where the preprocessor knows it
as a macro, or where Frama-C refuses it in a contract: keywords of C and of C++ up to C++23, words of ACSL, macros
that gcc, clang and Frama-C's preprocessor define before a line is read, and macros, types and tags of the headers that
generated code includes. A second list has the functions and variables of these headers, and the functions that
gcc knows by itself: only what is declared outside functions may not have their names.

What is asked about: the words below, every identifier of the preprocessed headers, and every word in the
compilers' own programs (cc1, cc1plus), so that a keyword that nobody wrote down is found all the same.

--write writes the file, which also keeps what it has. Without it: what the installed compilers reserve and the file does not have is printed,
and that is exit 1; with --quick without the words in the compilers' own programs.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FILE = "generate/reserved.c"
NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_]*$")

# Asked about even where no compiler's program spells them out (tails of longer words share their bytes).
ASKED = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while alignas alignof
bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm
and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept const_cast
consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq operator
or or_eq private protected public reinterpret_cast requires static_cast template this throw try typeid typename using
virtual wchar_t xor xor_eq final override
""".split()
ACSL = """
assigns assumes axiom axiomatic behavior behaviors boolean breaks complete continues decreases disjoint ensures
exits frees allocates ghost global inductive integer invariant lemma let logic loop model predicate reads writes real
returns slice impact terminates type variant check admit calls include pragma set list custom import module inter subset
""".split()

# Reserved whatever the compilers here say: macros of gcc on other machines and of other systems, words that C and C++
# give a meaning in some place, names that the functions of generated code use.
KEPT = """
unix linux i386 arm mips sparc sun vax PPC near far
main errno assert noreturn
own self params out now
""".split() + ACSL

C = ["gcc -std=c11", "gcc -std=gnu17", "gcc -std=gnu2x", "clang -std=gnu17", "clang -std=gnu2x"]
QUICK = "--quick" in sys.argv[1:]
CXX = ["g++ -std=c++17", "g++ -std=gnu++17", "g++ -std=gnu++2b", "clang++ -std=gnu++17", "clang++ -std=gnu++2b"]


def output(command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace")
    return done.stdout, done.stderr


def headers():
    """What generated files and the library beside them include of the system."""
    found = set()
    for folder, _, names in os.walk("."):
        top = folder.split(os.sep)[1:2]
        if top not in (["generate"], ["steps"]):
            continue
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            found |= set(re.findall(r"#include <([a-z/.]+)>", text if top == ["steps"] else
                                    "\n".join(re.findall(r'"(#include <[^>]*>)', text))))
    return sorted(found)


def dialects():
    """(command, language) of each compiler that is here."""
    for language, commands in (("c", C), ("c++", CXX)):
        for command in commands:
            if shutil.which(command.split()[0]):
                yield command.split() + ["-x", language, "-w", "-"], language


def macros(includes):
    found = set()
    for command, _ in dialects():
        for text in ("", includes):
            found |= set(re.findall(r"^#define (\w+)", output(command + ["-E", "-dM"], text)[0], re.M))
    if shutil.which("frama-c"):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "a.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(includes)
            for line in output(["frama-c", "-print-cpp-commands", source])[0].splitlines():
                if " -E " in line:
                    line = re.sub(r" -o .*", "", line[line.index("gcc"):])
                    found |= set(re.findall(r"^#define (\w+)", output(["sh", "-c", line + " -dM"])[0], re.M))
    return {name for name in found if NAME.match(name)}


def candidates(includes):
    found = set(ASKED)
    for command, _ in dialects():
        found |= set(re.findall(r"[A-Za-z]\w*", output(command + ["-E", "-P"], includes)[0]))
    for program in () if QUICK else ("cc1", "cc1plus"):
        path = output(["gcc", "-print-prog-name=" + program])[0].strip()
        if os.path.isfile(path):
            with open(path, "rb") as file:
                words = re.findall(rb"(?<=\0)(?:__builtin_)?([a-z][a-z0-9_]{1,23})(?=\0)", file.read())
                found |= {word.decode() for word in words}
    return sorted(name for name in found if NAME.match(name))


def refused(command, before, probe, names):
    """The names that make an error of the probe, a line for each; suspects are asked again alone."""
    def lines_of(some):
        text = before + "".join(probe.replace("@", name) + "\n" for name in some)
        return {int(at) for at in re.findall(r"^<stdin>:(\d+):\d+: (?:fatal )?error", output(
            command + ["-fsyntax-only", "-fmax-errors=0" if command[0].startswith("g") else "-ferror-limit=0"], text)[1], re.M)}
    first = before.count("\n") + 1
    bad, rest = set(), list(names)
    while True:
        suspects = {rest[at - first] for at in lines_of(rest) if 0 <= at - first < len(rest)}
        if not suspects:
            return bad
        bad |= {name for name in suspects if name in ASKED or lines_of([name])}
        rest = [name for name in rest if name not in suspects]


def refused_by_frama(names):
    found = set()
    if not shutil.which("frama-c"):
        return found
    probe = ("struct tp_$ { int $; }; /*@ requires p->$ == 0; behavior $: ensures tp_a: $ == \\old($); */ "
             "void tp_f_$(struct tp_$ *p, int $);\n")
    rest = list(names)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "a.c")
        while True:
            with open(source, "w", encoding="utf-8") as file:
                file.write("".join(probe.replace("$", name) for name in rest))
            said = "".join(output(["frama-c", "-no-autoload-plugins", "-kernel-warn-key", "annot-error=active", source]))
            bad = {rest[int(at) - 1] for at in re.findall(r"a\.c:(\d+):", said)}
            if not bad:
                return found
            found |= bad
            rest = [name for name in rest if name not in bad]


def ask(known_anywhere, known_outside):
    """Names that are reserved, without asking of those that are known to be."""
    includes = "".join(f"#include <{header}>\n" for header in headers())
    anywhere = macros(includes) | set(KEPT)
    asked = [name for name in candidates(includes) if name not in anywhere and name not in known_anywhere]
    outside = set()
    for command, language in dialects():
        tail = " };" if language == "c" else " }; "
        for before in ("", includes):
            anywhere |= refused(command, before, "struct tp_@ { int @;" + tail + "int tp_f_@(int @);", asked)
            anywhere |= refused(command, before, "void tp_g_@(void) { const int @ = 0; (void)@; }", asked)
            asked = [name for name in asked if name not in anywhere]
            anywhere |= refused(command, before, "struct @ { int tp_x; };", asked)
            asked = [name for name in asked if name not in anywhere]
        # A type of another kind than any function of a header, and what gcc knows of functions by itself.
        gcc = command[0] == "gcc"
        strict = [word for word in command if word != "-w" or not gcc] + ["-Werror=builtin-declaration-mismatch"] * gcc
        free = [name for name in asked if name not in known_outside]
        for before in ("", includes):
            outside |= refused(strict, before, "struct tp_q *@(struct tp_q *, struct tp_q *(*)[3]);", free)
    anywhere |= refused_by_frama([name for name in asked if name in ASKED or re.match(r"^[a-z]+$", name)])
    return anywhere, outside - anywhere


def held():
    if not os.path.exists(FILE):
        return set(), set()
    with open(FILE, encoding="utf-8") as file:
        anywhere, outside = file.read().split("reserved_outside[]", 1)
    return set(re.findall(r'"(\w+)"', anywhere)), set(re.findall(r'"(\w+)"', outside.split("};")[0]))


def listed(names):
    lines, line = [], "   "
    for name in sorted(names):
        if len(line) + len(name) + 4 > 100:
            lines.append(line)
            line = "   "
        line += f' "{name}",'
    return "\n".join(lines + [line.rstrip(",")])


def write(anywhere, outside):
    with open(FILE, "w", encoding="utf-8") as file:
        file.write(f"""/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that compilers and headers have already, as scripts/reserved.py asked them; in the order of
 * strcmp. */
#include "generate/reserved.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char *const reserved_anywhere[] = {{
{listed(anywhere)}}};

static const char *const reserved_outside[] = {{
{listed(outside)}}};
/* clang-format on */

static int compare(const void *name, const void *entry) {{
  return strcmp(name, *(const char *const *)entry);
}}

static bool has(const char *const *list, size_t count, const char *name) {{
  return bsearch(name, list, count, sizeof *list, compare) != NULL;
}}

bool reserved_is_word(const char *name) {{
  return has(reserved_anywhere, sizeof reserved_anywhere / sizeof *reserved_anywhere, name);
}}

bool reserved_is_outside(const char *name) {{
  return has(reserved_outside, sizeof reserved_outside / sizeof *reserved_outside, name);
}}
""")


def main():
    old_anywhere, old_outside = held()
    writes = sys.argv[1:] == ["--write"]
    anywhere, outside = ask(set(), set()) if writes else ask(old_anywhere, old_outside)
    if writes:
        anywhere |= old_anywhere
        write(anywhere, (outside | old_outside) - anywhere)
        return 0
    missing = sorted(anywhere - old_anywhere) + sorted(outside - old_outside - old_anywhere)
    for name in missing:
        print(f"{name}: reserved here, and not in {FILE}; run scripts/reserved.py --write")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
