# mk/sweep.mk: counts at several sizes, and the law that they follow.

sweep: | kc-filters
	+$(Q)mk/sweep $(MAKE)
