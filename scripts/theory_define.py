# SPDX-License-Identifier: GPL-3.0-or-later
"""What the functions of a query stand for that the encoder has for sums, extrema, sizes of sets and k-th smallest values.

It is read off the axioms that define them (solver/encode/fact.def), and put in their place; a function whose axioms are of
another form stays, so that what speaks of it differs.
"""
from theory_text import conjuncts, put, show, simple, symbols

WITNESSES = ('member', 'missing', 'outside', 'common')
PREDICATES = ('most', 'less', 'in')


def kind(name):
    return name.strip('|').split('.')[0]


def quantified(x):
    """(variables, body) of what may be quantified."""
    return (x[1], x[2]) if isinstance(x, list) and x and x[0] == 'forall' else ([], x)


def applied(x, name):
    """The arguments, where x is that function applied."""
    if x == name:
        return []
    return x[1:] if isinstance(x, list) and x and x[0] == name else None


class Definition:
    """NAME(PARAMETERS) is the term."""

    def __init__(self, parameters, term):
        self.parameters, self.term = list(parameters), term

    def at(self, arguments):
        term = self.term
        for i, name in enumerate(self.parameters):
            term = put(term, name, f'at.{i}')
        for i, argument in enumerate(arguments):
            term = put(term, f'at.{i}', argument)
        return term


def extremum(name, limits, reached):
    """The greatest or least, by its two axioms: no element exceeds it; it is one of them, or 0 of none."""
    variables, body = quantified(limits)
    inside, fact = (body[1], body[2]) if body[0] == '=>' and len(body) == 3 else ('true', body)
    if fact[0] != '<=' or len(fact) != 3:
        return None
    greatest = applied(fact[2], name) is not None
    call, value = (fact[2], fact[1]) if greatest else (fact[1], fact[2])
    arguments = applied(call, name)
    own = [v for v in variables if arguments is not None and v[0] not in arguments]
    if arguments is None or len(own) != 1 or [v[0] for v in variables[:-1]] != list(arguments):
        return None
    free, said = quantified(reached)
    for (old, _), new in zip(free, arguments):
        said = put(said, old, new)
    some = ['exists', own, ['and', inside, ['=', call, value]]]
    none = ['and', ['forall', own, ['not', inside]], ['=', call, '0.0']]
    unless_empty = said[2] if said[0] == '=>' and said[1][:2] == ['<=', '1'] else None
    forms = [show(simple(some)), show(simple(['or', some, none]))]
    if show(simple(said)) not in forms and (unless_empty is None or show(simple(unless_empty)) != forms[0]):
        return None
    return Definition(arguments, ['greatest' if greatest else 'least', own, inside, value])


def prefix_sum(name, x):
    """The sum below j of an addend, by its axiom."""
    variables, body = quantified(x)
    parts = conjuncts(body)
    if not variables or len(parts) != 4:
        return None
    j, free = variables[-1][0], [v[0] for v in variables[:-1]]
    same = [p for p in parts if p[0] == '=' and [name, *free, j] in p[1:]]
    if len(same) != 1:
        return None
    other = next(y for y in same[0][1:] if y != [name, *free, j])
    here, inner = [other[0], *free, j], other[0]
    grows = [p for p in parts if p[1] == [inner, *free, ['+', j, '1']] and p[2][:2] == ['+', here] and len(p[2]) == 3]
    back = [p for p in parts if p[1] == here and isinstance(p[2], list) and p[2][:2] == ['+', [inner, *free, ['-', j, '1']]]]
    if len(grows) != 1 or len(back) != 1 or ['=', [inner, *free, '0'], '0.0'] not in parts:
        return None
    return Definition([*free, j], ['prefix', [['index.' + name, 'Int']], 'true', put(grows[0][2][2], j, 'index.' + name), j])


def measure(name, x):
    """How many members a set has, by the axiom that one with a member has some."""
    variables, body = quantified(x)
    if not variables or body[0] != '=>' or body[2][:2] != ['<=', '1'] or applied(body[2][2], name) is None:
        return None
    arguments = applied(body[2][2], name)
    own = [v for v in variables if v[0] not in arguments]
    return Definition(arguments, ['count', own, body[1]]) if len(own) == 1 else None


def predicate(name, x):
    variables, body = quantified(x)
    if body[0] != '=' or len(body) != 3:
        return None
    call = next((y for y in body[1:] if applied(y, name) is not None), None)
    if call is None or applied(call, name) != [v[0] for v in variables]:
        return None
    return Definition(applied(call, name), body[2] if call is body[1] else body[1])


def kth(name, x, sets):
    """The so manieth smallest: so many are no greater and fewer are less, it is one, and 0 where the place is below 1."""
    variables, body = quantified(x)
    if variables and body[0] == '=>' and all(p[0] in ('<=', '<', 'and') for p in [body[1]]):
        body = body[2]  # of arguments that are nodes
    arguments = [v[0] for v in variables]
    call = [name, *arguments] if arguments else name
    for part in conjuncts(body):
        right = conjuncts(part[2]) if part[0] == '=>' else []
        some = [y for y in right if y[0] == 'exists']
        most = [y for y in right if y[0] == '<=']
        less = [y for y in right if y[0] == '<']
        if (len(right), len(some), len(most), len(less)) != (3, 1, 1, 1) or most[0][1] != less[0][2]:
            continue
        own, reached = some[0][1], conjuncts(some[0][2])
        value = next((y for e in reached if e[0] == '=' and call in e[1:] for y in e[1:] if y != call), None)
        if value is None:
            continue
        inside = ['and', *[e for e in reached if call not in e[1:]], 'true']

        def counts(term, test):
            said = sets(term)
            wanted = ['count', own, ['and', inside, [test, value, call]]]
            return said is not None and show(simple(['forall', said[1], said[2]])) == show(simple(['forall', own, wanted[2]]))
        if counts(most[0][2], '<=') and counts(less[0][1], '<'):
            return Definition(arguments, ['kth', own, inside, value, most[0][1]])
    return None


class Definitions:
    """Of the assertions of a query, without `let` and patterns; `patterns`: whether each has a pattern on a size."""

    def __init__(self, raw, patterns, declared):
        self.known, self.axioms, self.declared = {}, set(), declared
        self.raw, self.mentions = raw, [symbols(x, set()) for x in raw]
        for i, names in enumerate(self.mentions):
            if any(n in declared and kind(n) in WITNESSES for n in names) or self.is_on_sizes(i, patterns[i]):
                self.axioms.add(i)
        for name in declared:
            self.find(name)

    def is_on_sizes(self, i, pattern):
        """A fact on sizes of sets: by its variable, its pattern, or its form."""
        x = self.raw[i]
        if not any(kind(n) == 'measure' for n in self.mentions[i]):
            return False
        variables, body = quantified(x)
        if pattern or any(v[0].strip('|').startswith('member!') for v in variables):
            return True
        fact = body[2] if body[0] == '=>' and body[1][:2] == ['<=', '1'] else body
        return fact[0] == '<=' and (fact[1] in ('0', '0.0') and self.is_size(fact[2]) or
                                    body[0] == '=>' and self.is_size(fact[1]) and fact[2] == body[1][2])

    def is_size(self, x):
        return kind(x if isinstance(x, str) else x[0] if isinstance(x[0], str) else '') == 'measure'

    def find(self, name):
        sort = kind(name)
        places = [i for i, names in enumerate(self.mentions) if name in names]
        if sort == 'extremum':
            for i in places:
                made = extremum(name, self.raw[i], self.raw[i + 1]) if i + 1 in places else None
                if made is not None:
                    self.take(name, made, i, i + 1)
                    return
        finders = {'measure': measure, 'sum': prefix_sum, **dict.fromkeys(PREDICATES, predicate)}
        if sort == 'order':
            for i in places:
                made = kth(name, self.raw[i], self.set_of)
                if made is not None:
                    self.take(name, made, i)
                    return
        for i in places if sort in finders and 'inner' not in name else []:
            made = finders[sort](name, self.raw[i])
            if made is not None:
                self.take(name, made, i)
                return

    def take(self, name, definition, *places):
        self.known[name] = definition
        self.axioms.update(places)

    def set_of(self, x):
        """The set whose size x is, with its predicate in its words."""
        name = x if isinstance(x, str) else x[0]
        if name not in self.known:
            self.find(name)
        if name not in self.known:
            return None
        term = self.known[name].at([] if isinstance(x, str) else x[1:])
        for inner in [n for n in symbols(term, set()) if kind(n) in PREDICATES and n in self.declared]:
            if inner not in self.known:
                self.find(inner)
        return self.unfold(term, PREDICATES)

    def unfold(self, x, kinds=None):
        """With what a function stands for in its place."""
        if isinstance(x, str):
            d = self.known.get(x) if kinds is None or kind(x) in kinds else None
            return self.unfold(d.at([]), kinds) if d is not None and not d.parameters else x
        if x and isinstance(x[0], str) and x[0] in self.known and (kinds is None or kind(x[0]) in kinds):
            return self.unfold(self.known[x[0]].at([self.unfold(y, kinds) for y in x[1:]]), kinds)
        if x and x[0] in ('forall', 'exists'):
            return [x[0], x[1], self.unfold(x[2], kinds)]
        return [self.unfold(y, kinds) for y in x]

    def left(self):
        """The assertions that define nothing."""
        return [self.unfold(x) for i, x in enumerate(self.raw) if i not in self.axioms]
