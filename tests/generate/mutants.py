#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong bodies against generated contracts: mutants.py [--sample N] [--list] [--program TAILPROOF] [SPEC...]

Generates each protocol, changes one line of one function at a time (a send dropped or added, another field, another guard,
a quorum off by one, an assignment forgotten, an early return, a state changed while disabled) and lets Frama-C/WP prove the
function with CVC4. A mutant is caught when a goal is not proved within PROVE_STEPS steps of CVC4 (default 200000) that is
proved within them of what was generated. The clauses that the change most likely breaks are asked first. One that does not
compile is not counted, nor is one that breaks only goals that are open as they were generated. Takes the protocols in turn,
prints a line for each mutant, the sums of each protocol, and all. Exits with 1 if one survives that is not in
tests/generate/mutants.md, which says why it means the same.
"""
import argparse
import collections
import concurrent.futures
import glob
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FUNCTION = re.compile(r'^enum tp_verdict (\w+)\(', re.M)
NO_C = pathlib.Path(f'{ROOT}/tests/generate/no_c.txt').read_text(encoding='utf-8').split()
FLIPPED = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}


def functions(text):
    """Name, and first and last line of each step."""
    lines = text.split('\n')
    for match in FUNCTION.finditer(text):
        first = text.count('\n', 0, match.start())
        last = next(i for i in range(first, len(lines)) if lines[i] == '}')
        body = next(i for i in range(first, last) if lines[i].endswith('{'))
        yield match.group(1), body + 1, last


def of_line(line):
    """Kind and new text, for what one statement can be changed to."""
    match = re.match(r'(\s*)(out->(\w+)) = (.*);$', line)
    if match:
        indent, place, name, value = match.groups()
        if value == 'false':
            yield 'added send', f'{indent}{place} = true;'
        elif value == 'tp_set_none()':
            yield 'added send', f'{indent}{place} = tp_set_one(0);'
        elif value == 'true' or value.startswith('tp_set'):
            yield 'dropped send', f'{indent};'
            if 'tp_set_all' in value:
                yield 'send to some', f'{indent}{place} = tp_set_one(0);'
        else:
            yield 'wrong field', f'{indent}{place} = ({value}) == 0 ? 1 : 0;'
    match = re.match(r'(\s*)(self->[\w\[\]]+) = (.*);$', line)
    if match:
        yield 'forgotten assignment', f'{match.group(1)};'
        if match.group(3) in ('true', 'false'):
            yield 'wrong value', f'{match.group(1)}{match.group(2)} = {"false" if match.group(3) == "true" else "true"};'
        elif 'tp_set_union' in match.group(3):
            yield 'wrong value', line.replace('tp_set_union', 'tp_set_difference', 1)
    match = re.match(r'\s*(?:\} else )?if \((.*)\)( \{)?$', line)
    if match:
        for found in re.finditer(r' (==|!=|<=|>=|<|>) ', line):
            kind = 'quorum off by one' if 'tp_set_count' in line and found.group(1) not in ('==', '!=') else 'wrong guard'
            yield kind, f'{line[:found.start(1)]}{FLIPPED[found.group(1)]}{line[found.end(1):]}'
        inside = match.group(1)
        yield 'guard negated', line.replace(inside, f'!({inside})', 1)
        yield 'guard dropped', line.replace(inside, f'false && ({inside})' if 'TP_DISABLED' in line else f'true || ({inside})', 1)


def is_overwritten(lines, i, last):
    """Whether what a line assigns is assigned again before anything reads it or returns: then any value means the same."""
    place = re.match(r'  (out->\w+) = ', lines[i])
    for line in lines[i + 1:last] if place else []:
        if line.startswith(f'  {place.group(1)} = '):
            return True
        if 'return' in line:
            return False
    return False


def mutants(text):
    """Kind, function, number of the line, new lines."""
    lines = text.split('\n')
    for name, first, last in functions(text):
        guards = [i for i in range(first, last) if lines[i].strip() == 'return TP_DISABLED;']
        sets = [i for i in range(first, last) if re.match(r'  self->[\w\[\]]+ = ', lines[i])]
        for i in range(first, last):
            for kind, changed in of_line(lines[i]):
                if not is_overwritten(lines, i, last):
                    yield kind, name, i, [changed]
        if guards and sets and lines[sets[0]].endswith(';'):
            guard = next(i for i in range(guards[0], first - 1, -1) if lines[i].startswith('  if ('))
            yield 'changed while disabled', name, guard, [lines[sets[0]], lines[guard]]
        if sets:
            yield 'early return', name, sets[0], ['  return TP_DONE;', lines[sets[0]]]


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def labels(folder):
    """What clauses of contracts are called in the headers of a folder."""
    found = set()
    for path in glob.glob(os.path.join(folder, '*.h')):
        with open(path, encoding='utf-8') as file:
            found |= set(re.findall(r'ensures (\w+):', file.read()))
    return found


def suspects(lines, kind, at, new):
    """The names of the clauses that a change most likely breaks: they are asked first."""
    block = [lines[at], *new]
    depth = len(lines[at]) - len(lines[at].lstrip())
    if kind == 'early return' or re.match(r'\s*(?:\} else )?if \(', lines[at]):
        for line in lines[at + 1:]:
            if line == '}' or (kind != 'early return' and len(line) - len(line.lstrip()) <= depth):
                break
            block.append(line)
    text = '\n'.join(block)
    names = set(re.findall(r'(?:out|self)->(\w+)(?:\[[^]]*\])? = ', text)) | set(re.findall(r'_did_(\w+)', text))
    names |= {f'{name}_not' for name in names}
    if 'TP_DISABLED' in text or 'TP_RANGE' in text:
        names |= {'enabled', 'fits', 'unchanged', 'none'}
    if kind == 'added send':
        names.add('unchanged')
    if 'field[' in lines[at] or '_did_' in text:
        names.add('none')
    return sorted(names)


class Prover:
    """WP with CVC4. The limit of a goal is counted in steps of CVC4, so that no answer depends on how busy the machine is."""

    def __init__(self, work, steps):
        self.work, self.steps, self.known, self.lock = work, steps, {}, threading.Lock()
        self.environment = dict(os.environ, WHY3CONFIG=os.path.join(work, 'why3.conf'))
        os.mkdir(os.path.join(work, 'cache'))
        with open(os.path.join(work, 'detect'), 'w', encoding='utf-8') as log:
            subprocess.run(['why3', 'config', 'detect'], env=self.environment, stdout=log, stderr=log, check=True)

    def goals(self, folder, source, function, clauses):
        """Each goal of a function that is not proved, and what CVC4 said; last None if Frama-C ended as it should. Only the
        goals of these clauses, if there are any."""
        process = subprocess.Popen(
            ['frama-c', '-no-autoload-plugins', '-load-module', 'wp', '-machdep', 'gcc_x86_64', '-wp', '-wp-prover', 'cvc4',
             '-wp-steps', str(self.steps), '-wp-timeout', '100', '-wp-par', '1', '-wp-session', self.work, '-wp-cache', 'update',
             '-wp-fct', function, *(['-wp-prop', ','.join(clauses)] if clauses else []), source],
            cwd=folder, env=dict(self.environment, PWD=folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True)
        ended = False
        try:
            for line in process.stdout:
                goal = re.match(r'\[wp\] (?:\[[^]]*\] )*Goal typed_(\w+) : (?!Valid)(\w+)', line)
                ended |= 'Proved goals' in line or 'No goal generated' in line
                if goal:
                    yield re.sub(r'_part\d+$', '', goal.group(1)), goal.group(2)
            if ended:
                yield None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def proves(self, folder, source, function, goal):
        """Whether this goal of the function as it was generated is proved within the limit, in all its parts."""
        name = goal[len(function) + 1:].removeprefix('ensures_')
        clauses = sorted(label for label in labels(folder) if re.fullmatch(re.escape(label) + r'(_\d+)?', name))
        clauses = clauses if 'ensures_' in goal else []
        asked = (folder, source, function, *clauses)
        with self.lock:
            if asked not in self.known:
                self.known[asked] = list(self.goals(folder, source, function, clauses))
            answers = self.known[asked]
        return None in answers and goal not in [answer[0] for answer in answers if answer is not None]


def judge(prover, number, mutant):
    """Changes the body in a copy. Caught: a goal is not proved that is proved of what was generated."""
    spec, source, kind, function, at, new = mutant
    original = os.path.join(prover.work, spec)
    folder = os.path.join(prover.work, f'mutant.{number}')
    shutil.copytree(original, folder)
    path = os.path.join(folder, source)
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    first = suspects(lines, kind, at, new)
    changed = f'{kind:22} {spec}/{source}:{at + 1} {function}: {lines[at].strip()} -> {" ".join(line.strip() for line in new)}'
    lines[at:at + 1] = new
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))
    verdict, reason = 'uncounted', ''
    if run(['gcc', '-std=c11', '-fsyntax-only', source], folder).returncode == 0:
        verdict, reason = caught_by(prover, original, folder, source, function, first)
    shutil.rmtree(folder)
    return verdict, f'{verdict:9} {changed}  {reason}'


def caught_by(prover, original, folder, source, function, first):
    """The verdict and the goal. Survived: all goals are proved. Open: what is not proved, is not as it was generated, either."""
    not_proved = []
    for clauses in [first, []] if first else [[]]:
        answers = prover.goals(folder, source, function, clauses)
        ended = False
        for answer in answers:
            if answer is None:
                ended = True
            elif answer[1] != 'Timeout' and prover.proves(original, source, function, answer[0]):
                answers.close()
                return 'caught', answer[0]
            else:
                not_proved.append(answer[0])
    if not ended:
        return 'failed', 'Frama-C fails'
    return ('open', not_proved[0]) if not_proved else ('survived', '')


def explained():
    with open(os.path.join(ROOT, 'tests/generate/mutants.md'), encoding='utf-8') as file:
        return re.findall(r'^\| `([^`]*)` \| `([^`]*)` \|', file.read(), re.M)


def spread(items, sample):
    """So many of a protocol's (0: all): the kinds in turn, which each protocol begins with another, and each kind spread over
    the functions."""
    kinds, turn = {}, sum(map(ord, items[0][0])) if items else 0
    for item in items:
        kinds.setdefault(item[2], []).append(item)
    names = sorted(kinds)
    columns = []
    for name in names[turn % max(len(names), 1):] + names[:turn % max(len(names), 1)]:
        order = sorted(range(len(kinds[name])), key=lambda i: ((i + turn) * 0.6180339887498949) % 1)
        columns.append([kinds[name][i] for i in order])
    mixed = [item for row in itertools.zip_longest(*columns) for item in row if item is not None]
    return mixed[:sample] if sample else mixed


def of_protocol(program, spec, work):
    """All wrong bodies of a protocol: its name, source, kind, function, number of the line, new lines."""
    name = os.path.relpath(os.path.abspath(spec), os.path.join(ROOT, 'specs')).replace('/', '_')[:-3]
    subprocess.run([program, 'generate', spec, '--out', os.path.join(work, name)], check=True, stdout=subprocess.DEVNULL)
    for path in sorted(glob.glob(os.path.join(work, name, '*.c'))):
        if not os.path.basename(path).startswith('tp_'):
            with open(path, encoding='utf-8') as file:
                for mutant in mutants(file.read()):
                    yield (name, os.path.basename(path), *mutant)


def tell(counts):
    """A line for each protocol, and the sums. True if all is well."""
    sums = collections.Counter()
    for spec, count in sorted(counts.items()):
        print(f'{spec}: ' + ', '.join(f'{verdict} {number}' for verdict, number in sorted(count.items())))
        sums += count
    caught, same, survived, failed = (sums[verdict] for verdict in ('caught', 'the same', 'survived', 'failed'))
    print(f'mutants: {caught} of {caught + same + survived + failed} caught; {same} mean the same, {survived} survived, '
          f'Frama-C refused {failed}; not counted: {sums["uncounted"]} do not compile, {sums["open"]} break only what is open')
    return caught > 0 and survived + failed == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--sample', type=int, default=0)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--program', default=os.path.join(ROOT, 'build/tailproof'))
    parser.add_argument('specs', nargs='*')
    arguments = parser.parse_args()
    specs = arguments.specs or sorted(glob.glob(os.path.join(ROOT, 'specs/*.tp')) + glob.glob(os.path.join(ROOT, 'specs/performal/*.tp')))
    specs = [spec for spec in specs if os.path.basename(spec) not in NO_C]
    with tempfile.TemporaryDirectory() as work:
        rounds = itertools.zip_longest(*(spread(list(of_protocol(arguments.program, spec, work)), arguments.sample) for spec in specs))
        chosen = [mutant for turn in rounds for mutant in turn if mutant is not None]
        if arguments.list:
            for spec, source, kind, function, at, new in chosen:
                print(f'{kind:22} {spec}/{source}:{at + 1} {function}: {" ".join(line.strip() for line in new)}')
            return 0
        counts, known = collections.defaultdict(collections.Counter), explained()
        prover = Prover(work, int(os.environ.get('PROVE_STEPS', '200000')))
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get('JOBS', '2'))) as pool:
            for mutant, (verdict, line) in zip(chosen, pool.map(lambda job: judge(prover, *job), enumerate(chosen))):
                if verdict == 'survived' and any(function in line and change in line for function, change in known):
                    verdict, line = 'the same', 'the same ' + line[9:]
                counts[mutant[0]][verdict] += 1
                print(line, flush=True)
        return 0 if tell(counts) else 1


if __name__ == '__main__':
    sys.exit(main())
