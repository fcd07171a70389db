# SPDX-License-Identifier: GPL-3.0-or-later
# The Makefile of a copy that `tailproof examples DIR` made: `make example NAME=...` as in the source, with the program and the
# recording library that are installed. `make install` writes where these are.

PREFIX := @PREFIX@
LIBDIR := @LIBDIR@

CC      ?= gcc
BUILD   ?= build
CFLAGS  ?= -O2 -g
MEASURE_FOLDER  := $(CURDIR)/$(BUILD)/include/measure
CPPFLAGS += -I. -I$(BUILD)/include -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
ALL_CFLAGS = -std=c11 -Wall -Wextra $(CFLAGS) -MMD -MP -pthread
PROGRAM         := $(BUILD)/tailproof
MEASURE_HEADER  := $(BUILD)/include/measure/tailproof_measure.h
MEASURE_LIBRARY := $(BUILD)/libtailproof-measure.a
MEASURE_SHARED  := $(BUILD)/libtailproof-measure.so.1
# apt has no package of the recording library: what is made with that of the program.
PACKAGES = make $(if $(filter $(NAME),$(EXAMPLE_NAMES)),gcc libc6-dev)

help: ## say what there is
	@echo "make example NAME=..., one of: $(RUNNABLE)"
	@echo "tailproof verify specs/redis_wait.tp"

include examples/rules.mk

# Copied, as names with blanks are none that make takes.
$(PROGRAM):
	@mkdir -p $(@D)
	@ln -sf "$(PREFIX)/bin/tailproof" $@

INSTALLED_$(MEASURE_HEADER)  := $(PREFIX)/include/tailproof_measure.h
INSTALLED_$(MEASURE_LIBRARY) := $(LIBDIR)/libtailproof-measure.a
INSTALLED_$(MEASURE_SHARED)  := $(LIBDIR)/libtailproof-measure.so.1
$(MEASURE_HEADER) $(MEASURE_LIBRARY) $(MEASURE_SHARED):
	@test -e "$(INSTALLED_$@)" || { echo "make: $(INSTALLED_$@) is missing; install libtailproof-measure-dev and \
	libtailproof-measure1, which come with the package of tailproof" >&2; exit 69; }
	@mkdir -p $(@D)
	@cp "$(INSTALLED_$@)" $@

$(BUILD)/examples/%.o: examples/%.c $(MEASURE_HEADER)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

clean: ## remove build/
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' -print 2>/dev/null)

.PHONY: help clean
