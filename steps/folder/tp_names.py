# SPDX-License-Identifier: GPL-3.0-or-later
#
# What names mean in each source, for tp_rules.py: a header says the same wherever it is included, since every name in it
# that some file gives a meaning has it from what the header itself includes; and of the system's headers only names are
# used that mean the same to a compiler and to Frama-C.
import os
import re

from tp_text import closing, texts

# In the four headers that may be included. INT32_C and UINT32_C are left out: they are long to Frama-C.
LIMITS = re.compile(
    r"(U?INT(8|16|32|64|MAX)|INT|UINT|LONG|ULONG|LLONG|ULLONG|SCHAR|UCHAR|SHRT|USHRT|SIZE|PTRDIFF)_(MAX|MIN)$|"
    r"CHAR_BIT$|U?INT(8|16|64|MAX)_C$"
)
OF_LIBRARY = re.compile(r"[A-Z][A-Z0-9_]*_(MAX|MIN|C|BIT|WIDTH)$|NL_[A-Z]+$|(NZERO|NR_OPEN|PIPE_BUF|u_int[0-9]+_t|SIG_ATOMIC_[A-Z]+)$")


def meanings(items):
    """The names that these tokens of a file give a meaning outside of functions: tags, types, constants. (name, line)"""
    at = 0
    while at < len(items):
        token = items[at]
        if token.text in ("struct", "enum") and texts(items[at + 2 : at + 3]) == ["{"]:
            yield "struct " + items[at + 1].text, items[at + 1].line
        if token.text == "enum":
            start = next((i for i in (at + 1, at + 2) if texts(items[i : i + 1]) == ["{"]), None)
            for i in range(start or 0, closing(items, start) if start else 0):
                if items[i].text in ("{", ",") and items[i + 1].kind == "word":
                    yield items[i + 1].text, items[i + 1].line
        if token.text == "typedef":
            end, depth = at, 0
            while end < len(items) and not (items[end].text == ";" and depth == 0):
                depth += (items[end].text == "{") - (items[end].text == "}")
                end += 1
            named = [t for t in items[at:end] if t.kind == "word"]
            yield named[-1].text, named[-1].line
        at += 1


class Names:
    def __init__(self, checker):
        self.checker, self.homes = checker, {}  # name: {file: line}

    def take(self, file, items):
        for name, line in meanings(items):
            self.add(file, name, line)

    def add(self, file, name, line):
        self.homes.setdefault(name, {}).setdefault(file.path, line)
        if name in ("integer", "real", "boolean"):
            self.checker.say(file.path, line, "%s: contracts have a type of this name" % name)

    def judge(self):
        files = self.checker.files
        for file in files.values():
            known = self.checker.reaches(file.path)
            for name in file.words if not file.path.endswith(".c") else ():
                homes = self.homes.get(name, {})
                # What has two meanings is refused elsewhere: by the compiler, and words of contracts by Logic.
                for home in homes if not known & set(homes) else ():
                    if not self.checker.meet(file.path, home):
                        continue
                    if not self.checker.is_expected(file, name, home):
                        self.checker.say(home, self.homes[name][home], "%s has a meaning here and stands in %s, which does not "
                                         "include this: it would mean that here, and may elsewhere mean something else" % (name, file.path))
            for name, line in file.words.items():
                if OF_LIBRARY.match(name) and not LIMITS.match(name) and name not in self.homes and not self.checker.is_macro(name):
                    self.checker.say(file.path, line, "%s: another number to Frama-C than to some compiler; write the number" % name)


def shadows(path, headers):
    """Headers of the system for which the file's folder has one of that name."""
    folder = os.path.dirname(path)
    return [name for name in sorted(headers) if os.path.exists(os.path.join(folder, name))]
