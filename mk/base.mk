# mk/base.mk: what every other file here relies on.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS   += -rR --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:

# -R takes these away as well.
ifneq ($(filter default undefined,$(origin CC)),)
CC := cc
endif
ifneq ($(filter default undefined,$(origin AR)),)
AR := ar
endif

kc_comma := ,
kc_empty :=
kc_space := $(kc_empty) $(kc_empty)

# $(call kc_sq,TEXT): TEXT as one word of the shell, whatever is in it.
kc_sq = '$(subst ','\'',$(1))'

# V=1 shows each command (and says why it runs); else one line a step.
V      ?=
Q      := $(if $(filter-out 0,$(V)),,@)
kc_say  = @printf '  %-7s %s\n' $(call kc_sq,$(1)) $(call kc_sq,$(2))

# Before a recipe line that runs cargo: it gets make's jobserver, but make -n
# still runs nothing.
kc_jobs := $(if $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),,+)

.PHONY: kc-force
kc-force:
