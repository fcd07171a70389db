#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong bodies against generated contracts: mutants.py [--sample N] [--list] [--program TAILPROOF] [SPEC...]

Generates each protocol, changes one line of one function at a time (a send dropped or added, another field, another guard,
a quorum off by one, an assignment forgotten, an early return, a state changed while disabled) and lets Frama-C/WP prove the
function with CVC4. A mutant is caught when a goal of its function is not proved within PROVE_SECONDS (default 3) although
all are proved of what was generated. One that does not compile is not counted, nor is one of a function that has an open
goal as it was generated. Prints a line for each mutant and the sums, and exits with 1 if one survives that is not in
tests/generate/mutants.md, which says why it means the same.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FUNCTION = re.compile(r'^enum tp_verdict (\w+)\(', re.M)
NO_C = ('group_commit.tp', 'raft_batches.tp', 'zab_batches.tp')  # tests/cli/t-generate.sh
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
            yield 'changed while disabled', name, guards[0] - 1, [lines[sets[0]], lines[guards[0] - 1]]
        if sets:
            yield 'early return', name, sets[0], ['  return TP_DONE;', lines[sets[0]]]


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def prove(folder, source, function, cache, seconds):
    """The first goal that is not proved, '' when all are; None when Frama-C complains. What runs then is stopped."""
    environment = dict(os.environ, PWD=folder, WHY3CONFIG=os.path.join(os.path.dirname(cache), 'why3.conf'))
    process = subprocess.Popen(
        ['frama-c', '-no-autoload-plugins', '-load-module', 'wp', '-machdep', 'gcc_x86_64', '-wp', '-wp-prover', 'cvc4',
         '-wp-timeout', str(seconds), '-wp-par', '1', '-wp-session', os.path.dirname(cache), '-wp-cache', 'update',
         '-wp-fct', function, source],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    ended = False
    for line in process.stdout:
        goal = re.match(r'\[wp\] (?:\[[^]]*\] )*Goal typed_(\w+) : (?!Valid)', line)
        ended |= 'Proved goals' in line
        if goal:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return goal.group(1)
    process.wait()
    return '' if ended else None


def open_as_generated(work, chosen, seconds, pool):
    """The functions of which not all goals are proved before anything is changed; of the others the answers are kept."""
    asked = sorted({(spec, source, function) for spec, source, _, function, _, _ in chosen})
    goals = pool.map(lambda one: prove(os.path.join(work, one[0]), one[1], one[2], os.path.join(work, 'cache'), seconds), asked)
    still = {one: goal for one, goal in zip(asked, goals) if goal != ''}
    for (spec, source, function), goal in still.items():
        print(f'open      as generated           {spec}/{source} {function}: {goal or "Frama-C fails"}', flush=True)
    return set(still)


def judge(work, number, mutant, seconds, still_open):
    spec, source, kind, function, at, new = mutant
    original = os.path.join(work, spec)
    folder = os.path.join(work, f'mutant.{number}')
    shutil.copytree(original, folder)
    path = os.path.join(folder, source)
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    old = lines[at].strip()
    lines[at:at + 1] = new
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines))
    verdict, goal = 'uncounted', ''
    if (spec, source, function) in still_open:
        verdict = 'open'
    elif run(['gcc', '-std=c11', '-fsyntax-only', source], folder).returncode == 0:
        goal = prove(folder, source, function, os.path.join(work, 'cache'), seconds)
        verdict = 'failed' if goal is None else 'caught' if goal else 'survived'
    shutil.rmtree(folder)
    return verdict, f'{verdict:9} {kind:22} {spec}/{source}:{at + 1} {function}: {old} -> {" ".join(l.strip() for l in new)}  {goal}'


def explained():
    with open(os.path.join(ROOT, 'tests/generate/mutants.md'), encoding='utf-8') as file:
        return re.findall(r'^\| `([^`]*)` \| `([^`]*)` \|', file.read(), re.M)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--sample', type=int, default=0)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--program', default=os.path.join(ROOT, 'build/tailproof'))
    parser.add_argument('specs', nargs='*')
    arguments = parser.parse_args()
    specs = arguments.specs or sorted(glob.glob(os.path.join(ROOT, 'specs/*.tp')) + glob.glob(os.path.join(ROOT, 'specs/performal/*.tp')))
    specs = [spec for spec in specs if os.path.basename(spec) not in NO_C]
    seconds = int(os.environ.get('PROVE_SECONDS', '3'))
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(os.path.join(work, 'cache'))
        everything = []
        for spec in specs:
            name = os.path.relpath(os.path.abspath(spec), os.path.join(ROOT, 'specs')).replace('/', '_')[:-3]
            subprocess.run([arguments.program, 'generate', spec, '--out', os.path.join(work, name)], check=True, stdout=subprocess.DEVNULL)
            for path in sorted(glob.glob(os.path.join(work, name, '*.c'))):
                if not os.path.basename(path).startswith('tp_'):
                    with open(path, encoding='utf-8') as file:
                        everything += [(name, os.path.basename(path), *mutant) for mutant in mutants(file.read())]
        chosen = everything
        if 0 < arguments.sample < len(everything):
            chosen = [everything[i * len(everything) // arguments.sample] for i in range(arguments.sample)]
        if arguments.list:
            for spec, source, kind, function, at, new in chosen:
                print(f'{kind:22} {spec}/{source}:{at + 1} {function}: {" ".join(line.strip() for line in new)}')
            return 0
        with open(os.path.join(work, 'detect'), 'w', encoding='utf-8') as log:
            subprocess.run(['why3', 'config', 'detect'], env=dict(os.environ, WHY3CONFIG=os.path.join(work, 'why3.conf')), stdout=log, stderr=log, check=True)
        counts, unexplained = {}, 0
        known = explained()
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get('JOBS', '2'))) as pool:
            still_open = open_as_generated(work, chosen, seconds, pool)
            for verdict, line in pool.map(lambda job: judge(work, *job, seconds, still_open), enumerate(chosen)):
                counts[verdict] = counts.get(verdict, 0) + 1
                if verdict == 'survived' and any(function in line and change in line for function, change in known):
                    verdict, line = 'the same', 'the same ' + line[9:]
                unexplained += verdict in ('survived', 'failed')
                print(line, flush=True)
    caught, survived = counts.get('caught', 0), counts.get('survived', 0)
    print(f'mutants: {caught} of {caught + survived} caught; {survived} survived, of which {unexplained} without an explanation; '
          f'{counts.get("uncounted", 0)} do not compile; {counts.get("open", 0)} of functions with an open goal not tried')
    return 0 if caught > 0 and unexplained == 0 else 1


if __name__ == '__main__':
    sys.exit(main())
