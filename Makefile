# kernel-count: how many GPU kernels each benchmark case launches.
ifeq ($(filter grouped-target,$(.FEATURES)),)
$(error GNU Make $(MAKE_VERSION) is too old: kernel-count needs 4.3 or newer)
endif

KC       := .
KC_BUILD := build

.PHONY: filters
filters:

include mk/base.mk
include mk/filters.mk
include mk/tail.mk

filters: kc-filters
