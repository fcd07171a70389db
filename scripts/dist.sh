#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The source of a release: dist.sh OUT writes OUT/tailproof-VERSION.tar.xz and its SHA-256 (sha256sum -c reads it). It has
# what the last commit has, and the parser and scanner that bison and flex make of it, in generated/, so that neither is
# needed to build it. The same commit gives the same bytes, wherever it is cloned: names are in order, owners and modes
# fixed, and the commit's date is everybody's. dist.sh --tar OUT: the same, not compressed. Files that are not committed as
# they are make it exit with 1.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES BUILD XZ_OPT XZ_DEFAULTS TAR_OPTIONS
export LC_ALL=C
packed=1
[ "${1:-}" != --tar ] || { packed='' && shift; }
out=${1:?usage: scripts/dist.sh [--tar] OUT}

git rev-parse --verify --quiet HEAD >/dev/null || { echo "a release is made of a commit: this is no clone of the repository" >&2; exit 66; }
changed=$(git status --porcelain)
if [ -n "$changed" ]; then
  printf '%s\n' "a release is made of a commit, and these files differ from the last one; commit or stash them:" "$changed" >&2
  exit 1
fi
name=tailproof-$(git show HEAD:VERSION)
date=@$(git log -1 --format=%ct)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out" "$scratch/$name"
git -c core.autocrlf=false -c core.eol=lf archive --format=tar HEAD | tar -x -C "$scratch/$name"

# In a folder build, whose name is in the lines that bison and flex write.
(
  cd "$scratch/$name"
  make -s build/generated/lang/parser.c build/generated/lang/scanner.c
  mkdir generated
  mv build/generated/lang generated/lang
  rm -r build
  sha256sum lang/parser.y lang/scanner.l >generated/lang/made_of
)
tar -c -C "$scratch" --format=ustar --sort=name --mtime="$date" --owner=root:0 --group=root:0 --numeric-owner \
  --mode='u=rwX,go=rX' -f "$scratch/$name.tar" "$name"
file=$name.tar
if [ -n "$packed" ]; then
  xz -6 --threads=1 "$scratch/$name.tar"
  file=$name.tar.xz
fi
mv "$scratch/$file" "$out/$file"
chmod 644 "$out/$file"
(cd "$out" && sha256sum "$file" >"$file.sha256")
echo "$out/$file"
