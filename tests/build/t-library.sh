#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recording library as others get it: installed somewhere, found by pkg-config, linked by C and
# C++ programs outside the tree, called from Python. What they record is read here.
cd "$(dirname "$0")/../.." || exit 1
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - a sanitized library is not installed"; echo 1..1; exit 0; }
. tests/tap.sh
BUILD=${BUILD:-build}

root=$scratch/root
spaced() { # a folder with a space in its name: where things are, and what pkg-config says of them
  local lib="$scratch/my root/opt/my tools/lib"
  make -s BUILD="$BUILD" DESTDIR="$scratch/my root" PREFIX="/opt/my tools" install-measure &&
    test -f "$lib/libtailproof-measure.so" &&
    [[ $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags tailproof-measure) == '-I/opt/my\ tools/include'* ]]
}
check "make install-measure into folders with a space" spaced
check "make install-measure" make -s BUILD="$BUILD" DESTDIR="$root" PREFIX=/opt/tailproof install-measure
export PKG_CONFIG_PATH=$root/opt/tailproof/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
libraries=$root/opt/tailproof/lib
header=$root/opt/tailproof/include/tailproof_measure.h
version=$(sed -n 's/^#define TAILPROOF_VERSION_M[AI][JN]OR //p' "$header" | paste -sd .)
check "pkg-config knows the version in the header" \
  test "$(pkg-config --modversion tailproof-measure)" = "$version"
grep -oE '\btailproof_[a-z_]+\(' "$header" | tr -d '(' | sort -u >"$scratch/declared"
nm -D --defined-only "$libraries/libtailproof-measure.so" | awk '{ print $3 }' | sort >"$scratch/shared"
nm -g --defined-only "$libraries/libtailproof-measure.a" | awk 'NF == 3 { print $3 }' | sort >"$scratch/static"
check "the shared library exports what the header declares, nothing else" \
  diff "$scratch/declared" "$scratch/shared"
check "the static one too" diff "$scratch/declared" "$scratch/static"
soname() { objdump -p "$libraries/libtailproof-measure.so" | awk '$1 == "SONAME" { print $2 }'; }
check "its SONAME has the major version" test "$(soname)" = "libtailproof-measure.so.${version%%.*}"

cat >"$scratch/program.c" <<'END'
#include <stdio.h>
#include <tailproof_measure.h>

int main(int argc, char **argv) {
  struct tailproof_store *store = NULL;
  struct tailproof_options options = {argc > 1 ? argv[1] : NULL, "outside", 0, TAILPROOF_CLOCK_BEST};
  if (tailproof_open(&store, &options) != 0) {
    fprintf(stderr, "%s\n", tailproof_error());
    return 70;
  }
  int step = tailproof_component(store, "Step");
  int message = tailproof_message(store, "Ping", "d", "Queuing");
  struct tailproof_writer *writer = tailproof_writer_open(store);
  uint64_t start = tailproof_now(writer);
  for (int i = 0; i < 1000; i++) {
    struct tailproof_event event = {message, (uint32_t)i, 0, 0, 1, {i}};
    unsigned char stamp[TAILPROOF_STAMP_BYTES];
    uint64_t end = tailproof_end(writer, step, start);
    tailproof_send_at(writer, &event, end, stamp);
    event.end = tailproof_now(writer);
    if (tailproof_arrive(writer, &event, stamp) != 0)
      return 1;
    event.start = event.end;
    start = tailproof_dequeue(writer, &event);
  }
  return tailproof_close(store) != 0;
}
END
cp "$scratch/program.c" "$scratch/program.cc"
strict="-Wall -Wextra -Wpedantic -Wconversion -Werror"

# The one store in a folder has 1000 occurrences of everything.
holds() { # folder
  local series
  "$BUILD"/tailproof import --out "$1/components" "$1" || return 1
  for series in Step d.Ping Queuing.Ping; do
    grep -qx 'total 1000' "$1/components/$series.tph" || { echo "$series.tph"; return 1; }
  done
}

compile() { # compiler, standard, source, program, libraries...
  local compiler=$1 standard=$2 source=$3 program=$4
  shift 4
  # shellcheck disable=SC2046,SC2086
  "$compiler" -std="$standard" $strict $(pkg-config --cflags tailproof-measure) -o "$program" "$source" "$@"
}

attempt() { # title, compiler, standard, source suffix, libraries...
  local title=$1 compiler=$2 standard=$3 suffix=$4 out=$scratch/store$count
  shift 4
  check "$title: compiles" compile "$compiler" "$standard" "$scratch/program.$suffix" "$scratch/program" "$@"
  check "$title: records" env LD_LIBRARY_PATH="$libraries" "$scratch/program" "$out"
  check "$title: what was recorded is there" holds "$out"
}

# shellcheck disable=SC2046
{
  attempt "C11, shared" gcc c11 c $(pkg-config --libs tailproof-measure)
  attempt "C++17, shared" g++ c++17 cc $(pkg-config --libs tailproof-measure)
}
attempt "C11, static" gcc c11 c "$libraries/libtailproof-measure.a" -pthread
attempt "C++11, static" g++ c++11 cc "$libraries/libtailproof-measure.a" -pthread

# ---- the program in docs/measure.md ------------------------------------------------------------
sed -n '/^```c ping.c$/,/^```$/p' docs/measure.md | grep -v '^```' >"$scratch/documented.c"
documented() {
  local series
  # shellcheck disable=SC2046
  compile gcc c11 "$scratch/documented.c" "$scratch/documented" $(pkg-config --libs tailproof-measure) &&
    LD_LIBRARY_PATH=$libraries TAILPROOF_STORE=$scratch/documented.store "$scratch/documented" &&
    "$BUILD"/tailproof import --out "$scratch/documented.components" "$scratch/documented.store" || return 1
  for series in Ask Serve Read d.Question Queuing.Answer round; do
    grep -qx 'total 1000' "$scratch/documented.components/$series.tph" || { echo "$series.tph"; return 1; }
  done
}
check "the program in docs/measure.md does what the page says" documented

# ---- what goes wrong says so ------------------------------------------------------------------
refuses() { # words of the one line, command...
  local words=$1
  shift
  "$@" 2>"$scratch/err"
  local status=$?
  cat "$scratch/err"
  [ $status -eq 70 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -qF -- "$words" "$scratch/err"
}
check "a folder that cannot be made: one line" refuses "'/proc/none' cannot be made" "$scratch/program" /proc/none

# ---- Python -----------------------------------------------------------------------------------
python() { TAILPROOF_LIBRARY=$libraries/libtailproof-measure.so PYTHONDONTWRITEBYTECODE=1 examples/python/measure.py "$@"; }
check "Python records" python --out "$scratch/python" --rounds 500
holds_rounds() {
  local series
  "$BUILD"/tailproof import --out "$scratch/python/components" "$scratch/python/store" || return 1
  for series in Ask Answer d.Question d.Reply round; do
    grep -qx 'total 500' "$scratch/python/components/$series.tph" || { echo "$series.tph"; return 1; }
  done
}
check "what Python recorded is there" holds_rounds
check "Python: a folder that cannot be made: one line" refuses "'/proc/none'" python --out /proc/none
no_library() {
  TAILPROOF_LIBRARY=/none PYTHONDONTWRITEBYTECODE=1 examples/python/measure.py 2>"$scratch/err"
  [ $? -eq 69 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && grep -q TAILPROOF_LIBRARY "$scratch/err"
}
check "Python: no library: one line" no_library
finish
