# mk/bench.mk: how fast the filters are, beside others, on this machine.
#
#   make bench [BYTES=1073741824] [ROUNDS=10] [CASES=100]
#
# Writes a log of BYTES and smaller ones to build/perf/, then runs ours and each
# peer that is installed, side by side; tests/perf/bench says what and how. The
# graph is timed with ten configurations of CASES, and of ten times as many.

BYTES  ?= 1073741824
ROUNDS ?= 10
CASES  ?= 100

kc_perf      := $(KC_BUILD)/perf
kc_perf_logs := $(kc_perf)/$(BYTES).log $(kc_perf)/tenth-$(BYTES).log $(kc_perf)/1000000.log

$(kc_perf)/rounds $(kc_perf)/make-log $(kc_perf)/touch: $(kc_perf)/%: $(KC)/tests/perf/%.c $(KC_BUILD)/obj/flags
	$(Q)mkdir -p $(@D)
	$(call kc_say,CC,perf/$*)
	$(Q)$(CC) $(KC_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $<

# The same bytes each time, so a log that is there stays.
$(kc_perf)/tenth-%.log: $(kc_perf)/make-log
	$(call kc_say,LOG,$@)
	$(Q)$< $$(($* / 10)) >$@.tmp && mv -f $@.tmp $@
$(kc_perf)/%.log: $(kc_perf)/make-log
	$(call kc_say,LOG,$@)
	$(Q)$< $* >$@.tmp && mv -f $@.tmp $@

.PHONY: kc-bench
kc-bench: kc-filters $(kc_perf)/rounds $(kc_perf)/touch $(kc_perf_logs)
	$(Q)tests/perf/bench $(KC_BUILD) $(ROUNDS) $(CASES) $(kc_perf_logs)
