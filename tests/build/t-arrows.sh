#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The check of the includes' directions: passes on the tree, and names the file of every violation.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

said=$(scripts/arrows.sh 2>&1)
report $? "the tree's arrows point the right way" "$said"

fresh() {
  rm -rf "$scratch/tree"
  mkdir "$scratch/tree"
  cp -r scripts base format lang solver generate dist measure cli "$scratch/tree/"
}

# file, line to add, word that the complaint must hold besides the file's name
violation() {
  [ ! -e "$scratch/kept" ] || mv "$scratch/kept" "$scratch/tree/$changed"
  [ -e "$scratch/tree/$1" ] || { report 1 "$1 exists"; return; }
  changed=$1
  cp "$scratch/tree/$changed" "$scratch/kept"
  echo "$2" >>"$scratch/tree/$1"
  said=$("$scratch/tree/scripts/arrows.sh" 2>&1)
  status=$?
  [ $status -eq 1 ] && grep -qF "$1" <<<"$said" && grep -qF "$3" <<<"$said"
  report $? "$1 may not say $2" "exit $status: $said"
}

fresh
said=$("$scratch/tree/scripts/arrows.sh" 2>&1)
report $? "a copy of the tree passes" "$said"

violation dist/evaluate/law.c '#include "solver/verify.h"' solver
violation dist/evaluate/law.h '#include "solver/verify.h"' solver
violation dist/evaluate/law.c '#include "cli/present/plan.h"' cli
violation dist/evaluate/law.c '#include "lang/model.h"' lang
violation cli/main.c '#include <nettle/sha2.h>' base/digest.c
violation base/text.c '#include "lang/model.h"' lang
violation base/text.h '#include "dist/evaluate/law.h"' dist
violation lang/check.c '#include "solver/verify.h"' solver
violation lang/scanner.l '#include "solver/verify.h"' solver
violation lang/parser.y '#include "dist/evaluate/law.h"' dist
violation solver/prove/proof.c '#include "dist/evaluate/law.h"' dist
violation solver/prove/proof.c '#include "measure/core/histogram.h"' measure
violation measure/core/histogram.c '#include "base/text.h"' base
violation measure/core/histogram.h '#include "base/status.h"' base
violation solver/prove/proof.c '#include <z3.h>' solver/smt/z3_loaded.h
violation solver/judge/step.c '#include "solver/encode/encode.h"' solver/judge
violation solver/judge/replay.h '#include "solver/smt/smt.h"' solver/judge
violation solver/conform/conform.c '#include "solver/encode/encode.h"' solver/conform
violation measure/core/histogram.h '#include "measure/record/clock.h"' measure/core
violation measure/record/store.c '#include "measure/agent/agent.h"' measure/record
violation cli/main.c '#include <microhttpd.h>' measure/agent/exposition.c
violation solver/encode/sum.c '#include "solver/verify.h"' solver/encode
violation dist/survival/sum.c '#include "dist/source/sample.h"' dist/survival
violation cli/main.c '#include <z3.h>' solver/smt/z3_loaded.h
violation dist/evaluate/law.c '#include <gmp.h>' base/rational.c
violation solver/smt/z3.c '#include <gmp.h>' base/rational.c
violation dist/statistics/confidence.c '#include <gsl/gsl_cdf.h>' dist/statistics/special.c
violation cli/present/report.c '#include <jansson.h>' base/jsonl.c
violation dist/source/csv_read.c '#include <zlib.h>' base/file.c

finish
