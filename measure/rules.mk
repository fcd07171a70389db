# SPDX-License-Identifier: GPL-3.0-or-later
# libtailproof-measure for other programs: the recording library alone, static and shared. Only what
# the public header declares can be seen from outside.

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=
MEASURE_VERSION := $(shell sed -n 's/^.define TAILPROOF_VERSION_MAJOR //p; s/^.define TAILPROOF_VERSION_MINOR //p' measure/tailproof_measure.h | paste -sd .)
MEASURE_SONAME  := libtailproof-measure.so.$(firstword $(subst ., ,$(MEASURE_VERSION)))
MEASURE_SHARED  := $(BUILD)/$(MEASURE_SONAME)
MEASURE_ALONE   := $(BUILD)/alone/libtailproof-measure.a
MEASURE_PIC     := $(patsubst %.c,$(BUILD)/alone/%.o,$(wildcard measure/core/*.c measure/record/*.c))

NODE_SHARED     := $(BUILD)/libtailproof-node.so

all: $(MEASURE_SHARED) $(NODE_SHARED)

$(BUILD)/alone/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

$(MEASURE_SHARED): $(MEASURE_PIC)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(MEASURE_SONAME) -o $@ $^

$(NODE_SHARED): $(BUILD)/alone/measure/node/preload.o
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -o $@ $^ -ldl

$(MEASURE_ALONE): $(MEASURE_PIC)
	@rm -f $@
	ld -r -o $(BUILD)/alone/tailproof-measure.o $^
	objcopy --localize-hidden $(BUILD)/alone/tailproof-measure.o
	ar rcs $@ $(BUILD)/alone/tailproof-measure.o

$(BUILD)/alone/tailproof-measure.pc: measure/tailproof-measure.pc.in FORCE
	@mkdir -p $(@D)
	@sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(MEASURE_VERSION)|' $< >$@

FORCE:

install-measure: $(MEASURE_SHARED) $(MEASURE_ALONE) $(BUILD)/alone/tailproof-measure.pc ## install the recording library alone (PREFIX, LIBDIR, DESTDIR)
	install -d "$(DESTDIR)$(PREFIX)/include" "$(DESTDIR)$(LIBDIR)/pkgconfig"
	install -m 644 measure/tailproof_measure.h "$(DESTDIR)$(PREFIX)/include/"
	install -m 644 $(MEASURE_ALONE) "$(DESTDIR)$(LIBDIR)/"
	install -m 755 $(MEASURE_SHARED) "$(DESTDIR)$(LIBDIR)/libtailproof-measure.so.$(MEASURE_VERSION)"
	ln -sf libtailproof-measure.so.$(MEASURE_VERSION) "$(DESTDIR)$(LIBDIR)/$(MEASURE_SONAME)"
	ln -sf $(MEASURE_SONAME) "$(DESTDIR)$(LIBDIR)/libtailproof-measure.so"
	install -m 644 $(BUILD)/alone/tailproof-measure.pc "$(DESTDIR)$(LIBDIR)/pkgconfig/"

SHARE := $(DESTDIR)$(PREFIX)/share
ZSH_FUNCTIONS ?= zsh/site-functions
COMPLETIONS := bash-completion/completions/tailproof $(ZSH_FUNCTIONS)/_tailproof fish/vendor_completions.d/tailproof.fish

# Pages lead to each other by their names, so each has the place that it has in the source: in share/doc/tailproof, as examples
# have, and as a link in share/tailproof, which has what they name besides. `tailproof examples` copies that folder.
PAGES   := README.md SOUNDNESS.md CHANGELOG.md ARCHITECTURE.md SECURITY.md $(wildcard docs/*.md docs/*.svg) proofs/README.md tests/generate/proofs.md tests/node/README.md
LED_TO  := specs docs/editor
up = $(subst $(subst ,, ),,$(foreach part,$(subst /, ,$(1)),../))

install: $(PROGRAM) $(NODE_SHARED) install-measure ## install program, library, man page, completions, documents, specs and examples (PREFIX, LIBDIR, DESTDIR)
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(SHARE)/man/man1" "$(SHARE)/tailproof/node" "$(SHARE)/tailproof/base" "$(SHARE)/tailproof/scripts" "$(SHARE)/doc/tailproof/examples" "$(DESTDIR)$(PREFIX)/lib/tailproof" $(foreach file,$(COMPLETIONS),"$(SHARE)/$(dir $(file))") $(foreach folder,$(LED_TO),"$(SHARE)/tailproof/$(folder)") $(foreach folder,$(sort $(dir $(PAGES))),"$(SHARE)/doc/tailproof/$(folder)" "$(SHARE)/tailproof/$(folder)")
	install -m 755 $(PROGRAM) "$(DESTDIR)$(PREFIX)/bin/"
	scripts/man.sh $(PROGRAM) --into "$(SHARE)/man/man1"
	$(PROGRAM) completion bash >"$(SHARE)/$(word 1,$(COMPLETIONS))"
	$(PROGRAM) completion zsh >"$(SHARE)/$(word 2,$(COMPLETIONS))"
	$(PROGRAM) completion fish >"$(SHARE)/$(word 3,$(COMPLETIONS))"
	install -m 644 measure/node/*.js measure/node/*.mjs measure/node/index.d.ts measure/node/package.json measure/node/README.md "$(SHARE)/tailproof/node/"
	install -m 755 $(NODE_SHARED) "$(DESTDIR)$(PREFIX)/lib/tailproof/"
	cp -r examples/. "$(SHARE)/doc/tailproof/examples/" && ln -sfn ../doc/tailproof/examples "$(SHARE)/tailproof/examples"
	$(foreach folder,$(LED_TO),cp -r $(folder)/. "$(SHARE)/tailproof/$(folder)/" && ln -sfn "$(call up,$(folder))../tailproof/$(folder)" "$(SHARE)/doc/tailproof/$(folder)" &&) true
	find "$(SHARE)/tailproof" "$(SHARE)/doc/tailproof" \( -name __pycache__ -o -name node_modules -o -name installed.mk \) -prune -exec rm -r {} +
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|' examples/installed.mk >"$(SHARE)/tailproof/Makefile"
	install -m 755 scripts/deps.sh "$(SHARE)/tailproof/scripts/"
	install -m 644 base/random.h "$(SHARE)/tailproof/base/"
	$(foreach page,$(PAGES),install -m 644 $(page) "$(SHARE)/doc/tailproof/$(dir $(page))" && ln -sf "$(call up,$(page))doc/tailproof/$(page)" "$(SHARE)/tailproof/$(page)" &&) true
	install -m 644 LICENSE "$(SHARE)/doc/tailproof/"
	chmod -R u=rwX,go=rX "$(SHARE)/tailproof" "$(SHARE)/doc/tailproof"

uninstall: ## take away what install has put there
	rm -rf "$(SHARE)/tailproof" "$(SHARE)/doc/tailproof" "$(DESTDIR)$(PREFIX)/lib/tailproof"
	rm -f "$(DESTDIR)$(PREFIX)/bin/tailproof" "$(SHARE)/man/man1/tailproof.1" "$(SHARE)"/man/man1/tailproof-*.1 $(foreach file,$(COMPLETIONS),"$(SHARE)/$(file)") \
	  "$(DESTDIR)$(PREFIX)/include/tailproof_measure.h" "$(DESTDIR)$(LIBDIR)/pkgconfig/tailproof-measure.pc" \
	  "$(DESTDIR)$(LIBDIR)/libtailproof-measure.a" "$(DESTDIR)$(LIBDIR)/libtailproof-measure.so" "$(DESTDIR)$(LIBDIR)"/libtailproof-measure.so.*

.PHONY: install install-measure uninstall FORCE
