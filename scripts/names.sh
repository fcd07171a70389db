#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails on a file that a document or a comment names and that does not exist: FOLDER/.../NAME.SUFFIX, with the
# folders of this tree. A star stands for anything; build/ is not looked at.
set -eu
cd "$(dirname "$0")/.."
folders='base|lang|solver|generate|dist|measure|cli|proofs|specs|examples|tests|scripts|docs|bench'
suffixes='c|h|def|sh|tp|acsl|py|md|y|l|mk'
git ls-files -- '*.c' '*.h' '*.md' '*.sh' '*.def' '*.tp' '*.mk' Makefile '*.acsl' '*.py' ':!tests/build/t-names.sh' |
  xargs grep -noE "(^|[^A-Za-z0-9_./*$}-])($folders)/[A-Za-z0-9_./*{},-]*\.($suffixes)([^A-Za-z0-9_]|\$)" /dev/null 2>/dev/null |
  sed -E "s/^([^:]*:[0-9]*):[^A-Za-z]?(.*\.($suffixes)).?\$/\1 \2/" | sort -u | {
  bad=0
  while read -r place name; do
    case $name in *NAME*|*..*|*,*|*{*|lang/parser.h|lang/scanner.h) continue ;; esac
    # shellcheck disable=SC2086
    for file in $name; do
      [ -e "$file" ] || {
        echo "$place names $name, which does not exist" >&2
        bad=1
      }
      break
    done
  done
  exit $bad
}
