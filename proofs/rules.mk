# SPDX-License-Identifier: GPL-3.0-or-later
# Proofs of the measuring core, with frama-c, why3 and cvc4; the theorem behind `proved`, with Coq.

prove: prove-deps ## check the proofs of measure/ (replays the committed prover answers)
	BUILD=$(BUILD) proofs/prove.sh

prove-fresh: prove-deps ## prove measure/ anew with CVC4 and update proofs/answers
	BUILD=$(BUILD) proofs/prove.sh --fresh

prove-mutants: prove-deps ## change each comparison, constant, operator and statement of the core: how many are noticed by a proof
	BUILD=$(BUILD) proofs/mutate.sh

THEORY ?= $(BUILD)/theory

theory: theory-deps $(PROGRAM) $(BUILD)/tests/tools/agree ## have Coq check that the obligations imply the bound, of the shipped specs, too (minutes)
	@proofs/theory/check.sh $(THEORY)
	@proofs/theory/agree.sh $(THEORY) $(BUILD)/tests/tools/agree 1 $(wildcard specs/*.tp specs/*/*.tp)
	@proofs/theory/specs.sh $(THEORY) $(PROGRAM) $(wildcard specs/*.tp specs/*/*.tp)

theory-against-encoder: theory-deps $(PROGRAM) ## compare the encoder's queries with the theory's formulas (an hour)
	@[ -e $(THEORY)/Print.vo ] || proofs/theory/check.sh $(THEORY)
	@scripts/deps.sh --if-missing ocaml z3
	@proofs/theory/encoder.sh $(THEORY) $(PROGRAM) proofs/theory/ask.tp $(wildcard specs/*.tp specs/*/*.tp)

theory-deps:
	@scripts/deps.sh --if-missing coq libcoq-stdlib python3

.PHONY: prove prove-fresh prove-mutants theory theory-against-encoder theory-deps
