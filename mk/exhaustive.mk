# mk/exhaustive.mk: the filters inside a test's process, to run them a million
# times: exhaustive damage of logs, and fuzzing.
#
#   build/sandbox/exhaustive    tests/exhaustive, with any compiler
#   build/sandbox/fuzz-NAME     tests/fuzz/fuzz-NAME.c, which replays a corpus
#   build/fuzz/fuzz-NAME        the same for libFuzzer, with ASan and UBSan
#
# tests/fuzz/sandbox.h says how a filter's main becomes a function.

FUZZ_CC    ?= clang
FUZZ_TIME  ?= 60
FUZZ_FLAGS ?= -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
KC_SANDBOX := $(KC_BUILD)/sandbox
KC_FUZZ    := $(KC_BUILD)/fuzz

kc_targets := $(patsubst $(KC)/tests/fuzz/%.c,%,$(sort $(wildcard $(KC)/tests/fuzz/fuzz-*.c)))
kc_inside  := $(patsubst $(KC)/tests/fuzz/%.c,%,$(sort $(wildcard $(KC)/tests/fuzz/in-*.c)))
kc_forms   := $(patsubst $(KC)/tests/exhaustive/%.c,%,$(sort $(wildcard $(KC)/tests/exhaustive/*.c)))
kc_libs    := $(patsubst $(KC)/filters/lib/%.c,lib/%,$(sort $(wildcard $(KC)/filters/lib/*.c)))
kc_sandbox_cc = $(KC_CFLAGS) $(kc_pcre2_cflags) -I$(KC)/filters/lib -I$(KC)/tests/fuzz $(CPPFLAGS)

# $(call kc_sandbox_rules,FOLDER,COMPILER AND FLAGS,FLAGS FOR THE TESTS' OWN)
define kc_sandbox_rules
$(1)/in-%.o: $$(KC)/tests/fuzz/in-%.c $$(KC_BUILD)/obj/flags
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(2) $$(kc_sandbox_cc) -include $$(KC)/tests/fuzz/sandbox-names.h -MMD -MP -c -o $$@ $$<
$(1)/lib/%.o: $$(KC)/filters/lib/%.c $$(KC_BUILD)/obj/flags
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(2) $$(kc_sandbox_cc) -include $$(KC)/tests/fuzz/sandbox-names.h -MMD -MP -c -o $$@ $$<
$(1)/%.o: $$(KC)/tests/fuzz/%.c $$(KC_BUILD)/obj/flags
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(2) $$(kc_sandbox_cc) -MMD -MP -c -o $$@ $$<
$(1)/%.o: $$(KC)/tests/exhaustive/%.c $$(KC_BUILD)/obj/flags
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(2) $$(kc_sandbox_cc) -MMD -MP -c -o $$@ $$<
$$(kc_targets:%=$(1)/%.o) $$(kc_forms:%=$(1)/%.o): CPPFLAGS += -I$$(KC)/tests/exhaustive
-include $$(wildcard $(1)/*.d $(1)/lib/*.d)
.SECONDARY: $$(kc_targets:%=$(1)/%.o)
endef
kc_sandbox_objs = $(patsubst %,$(1)/%.o,$(kc_inside) sandbox $(kc_libs))

$(eval $(call kc_sandbox_rules,$(KC_SANDBOX),$$(CC) $$(CFLAGS)))
$(eval $(call kc_sandbox_rules,$(KC_FUZZ),$$(FUZZ_CC) $$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link))
# The scan's loop is what the fuzzer would count instead of reading logs.
$(KC_FUZZ)/lib/scan.o: FUZZ_FLAGS += -O2 -DKC_NO_CLONES -fno-sanitize-coverage=edge,trace-cmp,inline-8bit-counters,pc-table

$(KC_SANDBOX)/exhaustive: $(kc_forms:%=$(KC_SANDBOX)/%.o) $(call kc_sandbox_objs,$(KC_SANDBOX))
	$(call kc_say,LD,$(@F))
	$(Q)$(kc_link) -o $@ $^ $(kc_pcre2_libs) $(LDLIBS)
# One target composes logs as the exhaustive damage does.
$(KC_SANDBOX)/fuzz-count: $(KC_SANDBOX)/forms.o
$(KC_FUZZ)/fuzz-count: $(KC_FUZZ)/forms.o
$(kc_targets:%=$(KC_SANDBOX)/%): %: %.o $(KC_SANDBOX)/replay.o $(call kc_sandbox_objs,$(KC_SANDBOX))
	$(call kc_say,LD,$(@F))
	$(Q)$(kc_link) -o $@ $^ $(kc_pcre2_libs) $(LDLIBS)
$(kc_targets:%=$(KC_FUZZ)/%): %: %.o $(call kc_sandbox_objs,$(KC_FUZZ))
	$(call kc_say,LD,$(@F))
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(kc_pcre2_libs) $(LDLIBS)

KC_TEST_NEEDS += $(KC_SANDBOX)/exhaustive $(kc_targets:%=$(KC_SANDBOX)/%)

.PHONY: fuzz fuzz-build test-exhaustive $(kc_targets:%=kc-run-%)

# FUZZ_TIME seconds for each target, one after the other; new inputs are kept
# in build/fuzz/corpus, what crashed in build/fuzz/crash.
fuzz: $(kc_targets:%=kc-run-%)
fuzz-build: $(kc_targets:%=$(KC_FUZZ)/%)
.NOTPARALLEL: $(kc_targets:%=kc-run-%)
$(kc_targets:%=kc-run-%): kc-run-%: $(KC_FUZZ)/%
	$(Q)mkdir -p $(KC_FUZZ)/corpus/$* $(KC_FUZZ)/crash/$*
	$(Q)ASAN_OPTIONS=quarantine_size_mb=4 $(KC_FUZZ)/$* -dict=$(KC)/tests/fuzz/words.dict \
		-max_total_time=$(FUZZ_TIME) -max_len=4096 -timeout=20 -print_final_stats=1 \
		-artifact_prefix=$(KC_FUZZ)/crash/$*/ $(KC_FUZZ)/corpus/$* $(KC)/tests/fuzz/corpus/$*

test-exhaustive: $(KC_SANDBOX)/exhaustive
	$(Q)$(KC_SANDBOX)/exhaustive -a
	$(Q)$(KC_SANDBOX)/exhaustive -w 37 | $(KC)/tests/second-opinion.pl -r
	$(Q)KC_KILLS=40 KC_ALL=1 $(PROVE) $(KC)/tests/never-kill.t $(KC)/tests/never-linear.t
