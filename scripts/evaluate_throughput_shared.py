# SPDX-License-Identifier: GPL-3.0-or-later
"""What both evaluations of `tailproof whatif throughput` share: asking it, and how a script of them runs."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
TAILPROOF = f"{BUILD}/tailproof"
WITHHELD = 2  # the command's exit code when it answers that nothing can be predicted


class Failed(Exception):
    """A system that did not run to its end; the text says where."""


def mean(values):
    return sum(values) / len(values)


def whatif(plan, *more, seconds):
    """The objects that the command prints, in order; its last words where it had no answer, else None; its exit code."""
    with subprocess.Popen([TAILPROOF, "whatif", "throughput", "--json", *more, str(plan)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            said, complaint = process.communicate(timeout=seconds)
        except BaseException:  # it ends its services when it is told to
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=seconds)
            raise
    found = [json.loads(line) for line in said.splitlines()]
    if process.returncode in (0, WITHHELD):
        return found, None, process.returncode
    return found, (complaint.strip() or "no message").splitlines()[-1], process.returncode


def end(processes, seconds, kill):
    """Tells all to end, and kills those that have not after so long."""
    for process in reversed(processes):
        process.terminate()
    for process in processes:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            kill(process)
            process.wait()


def terminated(*_):
    """What is running is ended as after Ctrl-C."""
    raise KeyboardInterrupt


def arguments_of(parser, seconds, what):
    """The options that both have."""
    parser.add_argument("--seconds", type=int, default=seconds, help=what)
    parser.add_argument("--out", default="docs/evaluation_throughput.md")
    parser.add_argument("--keep", help="where plans and results stay (default: removed)")
    parser.add_argument("--only", action="append", help="this one alone; may be repeated")
    return parser.parse_args()


def run(keep, work, out):
    """Exit code: `work` gets a folder, which is removed unless it is kept, writes the page and returns whether all went well."""
    signal.signal(signal.SIGTERM, terminated)
    scratch = pathlib.Path(keep or tempfile.mkdtemp(prefix="evaluate-")).absolute()
    scratch.mkdir(parents=True, exist_ok=True)
    os.chmod(scratch, 0o755)  # PostgreSQL runs as another user
    try:
        good = work(scratch)
    except KeyboardInterrupt:
        print("evaluate: interrupted; nothing is written", file=sys.stderr)
        return 130
    finally:
        if not keep:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"wrote {out}", file=sys.stderr)
    return 0 if good else 70
