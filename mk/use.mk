# mk/use.mk: kernel-count's goals in another crate's Makefile, in two lines:
#
#	KC := path/to/kernel-count     # a clone, a submodule, PREFIX/lib/kernel-count
#	include $(KC)/mk/use.mk
#
# gives kc-report, kc-submit, kc-list, kc-bin, kc-why, kc-kernels, kc-diff, kc-accept,
# kc-sweep, kc-chart, kc-clean, kc-setup and kc-help, about the crate in the
# current folder, and defines nothing else but KC_CRATE and KC_FLAGS. Each is a
# make of its own, so nothing of that Makefile is touched.
# Variables go on the command line (make kc-report FILTER=step) or, once for all,
#
#	KC_FLAGS := BENCH=model CONFIGS=cuda,vulkan
#
# Files named configs/*.mk in the crate are configurations as well. What is built
# from a clone's sources goes to the crate's target folder, not to the clone.

# Not from the environment: a make above this one exports its own.
ifneq ($(filter undefined environment,$(origin KC_CRATE)),)
KC_CRATE := $(CURDIR)
endif
KC_FLAGS ?=

.PHONY: kc-report kc-submit kc-list kc-bin kc-why kc-kernels kc-diff kc-accept kc-sweep \
	kc-chart kc-clean kc-setup kc-help
kc-report kc-submit kc-list kc-bin kc-why kc-kernels kc-diff kc-accept kc-sweep \
kc-chart kc-clean kc-setup kc-help:
	+@KC_FROM='$(CURDIR)' $(MAKE) --no-print-directory -C '$(KC)' $(@:kc-%=%) CRATE='$(KC_CRATE)' \
		KC_BUILD='$(KC_CRATE)/target/kernel-count' $(KC_FLAGS)

# The includer's own first goal stays the one that a plain `make` makes.
ifeq ($(.DEFAULT_GOAL),kc-report)
.DEFAULT_GOAL :=
endif
