# mk/matrix.mk: how long the whole matrix takes, the older way and ours (mk/matrix).

# Where it keeps what it needs; the parts to run, in this order.
MATRIX_DIR ?= $(KC_BUILD)/matrix
PARTS      ?= older-cold older-warm ours-cold ours-warm

bench-matrix: export KC_PARTS := $(PARTS)
bench-matrix: export KC_MATRIX := $(call kc_abs,$(MATRIX_DIR))
bench-matrix: kc-filters kc-tail
	+$(Q)MAKE=$(call kc_sq,$(MAKE)) mk/matrix $(KC_CONFIGS)
