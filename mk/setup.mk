# mk/setup.mk: `make setup report`: setup is finished before any other goal is
# looked at, also under -j. So when it is asked for, the other goals are a make
# of their own, and nothing else is read now: what the rest needs may be missing.

kc_rest := $(filter-out setup,$(MAKECMDGOALS))

setup:
	@mk/setup $(kc_rest)

ifneq ($(kc_rest),)
.PHONY: $(kc_rest)
$(firstword $(kc_rest)): setup
	+@$(MAKE) $(kc_rest)
$(wordlist 2,$(words $(kc_rest)),$(kc_rest)): $(firstword $(kc_rest))
	@:
endif
