# mk/configs.mk: the configurations, one a file in configs/.
#
# A file configs/NAME.mk sets keys, NAME.KEY := VALUE:
#   heading       its column in the report (NAME)
#   features      cargo features, on top of the crate's default ones
#   no-default-features   1: without the default ones
#   rustflags     added to RUSTFLAGS
#   device        BURN_DEVICE for the bench
#   target-dir    cargo's, relative to the crate (target/bench-NAME)
#   needs         what must be on the machine: cuda nvrtc vulkan rocm metal
#   bin           a stored bench (make bin), to count with that one and build none
#   exe           a program, relative to the crate, that is no bench of cargo's
#   list          its arguments that make it list the cases (--bench --list)
#   case          its arguments that make it run one, with {} for the case's id;
#                 without {}, a regex for the case comes last (--bench --test)
#   sources       files and folders that it reads, whose content counts depend on
#   tuned         1: it tunes kernels, which settles, alone, before it is counted
#   slurm         options for its jobs and steps: --constraint=h100 --gpus=1
#   run           a command before each of its processes, where RUN names none
# With run or slurm it is counted elsewhere, never by this machine itself: see
# mk/submit.mk.
# The keys carry the name, since a plain `FEATURES :=` would be lost to one on
# the command line and would leak into the next file.

KC_KEYS := heading features no-default-features rustflags device target-dir needs bin exe list case sources tuned slurm run

# The crate's own stand beside ours, and add keys to one of the same name or set
# them anew. (Not from a path with a space, which make cannot include.)
kc_config_dirs  := $(KC)/configs $(if $(filter 1,$(words $(KC_CRATE))),$(KC_CRATE)/configs)
kc_config_files := $(wildcard $(kc_config_dirs:%=%/*.mk))
KC_KNOWN := $(sort $(notdir $(basename $(kc_config_files))))

# CONFIGS and SKIP: names that are known, separated by commas or spaces.
kc_words   = $(strip $(subst $(kc_comma),$(kc_space),$(1)))
kc_asked  := $(call kc_words,$(value CONFIGS))
kc_skip   := $(call kc_words,$(or $(value SKIP),$(value KERNELS_SKIP)))
kc_check_names = $(if $(filter-out $(KC_KNOWN),$(2)),$(error unknown configuration \
	'$(firstword $(filter-out $(KC_KNOWN),$(2)))' in $(1): expected some of $(KC_KNOWN)))
$(call kc_check_names,CONFIGS,$(kc_asked))
$(call kc_check_names,SKIP,$(kc_skip))
$(foreach v,CONFIGS SKIP KERNELS_SKIP,$(call kc_unexport,$v))

# What was submitted to Slurm is counted there until `make clean`.
kc_submitted := $(filter $(KC_KNOWN),$(strip $(file <$(KC_LOG_DIR)/submitted)))
kc_submits   := $(filter submit kc-submit,$(KC_GOALS))
kc_elsewhere := $(strip $(KC_RUN)$(kc_submits)$(kc_submitted))

# The driver of the CUDA configurations: NVIDIA's where there is a GPU of theirs,
# else the null driver, which executes nothing; but what is counted elsewhere is
# meant for the devices there. KC_NULL is the profile of the null driver's device,
# or empty. The look costs no process.
kc_gpu  := $(wildcard /proc/driver/nvidia/version /dev/nvidiactl /dev/dxg)
KC_NULL := $(if $(or $(filter null,$(KC_DRIVER)),$(if $(KC_DRIVER)$(kc_gpu)$(kc_elsewhere),,1)),$(or $(KC_PROFILE),h200))
$(if $(filter-out null real,$(KC_DRIVER)),$(error unknown driver '$(KC_DRIVER)' in DRIVER: expected null or real))
$(if $(filter-out null real,$(KC_NVRTC)),$(error unknown compiler '$(KC_NVRTC)' in NVRTC: expected null or real))
export KC_NULL

# Without CONFIGS: those that were submitted; the pair for NVIDIA's driver where there is one with NVRTC;
# the pair for the null driver, which cannot tune; else the pair that also runs
# on a software device.
kc_software := vulkan vulkan-fused
kc_default   = $(or $(kc_submitted),$(if $(kc_elsewhere),cuda cuda-fusion),$(kc_here))
kc_here      = $(if $(KC_NULL),cuda cuda-fused,$(if $(kc_gpu),$(or \
	$(shell $(KC)/mk/list can cuda nvrtc && echo cuda cuda-fusion),$(kc_software)),$(kc_software)))

kc_uniq = $(if $(1),$(firstword $(1)) $(call kc_uniq,$(filter-out $(firstword $(1)),$(1))))
KC_CONFIGS := $(strip $(filter-out $(kc_skip),$(call kc_uniq,$(or $(kc_asked),$(kc_default)))))
ifeq ($(KC_CONFIGS),)
$(error no configuration is left: SKIP takes all of CONFIGS away)
endif

# Reads the files, and names what in them is no key.
kc_read = $(eval kc_before := $$(.VARIABLES))$(eval include $(wildcard $(kc_config_dirs:%=%/$(1).mk)))$(call \
	kc_check_keys,$(1),$(filter-out $(KC_KEYS:%=$(1).%) kc_before,$(filter-out $(kc_before),$(.VARIABLES))))
# Where a word stands in a configuration's files: FILE:LINE, else the file's name.
kc_place = $(or $(firstword $(shell grep -nHwF -e $(call kc_sq,$(2)) $(wildcard $(kc_config_dirs:%=%/$(1).mk)) | cut -d : -f 1,2)),configs/$(1).mk)
kc_check_keys = $(if $(2),$(error $(call kc_place,$(1),$(firstword $(2))): unknown key '$(firstword $(2))', expected $(1).KEY with one of $(KC_KEYS)))
kc_wanted := $(if $(filter list,$(KC_GOALS)),$(KC_KNOWN),$(KC_CONFIGS))
$(foreach c,$(kc_wanted),$(call kc_read,$c))

# Those that are counted elsewhere (KC_FAR), of these those that Slurm has
# (KC_QUEUED).
KC_QUEUED := $(filter $(KC_CONFIGS),$(kc_submitted) $(if $(kc_submits),$(KC_CONFIGS)))
KC_FAR    := $(strip $(foreach c,$(KC_CONFIGS),$(if $(or $(KC_RUN),$($c.run),$($c.slurm),$(filter $c,$(KC_QUEUED))),$c)))
ifneq ($(and $(KC_FAR),$(if $(KC_DRIVER),,1)),)
KC_NULL :=
endif
export KC_FAR KC_QUEUED

# What tunes needs a device that takes time, and the null driver's takes none.
ifneq ($(KC_NULL),)
$(foreach c,$(kc_wanted),$(if $(and $(filter cuda,$($c.needs)),$($c.tuned)),$(eval $c.needs += timing)))
endif
