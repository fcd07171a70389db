# SPDX-License-Identifier: GPL-3.0-or-later
# One Makefile, no recursion. `make help` lists the targets. Everything built goes under build/.

CC       ?= gcc
BUILD    ?= build
SANITIZE ?=
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Werror
CFLAGS   ?= -O2 -g
CPPFLAGS += -I. -I$(BUILD)/generated -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
ALL_CFLAGS = -std=c11 $(WARNINGS) $(CFLAGS) $(SANITIZE) -MMD -MP -pthread
LIBS     := -lz3 -lgmp -lgsl -lgslcblas -ljansson -lz -lm -pthread

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

GENERATED := $(BUILD)/generated/lang/parser.c $(BUILD)/generated/lang/scanner.c
GENERATED := $(if $(wildcard lang/parser.y),$(GENERATED))
SOURCES   := $(wildcard base/*.c lang/*.c solver/*.c dist/*.c)
MEASURE   := $(wildcard measure/*.c)
OBJECTS   := $(SOURCES:%.c=$(BUILD)/%.o) $(GENERATED:$(BUILD)/%.c=$(BUILD)/%.o)
LIBRARY   := $(BUILD)/libtailproof.a
MEASURE_LIBRARY := $(BUILD)/libtailproof-measure.a
PROGRAM   := $(BUILD)/tailproof
UNIT      := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/*/t-*.c))
PROPERTY  := $(patsubst tests/property/%.c,$(BUILD)/tests/property/%,$(wildcard tests/property/*.c))
EXAMPLES  := $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*/*.c))

all: $(PROGRAM) $(LIBRARY) $(MEASURE_LIBRARY) $(EXAMPLES) ## build the program, the libraries and the examples

$(PROGRAM): $(patsubst %.c,$(BUILD)/%.o,$(wildcard cli/*.c)) $(LIBRARY) $(MEASURE_LIBRARY)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(LIBRARY): $(OBJECTS)
	@rm -f $@
	ar rcs $@ $^

$(MEASURE_LIBRARY): $(MEASURE:%.c=$(BUILD)/%.o)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/generated/lang/%.o: $(BUILD)/generated/lang/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -Wno-conversion -Wno-sign-conversion -Wno-unused-function -c -o $@ $<

$(BUILD)/generated/lang/parser.c: lang/parser.y
	@mkdir -p $(@D)
	bison -Wall -Werror -Wno-error=conflicts-sr -Wcounterexamples --defines=$(BUILD)/generated/lang/parser.h -o $@ $<

$(BUILD)/generated/lang/parser.h: $(BUILD)/generated/lang/parser.c ;

$(BUILD)/generated/lang/scanner.c: lang/scanner.l $(BUILD)/generated/lang/parser.h
	@mkdir -p $(@D)
	flex --outfile=$@ --header-file=$(BUILD)/generated/lang/scanner.h $<

$(BUILD)/generated/lang/scanner.h: $(BUILD)/generated/lang/scanner.c ;

$(BUILD)/lang/source.o $(BUILD)/lang/parse.o: $(if $(GENERATED),$(BUILD)/generated/lang/parser.h $(BUILD)/generated/lang/scanner.h)

$(BUILD)/tests/unit/%: tests/unit/%.c $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(LIBRARY) $(MEASURE_LIBRARY) -lcmocka $(LIBS)

$(BUILD)/tests/property/%: tests/property/%.c $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(LIBRARY) $(MEASURE_LIBRARY) -lcmocka $(LIBS)

$(BUILD)/examples/%: examples/%.c $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(MEASURE_LIBRARY) -lm -pthread

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

clean: ## remove build/
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: all help clean
