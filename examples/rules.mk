# SPDX-License-Identifier: GPL-3.0-or-later
# How examples are built and run: for the Makefile of the source, and for the one of installed examples (installed.mk). Both say
# before what BUILD, PROGRAM, MEASURE_LIBRARY and MEASURE_FOLDER (where tailproof_measure.h is) are, and how C is compiled.

# examples/NAME/*.c make one program, build/examples/NAME/NAME, with what is in examples/common
EXAMPLE_NAMES := $(filter-out common,$(sort $(patsubst examples/%/,%,$(dir $(wildcard examples/*/*.c)))))
EXAMPLES  := $(foreach name,$(EXAMPLE_NAMES),$(BUILD)/examples/$(name)/$(name))
EXAMPLES_COMMON := $(patsubst %.c,$(BUILD)/%.o,$(wildcard examples/common/*.c))

# Examples that run on steps generated of their protocols: the example, the file of its loops, and a further file with the roles
# of which there are steps alone. What is kept of its proof with the example is what `make prove` wrote in its folder of steps.
STEPS_LIBRARY := tp_clock tp_hold tp_loop tp_message tp_order tp_packet tp_record tp_set tp_step
define example_steps
STEPS_$(1) := $(BUILD)/examples/$(1)/steps/steps.o
$(BUILD)/examples/$(1)/steps/steps.o: $(PROGRAM) $(2) $(3) $(wildcard examples/$(1)/answers examples/$(1)/proved)
	@rm -rf $$(@D) && mkdir -p $$(dir $$(@D))
	$(PROGRAM) generate $(2) --loop --out $$(@D) >/dev/null
	$(if $(3),for role in $(4); do $(PROGRAM) generate $(3) --role $$$$role --out $$(@D) >/dev/null || exit 1; done)
	$(if $(wildcard examples/$(1)/answers),cp examples/$(1)/answers examples/$(1)/proved $$(@D))
	cd $$(@D) && for source in $$$$(ls $(foreach file,$(2) $(3),$(basename $(notdir $(file)))_*.c) $(STEPS_LIBRARY:%=%.c) | grep -v _main); do $$(CC) $$(ALL_CFLAGS) -fno-jump-tables -I"$(MEASURE_FOLDER)" -c $$$$source || exit 1; done && ld -r -o $$(@F) *.o
$(patsubst %.c,$(BUILD)/%.o,$(wildcard examples/$(1)/*.c)): $(BUILD)/examples/$(1)/steps/steps.o
$(patsubst %.c,$(BUILD)/%.o,$(wildcard examples/$(1)/*.c)): CPPFLAGS += -I$(BUILD)/examples/$(1)/steps -I"$(MEASURE_FOLDER)"
endef
$(eval $(call example_steps,token_ring,specs/lock.tp))
$(eval $(call example_steps,primary_backup,specs/primary_backup.tp))
$(eval $(call example_steps,multi_paxos,specs/multi_paxos.tp,examples/multi_paxos/paxos.tp,leader voter))

define example_program
$(BUILD)/examples/$(1)/$(1): $(patsubst %.c,$(BUILD)/%.o,$(wildcard examples/$(1)/*.c)) $(STEPS_$(1)) $(EXAMPLES_COMMON) $(MEASURE_LIBRARY)
	$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$^ -lm -pthread
endef
$(foreach name,$(EXAMPLE_NAMES),$(eval $(call example_program,$(name))))

# What examples need beside the packages above.
SERVERS_checkout    := nginx nodejs node-redis redis-server redis-tools wrk
SERVERS_dns         := unbound bind9 dnsperf
SERVERS_etcd        := etcd-server etcd-client
SERVERS_foreign     := g++ golang-go rustc
SERVERS_go_redis    := golang-go redis-server redis-tools
SERVERS_grpc        := python3 python3-grpcio
SERVERS_http2       := curl nghttp2-server openssl
SERVERS_mariadb     := mariadb-server-core mariadb-client-core
SERVERS_mqtt        := mosquitto mosquitto-clients
SERVERS_nginx       := nginx python3
SERVERS_node_fanout := node-redis redis-server
SERVERS_postgres    := postgresql
SERVERS_queue       := beanstalkd python3
SERVERS_redis       := redis-server
SERVERS_redis_load  := redis-server redis-tools jq
SERVERS_zookeeper   := libzookeeper-java default-jre-headless python3
example-deps:
	@scripts/deps.sh --if-missing --idle $(PACKAGES) $(SERVERS_$(NAME)) $(if $(filter node_%,$(NAME)),nodejs)

# What stands on its own: `make example NAME=...` runs it. The servers of examples/node/*.js are node_files, ...
# OWN_RUN have a run.sh of their own: those that watch servers from outside (as root), foreign and redis_load; run.sh of the
# others is not run by this target, or not with that name.
OWN_RUN  := $(filter-out common multi_paxos node storefront,$(sort $(patsubst examples/%/run.sh,%,$(wildcard examples/*/run.sh))))
RUNNABLE := $(sort $(filter-out services storefront,$(EXAMPLE_NAMES)) $(OWN_RUN) grpc) node_files node_fanout node_alloc

example: example-deps ## run an example: NAME=token_ring OPTIONS="--nodes 6" holds its bound against it, NAME=node_files asks why it is slow
	@test -n "$(filter $(NAME),$(RUNNABLE))" || { echo "make example NAME=..., one of: $(RUNNABLE); and make -C examples/shop, -C examples/storefront" >&2; exit 64; }
	@$(MAKE) -s -j$$(nproc) $(PROGRAM) $(if $(filter node_%,$(NAME)),$(NODE_SHARED),$(filter $(BUILD)/examples/$(NAME)/$(NAME),$(EXAMPLES)) $(if $(filter grpc,$(NAME)),$(MEASURE_SHARED)))
	@BUILD=$(BUILD) $(if $(filter $(OWN_RUN),$(NAME)),examples/$(NAME)/run.sh $(OPTIONS),$(if $(filter node_%,$(NAME)),examples/node/run.sh $(NAME:node_%=%),examples/common/run.sh $(NAME)) $(OPTIONS))

.PHONY: example example-deps
