#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The program as a package installs it: man page and completions know every command and option, what is
# installed works from another folder, and uninstall leaves nothing.
cd "$(dirname "$0")/../.." || exit 1
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - a sanitized program is not installed"; echo 1..1; exit 0; }
. tests/tap.sh
BUILD=${BUILD:-build}

root="$scratch/the root" prefix=/opt/tailproof
make_it() { make -s BUILD="$BUILD" DESTDIR="$root" PREFIX=$prefix LIBDIR=$prefix/lib/arch "$@"; }
check "make install" make_it install
share=$root$prefix/share
installed() { "$root$prefix/bin/tailproof" "$@"; }
check "the program proves an installed protocol" installed verify "$share/tailproof/specs/lock.tp"
check "the library is where LIBDIR says" test -f "$root$prefix/lib/arch/libtailproof-measure.a"

page=$share/man/man1/tailproof.1
# The page as a reader sees it; without a formatter, its text.
shown() { sed -e 's/\\-/-/g' -e 's/^\.[A-Z]* //' "$page"; }
has_all() { # file, words: names those that are missing
  local file=$1 missing=0
  shift
  for word in "$@"; do
    grep -qE -- "(^|[^a-z-])$word([^a-z-]|\$)" "$file" || { echo "no $word"; missing=1; }
  done
  return $missing
}
commands=$(sed -nE 's/^COMMAND\(([a-z]+)\)$/\1/p' cli/command/commands.def)
program=$BUILD/tailproof
. tests/help.sh
options=$(for command in $commands; do options_of "$command" | sed 's/^/--/'; done | sort -u)
shown >"$scratch/page"
# shellcheck disable=SC2086
check "the man page has every command and option" has_all "$scratch/page" $commands $options
has_no_stray() { ! grep -nE '^\.' "$page" | grep -vE '^[0-9]+:\.(TH|SH|SS|TP|B|I|IR|RI) ?'; }
check "its lines that begin with a dot are requests" has_no_stray
for file in bash-completion/completions/tailproof zsh/site-functions/_tailproof fish/vendor_completions.d/tailproof.fish; do
  # shellcheck disable=SC2086
  check "$(basename "$(dirname "$file")"): every command" has_all "$share/$file" $commands
done
check "the manual, the glossary and the license are there" \
  test -f "$share/doc/tailproof/docs/manual.md" -a -f "$share/doc/tailproof/docs/glossary.md" -a -f "$share/doc/tailproof/LICENSE"

check "make uninstall" make_it uninstall
nothing_left() { ! find "$root" -type f -o -type l | grep .; }
check "leaves nothing" nothing_left
finish
