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
shown() { sed -e 's/\\-/-/g' -e 's/^\.[A-Z]* //' "$@"; }
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
shown "$page" >"$scratch/page"
# shellcheck disable=SC2046
check "the man page has every command" has_all "$scratch/page" $(sed 's/^/tailproof-/' <<<"$commands")
pages_have_all() { # its options, each command's page
  for command in $commands; do
    shown "$share/man/man1/tailproof-$command.1" >"$scratch/of"
    # shellcheck disable=SC2046
    has_all "$scratch/of" $(options_of "$command" | sed 's/^/--/') || return 1
  done
}
check "and each command's page its options" pages_have_all
examples_hold() { # the options of the page's examples are those of their commands
  sed -n '/^EXAMPLES/,/^EXIT/s/^tailproof //p' "$scratch/page" >"$scratch/examples"
  while read -r command words; do
    for option in $(grep -o -- '--[a-z-]*' <<<"$words"); do
      options_of "$command" | grep -qx -- "${option#--}" || { echo "$command has no $option"; return 1; }
    done
  done <"$scratch/examples"
  [ "$(wc -l <"$scratch/examples")" -ge 8 ]
}
check "the page has examples of what there is" examples_hold
has_no_stray() { ! cat "$share"/man/man1/*.1 | grep -nE '^\.' | grep -vE '^[0-9]+:\.(TH|SH|SS|TP|B|I|IR|RI|BR|PP|nf|fi|RS|RE) ?'; }
check "its lines that begin with a dot are requests" has_no_stray
for file in bash-completion/completions/tailproof zsh/site-functions/_tailproof fish/vendor_completions.d/tailproof.fish; do
  # shellcheck disable=SC2086
  check "$(basename "$(dirname "$file")"): every command" has_all "$share/$file" $commands
done
check "the manual, the glossary and the license are there" \
  test -f "$share/doc/tailproof/docs/manual.md" -a -f "$share/doc/tailproof/docs/glossary.md" -a -f "$share/doc/tailproof/LICENSE"

# --- a copy of the examples, and make in it
copy="$scratch/my copy"
check "tailproof examples" installed examples "$copy"
refused() { # exit code, words, arguments
  local expected=$1 words=$2 status
  shift 2
  installed examples "$@" 2>"$scratch/err" >"$scratch/printed"
  status=$?
  [ $status -eq "$expected" ] && [ ! -s "$scratch/printed" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -qF "$words" "$scratch/err"
}
echo '# mine' >>"$copy/specs/lock.tp"
check "a folder that holds something is left as it is" refused 64 "holds something already" "$copy"
check "with what was changed in it" grep -qx "# mine" "$copy/specs/lock.tp"
check "where nothing can be made" refused 70 "/proc/none: " /proc/none
left_out() {
  mv "$share/doc/tailproof/examples" "$scratch/kept" && refused 69 "was not installed" "$scratch/none"
  local status=$?
  mv "$scratch/kept" "$share/doc/tailproof/examples"
  return $status
}
check "without share/doc" left_out
hinted() { # as a newcomer who has not read that far
  (cd "$scratch" && installed verify specs/lock.tp 2>"$scratch/err"; [ $? -eq 66 ]) && grep -q 'tailproof examples DIR. makes a folder that has specs/lock.tp' "$scratch/err" &&
    (cd "$scratch" && ! installed verify "specs/none-$$.tp" 2>"$scratch/err") && [ "$(wc -l <"$scratch/err")" -eq 1 ] &&
    (cd "$scratch" && ! installed verify none.tp 2>"$scratch/err") && [ "$(wc -l <"$scratch/err")" -eq 1 ]
}
check "where a file that the pages name is not here it says how to get it" hinted
not_installed() { "$BUILD/tailproof" examples "$scratch/none" 2>"$scratch/err"; [ $? -eq 69 ] && grep -q "make install" "$scratch/err" && [ ! -e "$scratch/none" ]; }
check "a program that is not installed says so" not_installed
in_copy() { make -C "$copy" "PREFIX=$root$prefix" "LIBDIR=$root$prefix/lib/arch" "$@"; }
runnable() { make -s -p -n help 2>/dev/null | sed -n 's/^RUNNABLE := //p'; }
# As `make example NAME=...` of the source, of which the copy's Makefile has its own: what it would run.
all_run() {
  local name
  [ "$(runnable | wc -w)" -ge 14 ] || return 1
  for name in $(runnable); do
    in_copy -n example NAME="$name" >"$scratch/plan" 2>&1 || { echo "$name"; cat "$scratch/plan"; return 1; }
    grep -qE "^BUILD=build examples/.*run\.sh" "$scratch/plan" || { echo "$name runs nothing"; return 1; }
    ! grep -E " (examples|specs)/[a-z_./]*\.(sh|py|tp)" -o "$scratch/plan" | while read -r file; do [ -e "$copy/$file" ] || echo "no $file"; done | grep . || return 1
  done
}
check "make example NAME=... in the copy runs each example of the source" all_run
[ -n "${TEST_ALL:-}" ] && programs=$(make -s -p -n help 2>/dev/null | sed -n 's/^EXAMPLES := //p' | sed "s|$BUILD/|build/|g") || programs=build/examples/etcd/etcd
# shellcheck disable=SC2086
check "an example in C is built with the installed library" in_copy -s -j2 CFLAGS=-O0 build/tailproof $programs
built() { "$copy/build/tailproof" --version && [ -x "$copy/${programs##* }" ]; }
check "and with the installed program" built
library_is_missing() {
  rm "$root$prefix/lib/arch/libtailproof-measure.a" "$copy/build/libtailproof-measure.a"
  ! in_copy -s build/libtailproof-measure.a 2>"$scratch/err" && grep -q "install libtailproof-measure-dev" "$scratch/err"
}
check "without the library it says what to install" library_is_missing

check "make uninstall" make_it uninstall
nothing_left() { ! find "$root" -type f -o -type l | grep .; }
check "leaves nothing" nothing_left
finish
