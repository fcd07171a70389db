# SPDX-License-Identifier: GPL-3.0-or-later
# libtailproof-measure for other programs: the recording library alone, static and shared. Only what
# the public header declares can be seen from outside.

PREFIX  ?= /usr/local
DESTDIR ?=
MEASURE_VERSION := $(shell sed -n 's/^.define TAILPROOF_VERSION_MAJOR //p; s/^.define TAILPROOF_VERSION_MINOR //p' measure/tailproof_measure.h | paste -sd .)
MEASURE_SONAME  := libtailproof-measure.so.$(firstword $(subst ., ,$(MEASURE_VERSION)))
MEASURE_SHARED  := $(BUILD)/$(MEASURE_SONAME)
MEASURE_ALONE   := $(BUILD)/alone/libtailproof-measure.a
MEASURE_PIC     := $(patsubst %.c,$(BUILD)/alone/%.o,$(wildcard measure/core/*.c measure/record/*.c))

all: $(MEASURE_SHARED)

$(BUILD)/alone/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

$(MEASURE_SHARED): $(MEASURE_PIC)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(MEASURE_SONAME) -o $@ $^

$(MEASURE_ALONE): $(MEASURE_PIC)
	@rm -f $@
	ld -r -o $(BUILD)/alone/tailproof-measure.o $^
	objcopy --localize-hidden $(BUILD)/alone/tailproof-measure.o
	ar rcs $@ $(BUILD)/alone/tailproof-measure.o

$(BUILD)/alone/tailproof-measure.pc: measure/tailproof-measure.pc.in FORCE
	@mkdir -p $(@D)
	@sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(MEASURE_VERSION)|' $< >$@

FORCE:

install-measure: $(MEASURE_SHARED) $(MEASURE_ALONE) $(BUILD)/alone/tailproof-measure.pc ## install the recording library alone
	install -d "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(PREFIX)/lib/pkgconfig"
	install -m 644 measure/tailproof_measure.h "$(DESTDIR)$(PREFIX)/include/"
	install -m 644 $(MEASURE_ALONE) "$(DESTDIR)$(PREFIX)/lib/"
	install -m 755 $(MEASURE_SHARED) "$(DESTDIR)$(PREFIX)/lib/libtailproof-measure.so.$(MEASURE_VERSION)"
	ln -sf libtailproof-measure.so.$(MEASURE_VERSION) "$(DESTDIR)$(PREFIX)/lib/$(MEASURE_SONAME)"
	ln -sf $(MEASURE_SONAME) "$(DESTDIR)$(PREFIX)/lib/libtailproof-measure.so"
	install -m 644 $(BUILD)/alone/tailproof-measure.pc "$(DESTDIR)$(PREFIX)/lib/pkgconfig/"

install: $(PROGRAM) install-measure ## install the program and the library (PREFIX, DESTDIR)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(PROGRAM) "$(DESTDIR)$(PREFIX)/bin/"

.PHONY: install install-measure FORCE
