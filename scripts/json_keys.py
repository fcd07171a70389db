#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the manual's table of JSON keys that the program prints (`tailproof explain --keys`).

    scripts/json_keys.py PROGRAM --write    puts them into docs/manual.md
    scripts/json_keys.py PROGRAM --check    prints those that are not there as they are printed; exit 1 if there are any

A row takes the place of the first one of its kind; a kind that has none yet comes before `protocol`, near the end."""
import os
import re
import subprocess
import sys

PAGE = "docs/manual.md"
ROW = re.compile(r"\| `([a-z_]+)` \| .*")


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
    printed = subprocess.run([sys.argv[1], "explain", "--keys"], check=True, capture_output=True, text=True).stdout
    rows = {}
    for line in printed.splitlines():
        found = ROW.fullmatch(line)
        if found:
            rows.setdefault(found.group(1), []).append(line)
    with open(PAGE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    start = lines.index("| kind | keys |")
    out, done = lines[:start], set()
    for line in lines[start:]:
        found = ROW.fullmatch(line)
        kind = found.group(1) if found else None
        if kind == "protocol":
            for new in sorted(set(rows) - done):
                if not any(other.startswith(f"| `{new}` ") for other in lines):
                    out += rows[new]
                    done.add(new)
        if kind not in rows:
            out.append(line)
        elif kind not in done:
            out += rows[kind]
            done.add(kind)
    if sys.argv[2:] == ["--write"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write("\n".join(out))
        return 0
    wrong = [line for line in out if line not in lines] + [line for line in lines if line not in out]
    for line in wrong:
        print(f"{PAGE}: is not what scripts/json_keys.py writes: {line}")
    return 1 if wrong else 0


sys.exit(main())
