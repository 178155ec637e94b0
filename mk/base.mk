# mk/base.mk: what every other file here relies on.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS   += -rR
.SUFFIXES:
.DELETE_ON_ERROR:

# -R takes these away as well.
ifeq ($(origin CC),default)
CC := cc
endif
ifeq ($(origin AR),default)
AR := ar
endif

# $(call kc_sq,TEXT): TEXT as one word of the shell, whatever is in it.
kc_sq = '$(subst ','\'',$(1))'

# V=1 shows each command (and says why it runs); else one line a step.
Q      := $(if $(filter-out 0,$(V)),,@)
kc_say  = @printf '  %-7s %s\n' $(call kc_sq,$(1)) $(call kc_sq,$(2))

.PHONY: kc-force
kc-force:
