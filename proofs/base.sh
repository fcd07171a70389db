#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What of proofs/replayed and proofs/answers is believed without asking again: the lines that the base has too. The
# base is where the change under test branched off, so that no change vouches for itself.
#
#   proofs/base.sh replayed|answers   prints the lines of the file that are believed
#
# The base is the commit PROOFS_BASE; else where HEAD left the branch of `origin`; else the first parent of HEAD.
# Without any (no repository, a clone of depth 1) nothing is believed.
# Exits with 0, and with 64 for a wrong command line.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 70
case ${1:-}:$# in
replayed:1 | answers:1) ;;
*)
  echo "usage: proofs/base.sh replayed|answers" >&2
  exit 64
  ;;
esac

# The folder may be copied into a repository that is another project's.
[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] || exit 0
base=${PROOFS_BASE:-}
head=$(git rev-parse -q --verify HEAD) || exit 0
for branch in origin/HEAD origin/main origin/master; do
  [ -z "$base" ] || break
  base=$(git merge-base "$head" "$branch" 2>/dev/null)
  [ "$base" != "$head" ] || base=
done
[ -n "$base" ] || base=$(git rev-parse -q --verify HEAD^1) || exit 0
git show "$base:proofs/$1" 2>/dev/null | sort >"${TMPDIR:-/tmp}/believed.$$"
trap 'rm -f "${TMPDIR:-/tmp}/believed.$$"' EXIT
sort "proofs/$1" | comm -12 - "${TMPDIR:-/tmp}/believed.$$"
