#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs an example and holds its bound against what it observed:
#
#   examples/common/run.sh NAME [OPTIONS of the program]
#
# The recording is kept in $BUILD/examples/NAME/run (that of the run before is replaced).
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=$1
shift
program=$BUILD/tailproof
run=$BUILD/examples/$name/run
rm -rf "$run"

show() { # the command as a user would type it, then what it says
  echo "\$ $*"
  "$@"
  echo
}

show "$BUILD/examples/$name/$name" --out "$run" "$@"

spec='' bound='' request='' settings='' series=''
while read -r key value; do
  case $key in
  spec) spec=$value ;;
  bound) bound=$value ;;
  request) request=$value ;;
  series) series="$series $run/$value" ;; # further stores that only the series are made of
  set) settings="$settings --set $value" ;;
  esac
done <"$run/run.txt"

# shellcheck disable=SC2086
show "$program" import --out "$run/components" "$run/store" $series
# shellcheck disable=SC2086
show "$program" replay "$spec" "$run/store" --bound "$bound" $settings --joint "$run/components/joint.csv.gz"
# shellcheck disable=SC2086
show "$program" percentiles "$spec" --bound "$bound" $settings --data "$run/components" \
  --observed "$run/components/$request.tph" -p 50,90,99
