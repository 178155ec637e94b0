# mk/why.mk: what was read of a case, and why it has no count. It runs nothing and
# reads what the last report left in LOG_DIR.

KC_CASE := $(value CASE)
KC_WHY  := $(subst $(kc_comma),$(kc_space),$(value CONFIGS))
$(call kc_unexport,CASE)

.PHONY: why
why: export KC_CASE := $(value KC_CASE)
why: export KC_WHY := $(value KC_WHY)
why: kc-filters
	$(Q)mk/why
