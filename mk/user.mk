# mk/user.mk: what the user typed, as data.
#
# GNU Make would expand a `$` in FILTER='a$b' whenever it is used, and once
# more when it is exported to a recipe. So each of these variables is taken by
# its $(value) and goes to the scripts as KC_NAME, which nothing expands again.
# It never becomes part of a command or of a target. What came on the command
# line reaches a make below by MAKEFLAGS, as it was; its export is switched off.

kc_unexport = $(if $(filter command,$(origin $(1))),$(eval unexport $(1)))
kc_user := JOBS KERNEL_CACHE
kc_user += CRATE PACKAGE BENCH FILTER OUT LOG_DIR TARGET_ROOT BIN_DIR STRIP CARGO CARGOFLAGS RUN RUNS FRESH V \
	DRIVER PROFILE NVRTC BASELINE RULES CASE SWEEP LAWS SUBMIT BATCH
$(foreach v,$(kc_user),$(eval KC_$v := $$(value $v))$(call kc_unexport,$v))

# Older names.
KC_OUT     := $(or $(KC_OUT),$(value KERNELS_OUT))
KC_LOG_DIR := $(or $(KC_LOG_DIR),$(value KERNELS_LOG_DIR))

# Whether the user named OUT; then a report of some cases may replace it.
KC_OUT_NAMED := $(if $(KC_OUT),1,)

# From here on, absolute paths. The first word tells, also where a path has
# spaces in it.
# Relative ones are so to where make was started, or to the Makefile that
# includes mk/use.mk.
KC_FROM ?= $(CURDIR)
kc_abs = $(if $(filter /%,$(firstword $(1))),$(1),$(KC_FROM)/$(1))

KC_ROOT     := $(CURDIR)
KC_BUILT    := $(if $(filter /%,$(KC_BUILD)),$(KC_BUILD),$(CURDIR)/$(KC_BUILD))
KC_CRATE    := $(call kc_abs,$(or $(KC_CRATE),$(CURDIR)/tests/layer))
KC_OUT      := $(call kc_abs,$(or $(KC_OUT),$(KC_CRATE)/kernels.md))
KC_LOG_DIR  := $(call kc_abs,$(or $(KC_LOG_DIR),$(KC_CRATE)/target/kernel-logs))
KC_TARGET_ROOT := $(if $(KC_TARGET_ROOT),$(call kc_abs,$(KC_TARGET_ROOT)))
KC_BIN_DIR  := $(if $(KC_BIN_DIR),$(call kc_abs,$(KC_BIN_DIR)))
KC_BASELINE := $(call kc_abs,$(or $(KC_BASELINE),$(KC_CRATE)/kernels.tsv))
KC_RULES    := $(if $(KC_RULES),$(call kc_abs,$(KC_RULES)))
KC_LAWS     := $(if $(KC_LAWS),$(call kc_abs,$(KC_LAWS)))
KC_BENCH    := $(or $(KC_BENCH),layer)
KC_CARGO    := $(or $(KC_CARGO),cargo)

# make includes files and ld.so preloads libraries by names without spaces.
ifneq ($(words $(CURDIR)),1)
$(error '$(CURDIR)': kernel-count cannot run from a folder with a space in its path)
endif

export $(kc_user:%=KC_%) KC_OUT_NAMED KC_ROOT KC_BUILT

# What the bench reads goes to it as it was typed.
$(foreach v,$(filter BENCH_% CUBECL_% BURN_%,$(.VARIABLES)),$(if $(filter command line,$(origin $v)),\
	$(eval override export $v := $$(value $v))))
