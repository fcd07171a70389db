# SPDX-License-Identifier: GPL-3.0-or-later
# One Makefile, no recursion. `make help` lists the targets. Everything built goes under build/.

CC       ?= gcc
BUILD    ?= build
SANITIZE ?=
SPARE    ?=
CHECKS   ?=# not empty: with the costly checks (base/invariant.h) and the contracts of proved functions (proofs/requires.py)
WARNINGS := -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Werror
CFLAGS   ?= -O2 -g
CPPFLAGS += $(if $(CHECKS),-DTAILPROOF_CHECKS -I$(BUILD)/checked) -I. -I$(BUILD)/generated -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE
# An overrun ends the program, and tables of addresses are read-only. Sanitizers see more, and need the plain functions.
HARDENING := $(if $(SANITIZE),,-fstack-protector-strong -fstack-clash-protection $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-D_FORTIFY_SOURCE=2))
LDFLAGS  += $(if $(SANITIZE),,-Wl,-z,relro,-z,now)
ALL_CFLAGS = -std=c11 $(WARNINGS) $(CFLAGS) $(HARDENING) $(SANITIZE) -MMD -MP -pthread
# Of tests that are compiled to be run once: what takes time in them is in the library. gold, which comes with gcc in
# Debian, links them in two thirds of the time.
TEST_CFLAGS = $(ALL_CFLAGS) -U_FORTIFY_SOURCE -O0 $(GOLD)
GOLD     := $(if $(shell command -v ld.gold),-fuse-ld=gold)
LIBS     := -lgmp -lgsl -lgslcblas -ljansson -lnettle -lyaml -lbpf -lZydis -ldw -lelf -liberty -lz -lzstd -lm -pthread

VERSION  := $(file <VERSION)# the one place; tests/build/t-version.sh holds all others against it
VERSION_HEADER := $(BUILD)/generated/version.h

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

GENERATED := $(BUILD)/generated/lang/parser.c $(BUILD)/generated/lang/scanner.c $(BUILD)/generated/generate/library.c
# What `tailproof generate` copies beside the code that it writes.
LIBRARY_FILES := $(wildcard steps/*.c steps/*.h steps/*.acsl steps/loop/*.c steps/loop/*.h steps/folder/*) proofs/answers.sh
SOURCES   := $(wildcard base/*.c format/*.c show/*.c steps/*.c lang/*.c solver/*.c solver/*/*.c generate/*.c dist/*/*.c trace/*/*.c measure/profile/*.c)
MEASURE   := $(wildcard measure/core/*.c measure/record/*.c measure/read/*.c)
# With SPARE=1, for sanitize-sample and scripts/fuzz.sh: without what no program of theirs is linked with.
ifneq ($(SPARE),)
SPARED    := $(filter-out $(addprefix dist/statistics/,special.c spectrum.c) $(addprefix trace/loop/,chain.c spans.c) $(addprefix measure/throughput/experiment/,change.c estimate.c plan.c plan_check.c window_judge.c) $(addprefix measure/load/,answer.c), \
             $(wildcard generate/*.c steps/*.c solver/simulate/*.c dist/draw/*.c dist/statistics/*.c trace/draft/*.c trace/loop/*.c \
             measure/load/*.c measure/tune/*.c measure/throughput/experiment/*.c measure/throughput/pause/*.c))
SOURCES   := $(filter-out $(SPARED),$(SOURCES))
GENERATED := $(filter-out %/library.c,$(GENERATED))
endif
OBJECTS   := $(SOURCES:%.c=$(BUILD)/%.o) $(GENERATED:$(BUILD)/%.c=$(BUILD)/%.o)
LIBRARY   := $(BUILD)/libtailproof.a
AGENT     := $(wildcard measure/agent/*.c)
MEASURE_LIBRARY := $(BUILD)/libtailproof-measure.a
# What makes services pause, what starts servers to tune them, and what probes programs: linked into the program and its tests alone.
THROUGHPUT := $(filter-out $(SPARED),$(wildcard measure/throughput/*/*.c measure/tune/*.c measure/load/*.c measure/yaml/*.c measure/outside/*.c measure/talk/*.c))
THROUGHPUT_LIBRARY := $(BUILD)/libtailproof-throughput.a
# Of the command line all but main, so that its questions can be asked by tests.
CLI       := $(filter-out cli/main.c,$(wildcard cli/*.c cli/*/*.c cli/*/*/*.c))
CLI_LIBRARY := $(BUILD)/libtailproof-cli.a
# Of that, the language server alone, for its fuzzer.
LSP       := $(wildcard cli/lsp/*.c) cli/question/verify/insertion.c cli/present/execution.c
LSP_LIBRARY := $(BUILD)/libtailproof-lsp.a
PROGRAM   := $(BUILD)/tailproof
UNIT      := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/*/t-*.c))
VERDICTS  := $(wildcard tests/property/verdicts_*.c) # parts of one program
PROPERTY  := $(patsubst tests/property/%.c,$(BUILD)/tests/property/%,$(filter-out $(VERDICTS),$(wildcard tests/property/*.c)))
TOOLS     := $(patsubst tests/tools/%.c,$(BUILD)/tests/tools/%,$(wildcard tests/tools/*.c))
FUZZ_REPLAY := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz/%,$(wildcard tests/fuzz/*.c))
# What reads protocols, files and packets: the part of the tests that `make test` runs under sanitizers,
# without two that count to large numbers.
# What reads no foreign bytes and takes long: left to test-all.
SANITIZE_LATER := $(addprefix $(BUILD)/tests/unit/,lang/t-print measure/t-record-process measure/t-histogram measure/t-record-kill measure/t-sampler measure/t-quantile measure/t-poke \
             measure/t-pauser measure/t-pauser-kill measure/t-pauser-start lang/t-instantiate lang/t-name-index \
             $(addprefix dist/t-,sum compose form survival) \
             $(addprefix base/t-,loaded duration process parallel rational narrow vector memory arena digest) \
             $(addprefix measure/t-,predict estimate law talks knee quota holding sizes pacing adapt drifts roundtrip round ring ticks pause waiting whatif whatif-plan tune clock interrupt \
               counter outside-left-over outside-pair poker-links agent-objective agent-shelf) \
             $(addprefix trace/t-,shares-clock loop-causes loop-granted difference tail-report loop-contention mixture shares published builder \
               loop-replay loop-changes loop-pool loop-threads loop-after loop-chain loop-turns loop-unusual loop-garbage loop-shared loop-spans tail-difference tail-containment tail-requests tail-table \
               simulate graph-orders graph-limit queue path draft change skew names pool \
               graph hot hot-clock spans-sort fold replay node-large))
SANITIZE_UNIT := $(filter-out $(SANITIZE_LATER), \
             $(filter $(BUILD)/tests/unit/lang/% $(BUILD)/tests/unit/measure/% \
             $(BUILD)/tests/unit/base/% $(BUILD)/tests/unit/show/% $(BUILD)/tests/unit/trace/% $(addprefix $(BUILD)/tests/unit/solver/t-,encoder invariants interpreter conform) \
             $(addprefix $(BUILD)/tests/unit/dist/t-,invariants survival sum form bad-data compose csv fortio hgrm hlog joint-table law-file loadtest memtier metrics prometheus source tph ycsb),$(UNIT)))
# Of unit tests every second one, the others where TURN is 1: to compile and link each takes longer than to run it.
SANITIZE_SAMPLE = $(FUZZ_REPLAY) $(if $(TURN),$(shell printf '%s\n' $(SANITIZE_UNIT) | sort | awk 'NR % 2 == $(TURN)'),$(SANITIZE_UNIT))
SCRIPTS   := $(wildcard tests/*/*.sh)
BENCH     := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/*.c))
FORMATTED := $(wildcard base/*.[ch] format/*.[ch] show/*.[ch] lang/*.[ch] solver/*.[ch] solver/*/*.[ch] generate/*.[ch] dist/*/*.[ch] trace/*/*.[ch] cli/*.[ch] cli/*/*.[ch] cli/*/*/*.[ch] measure/*.h measure/*/*.[ch] measure/*/*/*.[ch] steps/*.[ch] steps/loop/*.[ch] examples/*/*.[ch] \
             tests/unit/*/*.[ch] tests/property/*.[ch] tests/simulator/*.[ch] tests/tools/*.c tests/fuzz/*.[ch] tests/throughput/*.[ch] tests/generate/*.[ch] bench/*.c)
MEASURE_FOLDER := $(CURDIR)/measure
include examples/rules.mk

all: $(PROGRAM) $(LIBRARY) $(MEASURE_LIBRARY) $(EXAMPLES) ## build the program, the libraries and the examples

$(PROGRAM): $(patsubst %.c,$(BUILD)/%.o,cli/main.c $(CLI) $(AGENT)) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -lcyaml -luv

# P: files of one name in several folders are several members
$(LIBRARY): $(OBJECTS)
	@rm -f $@
	ar rcsP $@ $^

$(MEASURE_LIBRARY): $(MEASURE:%.c=$(BUILD)/%.o)
	@rm -f $@
	ar rcs $@ $^

# P: as above
$(THROUGHPUT_LIBRARY): $(THROUGHPUT:%.c=$(BUILD)/%.o)
	@rm -f $@
	ar rcsP $@ $^

# P: as above; taken away first, as a member of a file that is gone would stay
$(CLI_LIBRARY): $(CLI:%.c=$(BUILD)/%.o)
	@rm -f $@
	ar rcsP $@ $^

$(LSP_LIBRARY): $(LSP:%.c=$(BUILD)/%.o)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/%.o: %.c | $(VERSION_HEADER)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

ifneq ($(CHECKS),)
# The proved core with its contracts as checks, in place of the sources and headers that the prover reads.
PROVED  := $(wildcard measure/core/*.[ch] measure/throughput/core/*.[ch])
CHECKED := $(BUILD)/checked/made

$(CHECKED): $(PROVED) proofs/requires.py
	@rm -rf $(@D)
	@proofs/requires.py $(@D) $(PROVED)
	@touch $@

$(VERSION_HEADER): | $(CHECKED)

$(addprefix $(BUILD)/checked/,$(PROVED)): $(CHECKED) ;

$(BUILD)/measure/core/%.o: $(BUILD)/checked/measure/core/%.c | $(VERSION_HEADER)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/measure/throughput/core/%.o: $(BUILD)/checked/measure/throughput/core/%.c | $(VERSION_HEADER)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<
endif

$(BUILD)/generated/lang/%.o: $(BUILD)/generated/lang/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -Wno-conversion -Wno-sign-conversion -Wno-unused-function -c -o $@ $<

$(BUILD)/generated/generate/library.o: $(BUILD)/generated/generate/library.c
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/generated/generate/library.c: $(LIBRARY_FILES) scripts/embed.sh
	@mkdir -p $(@D)
	scripts/embed.sh $(LIBRARY_FILES) >$@

# The source of a release has them made (scripts/dist.sh); they are taken while the files that they were made of are the same.
MADE := $(if $(wildcard generated/lang/made_of),$(shell sha256sum --status -c generated/lang/made_of && echo generated/lang))

$(addprefix $(BUILD)/generated/lang/parser,.c .h) &: lang/parser.y
	@mkdir -p $(@D)
	$(if $(MADE),cp $(MADE)/parser.[ch] $(@D)/,bison -Wall -Werror --defines=$(BUILD)/generated/lang/parser.h -o $(BUILD)/generated/lang/parser.c $<)

$(addprefix $(BUILD)/generated/lang/scanner,.c .h) &: lang/scanner.l $(BUILD)/generated/lang/parser.h
	@mkdir -p $(@D)
	$(if $(MADE),cp $(MADE)/scanner.[ch] $(@D)/,flex --outfile=$(BUILD)/generated/lang/scanner.c --header-file=$(BUILD)/generated/lang/scanner.h $<)

$(VERSION_HEADER): VERSION
	@mkdir -p $(@D)
	@printf '/* made from VERSION */\n#define TAILPROOF_VERSION "%s"\n' "$(VERSION)" >$@

$(BUILD)/lang/parse.o $(BUILD)/lang/context.o: $(BUILD)/generated/lang/parser.h $(BUILD)/generated/lang/scanner.h

$(BUILD)/tests/unit/%: tests/unit/%.c $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY) -lcmocka $(LIBS) -luv -lcyaml

$(BUILD)/tests/unit/steps/t-loop $(BUILD)/tests/unit/steps/t-order $(BUILD)/tests/unit/steps/t-hold: $(BUILD)/tests/unit/steps/%: tests/unit/steps/%.c $(filter-out steps/loop/tp_main.% steps/loop/tp_socket.%,$(wildcard steps/loop/*)) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Isteps -Isteps/loop -Imeasure $(TEST_CFLAGS) -MF $@.d $(LDFLAGS) -o $@ $(filter %.c,$^) $(LIBRARY) $(MEASURE_LIBRARY) -lcmocka $(LIBS)

$(BUILD)/tests/unit/measure/t-agent-%: tests/unit/measure/t-agent-%.c $(AGENT:%.c=$(BUILD)/%.o) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(AGENT:%.c=$(BUILD)/%.o) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY) -lcmocka $(LIBS) -lcyaml

$(BUILD)/tests/unit/cli/%: tests/unit/cli/%.c $(CLI_LIBRARY) $(AGENT:%.c=$(BUILD)/%.o) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(CLI_LIBRARY) $(AGENT:%.c=$(BUILD)/%.o) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY) -lcmocka $(LIBS) -lcyaml -luv

$(BUILD)/tests/fuzz/agent: tests/fuzz/agent.c $(BUILD)/measure/agent/config.o $(BUILD)/measure/agent/config_check.o $(BUILD)/measure/yaml/load.o $(BUILD)/measure/yaml/value.o $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DSTANDALONE $(TEST_CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) $(LIBS) -lcyaml

$(BUILD)/tests/fuzz/manifest: tests/fuzz/manifest.c $(BUILD)/cli/question/certify/manifest.o $(LIBRARY)
$(BUILD)/tests/fuzz/kept: tests/fuzz/kept.c $(BUILD)/cli/question/verify/proof_cache.o $(LIBRARY)
$(BUILD)/tests/fuzz/packet: tests/fuzz/packet.c $(LIBRARY)
$(BUILD)/tests/fuzz/packet: CPPFLAGS += -Isteps -Isteps/loop -Imeasure
$(BUILD)/tests/fuzz/manifest $(BUILD)/tests/fuzz/kept $(BUILD)/tests/fuzz/packet:
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DSTANDALONE $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(filter %.o %.a,$^) $(LIBS)

$(BUILD)/tests/fuzz/lsp: tests/fuzz/lsp.c $(LSP_LIBRARY) $(LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DSTANDALONE $(TEST_CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS)

$(BUILD)/tests/property/%: tests/property/%.c $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY) -lcmocka $(LIBS) -luv -lcyaml

$(BUILD)/tests/property/verdicts: tests/property/verdicts.c $(VERDICTS:%.c=$(BUILD)/%.o) $(CLI_LIBRARY) $(AGENT:%.c=$(BUILD)/%.o) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) $(LIBS) -lcyaml -luv

# asks as users do, of files
$(BUILD)/tests/property/coverage: tests/property/coverage.c $(CLI_LIBRARY) $(AGENT:%.c=$(BUILD)/%.o) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) -lcmocka $(LIBS) -lcyaml -luv

# the independent parser that the proxy is compared with
$(BUILD)/tests/property/http: LIBS += -lhttp_parser

$(BUILD)/tests/tools/%: tests/tools/%.c $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY) $(LIBS) -luv -lcyaml

# made of what presents answers
$(BUILD)/tests/tools/made_answers: tests/tools/made_answers.c $(CLI_LIBRARY) $(AGENT:%.c=$(BUILD)/%.o) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) $(LIBS) -lcyaml -luv

# runs protocols as machines would; of the solver it knows the verdicts alone
SIMULATE := $(wildcard tests/simulator/*.c)
$(BUILD)/tests/simulate: $(SIMULATE:%.c=$(BUILD)/%.o) $(LIBRARY)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/tests/fuzz/%: tests/fuzz/%.c $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DSTANDALONE $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY) $(LIBS) -luv -lcyaml

$(BUILD)/bench/%: bench/%.c $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(THROUGHPUT_LIBRARY) $(LIBRARY) $(MEASURE_LIBRARY) -lfftw3 $(LIBS) -luv

# generated code, which finds the library beside it
$(BUILD)/bench/steps: CPPFLAGS += -Isteps
$(BUILD)/bench/steps: $(BUILD)/tests/generate/golden/raft/raft_leader.o

SIMULATOR := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/throughput/*.c)) $(BUILD)/examples/services/families.o $(BUILD)/examples/common/random.o
$(BUILD)/bench/throughput_sweep $(BUILD)/tests/property/pausing: $(SIMULATOR)
$(BUILD)/tests/property/gossip: $(BUILD)/examples/common/random.o

$(BUILD)/bench/dispatch: CPPFLAGS += -I$(BUILD)/examples/multi_paxos/steps -Imeasure
$(BUILD)/bench/dispatch: $(STEPS_multi_paxos)

# The replicas of examples/multi_paxos, without their loops.
$(BUILD)/tests/property/replicas: $(addprefix $(BUILD)/examples/multi_paxos/,letters.o log.o machine.o packets.o replica.o) $(STEPS_multi_paxos) $(BUILD)/examples/common/complain.o $(BUILD)/examples/common/random.o
$(BUILD)/tests/property/replicas: CPPFLAGS += -I$(BUILD)/examples/multi_paxos/steps -Imeasure

# Vectors wider than the oldest machines have are passed to inlined functions only. -O3: a tenth faster.
$(BUILD)/dist/survival/transform.o: ALL_CFLAGS += -Wno-psabi -O3

# Loaded when they are first needed (base/loaded.h): by the name under which they are here.
soname = $(shell objdump -p $$($(CC) -print-file-name=lib$(1).so) | sed -n 's/^ *SONAME *//p')
$(BUILD)/cli/question/store/fetch.o: CPPFLAGS += -DCURL_LIBRARY='"$(call soname,curl)"'
$(BUILD)/measure/load/tls.o: CPPFLAGS += -DGNUTLS_LIBRARY='"$(call soname,gnutls)"'
$(BUILD)/solver/smt/z3_loaded.o: CPPFLAGS += -DZ3_LIBRARY='"$(call soname,z3)"'
# Arb is a library of its own before FLINT 3.
ARB      := $(if $(findstring /,$(shell $(CC) -print-file-name=libflint-arb.so)),flint-arb,flint)
$(BUILD)/dist/statistics/certify_beta.o: CPPFLAGS += -DFLINT_LIBRARY='"$(call soname,$(ARB))"'
$(BUILD)/measure/agent/exposition.o: CPPFLAGS += -DMICROHTTPD_LIBRARY='"$(call soname,microhttpd)"'

# --- set-up -----------------------------------------------------------------------------------

PACKAGES := gcc make flex bison libz3-dev libgmp-dev libgsl-dev libflint-arb-dev/libflint-dev libjansson-dev nettle-dev zlib1g-dev libzstd-dev libcyaml-dev libyaml-dev libbpf-dev libzydis-dev libmicrohttpd-dev libuv1-dev libcurl4-gnutls-dev libgnutls28-dev libdw-dev libelf-dev libiberty-dev
COMPILE_PACKAGES := libcmocka-dev libhttp-parser-dev
TEST_PACKAGES := $(COMPILE_PACKAGES) neovim bsdutils iproute2 g++ pkg-config python3 prometheus redis-server nodejs node-redis chromium openssl jq gojq mawk frama-c-base why3 cvc4 cvc5 z3 libxml2-utils librsvg2-bin fonts-dejavu-core python3-yaml python3-protobuf git zstd cppcheck clang-format

# npm comes with Node.js, or from Debian as a package of its own.
NPM_PACKAGE = $(if $(shell command -v npm),,npm)

deps: ## install what is missing (Debian: apt, with sudo when not root; and packages from npm, into build/field)
	@scripts/deps.sh $(PACKAGES) $(TEST_PACKAGES) $(NPM_PACKAGE)
	@tests/field/install.sh $(BUILD)

build-deps:
	@scripts/deps.sh --if-missing $(PACKAGES)

# What is needed to compile the tests; the others are installed meanwhile.
compile-deps:
	@scripts/deps.sh --if-missing $(PACKAGES) $(COMPILE_PACKAGES)

test-deps:
	@scripts/deps.sh --if-missing $(PACKAGES) $(TEST_PACKAGES) $(NPM_PACKAGE)

evaluate-deps:
	@scripts/deps.sh --if-missing $(PACKAGES) redis-server python3

throughput-deps: evaluate-deps
	@scripts/deps.sh --if-missing --idle nginx haproxy gunicorn python3-redis python3-psycopg2 postgresql redis-tools wrk golang-go nodejs $(NPM_PACKAGE)

lint-deps:
	@scripts/deps.sh --if-missing cppcheck clang-format

bench-deps:
	@scripts/deps.sh --if-missing $(PACKAGES) libcmocka-dev libfftw3-dev time jq cvc5 wrk nodejs python3-scipy r-cran-distr

prove-deps:
	@scripts/deps.sh --if-missing gcc frama-c-base why3 cvc4

prove-generated-deps:
	@scripts/deps.sh --if-missing $(PACKAGES) frama-c-base why3 cvc4 z3 python3

foreign-deps:
	@scripts/deps.sh --if-missing $(SERVERS_foreign)

go-deps:
	@scripts/deps.sh --if-missing golang-go golang-opentelemetry-otel-dev

package-deps:
	@scripts/deps.sh --if-missing mmdebstrap xz-utils buildah pre-commit git python3-distributed

deb-deps:
	@scripts/deps.sh --if-missing $(PACKAGES) build-essential debhelper

vsix-deps:
	@scripts/deps.sh --if-missing nodejs $(NPM_PACKAGE)

fuzz-deps:
	@scripts/deps.sh --if-missing $(PACKAGES) clang libclang-rt-14-dev

sanitize-deps:
	@scripts/deps.sh --if-missing $(PACKAGES) $(TEST_PACKAGES) clang libclang-rt-14-dev

# --- what users run ---------------------------------------------------------------------------

verify: build-deps ## set up, build, prove every bound in specs/, and print the recorded ring's percentiles
	@$(MAKE) -s -j$$(nproc) all
	@scripts/verify.sh $(PROGRAM)

# Of npm, while the build and other tests go on: the tests that need them wait for them, and fail where they cannot be
# installed.
field-deps: test-deps
	@tests/field/install.sh $(BUILD) >/dev/null 2>&1 &

# Of what a debugger reads only what a trace of calls has, lines and functions: less to compile, and to copy four hundred times.
BRIEF := $(if $(filter file,$(origin CFLAGS)),CFLAGS='-O2 -g1')

test: compile-deps ## set up, build and run the tests, those that take long on a sample; ends with "N passed, N failed"
	@$(MAKE) -s -j$$(($$(nproc) + 1)) $(BRIEF) field-deps all tests
	@BUILD=$(BUILD) tests/run.sh

test-all: field-deps fuzz-deps foreign-deps package-deps go-deps ## everything, without samples: over an hour (every test in full, all mutants, all verdicts, fuzzing, certificates)
	@$(MAKE) -s -j$$(nproc) all tests
	@BUILD=$(BUILD) tests/run.sh --all
	@FUZZ_TOTAL=3600 scripts/guard.sh $(MAKE) -s mutants verdicts simulate prove-fresh prove-mutants certify fuzz

# A folder inside a part of the program stands for the unit tests of that part: cli/present for unit/cli.
WANTED = $(foreach word,$(ONLY),$(if $(and $(findstring /,$(word)),$(wildcard $(word)/.)),unit/$(firstword $(subst /, ,$(word))),$(word)))

check: test-deps ## build and run the tests whose path has a word in it: ONLY=dist, ONLY=dist/t-sum, ONLY="lang cli/t-slo"; ONLY=cli/present: unit tests
	@test -n "$(ONLY)" || { echo 'make check ONLY=WORD, for example ONLY=dist or ONLY=cli/t-slo' >&2; exit 64; }
	@$(MAKE) -s -j$$(nproc) $(sort $(foreach word,$(WANTED),$(foreach test,$(UNIT) $(PROPERTY),$(if $(findstring $(word),$(test)),$(test)))) \
	  $(if $(strip $(foreach word,$(WANTED),$(findstring $(word),$(SCRIPTS)))),all $(TOOLS) $(FUZZ_REPLAY) $(BUILD)/tests/simulate))
	@BUILD=$(BUILD) tests/run.sh $(WANTED)

tests: $(UNIT) $(PROPERTY) $(TOOLS) $(FUZZ_REPLAY) $(BUILD)/tests/simulate arrows

sanitize-sample: $(SANITIZE_SAMPLE)

mutants: test-deps ## judge all mutants of all specs (`make test` judges a sample)
	@$(MAKE) -s -j$$(nproc) $(BUILD)/tests/property/mutants
	@$(BUILD)/tests/property/mutants --sample 0

prove-generated: prove-generated-deps ## prove the C of all protocols that has changed since tests/generate/proofs.md, and write its cost there (hours; ONLY="raft.tp lock.tp:node")
	@$(MAKE) -s -j$$(nproc) $(PROGRAM)
	@tests/generate/proofs.py $(ONLY); status=$$?; tests/generate/proofs.py --table && exit $$status

verdicts: test-deps ## hold what is said of all worlds and laws against the truth (`make test`: of a sample)
	@$(MAKE) -s -j$$(nproc) $(BUILD)/tests/property/verdicts
	@$(BUILD)/tests/property/verdicts --full

simulate: test-deps ## run shipped and 10000 random protocols as machines would, against what is proved of them (half an hour)
	@$(MAKE) -s -j$$(nproc) $(BUILD)/tests/simulate
	@$(BUILD)/tests/simulate --runs 5000 --invariants $(wildcard specs/*.tp specs/*/*.tp)
	@$(BUILD)/tests/simulate --random 10000 --runs 300 --limit 100 --most 300 --jobs $$(nproc)
	@$(BUILD)/tests/simulate --random 500 --kind "groups, k-th of each" --runs 300 --limit 100 --most 5000 --jobs $$(nproc)
	@$(BUILD)/tests/simulate --random 500 --kind priority --runs 300 --limit 100 --most 600 --jobs $$(nproc)
	@$(BUILD)/tests/simulate --random 500 --kind restless --runs 100 --limit 100 --most 600 --jobs $$(nproc)

arrows: ## fail on an include that points the wrong way
	@scripts/arrows.sh

include proofs/rules.mk
include measure/rules.mk

certify: test-deps ## have cvc5 answer every obligation of the shipped specs again (minutes)
	@$(MAKE) -s -j$$(nproc) all
	@rm -rf $(BUILD)/certificate
	@$(PROGRAM) certify $(wildcard specs/*.tp specs/*/*.tp) --out $(BUILD)/certificate
	@$(PROGRAM) certify --check $(BUILD)/certificate --with cvc5 --timeout 60 $(wildcard specs/*.tp specs/*/*.tp) || \
	  { status=$$?; test $$status -eq 2 && echo "time-outs are no disagreement; a longer --timeout may answer them"; }

bench: bench-deps ## print the table of speed and size targets
	@$(MAKE) -s -j$$(nproc) all $(BENCH) $(BUILD)/tests/property/accuracy $(BUILD)/tests/tools/probed
	@BUILD=$(BUILD) bench/run.sh

evaluate: evaluate-deps ## run all examples in many configurations and write docs/evaluation.md (a quarter of an hour; leave the machine idle)
	@$(MAKE) -s -j$$(nproc) all
	@BUILD=$(BUILD) scripts/evaluate.py

evaluate-throughput: throughput-deps ## predict throughputs, hold them against services made faster, and write docs/evaluation_throughput.md (three quarters of an hour, as root, on an idle machine; KEEP=folder goes on where it was interrupted)
	@tests/field/install.sh $(BUILD)
	@$(MAKE) -s -j$$(nproc) all
	@mkdir -p $(BUILD)/bench/throughput
	@GO111MODULE=off go build -o $(BUILD)/bench/throughput/svc bench/throughput/svc.go
	@export BUILD=$(BUILD); status=0; scripts/evaluate_throughput_real.py $(if $(KEEP),--keep $(KEEP)) || status=$$?; \
	  scripts/evaluate_throughput.py || status=$$?; exit $$status

evaluate-latency: evaluate-deps ## predict latencies of the storefront, hold them against services really changed, and write docs/evaluation_latency.md and evaluation_confirm.md (six minutes; as root)
	@$(MAKE) -s -j$$(nproc) all
	@BUILD=$(BUILD) examples/storefront/compare.py --realtime --page docs/evaluation_latency.md
	@BUILD=$(BUILD) examples/storefront/confirm.py --realtime --page docs/evaluation_confirm.md

evaluate-node: evaluate-deps ## plant causes of slow requests in servers on Node.js, find them, remove them, and tune two heaps (three quarters of an hour, as root, on an idle machine; KEEP=folder goes on where it was interrupted)
	@scripts/deps.sh --if-missing nodejs node-redis
	@$(MAKE) -s -j$$(nproc) all
	@BUILD=$(BUILD) tests/node/plants.py --first $(KEEP:%=--keep %/plants) --turns 2 --skip 4s --seconds 28 --own-tail
	@BUILD=$(BUILD) tests/node/plants.py --first $(KEEP:%=--keep %/nulls) --only= --nulls 20
	@BUILD=$(BUILD) tests/node/heap.py --first $(KEEP:%=--keep %/heap) --pairs 8 --fresh 6

# Of butterfly.h cppcheck believes that an array of vectors is one of numbers.
CPPCHECK := cppcheck --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 --quiet -I. \
            --library=scripts/cppcheck.cfg --suppress=missingIncludeSystem --suppress=ctunullpointer \
            --suppress=bufferAccessOutOfBounds:dist/survival/butterfly.h
LINTED   := base format lang solver generate dist measure steps trace show cli
LINT_RULES = $(subst ",,$(CPPCHECK))
LINT_SOURCES = $(sort $(foreach folder,$(LINTED),$(wildcard $(foreach depth,* */* */*/* */*/*/*,$(folder)/$(depth).c))))
LINT_FILES = $(sort $(FORMATTED) $(LINT_SOURCES))
# more names than fit into a command
LINT_LISTS = $(shell mkdir -p $(BUILD)/lint $(BUILD)/cppcheck)$(file >$(BUILD)/lint/files,$(LINT_FILES))$(file >$(BUILD)/lint/sources,$(LINT_SOURCES))

lint: lint-deps ## cppcheck and the formatter's opinion
	@$(MAKE) -s lint-sources lint-format

lint-remember: lint ## the same, and remember in scripts/linted what they have nothing to say of (`make test` looks at what has changed since)
	$(LINT_LISTS)
	@scripts/linted.py write scripts/linted "$(LINT_RULES)" $(BUILD)/lint/files

# What both have to say of the files that are not as scripts/linted has them.
lint-changed:
	$(LINT_LISTS)
	@scripts/linted.py changed scripts/linted "$(LINT_RULES)" $(BUILD)/lint/files >$(BUILD)/lint/changed
	@echo "$$(wc -l <$(BUILD)/lint/changed) of $(words $(LINT_FILES)) files have changed"
	@xargs -r clang-format --dry-run --Werror <$(BUILD)/lint/changed
	@tr ' ' '\n' <$(BUILD)/lint/sources | grep -xF -f - $(BUILD)/lint/changed | xargs -r $(CPPCHECK) -j$$(nproc) --cppcheck-build-dir=$(BUILD)/cppcheck

lint-sources:
	@mkdir -p $(BUILD)/cppcheck
	@$(CPPCHECK) -j$$(nproc) --cppcheck-build-dir=$(BUILD)/cppcheck $(LINTED)

lint-format:
	@clang-format --dry-run --Werror $(FORMATTED)

format: ## format the sources in place
	clang-format -i $(FORMATTED)

sanitize: sanitize-deps ## run the tests under the address and undefined-behaviour sanitizers, with all checks
	@$(MAKE) -s -j$$(nproc) BUILD=build-sanitize CC=clang CFLAGS="-O1 -g" CHECKS=1 \
	  SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all" all tests
	@BUILD=build-sanitize SANITIZED=1 tests/run.sh

fuzz: fuzz-deps ## fuzz the parsers of foreign input, FUZZ_SECONDS each (default 60; or FUZZ_TOTAL in equal shares)
	@scripts/fuzz.sh

fuzz-probes: all ## probe random places of this system's programs while they work, as root, for SECONDS=3600 or as many as you say
	@FUZZ_PROBES=$(or $(SECONDS),3600) tests/fuzz/probed_programs.sh

dist: ## write the source of a release, tailproof-VERSION.tar.xz, and its SHA-256 into build/release (of the last commit)
	@scripts/dist.sh $(BUILD)/release

deb: deb-deps ## build the Debian packages in build/deb (VERSION and debian/changelog say which version)
	@scripts/deb.sh $(BUILD)/deb

vsix: vsix-deps ## pack the extension for VS Code, with its language client, into build/ (of npm, pinned; needs the network once)
	@scripts/vsix.sh $(BUILD)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' Makefile proofs/rules.mk measure/rules.mk examples/rules.mk | sed 's/:.*## /\t/' | expand -t 16

clean: ## remove build/
	rm -rf $(BUILD)

# what tests/sanitize builds has its own
-include $(shell find $(BUILD) -path $(BUILD)/sanitize -prune -o -name '*.d' -print 2>/dev/null)

.PHONY: all test-all check prove-generated prove-generated-deps sanitize-sample deps build-deps compile-deps bench-deps evaluate-deps throughput-deps fuzz-deps foreign-deps go-deps dist deb vsix vsix-deps deb-deps package-deps lint-deps prove-deps sanitize-deps test-deps field-deps verify test tests mutants verdicts simulate certify arrows prove prove-fresh bench lint lint-remember lint-changed lint-sources lint-format format \
        sanitize fuzz fuzz-probes evaluate evaluate-throughput evaluate-node help clean
