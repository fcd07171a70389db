#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the commands that a page shows and compares what they print with what the page says.

    tests/docs/console.py PAGE...            prints TAP
    tests/docs/console.py --update PAGE      writes what the commands print into the page

In a page,
  * a block ```console has commands, each behind "$ ", and below each what it prints on stdout and stderr; a line "..."
    stands for any lines; a command goes on in the next line, behind "> ", when a line ends in a backslash;
  * a block ```LANGUAGE FILE is the content of a file, which is written before the next command runs; of ```diff FILE
    the patch is applied.
One shell runs all commands of a page, in an empty folder; `tailproof` is the program that was built. A page without files
finds `specs` and `examples` in that folder. Where INSTALLED names a program it is that one, and the folder is what its
`tailproof examples` copies. Seconds and trailing blanks do not count.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
INSTALLED = os.environ.get("INSTALLED", "")
PROGRAMS = os.path.dirname(INSTALLED) if INSTALLED else BUILD
BLOCK = re.compile(r"^```(\w+)(?: ([^\n`]+))?\n(.*?)^```$", re.S | re.M)


def plain(line):
    return re.sub(r"[0-9]+\.[0-9]+ s\b", "N s", line).rstrip()


def matches(expected, got):
    """Whether the lines are these, '...' being any lines."""
    if "..." not in expected:
        return expected == got
    at = expected.index("...")
    if expected[:at] != got[:at]:
        return False
    rest = expected[at + 1:]
    return any(matches(rest, got[i:]) for i in range(at, len(got) + 1))


def commands(text):
    """[command, lines it prints] of a console block."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") and found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        elif found:
            found[-1][1].append(line)
    return found


def shown(command):
    return "$ " + command.replace("\\\n", "\\\n> ")


def shape(line):
    """What a line begins with, without its numbers and its columns."""
    return re.sub(r"\s+", " ", re.sub(r"[0-9.]+", "0", plain(line)))[:20]


def find(line, lines, at, count=1):
    """The next line that begins alike, the count-th such; None: there is none."""
    alike = [i for i in range(at, len(lines)) if shape(lines[i]) == shape(line)]
    return alike[count - 1] if len(alike) >= count else None


def parts_of(lines):
    """The stretches between lines "...", a list of lines each."""
    parts = [[]]
    for line in lines:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def elided(old, got):
    """The lines now, left out where they were: a part goes from the line that begins like its first to that like its last."""
    if not old:  # a command that was just written
        return got
    parts, now, at = parts_of(old), [], 0
    for number, part in enumerate(parts):
        if number > 0:
            now.append("...")
        if not part:
            continue
        last = number == len(parts) - 1
        start = find(part[0], got, at) if number > 0 else 0
        end = len(got) - 1 if last else start if start is None else find(
            part[-1], got, start, sum(shape(x) == shape(part[-1]) for x in part))
        if start is None or end is None:
            return got
        now += got[start:end + 1]
        at = end + 1
    return now


def patched(path, body):
    """Applies the hunks of a patch; whether each has one place in the file."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for hunk in re.split(r"^@@.*\n", body, flags=re.M)[1:]:
        lines = hunk.splitlines(keepends=True)
        old = "".join(x[1:] for x in lines if x[0] in " -")
        new = "".join(x[1:] for x in lines if x[0] in " +")
        if text.count(old) != 1:
            return False
        text = text.replace(old, new)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return True


class Shell:
    """Runs commands one after another; what one leaves (variables, files) the next one finds."""

    def __init__(self, folder):
        environment = dict(os.environ, NO_COLOR="1", PATH=PROGRAMS + ":" + os.environ["PATH"], LC_ALL="C.UTF-8",
                           PYTHONDONTWRITEBYTECODE="1")
        if not INSTALLED:  # else the library is installed, too
            environment.update(MEASURE_CFLAGS=f"-I{ROOT}/measure", MEASURE_LIBS=f"{BUILD}/libtailproof-measure.a")
        environment.pop("COLUMNS", None)
        self.folder = folder
        self.mark = f"end-of-output-{os.getpid()}"
        self.process = subprocess.Popen(["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        cwd=folder, env=environment, text=True)

    def run(self, command):
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\necho; echo {self.mark}\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line == self.mark + "\n":
                break
            lines.append(line)
        text = "".join(lines)[:-1]  # without the line that echo ended
        return text.replace(self.folder + "/", "").replace(ROOT + "/", "").splitlines()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Page:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.has_files = any(m.group(1) != "console" and m.group(2) for m in BLOCK.finditer(self.text))

    def each(self, shell, folder, say):
        """Runs all; the text of the page with what was printed."""
        def block(m):
            language, name, body = m.groups()
            if language == "console":
                out = ""
                for command, lines in commands(body):
                    got = shell.run(command)
                    same = matches([plain(x) for x in lines], [plain(x) for x in got])
                    say(same, command, lines, got)
                    now = lines if same else [x.rstrip() for x in elided(lines, got)]
                    out += "\n".join([shown(command), *now]) + "\n"
                return f"```console\n{out}```"
            if name and language == "diff":
                say(patched(os.path.join(folder, name), body), f"the patch of {name}", [], [])
            elif name:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(body)
            return m.group(0)
        return BLOCK.sub(block, self.text)


def run(path, say):
    page = Page(path)
    with tempfile.TemporaryDirectory() as scratch:
        if not page.has_files and INSTALLED:
            subprocess.run([INSTALLED, "examples", scratch], check=True, stdout=subprocess.DEVNULL)
        elif not page.has_files:
            for name in ("specs", "examples"):
                os.symlink(os.path.join(ROOT, name), os.path.join(scratch, name))
        shell = Shell(scratch)
        text = page.each(shell, scratch, say)
        shell.close()
    return page, text


def main(arguments):
    update = arguments[:1] == ["--update"]
    count = 0

    def say(same, command, expected, got):
        nonlocal count
        count += 1
        title = command.split("\n")[0]
        if update:
            if not same:
                print("changed:", title)
            return
        print(f"{'' if same else 'not '}ok {count} - {title}")
        if not same:
            for line in ["expected:", *expected, "printed:", *got]:
                print("#", line)

    for path in arguments[update:]:
        page, text = run(path, say)
        if update and text != page.text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if not update:
        print(f"1..{count}")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
