#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The check of file names in documents and comments: passes on the tree, and names what is not there.
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

said=$(scripts/names.sh 2>&1)
status=$?
if [ $status -eq 0 ]; then
  echo "ok 1 - every file that is named exists"
else
  echo "not ok 1 - every file that is named exists"
  sed 's/^/# /' <<<"$said"
fi

mkdir -p "$scratch/scripts" "$scratch/base" "$scratch/tests/build" && touch "$scratch/tests/build/t-names.sh" && cp scripts/names.sh "$scratch/scripts" && cd "$scratch" || exit 1
echo '/* as base/text.h, but not as base/other.c and base/t*.h say */' >base/text.h
git init -q . && git add -A
said=$(scripts/names.sh 2>&1)
status=$?
if [ $status -ne 0 ] && [ "$said" = "base/text.h:1 names base/other.c, which does not exist" ]; then
  echo "ok 2 - one that does not is named, with its place"
else
  echo "not ok 2 - one that does not is named, with its place"
  sed 's/^/# /' <<<"$said"
fi
echo "1..2"
