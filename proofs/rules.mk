# SPDX-License-Identifier: GPL-3.0-or-later
# Proofs of the measuring core, with frama-c, why3 and cvc4.

prove: prove-deps ## check the proofs of measure/ (replays the committed prover answers)
	BUILD=$(BUILD) proofs/prove.sh

prove-fresh: prove-deps ## prove measure/ anew with CVC4 and update proofs/answers
	BUILD=$(BUILD) proofs/prove.sh --fresh

prove-mutants: prove-deps ## change each comparison and constant of the core: how many are noticed by a proof
	BUILD=$(BUILD) proofs/mutate.sh

.PHONY: prove prove-fresh prove-mutants
