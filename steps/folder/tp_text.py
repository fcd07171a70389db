# SPDX-License-Identifier: GPL-3.0-or-later
#
# Reads C with ACSL as tokens, for tp_rules.py: what a compiler and Frama-C could read differently is refused here,
# before anything is understood (other encodings of a character, continued lines, comments that do not end).
import re
from collections import namedtuple

Token = namedtuple("Token", "kind text line")  # kind: word number char string mark note directive
# note: an annotation, its text without /*@ */; directive: a line of the preprocessor, its text a list of tokens


KEYWORDS = set(
    "break case char const continue default do else enum extern for if inline int long return short signed sizeof "
    "static struct switch typedef unsigned void while".split()
)


class Refused(Exception):
    def __init__(self, line, why):
        super().__init__(why)
        self.line = line


MARKS = re.compile(
    r"\.\.\.|<<=|>>=|<==>|==>|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\^\^|[-+*/%&|^]=|##|::|\.\.|[-+*/%&|^=<>!~?:;,.(){}\[\]#@]"
)
WORD = re.compile(r"\\?[A-Za-z_][A-Za-z_0-9]*")
NUMBER = re.compile(r"\.?[0-9]([eEpP][-+]|[0-9A-Za-z_]|\.(?!\.))*")
CHAR = re.compile(r"'(\\[abfnrtv0'\"\\]|[ -&(-\[\]-~])'")
STRING = re.compile(r'"[ !#-\[\]-~]*"')


def check_bytes(text):
    """What no two readers need agree on, in comments, too."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", line):
            raise Refused(number, "a control character; write spaces and line feeds")
        if re.search(r"\\[ \t]*$", line):
            raise Refused(number, "a line that goes on in the next one (\\ at its end); write it in one")
        if re.search(r"\?\?[=/'()!<>-]", line):
            raise Refused(number, "a trigraph; write the character itself")


def end_of_comment(text, at, line):
    if text.startswith("//", at):
        end = text.find("\n", at)
        return (len(text), len(text)) if end < 0 else (end, end)
    end = text.find("*/", at + 2)
    if end < 0:
        raise Refused(line, "a comment that does not end")
    return end, end + 2


def raw_tokens(text, line, annotation):
    """Tokens of the text, which begins on that line, comments left out; ("line", ..) marks each line feed."""
    at = 0
    while at < len(text):
        c = text[at]
        if c == "\n":
            yield Token("line", "\n", line)
            line += 1
            at += 1
        elif c in " \t":
            at += 1
        elif text.startswith(("/*", "//"), at):
            inner, end = end_of_comment(text, at, line)
            body = text[at + 2 : inner]
            if body.startswith("@"):
                if annotation:
                    raise Refused(line, "an annotation in an annotation; write /@ ... @/ in ghost code")
                yield Token("note", body[1:], line)
            line += text.count("\n", at, end)
            at = end
        elif annotation and text.startswith("/@", at):
            end = text.find("@/", at + 2)
            if end < 0:
                raise Refused(line, "a /@ without its @/")
            yield Token("note", text[at + 2 : end], line)
            line += text.count("\n", at, end)
            at = end + 2
        elif re.compile(r"<:|:>|<%|%>|%:").match(text, at) and not annotation:
            raise Refused(line, "a digraph; write the character itself")
        else:
            for kind, pattern in (("word", WORD), ("number", NUMBER), ("char", CHAR), ("string", STRING), ("mark", MARKS)):
                found = pattern.match(text, at)
                if found:
                    break
            else:
                raise Refused(line, "%s: a character that is not understood here" % ascii(c))
            yield Token(kind, found.group(), line)
            at = found.end()


def tokens(text, line=1, annotation=False):
    """A list of tokens in which a directive is one token."""
    out, directive, fresh = [], None, True
    for token in raw_tokens(text, line, annotation):
        if token.kind == "line":
            if directive:
                out.append(Token("directive", directive[1:], directive[0].line))
            directive, fresh = None, True
        elif directive is not None:
            if token.kind == "note":
                raise Refused(token.line, "an annotation in a line of the preprocessor")
            directive.append(token)
        elif token.text == "#" and fresh:
            if annotation:
                raise Refused(token.line, "a line of the preprocessor in an annotation")
            directive = [token]
        else:
            if token.text in ("#", "##"):
                raise Refused(token.line, "a # within a line")
            out.append(token)
            fresh = False
    if directive:
        out.append(Token("directive", directive[1:], directive[0].line))
    return out


def split(items, mark):
    """The tokens between marks that stand in no parenthesis; the last part may be empty."""
    parts, depth = [[]], 0
    for token in items:
        if token.kind == "mark" and token.text in ("(", "[", "{"):
            depth += 1
        elif token.kind == "mark" and token.text in (")", "]", "}"):
            depth -= 1
        if depth == 0 and token.kind == "mark" and token.text == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def closing(items, at):
    """The index of what closes the parenthesis at `at`; the end if nothing does."""
    depth = 0
    for i in range(at, len(items)):
        if items[i].kind != "mark":
            continue
        if items[i].text in ("(", "[", "{"):
            depth += 1
        elif items[i].text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return i
    return len(items)


def texts(items):
    return [token.text for token in items]
