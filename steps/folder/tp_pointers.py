# SPDX-License-Identifier: GPL-3.0-or-later
#
# Pointers that are compared or subtracted, for tp_rules.py. Of pointers into different objects WP proves that none is less
# than the other and that they differ, by 0 elements; a processor compares their addresses, and the end of one object may be
# the beginning of the next. Whether two point into the same object is not seen here, so only NULL is compared.
from tp_text import KEYWORDS, closing, split, texts

COMPARE = {"<", "<=", ">", ">=", "==", "!="}
ENDS = COMPARE | {"&&", "||", "?", ":", ",", ";", "{", "}", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return"}
NULLS = (["NULL"], ["0"])


def declared(piece):
    """The name that a declaration gives a meaning, and whether it is a pointer or an array."""
    words = texts(piece)
    until = next((i for i, w in enumerate(words) if w in ("[", "=", ":")), len(words))
    names = [t for t in piece[:until] if t.kind == "word" and t.text not in KEYWORDS]
    return names[-1].text if names else None, "*" in words[:until] or words[until : until + 1] == ["["]


def tag(declaration):
    """Of struct TAG ..., or None."""
    words = texts(declaration)
    return words[words.index("struct") + 1] if "struct" in words[:-1] else None


def members(items):
    """Of the structs that these tokens define: {(tag, member): (is a pointer or an array, tag of the member's struct)}."""
    found = {}
    for at, token in enumerate(items):
        if token.text == "struct" and "{" in texts(items[at + 1 : at + 3]):
            start = at + 1 + texts(items[at + 1 : at + 3]).index("{")
            of = items[at + 1].text if start > at + 1 else None
            for line in split(items[start + 1 : closing(items, start)], ";"):
                for piece in split(line, ","):
                    name, pointer = declared(piece)
                    found[of, name] = (pointer or found.get((of, name), (False,))[0], tag(line))
    return found


def is_operand(token):
    """Whether what stands behind it has a left operand."""
    return token.kind in ("number", "char") or token.text in (")", "]") or (token.kind == "word" and token.text not in KEYWORDS)


class Pointers:
    """Of one function."""

    def __init__(self, say, parameters, checker):
        self.say, self.checker = say, checker
        self.names, self.tags = set(), {}  # those of pointers and arrays; the struct of each
        for piece in parameters:
            self.declare(piece, piece)

    def declare(self, piece, whole):
        name, pointer = declared(piece)
        if pointer:
            self.names.add(name)
        if tag(whole):
            self.tags[name] = tag(whole) if self.tags.get(name, tag(whole)) == tag(whole) else None

    def tag_before(self, items, at):
        """The struct of what stands before items[at], which is -> or a point; None: not known."""
        at -= 1
        while at > 0 and items[at].text == "]":
            depth = 0
            while at > 0 and (items[at].text != "[" or depth != 1):
                depth += (items[at].text == "]") - (items[at].text == "[")
                at -= 1
            at -= 1
        if at < 0 or items[at].kind != "word":
            return None
        if at > 0 and items[at - 1].text in ("->", "."):
            return self.checker.members.get((self.tag_before(items, at - 1), items[at].text), (None, None))[1]
        return self.tags.get(items[at].text)

    def is_pointer_member(self, items, at):
        of, name = self.tag_before(items, at - 1), items[at].text
        if (of, name) in self.checker.members:
            return self.checker.members[of, name][0]
        return any(pointer for (_, known), (pointer, _) in self.checker.members.items() if known == name)

    def is_pointer(self, items):
        """Whether a pointer is among what makes the value of these tokens."""
        at = 0
        while at < len(items):
            token = items[at]
            if token.text == "[":
                at = closing(items, at)
            elif token.text == "(":
                end = closing(items, at)
                called = at > 0 and items[at - 1].kind == "word" and items[at - 1].text not in KEYWORDS
                inside = items[at + 1 : end]
                if called and items[at - 1].text in self.checker.pointer_functions:
                    return True
                if not called and not COMPARE & set(texts(inside)) and self.is_pointer(inside):
                    return self.alone(items, at, end)
                at = end
            elif token.text == "&" and (at == 0 or not is_operand(items[at - 1])):
                return True
            elif token.kind == "word":
                field = at > 0 and items[at - 1].text in ("->", ".")
                known = self.is_pointer_member(items, at) if field else token.text in self.names
                if known and self.alone(items, at, at):
                    return True
            at += 1
        return False

    def alone(self, items, at, end):
        """Whether what stands from `at` to `end` is neither followed nor led to, so that it is a pointer itself."""
        if texts(items[end + 1 : end + 2]) in (["["], ["->"], ["."], ["("]):
            return False
        while at > 0 and items[at - 1].text in ("->", "."):
            at -= 2
            if at >= 0 and items[at].text in ("]", ")"):
                depth = 0
                while at >= 0:
                    depth += (items[at].text in ("]", ")")) - (items[at].text in ("[", "("))
                    if depth == 0:
                        break
                    at -= 1
                at -= items[at - 1].kind == "word" if at > 0 else 0
        before = items[at - 1].text if at > 0 else ""
        return not (before in ("!", "sizeof") or (before == "*" and (at == 1 or not is_operand(items[at - 2]))))

    def judge(self, code):
        for at, token in enumerate(code):
            if token.kind != "mark":
                continue
            if token.text in COMPARE:
                left, right = code[self.begin(code, at) : at], code[at + 1 : self.end(code, at, ENDS)]
                for one, other in ((left, right), (right, left)):
                    if self.is_pointer(one) and not (token.text in ("==", "!=") and texts(other) in NULLS):
                        self.say(token.line, "compares pointers: to WP those into different objects are never in order and never "
                                 "equal; compare indices")
                        break
            elif token.text == "-" and at > 0 and is_operand(code[at - 1]):
                if self.is_pointer(code[at + 1 : self.end(code, at, ENDS | {"+", "-"})]):
                    self.say(token.line, "subtracts a pointer: to WP those into different objects are 0 apart; subtract indices")
            elif token.text == "(" and at > 0 and self.compares(code[at - 1].text):
                if any(map(self.is_pointer, split(code[at + 1 : closing(code, at)], ","))):
                    self.say(token.line, "hands a pointer to a macro that compares or subtracts; write a function")

    def compares(self, macro):
        """Whether the macro, or one that it uses, has a comparison or a difference."""
        seen, todo = set(), [macro]
        while todo:
            body = self.checker.logic.macros.get(todo.pop(), set()) - seen
            seen |= body
            todo += body
        return bool(seen & (COMPARE | {"-"}))

    def begin(self, code, at):
        depth = 0
        while at > 0:
            text = code[at - 1].text
            if depth == 0 and (text in ENDS or text in ("(", "[")):
                return at
            depth += (text in (")", "]")) - (text in ("(", "["))
            at -= 1
        return 0

    def end(self, code, at, ends):
        depth, at = 0, at + 1
        while at < len(code):
            text = code[at].text
            if depth == 0 and (text in ends or text in (")", "]")):
                return at
            depth += (text in ("(", "[")) - (text in (")", "]"))
            at += 1
        return at
