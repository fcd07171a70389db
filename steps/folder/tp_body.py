# SPDX-License-Identifier: GPL-3.0-or-later
#
# The bodies of functions, for tp_rules.py: what is called, that each variable begins with a value, and that nothing
# depends on an order that C leaves to the compiler, where Frama-C takes one of them.
from tp_logic import judge_note
from tp_pointers import Pointers, is_operand, members
from tp_text import KEYWORDS, closing, split, texts

CONTROL = {"if", "while", "for", "switch"}
TYPES = {"char", "const", "enum", "int", "long", "short", "signed", "static", "struct", "unsigned", "void"}
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}


def bit_fields(reader, items, at, end, close):
    """Of a struct's members, or of values: items[end] is the brace, items[at] the word before."""
    is_struct = "struct" in texts(items[at:end]) and "=" not in texts(items[at:end])
    for token in items[end:close]:
        if token.text == ":" and is_struct:
            reader.say(token.line, "a bit-field: WP does not see that bit-fields share a word")
        if token.kind == "note":
            reader.say(token.line, "an annotation within a declaration")


def opening(items, close):
    """The index of what items[close] closes, or -1."""
    depth = 0
    for at in range(close, -1, -1):
        if items[at].kind == "mark":
            depth += (items[at].text in CLOSING) - (items[at].text in OPENING)
            if depth == 0:
                return at
    return -1


def is_type(tokens):
    """(type) before an operand, as far as one can see."""
    return bool(tokens) and all(t.kind == "word" for t in tokens) and (
        tokens[0].text in TYPES or tokens[-1].text in TYPES
        or (len(tokens) == 1 and (tokens[0].text.endswith("_t") or tokens[0].text in ("bool", "tp_set")))
    )


class Body:
    def __init__(self, reader, items, ghost, pointers=()):
        self.reader, self.checker, self.path = reader, reader.checker, reader.of.path
        for at, token in enumerate(items):
            if token.kind == "note":
                judge_note(reader, token, "body", ghost)
            elif token.text == "struct":
                end = next((i for i in range(at, len(items)) if items[i].text in ("{", ";", "(", ")", "=")), len(items))
                if end < len(items) and items[end].text == "{":
                    bit_fields(reader, items, at, end, closing(items, end))
            elif token.text == "static" and "const" not in texts(items[at : at + 3]):
                self.say(token.line, "static within a function: state belongs into the arguments")
        self.code = [t for t in items if t.kind not in ("note", "directive")]
        for at, token in enumerate(self.code):
            if token.text == "(" and token.kind == "mark":
                self.parenthesis(at)
            elif token.text == "&&" and not (at and is_operand(self.code[at - 1])):
                self.say(token.line, "a label as a value: write it with if and loops")
        self.pointers = Pointers(self.say, pointers, self.checker)
        self.checker.members.update(members(self.code))
        self.switches()
        self.parts = self.divide()
        for part, _ in self.parts:
            self.declaration(part)

    def say(self, line, why):
        self.reader.say(line, why)

    def parenthesis(self, at):
        before = self.code[at - 1] if at else None
        inside = self.code[at + 1 : closing(self.code, at)]
        if texts(self.code[at + len(inside) + 2 :][:1]) == ["{"] and (before is None or before.text not in CONTROL):
            self.say(self.code[at].line, "a struct or an array without a name: its place ends with its block; declare a variable")
        elif before is not None and before.kind == "word" and before.text not in KEYWORDS:
            self.checker.calls.append((self.path, before.line, before.text))
        elif before is not None and before.text in (")", "]"):
            start = opening(self.code, at - 1)
            control = start > 0 and self.code[start - 1].text in CONTROL
            if not control and not is_type(self.code[start + 1 : at - 1]):
                self.say(before.line, "a call of something that is no name")
        elif texts(inside)[-1:] == ["*"] and (before is None or before.text != "sizeof"):
            self.say(self.code[at].line, "a cast to a pointer: the compiler may see other places than the proof")

    def switches(self):
        """A case stands directly in its switch, and no variable does: no jump passes by where a variable gets its value."""
        braces, self.in_switch = [], set()
        for at, token in enumerate(self.code):
            if token.text == "{":
                start = opening(self.code, at - 1) if at and self.code[at - 1].text == ")" else 0
                braces.append(start > 0 and self.code[start - 1].text == "switch")
            elif token.text == "}" and braces:
                braces.pop()
            elif braces and braces[-1]:
                self.in_switch.add(id(token))
            elif token.text in ("case", "default"):
                self.say(token.line, "%s within a statement of its switch: write it beside the others" % token.text)

    def divide(self):
        """The code between two points at which all before has happened: statements, conditions, operands of && || ? :
        and what commas outside of parentheses divide. Each with whether it begins a statement or a condition."""
        code, ends, choices = self.code, {}, 0
        for at, token in enumerate(code):
            if token.kind == "mark" and token.text == "?":
                choices += 1
                ends[at] = False
            elif token.kind == "mark" and token.text == ":":
                ends[at] = choices == 0  # of a case or a label
                choices -= choices > 0
            elif token.text in CONTROL and texts(code[at + 1 : at + 2]) == ["("]:
                ends[at] = ends[at + 1] = ends[closing(code, at + 1)] = True
            elif token.kind == "mark" and token.text in ("&&", "||"):
                ends[at] = False
            elif token.text in ("else", "do", "case", "default") or (token.kind == "mark" and token.text in (";", "{", "}")):
                ends[at] = True
        parts = [([], True)]
        for at, token in enumerate(code):
            if at in ends:
                parts.append(([], ends[at]))
            else:
                parts[-1][0].append(token)
        return [part for part in parts if part[0]]

    def declaration(self, part):
        """A variable begins with a value, so that nothing that was never written is read."""
        first = part[0]
        words = [t.kind == "word" and t.text not in KEYWORDS for t in part[:3]] + [False] * 3
        stars = next((i for i in range(1, len(part)) if part[i].text not in ("*", "const")), len(part))
        pointer = stars > 1 and texts(part[1:2]) == ["*"] and texts(part[stars + 1 : stars + 2]) in ([], ["="], [","], ["["])
        qualified = texts(part[1:2])[:1] and part[1].text in TYPES and part[1].kind == "word"
        typed = first.text in TYPES or (words[0] and (words[1] or (pointer and part[stars : stars + 1]) or qualified))
        if not typed or (texts(part[1:2]) == ["("] and first.text not in TYPES):
            return
        names = [t for t in part if t.kind == "word"]
        if first.text in ("struct", "enum") and len(names) == 2 and len(part) == 2:
            return  # the head of a type that is defined here
        if id(first) in self.in_switch:
            self.say(first.line, "a variable directly in a switch: another case would pass by its value; write braces")
        for piece in split(part, ","):
            self.pointers.declare(piece, part)
            until = next((i for i, t in enumerate(piece) if t.text in ("[", "=")), len(piece))
            named = [t for t in piece[:until] if t.kind == "word"]
            if "=" in texts(piece):
                others = [t for i, t in enumerate(piece) if piece[i - 1].text not in ("->", ".")]
                if named and texts(others).count(named[-1].text) > 1:
                    self.say(first.line, "%s is read where it gets its value" % named[-1].text)
            elif not named or not (named[-1].text in self.checker.unwritten or self.is_written(named[-1])):
                self.say(first.line, "%s has no value where it is declared: what was never written could be read"
                         % (named[-1].text if named else "it"))

    def is_written(self, name):
        """Whether the first thing that happens to it, in its block, is that it gets a value."""
        at = next(i for i, t in enumerate(self.code) if t is name) + 1
        while at < len(self.code) and self.code[at].text != name.text:
            if self.code[at].text in ("{", "}"):
                return False
            at += 1
        end = next((i for i in range(at, len(self.code)) if self.code[i].text == ";"), len(self.code))
        alone = name.text not in texts(self.code[at + 1 : end])
        return alone and texts(self.code[at + 1 : at + 2]) == ["="] and self.code[at - 1].text == ";"

    def judge(self):
        self.pointers.judge(self.code)
        for part, begins in self.parts:
            for piece in split(part, ","):
                if piece:
                    self.order(piece, begins)

    def order(self, part, begins):
        """At most one thing happens in it, and what happens is all of it; nothing happens in an operand of && || ? :, but
        what a call of its own does."""
        depth, calls, changes = 0, [], []
        for at, token in enumerate(part):
            if token.kind == "mark":
                depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.kind == "word" and texts(part[at + 1 : at + 2]) == ["("] and token.text not in KEYWORDS:
                if not self.checker.is_pure(self.path, token.text):
                    calls.append(at)
            elif token.text in ASSIGN or token.text in ("++", "--"):
                changes.append((at, depth))
        line = part[0].line
        if changes and not begins:
            self.say(line, "changes something within && || ? or :, where C may leave its order open; write a statement")
        elif calls:
            self.order_call(part, calls, changes)
        elif len(changes) > 1 and not all(depth == 0 and part[at].text == "=" for at, depth in changes):
            self.say(line, "changes two things in one expression: C leaves their order open; write two statements")
        elif len(changes) == 1:
            at, depth = changes[0]
            if (part[at].text in ASSIGN and depth == 0) or at in (0, len(part) - 1):
                return
            name = part[at - 1] if part[at - 1].kind == "word" else part[at + 1]
            if name.kind != "word" or sum(t.text == name.text for t in part) > 1:
                self.say(line, "changes %s and reads it in one expression: C leaves the order open" % name.text)

    def order_call(self, part, calls, changes):
        at = calls[0]
        close = closing(part, at + 1)
        assigned = [i for i, _ in changes]
        alone = len(calls) == 1 and all(i < at and part[i].text == "=" and depth == 0 for i, depth in changes)
        before = part[assigned[-1] + 1 : at] if alone and assigned else part[:at]
        simple = all(t.text in ("(", ")", "!", "return", "void") or t.text in TYPES or t.text.endswith("_t") for t in before)
        behind = part[close + 1 :]
        plain = all(t.kind in ("word", "number") or t.text in ("==", "!=", "<", ">", "<=", ">=", ")", "-") for t in behind)
        if not alone or not simple or not plain or "[" in texts(part[: assigned[-1]] if assigned else []):
            self.say(part[at].line, "%s(..) changes something and stands beside what may change or read it: C leaves the "
                     "order open; write a statement of its own" % part[at].text)
