# mk/bin.mk: each configuration's bench as an ordinary file, to count with it on
# a machine that has no cargo (mk/bin).
#
# `make bin report` would build for one and count with the other, so bin stands
# alone.

ifneq ($(filter bin,$(KC_GOALS)),)
ifneq ($(filter-out bin clean,$(KC_GOALS)),)
$(error bin is a goal of its own: make bin, then make $(filter-out bin clean,$(KC_GOALS)) BIN_DIR=...)
endif
bin kc-bin: export KC_STORE := 1
endif

.PHONY: kc-bin $(KC_CONFIGS:%=kc-store.%)

bin:
	$(Q)mk/check $(KC_CONFIGS)
	+$(Q)mk/locked $(MAKE) kc-bin

kc-bin: $(KC_CONFIGS:%=kc-store.%)

$(KC_CONFIGS:%=kc-store.%): kc-store.%: kc-build.%
	$(Q)mk/bin store $*
