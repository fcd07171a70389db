#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One version in one place: what the program, its page and the list of changes say is what the file VERSION says. The
# interface of the recording library has a number of its own, whose one place is its header.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
same() { # title, what is said, what it is to be
  count=$((count + 1))
  if [ "$2" = "$3" ] && [ -n "$3" ]; then
    echo "ok $count - $1"
  else
    printf 'not ok %s - %s\n# it says "%s", not "%s"\n' "$count" "$1" "$2" "$3"
  fi
}

version=$(cat VERSION)
same "VERSION is a semantic version" "$(grep -cxE '(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}(-[0-9A-Za-z.-]+)?' VERSION)/$(wc -l <VERSION)" 1/1
same "the program" "$("$BUILD/tailproof" --version | awk '{ print $2 }')" "$version"
same "its man page" "$(scripts/man.sh "$BUILD/tailproof" | sed -nE '1s/^\.TH TAILPROOF 1 "[^"]*" "tailproof ([^"]*)".*/\1/p')" "$version"
same "SARIF" "$("$BUILD/tailproof" check --format sarif specs/lock.tp | jq -r '.runs[0].tool.driver.version')" "$version"
same "the newest of CHANGELOG.md" "$(sed -nE 's/^## ([^ ,]+).*/\1/p' CHANGELOG.md | head -n 1)" "$version"
same "no source says it itself" "$(grep -rnE "(TAILPROOF_VERSION|tailproof) +\"?[0-9]+\.[0-9]+\.[0-9]" cli Makefile measure/rules.mk scripts | wc -l)" 0

# A new version reaches the program and its page although nothing else has changed.
next=$(make -s -n VERSION=98.7.6 BUILD="$scratch/build" "$scratch/build/generated/version.h" | sh && grep -o '"[^"]*"' "$scratch/build/generated/version.h")
same "the header that is made of it" "$next" '"98.7.6"'

interface=$(sed -n 's/^#define TAILPROOF_VERSION_M[AI][JN]OR //p' measure/tailproof_measure.h | paste -sd .)
made=$(make -s PREFIX=/usr BUILD="$scratch/build" "$scratch/build/alone/tailproof-measure.pc" && sed -n 's/^Version: //p' "$scratch/build/alone/tailproof-measure.pc")
same "pkg-config has the interface's number" "$made" "$interface"
soname=$(make -s -p -n help | sed -n 's/^MEASURE_SONAME := //p')
same "the shared library has its major part" "$soname" "libtailproof-measure.so.${interface%%.*}"
package=$(sed -nE 's/^Package: (libtailproof-measure[0-9]+)$/\1/p' debian/control)
same "so has the Debian package" "$package" "libtailproof-measure${interface%%.*}"
same "the symbols are of that library" "$(head -n 1 debian/libtailproof-measure*.symbols)" "$soname $package #MINVER#"
same "no symbol is from a version to come" "$(sed -n 's/.*@Base //p' debian/*.symbols | cat - VERSION | sort -V | tail -n 1)" "$version"
same "the newest of debian/changelog" "$(sed -nE '1s/^tailproof \(([^)]*)\).*/\1/p' debian/changelog)" "${version/-/\~}"
echo "1..$count"
