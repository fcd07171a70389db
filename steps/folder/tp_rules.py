#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Refuses C that WP would prove although it is wrong: what WP misjudges, what assumes instead of proving, and what a
# compiler may read otherwise. Names what it knows to be harmless, and refuses the rest.
#
#   tp_rules.py [--from DIR]... [--with SOURCE]... [--unwritten NAME]... SOURCE...
#
# Reads the sources and all they include with quotes (beside the file, or in DIR). Functions may be called that these
# sources define, or those of --with, which are proved, too. A variable has a value where it is declared, or from the
# first statement on that names it, or is one of --unwritten. Prints FILE:LINE: why for each refusal. Exits with 0 if
# there is none, with 1 if there is, with 64 for a wrong command line.
import os
import re
import sys

from tp_body import ASSIGN, Body, bit_fields
from tp_logic import Logic, judge_note
from tp_names import Names, shadows
from tp_pointers import declared, members
from tp_text import KEYWORDS, Refused, check_bytes, closing, split, texts, tokens

HEADERS = {"stdbool.h", "stddef.h", "stdint.h", "limits.h"}
REASONS = {
    "union": "WP takes members of a union for separate places",
    "goto": "write it with if and loops",
    "asm": "no proof knows what it does",
    "volatile": "its value may change between two steps of a proof",
    "restrict": "nothing proves that pointers are apart",
    "register": "it says nothing",
    "auto": "it says nothing",
    "float": "the proof computes with other numbers than a processor",
    "double": "the proof computes with other numbers than a processor",
    "typeof": "name the type",
    "unix": "a macro of some compilers",
    "linux": "a macro of some compilers",
    "uintptr_t": "addresses are no numbers to WP",
    "intptr_t": "addresses are no numbers to WP",
    "wchar_t": "its size is the compiler's",
    "max_align_t": "its size is the compiler's",
}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uU](l|L|ll|LL)?|(l|L|ll|LL)[uU]?)?")
PAIRS = {
    ("(", "{"): "a statement as an expression; write a function",
    ("?", ":"): "?: without what is between; write it",
    ("[", "["): "an attribute: no proof knows what it does",
}
# The words of sets have two readings, of which a source includes one: with and without their meaning.
WORDS_OF_SETS = {"tp_set_bits.acsl", "tp_set_names.acsl"}


def are_words_of_sets(one, other):
    return {os.path.basename(one), os.path.basename(other)} == WORDS_OF_SETS


class Function:
    def __init__(self):
        self.contracts = []  # (file, line, pure)
        self.defined = []  # files with a body
        self.declared = []  # (file, line) without


class File:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.includes, self.macros, self.words, self.first = [], {}, {}, None
        self.guard = None

    def take_words(self, items):
        """Those that they use; of tags with "struct " before, as what has a tag may be called like it."""
        before = None
        for token in items:
            if token.kind == "word":
                self.words.setdefault("struct " + token.text if before in ("struct", "enum") else token.text, token.line)
            before = token.text


class Checker:
    def __init__(self, folders, unwritten):
        self.unwritten = unwritten
        self.folders, self.files, self.functions, self.said = folders, {}, {}, set()
        self.logic, self.names = Logic(self), Names(self)
        self.members, self.pointer_functions = {}, set()
        self.calls, self.macro_calls, self.bodies = [], [], []  # (file, line, name); judged when all is read

    def say(self, path, line, why):
        self.said.add((path, line, why))

    def function(self, path, name, static):
        return self.functions.setdefault((path if static else None, name), Function())

    def find(self, path, name):
        return self.functions.get((path, name)) or self.functions.get((None, name))

    # --- files ---

    def read(self, path):
        path = os.path.normpath(path)
        if path in self.files:
            return self.files[path]
        try:
            with open(path, encoding="utf-8", newline="") as stream:
                text = stream.read()
        except (OSError, UnicodeDecodeError) as error:
            self.say(path, 1, "cannot be read: %s" % error)
            text = ""
        file = self.files[path] = File(path, text)
        try:
            check_bytes(text)
            items = tokens(text)
            Reader(self, file).file(items)
        except Refused as refused:
            self.say(path, refused.line, str(refused))
        except RecursionError:
            self.say(path, 1, "more parentheses in each other than this reads")
        return file

    def include(self, file, name, line):
        for folder in [os.path.dirname(file.path)] + self.folders:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                file.includes.append(os.path.normpath(path))
                self.read(path)
                return
        self.say(file.path, line, '"%s" is not here: what is it that the compiler includes?' % name)

    def reaches(self, path):
        """The files that this one includes, directly or not, and itself."""
        found, todo = set(), [path]
        while todo:
            at = todo.pop()
            if at not in found:
                found.add(at)
                todo += self.files[at].includes
        return found

    # --- what all files say together ---

    def meet(self, one, other):
        """Whether some source reads both files."""
        return any(one in seen and other in seen for seen in self.sources)

    def judge_macros(self):
        homes = {}
        for file in self.files.values():
            for name, line in file.macros.items():
                for other in homes.setdefault(name, []):
                    if self.meet(file.path, other) and not are_words_of_sets(file.path, other):
                        self.say(file.path, line, "%s is a macro of %s already" % (name, other))
                homes[name].append(file.path)
        for file in self.files.values():
            known = self.reaches(file.path)
            for name, line in file.words.items():
                for home in homes.get(name, ()):
                    if home not in known and self.meet(file.path, home) and not self.is_expected(file, name, home):
                        self.say(file.path, line, "%s is a macro of %s, which this file does not include: it would "
                                 "change what this says" % (name, home))

    def is_expected(self, file, name, home):
        """Whether the file means that macro, though it does not include it: a part of a file that does."""
        if are_words_of_sets(file.path, home) or (os.path.basename(home) == "tp_set_bits.acsl" and self.logic.defines(name)):
            return True
        above = [f for f in self.files.values() if file.path in f.includes]
        return not file.path.endswith((".c", ".h")) and bool(above) and all(home in self.reaches(f.path) for f in above)

    def judge_functions(self):
        for (_, name), function in self.functions.items():
            contracts = sorted({(path, line) for path, line, _ in function.contracts})
            for path, line in contracts if len(contracts) > 1 else []:
                other = next(c for c in contracts if c != (path, line))
                self.say(path, line, "%s has a contract in %s:%d, too: write it once, in a header" % ((name,) + other))
            for path, line in function.declared:
                if not function.defined:
                    self.say(path, line, "%s has no body that is proved" % name)
            for path in function.defined:
                for other, _ in contracts[:1]:
                    if other not in self.reaches(path):
                        self.say(path, 1, "defines %s, but does not include %s, which has its contract" % (name, other))

    def is_function(self, path, name):
        found = self.find(path, name)
        return found is not None and bool(found.defined)

    def is_macro(self, name):
        return any(name in file.macros for file in self.files.values())

    def is_pure(self, path, name):
        found = self.find(path, name)
        return self.is_macro(name) or (found is not None and any(pure for _, _, pure in found.contracts))

    def judge(self, sources):
        self.sources = [self.reaches(os.path.normpath(path)) for path in sources]
        self.judge_macros()
        self.names.judge()
        self.judge_functions()
        self.judge_calls()
        self.logic.judge()
        for body in self.bodies:
            body.judge()

    def judge_calls(self):
        for path, line, name in self.calls:
            if not self.is_function(path, name) and not self.is_macro(name):
                self.say(path, line, "%s(..) is no function that is proved here, or beside" % name)
        for path, line, name in self.macro_calls:
            if not self.is_macro(name):
                self.say(path, line, "a macro that calls %s(..): write a function" % name)


class Reader:
    """One file: its tokens against the rules."""

    def __init__(self, checker, file):
        self.checker, self.of = checker, file

    def say(self, line, why):
        self.checker.say(self.of.path, line, why)

    def file(self, items):
        self.directives(items)
        self.words(items, False)
        self.of.take_words([t for token in items for t in (token.text[1:] if token.kind == "directive" else [token])])
        code = [t for t in items if t.kind not in ("directive", "note")]
        self.checker.names.take(self.of, code)
        self.checker.members.update(members(code))
        self.top([t for t in items if t.kind != "directive"], False)

    # --- the preprocessor ---

    def directives(self, items):
        depth, openings = 0, []  # of braces; what each condition is
        for index, token in enumerate(items):
            if token.kind == "mark" and token.text in "{}":
                depth += 1 if token.text == "{" else -1
            if token.kind != "directive":
                continue
            line = texts(token.text)
            if line[:1] == ["include"]:
                self.include(token, line, depth)
            elif line[:1] == ["define"]:
                self.define(token, openings)
            elif line[:1] == ["ifndef"] and index == 0 and len(line) == 2:
                self.of.guard = line[1]
                openings.append("guard")
            elif line == ["ifdef", "__cplusplus"]:
                linkage = texts(items[index + 1 : index + 4])
                end = items[index + 4] if linkage == ["extern", '"C"', "{"] else items[index + 2] if linkage[:1] == ["}"] else None
                if end is None or end.kind != "directive" or texts(end.text) != ["endif"]:
                    self.say(token.line, 'a condition of the preprocessor around more than extern "C"')
                openings.append("linkage")
            elif line == ["endif"] and openings:
                if openings.pop() == "guard" and index + 1 != len(items):
                    self.say(token.line, "what comes behind the guard of a header is read each time")
            elif line:
                self.say(token.line, "#%s: other code may be compiled than is proved; write it without" % line[0])
        if self.of.guard is not None and self.of.guard not in self.of.macros:
            self.say(1, "#ifndef %s without #define %s: a condition of the preprocessor" % (self.of.guard, self.of.guard))

    def include(self, token, line, depth):
        if depth > (1 if '"C"' in self.of.text else 0):
            self.say(token.line, "#include within a function")
        if len(line) == 2 and line[1].startswith('"'):
            self.checker.include(self.of, line[1][1:-1], token.line)
        elif line[1:2] != ["<"] or "".join(line[2:-1]) not in HEADERS or line[-1] != ">":
            self.say(token.line, "#include %s: of the system's headers only %s are known to be harmless"
                     % ("".join(line[1:]), ", ".join(sorted(HEADERS))))
        for name in shadows(self.of.path, HEADERS):
            self.say(token.line, "%s stands beside: a compiler may take it for the system's" % name)

    def define(self, token, openings):
        words = token.text[1:]
        if not words or words[0].kind != "word":
            self.say(token.line, "#define without a name")
            return
        name = words[0].text
        if name in KEYWORDS or name in REASONS or name.startswith("_"):
            self.say(token.line, "#define %s: gives a word of the language another meaning" % name)
        if name in self.of.macros:
            self.say(token.line, "%s is a macro already" % name)
        self.of.macros[name] = token.line
        body = words[1:]
        self.checker.logic.macro(name, body)
        if name == self.of.guard and body:
            self.say(token.line, "the guard of a header with a meaning")
        for at, word in enumerate(body):
            if word.kind == "word" and texts(body[at + 1 : at + 2]) == ["("]:
                self.checker.macro_calls.append((self.of.path, token.line, word.text))
            if word.kind == "string" or word.text in KEYWORDS - {"char", "int", "long", "short", "signed", "unsigned"} \
                    or word.text in ASSIGN or word.text in ("#", "##", ";", "{", "}", ":", "?", "++", "--", "...", "@", "__VA_ARGS__"):
                self.say(token.line, "#define %s with %s in it: a macro here is an expression" % (name, word.text))

    # --- words ---

    def words(self, items, ghost):
        before, seen = None, set()
        for token in items:
            if token.kind == "directive":
                self.words([t for t in token.text[1:] if token.text[0].text == "define"], ghost)
            elif token.kind == "word":
                self.word(token, before, ghost)
            elif token.kind == "string" and (before is None or before.text != "extern"):
                self.say(token.line, "a string: nothing that is proved needs one")
            elif token.text == "...":
                self.say(token.line, "...: write each case, and each argument")
            elif token.text == "@":
                self.say(token.line, "@ outside of an annotation")
            elif token.kind == "number" and not NUMBER.fullmatch(token.text):
                self.say(token.line, "%s: no whole number of the language" % token.text)
            if before is not None and token.kind == before.kind == "mark" and (before.text, token.text) in PAIRS:
                self.say(token.line, PAIRS[before.text, token.text])
            before = token

    def word(self, token, before, ghost):
        name = token.text
        if name in REASONS:
            self.say(token.line, "%s: %s" % (name, REASONS[name]))
        elif name.startswith("_") and name not in ("_Bool", "__cplusplus"):
            self.say(token.line, "%s: names that begin with _ are the compiler's" % name)
        elif name.startswith("\\") and not (ghost and name == "\\ghost"):
            self.say(token.line, "%s outside of an annotation" % name)
        elif name.startswith(("INT_", "UINT_", "int_", "uint_")) and ("FAST" in name.upper() or "LEAST" in name.upper()):
            self.say(token.line, "%s: its size is the library's; use a type of exact width" % name)
        elif before is not None and before.text == "extern":
            self.say(token.line, 'extern: only the linkage of headers, extern "C"')

    # --- declarations ---

    def top(self, items, ghost):
        """The declarations of a file, or of ghost code outside of functions."""
        note, at = None, 0
        while at < len(items):
            token = items[at]
            if token.kind == "note":
                kind = judge_note(self, token, "top", ghost)
                note = (token.line, kind == "pure") if kind in ("contract", "pure") else None
                if kind in ("contract", "pure") and (at + 1 == len(items) or items[at + 1].kind == "note"):
                    self.say(token.line, "a contract without its function behind it")
                at += 1
                continue
            if texts(items[at : at + 3]) == ["extern", '"C"', "{"]:
                at += 3
                continue
            if token.text == "}":
                at += 1
                continue
            end = at
            while end < len(items) and items[end].text not in (";", "{"):
                end = closing(items, end) if items[end].text in ("(", "[") else end
                end += 1
            at = self.declaration(items, at, end, note, ghost)
            note = None

    def declaration(self, items, at, end, note, ghost):
        """Of the tokens up to `end`, which is ; or {. Returns where the next one begins."""
        head = items[at:end]
        for token in head:
            if token.kind == "note":
                self.say(token.line, "an annotation within a declaration")
        opens = next((i for i, t in enumerate(head) if t.text == "("), None)
        is_function = opens is not None and "=" not in texts(head[:opens]) and "typedef" not in texts(head)
        if not is_function and end < len(items) and items[end].text == "{":
            close = closing(items, end)
            bit_fields(self, items, at, end, close)
            if note:
                self.say(note[0], "a contract without its function behind it")
            after = next((i for i in range(close, len(items)) if items[i].text == ";"), len(items))
            if "=" in texts(head) or (after > close + 1 and "typedef" not in texts(head)):
                self.state(head)
            return after + 1
        if not is_function:
            if note:
                self.say(note[0], "a contract without its function behind it")
            if "typedef" not in texts(head) and not (texts(head[:1]) in (["struct"], ["enum"]) and len(head) == 2):
                self.state(head)
            return end + 1
        return self.function(items, at, end, opens, note, ghost)

    def state(self, head):
        """Of a variable of the file: it must be constant, and of a pointer that itself."""
        words = texts(head)[: texts(head).index("=") if "=" in texts(head) else None]
        if words and "const" not in (words[len(words) - words[::-1].index("*") :] if "*" in words else words):
            self.say(head[0].line, "a variable of the file: state belongs into the arguments")

    def function(self, items, at, end, opens, note, ghost):
        head = items[at:end]
        name = head[opens - 1].text if opens else "("
        line = items[at].line
        if opens == 0 or head[opens - 1].kind != "word" or name in KEYWORDS:
            self.say(line, "a pointer to a function, or a declaration that is not understood")
            return end + 1
        static = "static" in texts(head[:opens])
        if name == "main":
            self.say(line, "main: its proof takes variables of files to be as they were at the beginning")
        if "*" in texts(head[:opens]):
            self.checker.pointer_functions.add(name)
        if "inline" in texts(head) and not static:
            self.say(line, "inline without static: the compiler may take another body")
        function = self.checker.function(self.of.path, name, static)
        defined = end < len(items) and items[end].text == "{"
        if note:
            function.contracts.append((self.of.path, note[0], note[1]))
        if defined:
            function.defined.append(self.of.path)
            close = closing(items, end)
            if close == len(items):
                self.say(line, "the body of %s does not end" % name)
            pointers = split(head[opens + 1 : closing(head, opens)], ",")
            self.checker.bodies.append(Body(self, items[end + 1 : close], ghost, pointers))
            return close + 1
        function.declared.append((self.of.path, line))
        if not static and self.of.path.endswith(".c"):
            self.say(line, "%s is declared in a source; declare it in the header that has its contract" % name)
        return end + 1

    def statements(self, items):
        """Ghost statements in a function."""
        self.checker.bodies.append(Body(self, items, True))


def main(arguments):
    options, sources = {"--from": [], "--with": [], "--unwritten": []}, []
    while arguments:
        word = arguments.pop(0)
        if word in options and arguments:
            options[word].append(arguments.pop(0))
        elif word.startswith("-"):
            return None
        else:
            sources.append(word)
    if not sources:
        return None
    checker = Checker(options["--from"], options["--unwritten"])
    for path in sources + options["--with"]:
        checker.read(path)
    checker.judge(sources + options["--with"])
    judged = set().union(*(checker.reaches(os.path.normpath(path)) for path in sources))
    said = sorted(line for line in checker.said if line[0] in judged)
    for path, line, why in said:
        print("%s:%d: %s" % (path, line, why))
    return 1 if said else 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    if status is None:
        print("usage: tp_rules.py [--from DIR]... [--with SOURCE]... [--unwritten NAME]... SOURCE...", file=sys.stderr)
    sys.exit(64 if status is None else status)
