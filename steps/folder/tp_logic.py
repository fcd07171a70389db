# SPDX-License-Identifier: GPL-3.0-or-later
#
# ACSL annotations, for tp_rules.py: contracts, loops, assertions, ghost code, and words of contracts that are defined.
# What would be believed without a proof is refused: axioms, lemmas, admitted clauses, inductive definitions, and
# equations of recursive words that need have no solution.
from tp_text import closing, split, texts, tokens

CONTRACT = {"requires", "assigns", "ensures", "behavior", "assumes", "complete", "disjoint"}
LOOP = {"invariant", "assigns", "variant"}
BELIEVED = {
    "axiom": "an axiom", "lemma": "a lemma", "admit": "what is admitted", "inductive": "an inductive definition",
    "axiomatic": "axioms", "import": "what another module says", "include": "what another file says",
}
REFUSED = {"\\lambda", "\\wp", "\\eva", "pragma", "calls"}


class Definition:
    def __init__(self, path, line, parameters, body):
        self.path, self.line, self.parameters, self.body = path, line, parameters, body


class Logic:
    """The predicates and logic functions of all files."""

    def __init__(self, checker):
        self.checker, self.definitions, self.macros = checker, {}, {}  # a list of definitions for each name

    def defines(self, name):
        return name in self.definitions

    def macro(self, name, body):
        self.macros.setdefault(name, set()).update(texts(body))

    def define(self, reader, line, clause):
        """`clause`: the tokens behind predicate or logic, up to the semicolon."""
        words = texts(clause)
        stop = next((i for i, w in enumerate(words) if w in ("(", "{", "=", "reads")), len(words))
        if stop == 0 or clause[stop - 1].kind != "word":
            reader.say(line, "a definition that is not understood")
            return
        name, at, parameters = words[stop - 1], stop, []
        if words[at : at + 1] == ["{"]:
            at = closing(clause, at) + 1
        if words[at : at + 1] == ["("]:
            end = closing(clause, at)
            parameters = [texts(p) for p in split(clause[at + 1 : end], ",")]
            at = end + 1
        body = clause[at + 1 :] if words[at : at + 1] == ["="] else []
        reader.checker.names.add(reader.of, name, line)
        self.definitions.setdefault(name, []).append(Definition(reader.of.path, line, parameters, body))

    def uses(self, name):
        found = set(self.macros.get(name, ()))
        for definition in self.definitions.get(name, ()):
            found |= set(texts(definition.body))
        return {n for n in found if n in self.definitions or n in self.macros}

    def reached(self, name):
        found, todo = set(), list(self.uses(name))
        while todo:
            at = todo.pop()
            if at not in found:
                found.add(at)
                todo += self.uses(at)
        return found

    def judge(self):
        for name, definitions in self.definitions.items():
            for at, one in enumerate(definitions):
                for other in definitions[:at]:
                    self.judge_double(name, one, other)
        for name, definitions in self.definitions.items():
            if name not in self.reached(name):
                continue
            circle = {n for n in self.reached(name) if name in self.reached(n)}
            with_body = [d for d in definitions if d.body]
            definition = with_body[0] if with_body else definitions[0]
            if circle != {name} or len(with_body) != 1 or not is_measured(name, definition):
                self.checker.say(
                    definition.path, definition.line, "%s is defined by itself, and nothing shows that there is such a word; write "
                    "%s(.., n) = n <= 0 ? .. : .. %s(.., n - 1) .., or define it without itself" % (name, name, name))


    def judge_double(self, name, one, other):
        files = {path.rsplit("/", 1)[-1] for path in (one.path, other.path)}
        if files == {"tp_set_bits.acsl", "tp_set_names.acsl"} or are_apart(one.parameters, other.parameters):
            return
        if self.checker.meet(one.path, other.path):
            self.checker.say(one.path, one.line, "%s is defined in %s:%d already: which one a contract means depends on types"
                             % (name, other.path, other.line))


def are_apart(one, other):
    """Whether no arguments fit both lists of parameters: pointers to different structs in one place."""
    return any(
        a[:1] == b[:1] == ["struct"] and a[2:3] == b[2:3] == ["*"] and a[1] != b[1] for a, b in zip(one, other)
    )


def is_measured(name, definition):
    """Whether its definition has a solution because something falls: one of
    f(.., n) = n <= E ? BASE : .. f(.., n - 1) ..                     (E of constants and what every call hands on)
    f(.., l, h) = h - l <= 1 ? BASE : .. f(.., (l + h) / 2, h) .. f(.., l, (l + h) / 2) .."""
    body = definition.body
    question = next((i for i, t in enumerate(body) if t.text == "?" or t.text in ("(", "[", "{")), None)
    if question is None or body[question].text != "?":
        return False
    guard = body[:question]
    colon, depth = None, 0
    for i in range(question + 1, len(body)):
        depth += (body[i].text == "?") if body[i].text != ":" else 0
        if body[i].text in ("(", "[", "{"):
            pass
        if body[i].text == ":":
            if depth == 0 and balanced(body[question + 1 : i]):
                colon = i
                break
            depth -= 1
    if colon is None or name in texts(body[question + 1 : colon]):
        return False
    names = [p[-1] for p in definition.parameters if p]
    if any(p[:-1] != ["integer"] for p in definition.parameters if p and p[-1] in texts(guard)):
        return False
    calls = calls_of(name, body[colon + 1 :])
    if not calls or any(len(call) != len(names) for call in calls):
        return False
    words = texts(guard)
    if len(words) == 5 and words[1] == "-" and words[3:] == ["<=", "1"] and {words[0], words[2]} <= set(names):
        return all(is_half(names, words[2], words[0], call) for call in calls)
    if len(words) < 3 or words[1] != "<=" or words[0] not in names or words[0] in words[2:]:
        return False
    if any(t.kind not in ("word", "number") and t.text not in ("+", "-") for t in guard[2:]):
        return False
    return all(is_less(names, words[0], words[2:], call) for call in calls)


def balanced(items):
    opened = sum(t.text in ("(", "[", "{") for t in items if t.kind == "mark")
    return opened == sum(t.text in (")", "]", "}") for t in items if t.kind == "mark")


def calls_of(name, items):
    """The arguments of each use of the name; None for a use without."""
    found = []
    for i, token in enumerate(items):
        if token.text != name:
            continue
        at = i + 1
        if texts(items[at : at + 1]) == ["{"]:
            at = closing(items, at) + 1
        if texts(items[at : at + 1]) != ["("]:
            return []
        found.append([texts(a) for a in split(items[at + 1 : closing(items, at)], ",")])
    return found


def is_less(names, falls, bound, call):
    for parameter, argument in zip(names, call):
        if parameter == falls:
            if len(argument) != 3 or argument[:2] != [falls, "-"] or not argument[2].isdigit() or int(argument[2]) < 1:
                return False
        elif parameter in bound and argument != [parameter]:
            return False
    return all(word in names or not (word[0].isalpha() or word[0] in "_\\") for word in bound)


def is_half(names, low, high, call):
    middle = ["(", low, "+", high, ")", "/", "2"]
    given = dict(zip(names, call))
    return (given[low], given[high]) in ((middle, [high]), ([low], middle))


# --- annotations ---


def judge_note(reader, note, place, ghost):
    """What an annotation is: "contract", "pure" (one that changes nothing), or "" for others. `place`: top or body."""
    words = [t for t in note_tokens(reader, note) if t.text != "@"]
    if not words:
        reader.say(note.line, "an empty annotation")
        return ""
    first = words[0].text
    if first == "ghost":
        judge_ghost(reader, note, words[1:], place)
        return ""
    clauses = split_clauses(words)
    if clauses[-1] and not (first == "axiomatic" and words[-1].text == "}"):
        reader.say(note.line, "an annotation that does not end with ;")
    for token in words:
        if token.text in BELIEVED and not (token.text == "axiomatic" and first == "axiomatic"):
            reader.say(token.line, "%s: assumes what it should prove (%s)" % (token.text, BELIEVED[token.text]))
        elif token.text in REFUSED or token.text == "::":
            reader.say(token.line, "%s in an annotation: it is not known to be harmless" % token.text)
        elif token.kind in ("string", "note"):
            reader.say(token.line, "a text in an annotation; write a name")
    if first in ("predicate", "logic", "axiomatic") and place == "top":
        return judge_words(reader, clauses)
    if first in CONTRACT and place == "top":
        return judge_contract(reader, clauses)
    if first in ("loop", "for", "assert", "check") and place == "body":
        return judge_statement(reader, clauses)
    reader.say(note.line, "%s: no annotation that is known to be harmless %s" % (first, "here" if place == "body" else "outside of functions"))
    return ""


def split_clauses(words):
    """As split(words, ";"), where a quantifier or \\let has a semicolon of its own."""
    clauses, bound = [], 0
    for part in split(words, ";"):
        if bound:
            clauses[-1] += part
            bound -= 1
        else:
            clauses.append(list(part))
        bound += count_binders(part)
    return clauses


def count_binders(part):
    depth = found = 0
    for token in part:
        if token.kind == "mark":
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        found += depth == 0 and token.text in ("\\forall", "\\exists", "\\let")
    return found


def note_tokens(reader, note):
    found = tokens(note.text, note.line, True)
    reader.of.take_words(found)
    return found


def judge_words(reader, clauses):
    for clause in clauses:
        if not clause:
            continue
        if clause[0].text in ("predicate", "logic"):
            reader.checker.logic.define(reader, clause[0].line, clause[1:])
        elif clause[0].text == "axiomatic" and texts(clause[2:3]) == ["{"]:
            for inner in split_clauses(clause[3:-1]):
                if inner and (inner[0].text not in ("predicate", "logic") or "=" in texts(inner)):
                    reader.say(inner[0].line, "%s in an axiomatic block: assumes what it should prove" % inner[0].text)
                elif inner:
                    reader.checker.logic.define(reader, inner[0].line, inner[1:])
        else:
            reader.say(clause[0].line, "%s: no definition that is known to be harmless" % clause[0].text)
    return ""


def judge_contract(reader, clauses):
    assigns = []
    for clause in clauses:
        while clause[:1] and clause[0].text == "behavior" and texts(clause[2:3]) == [":"]:
            clause = clause[3:]
        if not clause:
            continue
        if clause[0].text not in CONTRACT:
            reader.say(clause[0].line, "%s: no clause of a contract that is known to be harmless" % clause[0].text)
        if clause[0].text == "assigns":
            assigns.append(texts(clause[1:]))
    return "pure" if assigns and all(a == ["\\nothing"] for a in assigns) else "contract"


def judge_statement(reader, clauses):
    for clause in clauses:
        if clause[:1] and clause[0].text == "for":
            colon = next((i for i, t in enumerate(clause) if t.text == ":"), len(clause))
            clause = clause[colon + 1 :]
        words = texts(clause[:2])
        if words and not (words[0] in ("assert", "check") or (words[0] == "loop" and words[1:] and words[1] in LOOP)):
            reader.say(clause[0].line, "%s: no annotation that is known to be harmless here" % " ".join(words))
    return ""


def judge_ghost(reader, note, words, place):
    """Ghost code: functions outside of functions, statements within."""
    if place == "top":
        reader.words(words, True)
        reader.top(words, True)
    else:
        reader.words(words, True)
        reader.statements(words)
