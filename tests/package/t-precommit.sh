#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pre-commit runs the hooks of this repository in another one, as at a commit. Part of `make test-all`.
cd "$(dirname "$0")/../.." || exit 1
command -v pre-commit >/dev/null || { echo "not ok 1 - pre-commit is missing (apt-get install pre-commit)"; exit 69; }
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
here=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PATH=$BUILD:$PATH PRE_COMMIT_HOME=$scratch/cache GIT_CONFIG_GLOBAL=$scratch/gitconfig
count=0 log=$scratch/log
check() { # title, expressions
  local title=$1 expression
  shift
  count=$((count + 1))
  for expression in "$@"; do
    if ! eval "$expression"; then
      printf 'not ok %s - %s\n# false: %s\n' "$count" "$title" "$expression"
      tail -n 12 "$log" | sed "s/^/# /"
      return
    fi
  done
  echo "ok $count - $title"
}

git config --global user.name nobody
git config --global user.email nobody@example.org
git config --global init.defaultBranch main
git config --global --add safe.directory '*'
mkdir "$scratch/hooks"
cp .pre-commit-hooks.yaml "$scratch/hooks/"
(cd "$scratch/hooks" && git init -q && git add . && git commit -qm hooks)
mkdir "$scratch/repository"
cd "$scratch/repository" || exit 1
git init -q
cat >.pre-commit-config.yaml <<END
repos:
  - repo: $scratch/hooks
    rev: $(git -C "$scratch/hooks" rev-parse HEAD)
    hooks: [{id: tailproof-format}, {id: tailproof-check}, {id: tailproof-verify}]
END
pre-commit install >"$log" 2>&1
check "the hooks are valid" 'pre-commit validate-manifest "$here/.pre-commit-hooks.yaml"' 'pre-commit validate-config' '[ -x .git/hooks/pre-commit ]'
"$BUILD/tailproof" format "$here/specs/lock.tp" >good.tp
git add .
git commit -m good >"$log" 2>&1
check "a protocol that is proved is committed" '[ "$(git rev-list --count HEAD)" -eq 1 ]' '[ "$(grep -c Passed "$log")" -eq 3 ]'
sed 's/^bound/bound  /' good.tp >loose.tp
git add .
git commit -m loose >"$log" 2>&1
check "one in no canonical form is not, but put into it" '[ "$(git rev-list --count HEAD)" -eq 1 ]' 'grep -q "files were modified" "$log"' 'cmp -s good.tp loose.tp'
git add .
git commit -m formatted >"$log" 2>&1
check "and is when that is added" '[ "$(git rev-list --count HEAD)" -eq 2 ]'
"$BUILD/tailproof" format "$here/specs/primary_backup.tp" | sed "/^bound reply:/,/^\$/s/+ d(Ack(b))//" >short.tp
git add .
git commit -m short >"$log" 2>&1
check "a bound that does not hold is not committed" '[ "$(git rev-list --count HEAD)" -eq 2 ]' 'grep -q "reply: refuted" "$log"'
git rm -q -f short.tp
echo 'protocol 1' >wrong.tp
git add .
git commit -m wrong >"$log" 2>&1
check "nor is a mistake" '[ "$(git rev-list --count HEAD)" -eq 2 ]' 'grep -q "wrong.tp:1:10: error" "$log"'
echo "1..$count"
