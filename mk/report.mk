# mk/report.mk: from the crate to the report, first half.
#
#   build   cargo makes the bench; the runner learns where it is    mk/build
#   plan    what the counts depend on; the list of cases            mk/plan
# and then, by a make of its own that knows the cases (mk/count.mk):
#   run     a process a case and run, a log each                    mk/run
#   counts  logs to counts, by the filters                          mk/counts
#   report  one report from all configurations                      mk/render
#
# cargo runs each time, since only cargo knows whether the bench is current.
# Below it nothing is redone unless something that counts depend on has
# changed: logs lie in a folder that is named after all of that (mk/plan).

.PHONY: kc-report $(KC_CONFIGS:%=kc-build.%) $(KC_CONFIGS:%=kc-plan.%)

$(foreach c,$(KC_CONFIGS),$(eval report submit: export KC_NEEDS_$(subst -,_,$c) := $$($c.needs)))
$(foreach c,$(KC_CONFIGS),$(eval report submit: export KC_BIN_$(subst -,_,$c) := $$($c.bin)))
$(foreach c,$(KC_CONFIGS),$(eval report submit: export KC_EXE_$(subst -,_,$c) := $$($c.exe)))
$(foreach c,$(KC_CONFIGS),$(eval report submit bin: export KC_FEATURES_$(subst -,_,$c) := $$($c.features)))
$(foreach c,$(KC_CONFIGS),$(eval report submit bin: export KC_BARE_$(subst -,_,$c) := $$($c.no-default-features)))
report:
	$(Q). mk/check $(KC_CONFIGS)
	+$(Q)mk/locked $(MAKE) kc-report

# Cases run side by side, JOBS of them, unless -j says how many.
kc_side_by_side = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(or $(KC_JOBS),$(shell nproc 2>/dev/null || echo 1)))

.PHONY: kc-plans
kc-plans: $(KC_CONFIGS:%=kc-plan.%)

# Not $(MAKE) itself, which runs even under -n: there may be no plan yet.
kc_below = $(MAKE)
kc-report: $(KC_CONFIGS:%=kc-plan.%)
	$(kc_jobs)$(Q)$(kc_below) $(kc_side_by_side) -C "$$KC_LOG_DIR" -f "$$KC_ROOT/mk/count.mk"

$(KC_CONFIGS:%=kc-build.%): kc-build.%: | $(if $(filter kc-bin,$(KC_GOALS)),,kc-filters kc-tail $(if $(KC_NULL),kc-null))
	$(kc_jobs)$(Q). mk/build $*

$(KC_CONFIGS:%=kc-plan.%): kc-plan.%: kc-build.%
	$(Q). mk/plan $*

# A configuration's keys reach its scripts as KC_KEY_FEATURES and so on.
define kc_key_rule
kc-build.$(1) kc-plan.$(1) kc-store.$(1): export KC_KEY_$(subst -,_,$(2)) := $$($(1).$(2))
endef
$(foreach c,$(KC_CONFIGS),$(foreach k,$(KC_KEYS),$(eval $(call kc_key_rule,$c,$k))))

export KC_CONFIGS

list: export KC_LIST := $(foreach c,$(KC_KNOWN),$c=$(subst $(kc_space),+,$($c.needs))=$(if $(filter $c,$(KC_CONFIGS)),yes))
list:
	$(Q)mk/list table $(KC_LIST)

clean:
	$(Q)mk/clean
