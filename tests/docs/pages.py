#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages for people: links lead to files and headings that exist, lines can be read in an editor, and the index has all.

    tests/docs/pages.py              the pages of the tree
    tests/docs/pages.py FOLDER...    the links of pages that were installed there or copied, as browsers follow them
"""
import os
import re
import shutil
import subprocess
import sys

LONGEST = 130


def pages():
    """The pages that belong to the tree; without git (a source package) all that are no output of the build."""
    if os.path.exists(".git") and shutil.which("git"):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
        found = [p for p in listed.stdout.split() if os.path.exists(p)]
    else:
        found = [os.path.relpath(os.path.join(d, f)) for d, _, files in os.walk(".") for f in files
                 if f.endswith(".md") and not d.startswith("./build")]
    return sorted(found)


GENERATED = {"docs/evaluation.md", "docs/evaluation_throughput.md", "docs/performal.md", "docs/glossary.md", "docs/diagnostics.md",
             "docs/files.md", "ARCHITECTURE.md"}


def prose(path):
    """[(line number, line)] outside of fenced blocks."""
    inside, found = False, []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.lstrip().startswith("```"):
                inside = not inside
            elif not inside:
                found.append((number, line.rstrip("\n")))
    return found


def commands(path):
    with open(path, encoding="utf-8") as file:
        return [(n, x.rstrip("\n")) for n, x in enumerate(file, 1) if x.startswith(("$ ", "> "))]


def anchors(path):
    """As GitHub makes them of headings."""
    found = set()
    for _, line in prose(path):
        if re.match(r"#+ ", line):
            text = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", line).lstrip("#").strip().lower())
            anchor = text.replace(" ", "-")
            found.add(anchor if anchor not in found else anchor + "-1")
    return found


def links(path):
    text = "\n".join(re.sub(r"`[^`]*`", "", line) for _, line in prose(path) if not line.startswith("    "))
    return [m.group(1) for m in re.finditer(r"\]\(([^)\s]+)\)", text)]


def broken(path):
    wrong = []
    for link in links(path):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(target):
            wrong.append(f"{path}: {link}: no such file")
        elif anchor and anchor not in anchors(target):
            wrong.append(f"{path}: {link}: no such heading; there are {', '.join(sorted(anchors(target)))}")
    return wrong


def too_long(path):
    if path in GENERATED:
        return []
    return [f"{path}:{n}: {len(x)} characters" for n, x in prose(path) + commands(path)
            if len(x) > LONGEST and not x.startswith(("|", "![", "    "))]


def not_listed(all_pages):
    """Pages of docs/ that the index does not name."""
    index = {os.path.normpath(os.path.join("docs", x.partition("#")[0])) for x in links("docs/README.md")}
    return [f"{p}: not in docs/README.md" for p in all_pages if os.path.dirname(p) == "docs" and p not in index | {"docs/README.md"}]


COUNT = 0


def check(title, wrong):
    global COUNT
    COUNT += 1
    print(f"{'not ' if wrong else ''}ok {COUNT} - {title}")
    for line in wrong:
        print("#", line)


def of_the_tree():
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
    found = pages()
    check("there are pages", [] if len(found) > 10 else [str(found)])
    for page in found:
        check(f"links of {page}", broken(page))
        check(f"lines of {page}", too_long(page))
    check("the index has every page", not_listed(found))


def of_a_folder(folder):
    start = os.getcwd()
    os.chdir(folder)
    found = sorted(os.path.relpath(os.path.join(d, f)) for d, _, files in os.walk(".", followlinks=True)
                   for f in files if f.endswith(".md"))
    check(f"links of the {len(found)} pages in {folder}",
          [line for page in found for line in broken(page)] if len(found) > 30 else [str(found)])
    os.chdir(start)


for folder in sys.argv[1:]:
    of_a_folder(folder)
if len(sys.argv) == 1:
    of_the_tree()
print(f"1..{COUNT}")
