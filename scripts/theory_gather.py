# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made of many: sums, extrema, sizes of sets, k-th smallest. Gives a name to each, the same to those that say the same.

Print.v writes (greatest ((v Int)) INSIDE BODY), and so least, total, total.int and kth (with the rank), and (count ((v Int))
INSIDE); scripts/theory_define.py puts them in the place of the encoder's functions. The rules that are used on either side have
their lemmas in proofs/theory/Facts.v: the total of a range is the difference of two prefix sums (sum_of_range), that of a sum is
the sum of those of its addends (total_plus), and sets are counted by their parts (set_union, set_difference, set_all).
"""
import itertools

from theory_text import conjuncts, put, show, simple, symbols

HEADS = ('greatest', 'least', 'total', 'total.int', 'kth', 'count', 'prefix')
UNREAD = {'total.int': 'sums of integers', 'total': 'sums over sets'}  # whose axioms in a query are not read
WHOLE = ('total.int', 'count')


def both(p, q):
    product = {}
    for (c, a), n in p.items():
        for (d, b), m in q.items():
            product[c | d, a | b] = product.get((c | d, a | b), 0) + n * m
    return {key: n for key, n in product.items() if n}


def plus(p, q, sign=1):
    result = dict(p)
    for key, n in q.items():
        result[key] = result.get(key, 0) + sign * n
    return {key: n for key, n in result.items() if n}


def integer(x):
    """What a term of numbers alone is."""
    if isinstance(x, str):
        return int(x) if x.isdigit() else None
    of = [integer(y) for y in x[1:]]
    if None in of or x[0] not in ('+', '-') or not of:
        return None
    return sum(of) if x[0] == '+' else of[0] - sum(of[1:]) if len(of) > 1 else -of[0]


ONE = {(frozenset(), frozenset()): 1}


class Terms:
    """Formulas by their text, as keys of a dictionary are to be."""

    def __init__(self):
        self.by_text = {}

    def __call__(self, x):
        self.by_text[show(x)] = x
        return show(x)


class Gathering:
    """The names, of one protocol: NAME.N of the variables that are bound outside; and, if it opens them, of the arguments within of
    functions that do not change with its own variable, so that what is of one node is a case of what is of any."""

    def __init__(self, name, opens, ask, domain):
        self.name, self.opens = name, opens
        self.ask = ask  # whether a formula holds of all that its symbols may stand for
        self.domain = domain  # the sorts of a function's arguments; None: it is none
        self.classes, self.known, self.text = [], {}, Terms()
        self.declared = {}

    def __call__(self, x, bound=()):
        """The same without terms of this kind. `bound`: (variable, sort) of the quantifiers around it."""
        if isinstance(x, str) or not x:
            return x
        if x[0] in ('forall', 'exists'):
            return [x[0], x[1], self(x[2], (*bound, *((n, s) for n, s in x[1])))]
        if x[0] in HEADS:
            v = x[1][0][0]
            inner = [self(y, (*bound, (v, 'Int'))) for y in x[2:]]
            if x[0] == 'count':
                return self.count(v, inner[0], bound)
            if x[0] == 'prefix':
                return self.prefix(v, inner[1], inner[2], bound)
            if x[0] == 'total':
                return self.total(v, *inner, bound)
            return self.named(x[0], v, *inner[:2], inner[2:], bound)
        return [self(y, bound) for y in x]

    def range_of(self, v, inside):
        """(low, high, what else is asked of it), where it is such."""
        low = high = None
        rest = []
        for part in conjuncts(simple(inside)):
            if part[0] == '<=' and part[2] == v and low is None and v not in symbols(part[1], set()):
                low = part[1]
            elif part[0] == '<=' and part[1] == v and high is None and v not in symbols(part[2], set()):
                high = part[2]
            elif part[0] == '<' and part[1] == v and high is None and v not in symbols(part[2], set()):
                high = ['-', part[2], '1']
            elif part not in rest:
                rest.append(part)
        # The same limit twice, in other words, says nothing new.
        rest = [p for p in rest if not (p[0] in ('<', '<=') and v in p[1:] and
                                        self.ask(['=>', ['and', ['<=', low, v], ['<=', v, high]], p], [(v, 'Int')]))] \
            if low is not None and high is not None else rest
        return low, high, rest

    def unread(self, x):
        """What of it no function of a query is known to stand for."""
        heads = {f'{self.name}.{i}': head for i, (head, _, _) in enumerate(self.classes)}
        return {UNREAD[heads[n]] for n in symbols(x, set()) if heads.get(n) in UNREAD}

    # --- sums ---

    def prefix(self, v, addend, j, bound):
        """The sum of the addend below j, which is less than 0 from j on where j is."""
        if integer(j) == 0:
            return '0.0'
        head = addend[0] if isinstance(addend, list) and addend else ''
        if head in ('+', '-') and len(addend) > 2:
            return [head, *[self.prefix(v, part, j, bound) for part in addend[1:]]]
        if head == '*' and len(addend) == 3 and v not in symbols(addend[1], set()) and v in symbols(addend[2], set()):
            return ['*', addend[1], self.prefix(v, addend[2], j, bound)]
        if v not in symbols(addend, set()):
            return ['*', ['to_real', j], addend]
        shifted = self.shift(v, addend)
        if shifted is not None:
            by, addend = shifted
            return ['-', self.prefix_named(v, addend, ['+', j, by], bound), self.prefix_named(v, addend, by, bound)]
        return self.prefix_named(v, addend, j, bound)

    def prefix_named(self, v, addend, j, bound):
        return self.named('prefix', v, 'true', addend, [j], bound)

    def shift(self, v, x):
        """(by, the same of v) where each mention of v is v + by or v - by of one number."""
        found = set()

        def visit(y):
            if isinstance(y, str):
                found.update({None} if y == v else ())
                return y
            if len(y) == 3 and y[0] in ('+', '-') and v in y[1:] and not (y[0] == '-' and y[2] == v):
                by = y[2] if y[1] == v else y[1]
                if isinstance(by, str) and by.isdigit():
                    found.add(by if y[0] == '+' else f'-{by}')
                    return v
            return [visit(z) for z in y]
        plain = visit(x)
        if len(found) != 1 or None in found:
            return None
        by = found.pop()
        return (['-', by[1:]] if by[0] == '-' else by), plain

    def total(self, v, inside, body, bound):
        low, high, rest = self.range_of(v, inside)
        if low is None or high is None or rest:
            return self.named('total', v, inside, body, [], bound)
        end = ['+', high, '1']
        return ['ite', ['<=', low, end], ['-', self.prefix(v, body, end, bound), self.prefix(v, body, low, bound)], '0.0']

    # --- sizes of sets ---

    def indicator(self, v, x):
        """1 where x holds and 0 else: a sum of products of conditions without v and conditions on v."""
        if x == 'true':
            return ONE
        if x == 'false':
            return {}
        head = x[0] if isinstance(x, list) else ''
        if head == 'not':
            return plus(ONE, self.indicator(v, x[1]), -1)
        if head == 'and':
            result = ONE
            for y in x[1:]:
                result = both(result, self.indicator(v, y))
            return result
        if head == 'or':
            result = ONE
            for y in x[1:]:
                result = both(result, plus(ONE, self.indicator(v, y), -1))
            return plus(ONE, result, -1)
        if head == '=>':
            return self.indicator(v, ['or', ['not', ['and', *x[1:-1], 'true']], x[-1]])
        if head == 'ite':
            c = self.indicator(v, x[1])
            return plus(both(c, self.indicator(v, x[2])), both(plus(ONE, c, -1), self.indicator(v, x[3])))
        text = self.text(x)
        free = v not in symbols(x, set())
        return {(frozenset([text] if free else []), frozenset([] if free else [text])): 1}

    def count(self, v, inside, bound):
        if simple(inside) == 'false':
            return '0'
        low, high, rest = self.range_of(v, inside)
        if low is None or high is None:
            return self.named('count', v, inside, '1', [], bound)
        total = ['+', '0']
        parts = self.indicator(v, simple(['and', *rest, 'true']))
        for (conditions, atoms), n in sorted(parts.items(), key=lambda i: sorted(map(sorted, i[0]))):
            value = self.product(v, low, high, [self.text.by_text[a] for a in sorted(atoms)], bound)
            given = [self.text.by_text[c] for c in sorted(conditions)]
            value = ['ite', ['and', *given, 'true'], value, '0'] if given else value
            total.append(['*', str(n), value] if n > 0 else ['-', ['*', str(-n), value]])
        return total if len(total) > 2 else '0'

    def product(self, v, low, high, atoms, bound):
        """How many from low to high have all of these."""
        for atom in atoms:
            if isinstance(atom, list) and atom[0] == '=' and v in atom[1:]:
                one = atom[2] if atom[1] == v else atom[1]
                if v not in symbols(one, set()):
                    there = [put(a, v, one) for a in atoms if a is not atom]
                    return ['ite', ['and', ['<=', low, one], ['<=', one, high], *there], '1', '0']
        if not atoms:
            return ['ite', ['<=', low, high], ['+', ['-', high, low], '1'], '0']
        return self.named('count', v, ['and', ['<=', low, v], ['<=', v, high], *atoms], '1', [], bound)

    # --- names ---

    def named(self, head, v, inside, body, more, bound):
        """The name, of what a function is applied to that does not change with v, and of the variables that are left."""
        own = [put(x, v, 'it') for x in ([inside, body] if head == 'prefix' else [inside, body, *more])]
        free = {}  # text -> (term, sort)
        own = [self.opened(x, {'it'}, free) for x in own] if self.opens else own
        left = symbols(own, set())
        for n, s in bound:
            if n in left and n != v:
                own = [put(x, n, free.setdefault(n, (n, s, f'of.{len(free)}'))[2]) for x in own]
        own = [simple(x) for x in own]
        sorts = [s for _, s, _ in free.values()]
        key = show([head, own, sorts])
        if key not in self.known:
            self.known[key] = self.find(head, own, sorts)
        number, order = self.known[key]
        terms = [term for term, _, _ in free.values()]
        arguments = [terms[k] for k in order] + (list(more) if head == 'prefix' else [])
        return [f'{self.name}.{number}', *arguments] if arguments else f'{self.name}.{number}'

    def opened(self, x, inner, free):
        """With a variable for each argument of a function that does not change with what is bound within."""
        if isinstance(x, str) or not x:
            return x
        if x[0] in ('forall', 'exists'):
            return [x[0], x[1], self.opened(x[2], inner | {n for n, _ in x[1]}, free)]
        domain = self.domain(x[0]) if isinstance(x[0], str) else None
        result = [x[0]] if isinstance(x[0], str) else [self.opened(x[0], inner, free)]
        for place, y in enumerate(x[1:]):
            if domain is not None and not symbols(y, set()) & inner:
                sort = 'Bool' if domain[place] == 'Bool' else 'Int'
                result.append(free.setdefault(show(y), (y, sort, f'of.{len(free)}'))[2])
            else:
                result.append(self.opened(y, inner, free))
        return result

    def find(self, head, own, sorts):
        """(number, in which order the variables are its arguments)."""
        for number, (other, theirs, those) in enumerate(self.classes):
            if other != head or sorted(those) != sorted(sorts):
                continue
            for order in itertools.permutations(range(len(sorts))):
                if [sorts[k] for k in order] == those and self.same(own, theirs, order, sorts):
                    return number, order
        self.classes.append((head, own, sorts))
        number = len(self.classes) - 1
        domain = [*sorts, 'Int'] if head == 'prefix' else sorts
        self.declared[f'{self.name}.{number}'] = (domain, 'Int' if head in WHOLE else 'Real')
        return number, tuple(range(len(sorts)))

    def same(self, own, theirs, order, sorts):
        there = theirs
        for place, k in enumerate(order):
            there = [put(x, f'of.{place}', f'to.{k}') for x in there]
        for k in order:
            there = [put(x, f'to.{k}', f'of.{k}') for x in there]
        if there == own:
            return True
        others = [['=', a, b] for a, b in zip(own[2:], there[2:])]
        equal = ['and', ['=', own[0], there[0]], ['=>', own[0], ['=', own[1], there[1]]], *others]
        return self.ask(equal, [('it', 'Int'), *((f'of.{k}', s) for k, s in enumerate(sorts))])
