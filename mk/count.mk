# mk/count.mk: from the crate to the report, second half (the first is
# mk/report.mk). Run in LOG_DIR, after mk/plan has written for each
# configuration what its cases are and in which folder their logs belong.
#
# A log that is in its folder is good and is never made again: the folder's name
# says all that it depends on. So nothing here compares times but rows with logs.

include $(KC_ROOT)/mk/base.mk
include $(KC_CONFIGS:%=%/plan.mk)

.PHONY: kc-render $(KC_CONFIGS:%=kc-settle.%)
.DEFAULT_GOAL := kc-render

runs := $(if $(filter 1,$(KC_RUNS)),1,1 2)
logs  = $(foreach n,$($(1).cases),$(runs:%=$($(1).dir)/$n.%.log))
# What Slurm has is never run here beside it, and what is counted elsewhere not
# without a way there (mk/submit.mk): then the logs are those that there are.
waits = $(if $(wildcard $($(1).dir)/jobs),$(shell $(KC_ROOT)/mk/waits $($(1).dir)))
here  = $(wildcard $($(1).dir)/*.log)
kept  = $(if $($(1).far),$(if $($(1).before),$(filter-out $(foreach n,$(waits),$(runs:%=$($(1).dir)/$n.%.log)),$(2)) \
	$(filter $(here),$(2)),$(filter $(here),$(2))),$(2))
$(foreach c,$(KC_CONFIGS),$(eval $c.logs := $(sort $(call kept,$c,$(call logs,$c))))\
	$(eval $c.rows := $($c.dir)/$($c.pick).$(words $(runs)).rows))

# What has to run, and how much of it there is.
have    := $(foreach c,$(KC_CONFIGS),$(wildcard $($c.dir)/*.log))
# A tuned configuration settles where one of its cases has not.
unsettled = $(filter-out $(patsubst $($(1).dir)/%.settled,%,$(wildcard $($(1).dir)/*.settled)),$($(1).cases))
tunes   := $(foreach c,$(KC_CONFIGS),$(if $($c.tuned),$(if $(call unsettled,$c),$c)))
settle  := $(foreach c,$(tunes),$(if $($c.far),$(if $($c.before),kc-settle.$c),kc-settle.$c))
KC_TODO := $(words $(settle) $(filter-out $(have),$(foreach c,$(KC_CONFIGS),$($c.logs))))
KC_PROGRESS := $(CURDIR)/progress
export KC_TODO KC_PROGRESS
ifneq ($(KC_TODO),0)
$(shell rm -rf $(call kc_sq,$(KC_PROGRESS)) slots)
endif

# $(call run_case,CONFIG,TARGET): the target is FOLDER/NAME.RUN.log.
stem     = $(patsubst $($(1).dir)/%.log,%,$(2))
run_case = $(KC_ROOT)/mk/run $(1) $($(1).dir) $($(1).pick) $(basename $(call stem,$(1),$(2))) $(patsubst .%,%,$(suffix $(call stem,$(1),$(2))))

define config_rules
$$($(1).logs): | $$(settle)
	$$(Q)$$(call run_case,$(1),$$@)

$$($(1).rows): $$($(1).logs) $$(if $$($(1).far),kc-force) $$(KC_BUILT)/kc-totals $$(KC_BUILT)/kc-pair $$(KC_ROOT)/mk/counts
	$$(Q)$$(KC_ROOT)/mk/counts $(1) $$($(1).dir) $$($(1).pick) $$(words $$(runs)) $$@
endef
$(foreach c,$(KC_CONFIGS),$(eval $(call config_rules,$c)))

ifdef KC_VERIFY
include $(KC_ROOT)/mk/verify.mk
endif

# Of several at a time, the longest start first, as far as they are known (mk/order);
# else the first runs of all cases, of one configuration as of another, so that
# second runs find the kernels that the first ones have compiled.
kc_or := |
kc_all :=
$(foreach r,$(runs),$(eval kc_row :=)$(foreach c,$(KC_CONFIGS),$(eval kc_row := $$(join $$(kc_row),$$($c.cases:%=$(kc_or)$$($c.dir)/%.$r.log))))$(eval \
	kc_all += $$(subst $(kc_or), ,$$(kc_row))))
kc_all := $(filter $(foreach c,$(KC_CONFIGS),$($c.logs)),$(filter-out $(have),$(kc_all)))
ifneq ($(and $(filter-out 0 1,$(words $(kc_all))),$(wildcard $(KC_CONFIGS:%=%/times))),)
$(file >order,$(kc_all))
kc_all := $(or $(shell $(KC_ROOT)/mk/order order $(KC_CONFIGS)),$(kc_all))
endif
.PHONY: kc-runs
kc-runs: $(kc_all)

# A tuner's choice depends on timing, so nothing runs beside it: one configuration
# after the other settles, and everything else comes after them.
define settle_rule
kc-settle.$(1): | $(2)
	$$(Q)$$(KC_ROOT)/mk/settle $(1) $$($(1).dir) $$($(1).pick)
endef
before :=
$(foreach t,$(settle),$(eval $(call settle_rule,$(t:kc-settle.%=%),$(before)))$(eval before := $t))

# Nothing runs: what is missing goes to Slurm.
.PHONY: kc-submit $(KC_CONFIGS:%=kc-submit.%)
kc-submit: $(KC_CONFIGS:%=kc-submit.%)
$(KC_CONFIGS:%=kc-submit.%): kc-submit.%:
	$(Q)$(KC_ROOT)/mk/submit $* $($*.dir) $($*.pick) $(words $(runs)) $(if $(filter $*,$(tunes)),settle)

kc-render: kc-runs $(foreach c,$(KC_CONFIGS),$($c.rows))
	$(Q)$(KC_ROOT)/mk/render $(KC_TODO) $(filter-out kc-runs,$^)
