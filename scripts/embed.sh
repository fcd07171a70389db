#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# embed.sh FILE...: prints C that holds the files as texts (generate/library.h).
set -eu
echo '#include "generate/library.h"'
echo
echo 'const struct library_file library_files[] = {'
for file; do
  executable=false
  [ ! -x "$file" ] || executable=true
  loop=false
  case $file in */loop/*) loop=true ;; esac
  printf '{"%s", %s, %s,\n' "$(basename "$file")" "$executable" "$loop"
  sed -e 's/[\\"]/\\&/g' -e 's/?/\\?/g' -e 's/^/"/' -e 's/$/\\n"/' "$file"
  echo '},'
done
echo '};'
echo "const size_t library_file_count = $#;"
