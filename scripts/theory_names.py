# SPDX-License-Identifier: GPL-3.0-or-later
"""Which symbol of a query is which of the theory: the encoder's names, the numbers of proofs/theory/Print.v."""
import re

from theory_define import Definitions
from theory_gather import HEADS
from theory_text import expand, parse_all, plain, symbols

def balanced(text):
    """The first term of the text, up to its last bracket, and what follows."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in '([') - (c in ')]')
        if depth == 0:
            return text[:i + 1], text[i + 1:]
    return text, ''


def split(text):
    """The parts between semicolons that are in no bracket."""
    parts, depth = [''], 0
    for c in text:
        depth += (c in '([') - (c in ')]')
        if c == ';' and depth == 0:
            parts.append('')
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


class Theory:
    """What certify --theory wrote: names by number; and the formulas of Print.v."""

    def __init__(self, file, formulas):
        text = open(file).read()
        self.names = {}
        for kind, name, number in re.findall(r'^Definition ([prcmsai])_(\w+) := (\d+)%nat\.', text, re.M):
            self.names[kind, int(number)] = name
        self.bounds = re.findall(r'^Definition b_(\w+) : bound', text, re.M)
        self.variables = {number: name for number, name in re.findall(r'(\d+) \(\*(.*?)\*\)', text)}
        self.timing = re.search(r'timing_of := (\w+)', text).group(1)
        self.receiving = re.findall(r'received_by := r_(\w+)', text)
        self.states = re.findall(r'owner := r_\w+; sort_of := (\w+)', text)
        self.lossy = {name for name in re.findall(r'trigger_of := Losing m_(\w+) ', text)}
        self.timeouts = re.findall(r'Definition a_(\w+)_action.*?trigger_of := (?:After c_(\w+))?', text, re.S)
        self.timeouts = dict(self.timeouts)
        self.charges = {}
        for name, body in re.findall(r'^Definition a_(\w+)_action(.*?)^\|\}\.', text, re.M | re.S):
            self.charges[name] = re.findall(r'component_charged := c_(\w+)', body)
        self.lines, self.lacking = {}, {}
        for x in parse_all(open(formulas).read()):
            if x[0] == 'lacks':
                key = tuple(x[1]) if isinstance(x[1], list) else (x[1],)
                self.lacking.setdefault(key, set()).add(x[2].strip('"'))
            else:
                self.lines.setdefault(tuple(x[:-1]), []).append(expand(x[-1], {}))

        # How many nodes of a family each node of another owns.
        self.each = {}
        for role, size in re.findall(r'^Definition size_(\w+) : term Int := \(Mul (.*)\)\.$', text, re.M):
            owners, rest = balanced(size)
            self.each[role] = rest.strip()
        self.name_receivers(text)

    def name_receivers(self, text):
        """Where each sending has the receiver as a field, as a term that is the same, the field of its family names it."""
        declared = re.findall(r'fields_of := \[(.*?)\];\s*received_by := r_(\w+)', text)
        for number, (fields, role) in enumerate(declared):
            places = [i for i, size in enumerate(split(fields)) if size.strip('()') == f'Some size_{role}']
            for rest in re.findall(rf'Send m_{self.names["m", number]} \[(.*)', text):
                sent, after = balanced('[' + rest)
                receiver = balanced(after.strip())[0] if after.strip().startswith('(') else None
                terms = split(sent[1:-1])
                places = [i for i in places if i < len(terms) and terms[i] == receiver]
                for i, size in enumerate(split(fields)):  # or its owner is the receiver
                    role = re.fullmatch(r'\(?Some size_(\w+)\)?', size)
                    each = role and self.each.get(role.group(1))
                    if each and i < len(terms) and receiver == f'(Div {terms[i]} {each})':
                        self.lines.setdefault(('receiver', str(number), str(i)), [str(len(split(fields))), role.group(1)])
            if places and ('receiver', str(number)) not in {k[:2] for k in self.lines}:
                self.lines['receiver', str(number), str(places[0])] = [str(len(split(fields)))]

    def number(self, kind, name):
        return next((n for (k, n), m in self.names.items() if k == kind and m == name), None)

    def is_single(self, message):
        """Whether the message is received by the one node of a role."""
        role = self.number('r', self.receiving[message])
        return self.lines.get(('role', str(role))) == ['1']

    def key(self, symbol):
        """The encoder's name, as plain() makes it, of a symbol of Print.v."""
        kind, *numbers = symbol.split('.')
        numbers = [int(n) for n in numbers]
        if kind in ('places', 'now'):
            return {'places': 'fifo.count', 'now': 'time.now'}[kind]
        if kind in ('sent', 'received', 'lost', 'delivery', 'receiver', 'order'):
            return f'{kind}.{self.names["m", numbers[0]]}'
        if kind in ('charged', 'bare'):
            return f'{kind}.{self.names["c", numbers[0]]}'
        if kind == 'occurrence':
            message = self.names['m', numbers[1]] if len(numbers) > 1 else ''
            return f'occurrence.{self.names["c", numbers[0]]}.{message}'
        if kind == 'param':
            return f'param.{self.names["p", numbers[0]]}'
        if kind in ('clock', 'arrival'):
            return f'{kind}.{self.names["r", numbers[0]]}'
        role = self.names['r', numbers[1]]
        return f'state.{role}.{self.names["s", numbers[0]][len(role) + 1:]}'


RESULT = {'sent': 'Bool', 'received': 'Bool', 'lost': 'Bool', 'delivery': 'Real', 'receiver': 'Int', 'charged': 'Bool',
          'bare': 'Real', 'occurrence': 'Real', 'param': 'Int', 'clock': 'Real', 'arrival': 'Real', 'order': 'Int', 'places': 'Int', 'now': 'Real', 'state': None}
KINDS = tuple(RESULT)
RESULTS = {'Int': 'Int', 'Bool': 'Bool', 'Time': 'Real', 'NodeSet': 'Bool', 'Map': 'Int'}


def has_pattern(x, start):
    """Whether a function of that kind is a pattern of it: only facts have some."""
    patterns = x[2][3:] if x[0] == 'forall' and x[2][0] == '!' else []
    return any(isinstance(t, list) and t[0].startswith(start) for p in patterns if isinstance(p, list) for t in p)


def is_owned_size(x):
    """Where a family belongs to another: there are at least as many as one node owns, and as owners."""
    parts = x[2][1:] if x[0] == '=>' and isinstance(x[2], list) and x[2][0] == 'and' else []
    return len(parts) == 2 and all(p[0] == '<=' and isinstance(p[2], str) and p[2].strip('|').startswith('size.') for p in parts)


class Query:
    def __init__(self, path, sizes):
        self.declared, self.sorts, raw, facts = {}, {}, [], []
        for x in parse_all(open(path).read()):
            if x[0] == 'declare-fun':
                self.declared[x[1]] = (x[2], x[3])
            elif x[0] == 'declare-sort':
                self.sorts[x[1]] = sizes.get(plain(x[1])[len('role.'):])
            elif x[0] == 'assert':
                raw.append(expand(x[1], {}))
                facts.append(x[1])
        definitions = Definitions(raw, [has_pattern(x, 'measure.') for x in facts], self.declared)
        for i, x in enumerate(facts):  # on sums: whatever has one as a pattern
            if has_pattern(x, 'owner.') or is_owned_size(raw[i]):
                definitions.axioms.add(i)
            named = {n for n in symbols(raw[i], set()) if n.startswith('sum.') and 'inner' not in n}
            if named and named <= set(definitions.known) and has_pattern(x, 'sum.'):
                definitions.axioms.add(i)
        self.asserted = [self.relative(x) for x in definitions.left()]

    def inside(self, name, sort):
        return ['and', ['<=', '0', name], ['<', name, self.sorts[sort]]]

    def relative(self, x):
        """The same of integers: a quantifier over nodes is one over integers in the family's range."""
        if isinstance(x, str):
            return x
        if x and x[0] in HEADS:
            ranges = [self.inside(n, s) for n, s in x[1] if isinstance(s, str) and s in self.sorts]
            return [x[0], [[n, 'Int'] for n, _ in x[1]], ['and', *ranges, self.relative(x[2])], *map(self.relative, x[3:])]
        if x and x[0] in ('forall', 'exists'):
            ranges = [self.inside(n, s) for n, s in x[1] if isinstance(s, str) and s in self.sorts]
            body = self.relative(x[2])
            if ranges:
                body = ['=>' if x[0] == 'forall' else 'and', ['and', *ranges, 'true'], body]
            return [x[0], [[n, self.integer(s)] for n, s in x[1]], body]
        return [self.relative(y) for y in x]

    def integer(self, sort):
        return 'Int' if isinstance(sort, str) and sort in self.sorts else sort

    def ranges(self):
        """What is of a sort of nodes is a node: of constants, and of functions where their arguments are."""
        for name, (domain, result) in self.declared.items():
            if result in self.sorts:
                variables = [[f'x.{i}', self.integer(s)] for i, s in enumerate(domain)]
                given = [self.inside(f'x.{i}', s) for i, s in enumerate(domain) if s in self.sorts]
                fact = self.inside([name, *[v for v, _ in variables]] if domain else name, result)
                yield ['forall', variables, ['=>', ['and', *given, 'true'], fact]] if domain else fact


class Translation:
    def __init__(self, theory, query, action):
        self.owned = []  # ('size.R' or None, 'owner.R' or None, the family's size, how many each owns)
        self.theory, self.query, self.action = theory, query, action
        self.by_key = {plain(name): name for name in query.declared}
        self.fresh, self.declared = {}, {}
        for name in query.declared:
            match = re.fullmatch(r'\|?(.*)!(\d+)\|?', name)
            if match and not query.declared[name][0]:
                self.fresh.setdefault(plain(match.group(1)), []).append((int(match.group(2)), name))
        for names in self.fresh.values():
            names.sort()
        self.used = {}
        self.components = []
        if action is not None:
            waits = theory.timeouts.get(action)
            self.components = [waits] if waits else []
            self.components += theory.charges.get(action, [])

    def constant(self, symbol, base, sort, place=0):
        """The encoder's constant for what the step picks: the next of that name; else a new one."""
        if symbol not in self.used:
            names = self.fresh.get(plain(base), []) if base else []
            if place < len(names):
                self.used[symbol] = names[place][1]
            else:
                self.declared[symbol] = ([], sort)
                self.used[symbol] = symbol
        name = self.used[symbol]
        if sort == 'Int' and self.query.declared.get(name, ([], ''))[1] == 'Bool':
            return ['ite', name, '1', '0']
        return name

    def picked(self, symbol):
        if symbol == 'read':
            if symbol not in self.used:
                taken = {plain(c) for c in self.theory.charges.get(self.action, [])} | set(self.components)
                left = [n for base, names in self.fresh.items() if base not in taken
                        for k, n in names if self.query.declared[n][1] == 'Real']
                if len(left) == 1:
                    self.used[symbol] = left[0]
            return self.constant(symbol, None, 'Real')
        if symbol == 'waited':
            return self.constant(symbol, self.theory.timeouts.get(self.action), 'Real')
        kind, number = symbol.split('.')
        if kind == 'picked':
            return self.constant(symbol, self.theory.variables.get(number), 'Int')
        waits = 1 if self.theory.timeouts.get(self.action) else 0
        component = self.components[waits + int(number)]
        return self.constant(symbol, component, 'Real', self.components[:waits + int(number)].count(component))

    def apply(self, symbol, arguments):
        kind = symbol.split('.')[0]
        key = self.theory.key(symbol)
        if kind == 'receiver' and self.theory.is_single(int(symbol.split('.')[1])):
            return '0'
        if kind in ('received', 'lost'):
            message = key.split('.', 1)[1]
            if message not in self.theory.lossy:
                return 'false' if kind == 'lost' else self.function(key, symbol, arguments)
            gone = self.function('received.' + message, symbol, arguments)
            lost = self.function('lost.' + message, symbol, arguments)
            return ['and', gone, lost if kind == 'lost' else ['not', lost]]
        return self.function(key, symbol, arguments)

    def function(self, key, symbol, arguments):
        kind = symbol.split('.')[0]
        name = self.by_key.get(key)
        if name is None:
            result = RESULT[kind] or RESULTS[self.theory.states[int(symbol.split('.')[1])]]
            self.declared.setdefault('new.' + key, (['Int'] * len(arguments), result))
            name = 'new.' + key
            domain, result = self.declared[name]
        else:
            domain, result = self.query.declared[name]
        arguments = [['=', a, '1'] if s == 'Bool' else a for a, s in zip(arguments, domain)]
        value = [name, *arguments] if arguments else name
        number = RESULT[kind] == 'Int' or kind == 'state' and self.theory.states[int(symbol.split('.')[1])] in ('Int', 'Map')
        return ['ite', value, '1', '0'] if result == 'Bool' and number else value

    def own(self, sizes):
        """Gives the encoder's names to the sizes of families that belong to others, and to owners."""
        for role, size in sizes.items():
            if role in self.theory.each and isinstance(size, list) and size[0] == '*':
                names = [self.by_key.get(f'{kind}.{role}') for kind in ('size', 'owner')]
                plainly = Translation.__call__(self, size)
                self.owned.append((*names, plainly, plainly[2]))

    def with_owners(self, x):
        for size, owner, whole, each in self.owned:
            if size is not None and x == whole:
                return size
            if owner is not None and x[:2] == ['ite', ['<', '0', each]] and x[2][0] == 'div' and x[2][2] == each:
                return [owner, x[2][1]]
        return x

    def __call__(self, x):
        return self.with_owners(self.translated(x))

    def translated(self, x):
        if isinstance(x, str):
            head = x.split('.')[0]
            if x in ('read', 'waited') or re.fullmatch(r'(picked|executed)\.\d+', x):
                return self.picked(x)
            if x in ('places', 'now') or head in KINDS and re.fullmatch(r'[a-z]+(\.\d+)+', x):
                return self.apply(x, [])
            return x
        if x and isinstance(x[0], str) and x[0].split('.')[0] in KINDS and re.fullmatch(r'[a-z]+(\.\d+)+', x[0]):
            return self.apply(x[0], [self(y) for y in x[1:]])
        if x and x[0] in ('forall', 'exists'):
            return [x[0], x[1], self(x[2])]
        return [self(y) for y in x]
