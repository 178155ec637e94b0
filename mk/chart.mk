# mk/chart.mk: pictures of today's counts, of the last sweep and of the history of
# the baseline, beside the report (mk/chart).

chart: | kc-filters
	+$(Q)mk/view chart $(MAKE)
