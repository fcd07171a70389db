#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The source of a release: the same bytes from two clones, whatever their users have set; complete, and with the parser
# that a machine without bison and flex compiles. Without TEST_ALL it is that of a commit of the parts that the parser needs,
# not compressed, and the parser alone is compiled of it; with it that of everything is built and installed in a folder of
# its own, and packaged.
cd "$(dirname "$0")/../.." || exit 1
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - a sanitized program is not released"; echo 1..1; exit 0; }
. tests/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
version=$(cat VERSION)
name=tailproof-$version

# A repository of the files as they are here, and two clones of it.
if [ -n "${TEST_ALL:-}" ]; then
  scripts/deb.sh --source "$scratch/origin" && cp .gitattributes .gitignore "$scratch/origin/" || exit 70
else
  mkdir "$scratch/origin" && cp -r --parents Makefile VERSION .gitattributes .gitignore base lang measure/*.* examples/*.mk proofs/*.mk scripts "$scratch/origin/" || exit 70
fi
in_origin() { git -C "$scratch/origin" -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main "$@"; }
in_origin init -q && in_origin add -A &&
  GIT_COMMITTER_DATE='2026-01-02T03:04:05 +0000' in_origin commit -q -m 'all files' || exit 70
for clone in "$scratch/first" "$scratch/a second"; do git clone -q "$scratch/origin" "$clone" || exit 70; done

kind=--tar file=$name.tar
[ -z "${TEST_ALL:-}" ] || kind='' file=$name.tar.xz
# shellcheck disable=SC2086
release() { (umask "$1" && cd "$2" && env "${@:4}" scripts/dist.sh $kind "$3"); } # umask, clone, folder, environment
check "made from a clone" release 022 "$scratch/first" "$scratch/out1" TZ=UTC
check "and from another, by a user with other settings" \
  release 077 "$scratch/a second" "$scratch/out2" TZ=Pacific/Auckland LC_ALL=C.UTF-8 XZ_DEFAULTS=-9e TAR_OPTIONS=--owner=other BUILD=elsewhere
check "both are the same bytes" cmp "$scratch/out1/$file" "$scratch/out2/$file"
digest_is_right() { (cd "$scratch/out2" && sha256sum --strict -c "$file.sha256"); }
check "and have the digest that is beside them" digest_is_right

LC_ALL=C tar -tvf "$scratch/out1/$file" >"$scratch/list"
fixed() { ! grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) 0/0 ' "$scratch/list" && ! grep -vE ' 2026-01-0[12] [0-9:]+ ' "$scratch/list"; }
check "owners, modes and times are the same of all" fixed
sed -E 's/.* [0-9]{2}:[0-9]{2} //' "$scratch/list" | grep -v '/$' | sed "s|^$name/||" | LC_ALL=C sort >"$scratch/files"
{
  in_origin ls-files
  printf 'generated/lang/%s\n' made_of parser.c parser.h scanner.c scanner.h
} | LC_ALL=C sort >"$scratch/expected"
check "it has each file of the commit, and what is made of the grammar" diff "$scratch/expected" "$scratch/files"

refused() { # status, words
  release 022 "$scratch/first" "$scratch/out3" >"$scratch/out" 2>&1
  [ $? -eq "$1" ] && grep -q "$2" "$scratch/out" && [ ! -e "$scratch/out3" ]
}
echo "/* changed */" >>"$scratch/first/base/text.h"
check "files that are not committed are refused by name" refused 1 ' M base/text.h'
rm -rf "$scratch/first/.git"
check "so is a folder without its history" refused 66 'no clone'

# On a machine that has neither bison nor flex.
mkdir "$scratch/none" "$scratch/clean" && tar -x -C "$scratch/clean" -f "$scratch/out1/$file" && cd "$scratch/clean/$name" || exit 70
for tool in bison flex; do printf '#!/bin/sh\necho "%s is not here" >&2\nexit 127\n' $tool >"$scratch/none/$tool"; done
chmod +x "$scratch"/none/*
alone() { PATH="$scratch/none:$PATH" make -s -j2 "$@"; }
check "its parser is compiled without bison and flex" alone CFLAGS=-O0 build/generated/lang/parser.o build/generated/lang/scanner.o build/lang/parse.o
rm -r build
echo >>lang/parser.y
needs_bison() { ! alone build/generated/lang/parser.c 2>"$scratch/err" && grep -q 'bison is not here' "$scratch/err"; }
check "and made anew where the grammar was changed" needs_bison

if [ -n "${TEST_ALL:-}" ]; then
  tar -x -C "$scratch/clean" -f "$scratch/out1/$file"
  check "all of it is built" alone all
  check "and installed" alone install DESTDIR="$scratch/root" PREFIX=/usr
  root=$scratch/root/usr
  check "what is installed proves an installed protocol" "$root/bin/tailproof" verify "$root/share/tailproof/specs/lock.tp"
  says_version() { [ "$("$root/bin/tailproof" --version)" = "tailproof $version" ]; }
  check "and says its version" says_version
  check "uninstalling" alone uninstall DESTDIR="$scratch/root" PREFIX=/usr
  nothing_left() { ! find "$scratch/root" -type f -o -type l | grep .; }
  check "leaves nothing" nothing_left
  check "the packages are made of it" scripts/deb.sh "$scratch/deb"
fi
finish
