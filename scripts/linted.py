#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sources that cppcheck and the formatter had nothing to say of, so that a fresh clone need not look at them again.

linted.py write LIST RULES FILES    writes the list, after `make lint` has passed: of each file, a digest
linted.py changed LIST RULES FILES  prints the files that are not as the list has them

A digest is of the file, of all that it includes from this tree, and of what decides what is found: the RULES (the
command of cppcheck), the versions of both tools, .clang-format and scripts/cppcheck.cfg. Where one of these differs, the
file is looked at. FILES is a file of paths from the folder in which this runs. Without a list every file has changed."""
import hashlib
import os
import re
import subprocess
import sys

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
contents = {}  # of files, and what they include: path -> (SHA-256, paths)


def read(path):
    if path not in contents:
        with open(path, "rb") as file:
            text = file.read()
        near = [(name, os.path.join(os.path.dirname(path), name)) for name in map(os.fsdecode, INCLUDE.findall(text))]
        found = (next((os.path.normpath(place) for place in places if os.path.isfile(place)), None) for places in near)
        contents[path] = hashlib.sha256(text).digest(), [place for place in found if place]
    return contents[path]


def closure(path):
    """The file and all that it includes, directly or not, that is in the tree."""
    seen, waiting = {path}, [path]
    while waiting:
        new = set(read(waiting.pop())[1]) - seen
        seen |= new
        waiting += new
    return sorted(seen)


def rules_of(words):
    versions = [subprocess.run([tool, "--version"], stdout=subprocess.PIPE, check=True).stdout for tool in ("cppcheck", "clang-format")]
    rules = hashlib.sha256(b"\0".join([words.encode(), *versions]))
    for path in (".clang-format", "scripts/cppcheck.cfg"):
        if os.path.exists(path):
            with open(path, "rb") as file:
                rules.update(b"\0" + file.read())
    return rules.digest()


def digest(path, rules):
    whole = hashlib.sha256(rules)
    for part in closure(path):
        whole.update(part.encode() + b"\0" + read(part)[0])
    return whole.hexdigest()[:12]


if len(sys.argv) != 5 or sys.argv[1] not in ("write", "changed"):
    sys.exit(__doc__)
_, job, place, words, names = sys.argv
rules = rules_of(words)
with open(names, encoding="utf-8") as names_file:
    now = {path: digest(path, rules) for path in sorted(set(names_file.read().split()))}
if job == "write":
    with open(place, "w", encoding="utf-8") as file:
        file.writelines(f"{value} {path}\n" for path, value in now.items())
else:
    before = {}
    if os.path.exists(place):
        with open(place, encoding="utf-8") as file:
            before = dict(reversed(line.split()) for line in file if len(line.split()) == 2)
    for path, value in now.items():
        if before.get(path) != value:
            print(path)
