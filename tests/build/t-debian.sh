#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What debian/ lists is what `make install` makes, what the Makefile needs, and what the library exports. The packages
# themselves are built and installed by tests/package/t-debian.sh.
cd "$(dirname "$0")/../.." || exit 1
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - a sanitized program is not packaged"; echo 1..1; exit 0; }
. tests/tap.sh
BUILD=${BUILD:-build}

# As debian/rules does it, but for the folder and the machine's name.
read -r -a rule <<<"$(sed -nE 's/^\t\$\(MAKE\) install //p' debian/rules | sed 's/\$(DEB_HOST_MULTIARCH)/machine/')"
check "debian/rules installs into debian/tmp" grep -qx 'DESTDIR=debian/tmp' <(printf '%s\n' "${rule[@]}")
check "make install as debian/rules does it" make -s install BUILD="$BUILD" "${rule[@]/#DESTDIR=*/DESTDIR=$scratch/root}"
sed -nE 's/^\trm debian\/tmp\/([^ ]*).*/\1/p' debian/rules >"$scratch/removed"
while read -r file; do rm "$scratch/root/$file"; done <"$scratch/removed"
(cd "$scratch/root" && find . -type f -o -type l) | sed 's/^..//' | sort >"$scratch/made"

# A line is a file, a pattern or a folder.
packaged() {
  local line
  cat debian/*.install debian/*.manpages | while read -r line; do
    (cd "$scratch/root" && find $line -type f -o -type l) # a pattern
  done | sort
}
packaged >"$scratch/packaged"
check "each file that is installed is in one package" diff "$scratch/made" "$scratch/packaged"
check "the program is among them" grep -qx usr/bin/tailproof "$scratch/packaged"
each_line_matches() {
  local line file bad=0
  while read -r line; do
    for file in "$scratch/root/"$line; do [ -e "$file" ] || { echo "$line is nothing"; bad=1; }; done
  done < <(cat debian/*.install debian/*.manpages)
  return $bad
}
check "each line of a package is a file" each_line_matches

# Pages lead somewhere, where they are and where `tailproof examples` copies them to.
check "tailproof examples" "$scratch/root/usr/bin/tailproof" examples "$scratch/copy"
check "no link of an installed page is dead" tests/docs/pages.py "$scratch/root/usr/share/doc/tailproof" "$scratch/root/usr/share/tailproof" "$scratch/copy"
links_end() { ! find "$scratch/root" -xtype l | grep .; }
check "and no link of the file system" links_end
all_examples() { diff -r examples "$scratch/copy/examples" | grep -vE '^Only in examples(/[a-z_]*)?: (installed.mk|__pycache__|node_modules)$'; }
none_differs() { ! all_examples | grep .; }
check "every example is among them" none_differs

make -s -p -n help 2>/dev/null | sed -n 's/^PACKAGES := //p' | tr ' ' '\n' | grep -vxE 'gcc|make' | sort >"$scratch/needed"
sed -n '/^Build-Depends:/,/^[^ ]/p' debian/control | grep '^ ' | tr -d ' ,' | tr '|' / | grep -v '^debhelper' | sort >"$scratch/asked"
check "what is built is what the Makefile needs" diff "$scratch/needed" "$scratch/asked"
# Of what is loaded when it is needed (base/loaded.h) dpkg-shlibdeps knows nothing: what is named in the program and not
# linked with it.
loaded_are_asked() {
  local library packages package bad=0
  sed -n '/^Package: tailproof$/,/^$/p' debian/control >"$scratch/control"
  readelf -d "$BUILD/tailproof" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$scratch/linked"
  grep -aoE 'lib[a-z0-9-]+\.so\.[0-9]+' "$BUILD/tailproof" | sort -u | grep -v '^libtailproof-' | grep -vxF -f "$scratch/linked" >"$scratch/loaded"
  while read -r library; do
    packages=$(dpkg -S "*/$library" | sed 's/:.*//; s/t64//' | sort -u)
    [ -n "$packages" ] || bad=1
    for package in $packages; do
      grep -qE "^Depends: (.*, )?$package( \\||,)" "$scratch/control" || { echo "$package, of $library, is no dependency"; bad=1; }
    done
  done <"$scratch/loaded"
  [ "$(grep -cE 'z3|flint|curl|gnutls|microhttpd' "$scratch/loaded")" -ge 5 ] && return $bad
}
check "what the program loads is in its dependencies" loaded_are_asked

grep -oE '\btailproof_[a-z_]+\(' measure/tailproof_measure.h | tr -d '(' | sort -u >"$scratch/declared"
sed -nE 's/^ ([a-z_]+)@Base .*/\1/p' debian/libtailproof-measure1.symbols >"$scratch/symbols"
check "the symbols are what the library's header declares" diff "$scratch/declared" "$scratch/symbols"
finish
