#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the steps of a composite GitHub action as a runner would: run_action.py [--after STEP] ACTION.yml TEMP [INPUT=VALUE]...

In the current folder, with bash -e as the runner has it. TEMP gets `output` and `summary`; steps that use other actions are
listed in `uses`, with what they are given. With --after, the steps up to the one of that name are taken as done. Values of
the context `github` are GITHUB_SERVER_URL etc. of the environment. Exits with the code of the step that failed."""
import os
import re
import subprocess
import sys

import yaml

after = None
if sys.argv[1] == "--after":
    after = sys.argv[2]
    del sys.argv[1:3]
action_file, temp = sys.argv[1], os.path.abspath(sys.argv[2])
with open(action_file, encoding="utf-8") as file:
    action = yaml.safe_load(file)
inputs = {name: value.get("default", "") for name, value in action["inputs"].items()}
for argument in sys.argv[3:]:
    name, value = argument.split("=", 1)
    if name not in inputs:
        sys.exit(f"the action has no input {name}")
    inputs[name] = value
outputs = {}  # of steps, by their id
failed = 0


def value_of(expression):
    """What stands between ${{ and }}: names, comparisons with texts, &&, and !cancelled()."""
    parts = [part.strip() for part in expression.split("&&")]
    if len(parts) > 1:
        return "true" if all(value_of(part) == "true" for part in parts) else "false"
    if expression.strip() == "!cancelled()":
        return "true"
    compared = re.fullmatch(r"\s*(\S+)\s*(==|!=)\s*'([^']*)'\s*", expression)
    if compared:
        return "true" if (value_of(compared[1]) == compared[3]) == (compared[2] == "==") else "false"
    path = expression.strip().split(".")
    if path[0] == "inputs" and len(path) == 2:
        return inputs[path[1]]
    if path[0] == "github" and len(path) == 2:
        return os.environ["GITHUB_" + path[1].upper()]
    if path[0] == "steps" and len(path) == 4 and path[2] == "outputs":
        return outputs[path[1]].get(path[3], "")
    sys.exit(f"cannot evaluate {expression}")


def expand(text):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: value_of(found[1]), str(text))


def lines(name):
    path = os.path.join(temp, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def run(step, path):
    environment = dict(os.environ, PATH=path, RUNNER_TEMP=temp)
    for name in ("output", "path"):
        open(os.path.join(temp, name), "w", encoding="utf-8").close()
        environment["GITHUB_" + name.upper()] = os.path.join(temp, name)
    environment["GITHUB_STEP_SUMMARY"] = os.path.join(temp, "summary")
    environment.update({name: expand(value) for name, value in step.get("env", {}).items()})
    if step["shell"] != "bash" or "${{" in step["run"]:
        sys.exit("a step is to run in bash, and inputs to reach it through its environment only")
    script = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    status = subprocess.run(script, env=environment, check=False).returncode
    outputs[step.get("id", "")] = dict(line.split("=", 1) for line in lines("output"))
    return status, ":".join(lines("path") + [path])


search = os.environ["PATH"]
if action["runs"]["using"] != "composite":
    sys.exit("not a composite action")
steps = action["runs"]["steps"]
if after is not None:
    steps = steps[[step["name"] for step in steps].index(after) + 1 :]
for step in steps:
    wanted = expand(step["if"]) == "true" if "if" in step else failed == 0
    if not wanted:
        continue
    if "uses" in step:
        with open(os.path.join(temp, "uses"), "a", encoding="utf-8") as file:
            print(step["uses"], *(f"{name}={expand(value)}" for name, value in step.get("with", {}).items()), file=file)
        continue
    status, search = run(step, search)
    failed = failed or status
for name, output in action.get("outputs", {}).items():
    print(f"{name}={expand(output['value'])}")
sys.exit(failed)
