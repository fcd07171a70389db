#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fails on an include that points the wrong way (ARCHITECTURE.md), or on a foreign library in a
# file that does not own it.
set -eu
cd "$(dirname "$0")/.."
bad=0

complain() {
  echo "wrong arrow: $1" >&2
  bad=1
}

# What each file includes of ours: FILE:LINE:FOLDER/PART, one grep for the whole tree.
includes=$(grep -noE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<](\.\./)*(base|lang|dist|solver|measure|cli|proofs)/[a-z_]*' \
  */*.[chly] */*/*.[ch] 2>/dev/null | sed -E 's/:[^:]*["<](\.\.\/)*([a-z]+\/[a-z_]*)$/:\2/' || true)

# folder: the folders it may include, itself among them
check_folder() {
  echo "$includes" | awk -F'[:/]' -v folder="$1" -v allowed=" $* " '
    $1 == folder {
      split($0, place, ":")
      split(place[3], target, "/")
      if (index(allowed, " " target[1] " ") == 0)
        print place[1] ":" place[2] " includes " target[1] "/"
    }'
}

# folder, part of it: the other parts it may include
check_part() {
  echo "$includes" | awk -F'[:/]' -v folder="$1" -v part="$2" -v allowed=" $* " '
    $1 == folder && $2 == part && index($0, part "/") > 0 {
      split($0, place, ":")
      split(place[3], target, "/")
      if (target[1] == folder && index(allowed, " " target[2] " ") == 0)
        print place[1] ":" place[2] " includes " folder "/" target[2] ", which " folder "/" part " may not know"
    }'
}

check_library() {
  header=$1
  shift
  echo "$foreign" | awk -F: -v header="$header" -v owners=" $* " '
    $2 ~ "[<\"]" header "[a-z0-9_/]*\\.h" && index(owners, " " $1 " ") == 0 {
      print $1 " includes <" header ">, which belongs to " substr(owners, 2)
    }'
}

# Everything else that is included: FILE:INCLUDE.
foreign=$(grep -oE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"][a-z0-9_/]*\.h' base/*.[ch] lang/*.[chly] solver/*.[ch] solver/*/*.[ch] dist/*.[ch] \
  dist/*/*.[ch] measure/*.[ch] measure/*/*.[ch] cli/*.[ch] cli/*/*.[ch] 2>/dev/null || true)

found=$(
  check_folder base base
  check_folder lang lang base
  check_folder dist dist lang base
  check_folder solver solver lang base
  check_part dist survival
  check_part dist source
  check_part dist statistics survival source
  check_part dist evaluate survival ledger
  check_part dist draw source evaluate
  check_part solver smt
  check_part solver encode smt
  check_part solver judge
  check_part solver conform judge
  check_part solver search judge encode
  check_part solver prove encode judge search
  check_part solver infer prove encode judge search
  check_part solver tell verify prove search judge smt
  check_folder measure measure proofs
  check_part measure core
  check_part measure record core tailproof_measure poker
  check_part measure read core tailproof_measure
  check_part measure agent core read record yaml tailproof_measure
  check_part measure yaml
  check_part measure whatif core poker yaml
  check_part measure net
  check_part measure proxy net
  check_part cli whatif command options option_values duration report plot
  check_part measure pause core
  check_part measure poker core pause net proxy tailproof_measure
  check_folder cli cli solver lang dist measure base
  check_part cli report command
  check_part cli calculate command options duration parameters report replay
  check_part cli plot command calculate
  check_part cli replay command options parameters report store
  check_part cli store command options report
  check_library z3 solver/smt/z3.c
  check_library gmp base/rational.c
  check_library gsl dist/statistics/special.c
  check_library cairo cli/plot/cairo.c
  check_library jansson cli/report/json.c
  check_library nettle base/digest.c measure/poker/seal.c
  check_library zlib base/file.c dist/source/hlog_read.c
  check_library cyaml measure/yaml/load.h
  check_library microhttpd measure/agent/exposition.c
  check_library uv measure/proxy/proxy.h measure/poker/links.h measure/poker/tell.c
  # of measure/poker, measure/record may know the page that both map
  grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]measure/poker/' measure/record/*.[ch] 2>/dev/null | grep -v '"measure/poker/page.h"' || true
  # of lang/, dist/ may know ground expressions only
  grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<](\.\./)*lang/' dist/*.[ch] dist/*/*.[ch] 2>/dev/null | grep -v '"lang/ground.h"' || true
)
[ -z "$found" ] || complain "
$found"
exit $bad
