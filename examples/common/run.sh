#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs an example and holds its bound against what it observed:
#
#   examples/common/run.sh NAME [OPTIONS of the program]
#
# The recording is kept in $BUILD/examples/NAME/run (that of the run before is replaced). The exit code
# is that of percentiles, or of what failed before it.
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
name=$1
shift
program=$BUILD/tailproof
run=$BUILD/examples/$name/run
export TAILPROOF_LIBRARY="${TAILPROOF_LIBRARY:-$BUILD/libtailproof-measure.so.1}" # for Python
rm -rf "$run"

show() { # the command as a user would type it, then what it says; its exit code in `code`
  echo "\$ $*"
  code=0
  "$@" || code=$?
  echo
}

need() { # the codes that let the rest make sense
  case " $* " in *" $code "*) ;; *) exit "$code" ;; esac
}

start=$BUILD/examples/$name/$name
[ ! -x "examples/$name/main.py" ] || start=examples/$name/main.py
show "$start" --out "$run" "$@"
need 0

spec='' bound='' request='' settings='' series='' options=''
while read -r key value; do
  case $key in
  spec) spec=$value ;;
  bound) bound=$value ;;
  request) request=$value ;;
  series) series="$series $run/$value" ;; # further stores that only the series are made of
  set) settings="$settings --set $value" ;;
  option) options="$options $value" ;; # of percentiles
  esac
done <"$run/run.txt"
table=$run/components/joint.csv.gz

# shellcheck disable=SC2086
show "$program" import --out "$run/components" "$run/store" $series
need 0
if [ -e "$table" ]; then # requests are numbered; replay knows the protocol's own names
  # shellcheck disable=SC2086
  show "$program" replay "$spec" "$run/store" --bound "$bound" $settings --out "$table"
  need 0
  observed=request.$request
  echo "Row by row: joint.csv.gz has, for each request, what every part of that request took; the bound is
evaluated with the parts of one request at a time, so that nothing is assumed of how they depend on each other."
else
  observed=$run/components/$request.tph
  echo "Not row by row: the parts do not say which request they belong to, so that the percentiles below
are those of independent parts."
fi
echo
# shellcheck disable=SC2086
show "$program" percentiles "$spec" --bound "$bound" $settings $options --data "$run/components" \
  --observed "$observed" -p 50,90,99
case $code in
1) echo "Exit code 1: the requests exceed the bound." ;;
2) echo "Exit code 2: some percentile cannot be told, for the reason stated above; a longer run helps." ;;
3) echo "Exit code 3: the bound holds if the parts are independent of each other, which this run does not show." ;;
esac
exit "$code"
