#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The GitHub action, step by step as a runner would run it, in a repository with protocols; and the hooks of pre-commit
# (tests/package/t-precommit.sh has pre-commit itself run them). The first run of the action installs the program, as do
# those with a version; with TEST_ALL all do, otherwise the others begin after that step, with the program of the first.
cd "$(dirname "$0")/../.." || exit 1
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - a sanitized program is not installed"; echo 1..1; exit 0; }
unset MAKEFLAGS MFLAGS MAKELEVEL
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
here=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
check() { # title, expressions
  local title=$1 expression
  shift
  count=$((count + 1))
  for expression in "$@"; do
    if ! eval "$expression"; then
      printf 'not ok %s - %s\n# false: %s, exit %s\n' "$count" "$title" "$expression" "$status"
      tail -n 20 log | sed 's/^/# /'
      return
    fi
  done
  echo "ok $count - $title"
}

mkdir -p "$scratch/repository/models/deep"
cd "$scratch/repository" || exit 1
cp "$here/specs/lock.tp" "models/deep/the lock.tp"
sed '/^bound reply:/,/^$/s/+ d(Ack(b))//' "$here/specs/primary_backup.tp" >short.tp
export GITHUB_SERVER_URL=https://example.org GITHUB_ACTION_REPOSITORY=owner/tailproof GITHUB_ACTION_REF=v1 GITHUB_ACTION_PATH=$here
action() { # inputs; `kept`: a folder that an earlier job has built
  local after=(--after "Install tailproof")
  [[ -d $scratch/installed && -z ${TEST_ALL:-} && "$*" != *version=* && "$*" != *package=* && -z ${kept:-} ]] || after=()
  rm -rf "$scratch/temp"
  mkdir "$scratch/temp"
  [ -z "${kept:-}" ] || cp -r "$kept" "$scratch/temp/tailproof"
  PATH=${after:+$scratch/installed/bin:}$PATH "$here/tests/tools/run_action.py" "${after[@]}" "$here/action.yml" "$scratch/temp" "$@" >log 2>&1
  status=$?
}
temp() { cat "$scratch/temp/$1" 2>/dev/null; }
sarif() { jq -r "$1" "$scratch/temp/tailproof-reports/tailproof.sarif"; }

action 'files=models/**/*.tp'
check "bounds that hold: the step passes, and the summary says so" '[ $status -eq 0 ]' 'grep -qx "status=0" log' \
  'temp summary | grep -qx "3 hold, 0 do not, 0 open; 0 errors, 0 warnings"' '[ "$(sarif ".runs[0].results | length")" = 0 ]' \
  'grep -q "full_circle: proved" log'
check "results are uploaded" '[ "$(temp uses | tail -n 1)" = "github/codeql-action/upload-sarif@v3 sarif_file=$scratch/temp/tailproof-reports/tailproof.sarif category=tailproof" ]'
check "later steps have the program, with its documents" '[ -x "$scratch/temp/tailproof/bin/tailproof" ]' '[ -f "$scratch/temp/tailproof/share/doc/tailproof/docs/manual.md" ]'
cp -r "$scratch/temp/tailproof" "$scratch/installed"
action
check "all files of the repository; one bound does not hold" '[ $status -eq 1 ]' 'grep -qx "status=1" log' \
  'temp summary | grep -q "❌ | reply | refuted | short.tp:"' '[ "$(sarif ".runs[0].results[].ruleId")" = R-refuted ]' '[ -n "$(temp uses)" ]'
check "rules lead to the documents of the action's version" \
  '[ "$(sarif ".runs[0].tool.driver.rules[] | select(.id == \"R-refuted\").helpUri")" = https://example.org/owner/tailproof/blob/v1/docs/diagnostics.md#r-refuted ]'
action files=short.tp command=check upload-sarif=false
check "check, without an upload" '[ $status -eq 0 ]' '! temp uses | grep codeql' 'grep -q "protocol primary_backup: " log'
action 'files=*.tp' 'options=--bound reply --json'
check "further options" '[ $status -eq 1 ]' 'grep -q "^{\"kind\":\"bound\"" log || grep -q "\"kind\": \"bound\"" log'
action command=percentiles 'files=models/deep/*.tp' "options=--bound full_circle --set n=4 --data $here/examples/token_ring/recorded --slo p99<250us"
check "objectives: one that holds only if independent fails the step" '[ $status -eq 3 ]' 'temp summary | grep -q "met if independent"' '[ "$(sarif ".runs[0].results[].ruleId")" = U-objective ]'
action 'files=none/*.tp'
check "no file of that name: a failure, and no upload" '[ $status -eq 66 ]' 'grep -q "::error::tailproof: no file is called none/\*.tp" log' '! temp uses | grep codeql'
action 'files=$(touch broken) `touch broken` ;touch broken'
check "inputs are no commands" '[ $status -ne 0 ]' '[ ! -e broken ]'
action 'command=check;touch broken'
check "nor is the command" '[ $status -ne 0 ]' '[ ! -e broken ]'

# A version is a tag of the action's repository.
mkdir -p "$scratch/server/owner/tailproof"
(
  cd "$scratch/server/owner/tailproof" || exit 1
  git init -q . && git config user.name nobody && git config user.email nobody@example.org
  printf 'build-deps:\ninstall:\n\tmkdir -p $(PREFIX)/bin\n\tprintf "#!/bin/sh\\necho tagged\\n" >$(PREFIX)/bin/tailproof\n\tchmod +x $(PREFIX)/bin/tailproof\n' >Makefile
  git add . && git commit -qm tagged && git tag v9.8.7 && git rm -q Makefile && git commit -qm later
)
GITHUB_SERVER_URL=file://$scratch/server action version=9.8.7
check "a version is fetched by its tag" '[ $status -eq 0 ]' 'grep -qx tagged log'
GITHUB_SERVER_URL=file://$scratch/server action version=9.9.9
check "one that does not exist fails" '[ $status -ne 0 ]' 'grep -q "v9.9.9" log'

# What is built is kept under a key of its own, and not built again; a package is installed.
kept_key() { temp uses | sed -n 's/^actions\/cache@v4 path=.*tailproof key=//p'; }
mkdir -p "$scratch/kept/bin" "$scratch/shims"
printf '#!/bin/sh\necho kept\n' >"$scratch/kept/bin/tailproof"
printf '#!/bin/sh\necho "apt-get $*"\n' >"$scratch/shims/apt-get"
printf '#!/bin/sh\n"$@"\n' >"$scratch/shims/sudo"
chmod +x "$scratch/kept/bin/tailproof" "$scratch"/shims/*
kept=$scratch/kept GITHUB_SERVER_URL=file://$scratch/server action version=9.8.7
check "what an earlier job has built is taken" '[ $status -eq 0 ]' 'grep -qx kept log' '! grep -qx tagged log' '[[ $(kept_key) == tailproof-*-v9.8.7 ]]'
GITHUB_SERVER_URL=file://$scratch/server action version=9.8.7 cache=false
check "unless that is not wanted" '[ $status -eq 0 ]' 'grep -qx tagged log' '! temp uses | grep actions/cache'
touch "$scratch/x.deb"
PATH=$scratch/shims:$scratch/kept/bin:$PATH action "package=$scratch/x.deb"
check "a package is installed, and nothing is built" '[ $status -eq 0 ]' 'grep -qx "apt-get install --yes --no-install-recommends $scratch/x.deb" log' 'grep -qx kept log' '! temp uses | grep actions/cache'

# --- hooks: each command runs, on the files that it is for
hooks() { python3 -c 'import sys, yaml; [print(h["id"], h["files"], h["entry"], sep="\t") for h in yaml.safe_load(open(sys.argv[1]))]' "$here/.pre-commit-hooks.yaml"; }
PATH=$BUILD:$PATH
sed 's/^\( *\)when /\1  when /' "models/deep/the lock.tp" >loose.tp
while IFS=$'\t' read -r id files entry; do
  read -r -a words <<<"$entry"
  cp loose.tp hooked.tp
  "${words[@]}" hooked.tp >log 2>&1
  status=$?
  check "hook $id" '[ $status -eq 0 ]' 'printf "a/b.tp\n" | grep -qE "$files"' '! printf "a/tp\nb.tp.orig\nx.tpl\n" | grep -qE "$files"'
done < <(hooks)
check "the manual has all hooks" '[ "$(hooks | wc -l)" -ge 2 ]' 'for id in $(hooks | cut -f1); do grep -q "id: $id" "$here/docs/manual.md" || false; done'
inputs() { python3 -c 'import sys, yaml; print(*yaml.safe_load(open(sys.argv[1]))["inputs"], sep="\n")' "$here/action.yml"; }
check "and all inputs of the action" '[ "$(inputs | wc -l)" -ge 5 ]' '[ -z "$(for input in $(inputs); do grep -qE "^ *\* \`$input\`" "$here/docs/manual.md" || echo "$input"; done)" ]'
echo "1..$count"
