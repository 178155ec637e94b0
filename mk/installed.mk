# mk/installed.mk: in place of the rules for sources, where there are none: the
# folder PREFIX/lib/kernel-count of an installation. The programs are there.

override KC_BUILD := $(CURDIR)
KC_PROGRAMS :=

.PHONY: kc-filters kc-tail kc-null kc-cuda
kc-filters kc-tail kc-null kc-cuda: ;
