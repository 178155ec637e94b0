# mk/diff.mk: other views of today's counts than the report: their kernels, the
# change since the baseline, and the baseline itself. Each counts first, as
# `report` does; what it shows is in mk/view.

# Whether the user asked for some configurations only.
export KC_SOME_CONFIGS := $(if $(strip $(value CONFIGS) $(value SKIP) $(value KERNELS_SKIP)),1)

kernels diff accept: | kc-filters
	+$(Q)mk/view $@ $(MAKE)
