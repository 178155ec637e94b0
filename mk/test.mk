# mk/test.mk: the tests, TAP by prove(1), and the checks of style.

# The one that builds and runs the real crate takes longest, so it starts first, and
# those that start many processes come before the others.
kc_slow := $(wildcard $(patsubst %,tests/%.t,style graph-* count never-exhaustive never-faults never-linear cuda-valgrind))
kc_slow := $(wildcard tests/real-*.t) $(sort $(kc_slow))
TESTS ?= $(kc_slow) $(filter-out $(kc_slow),$(sort $(wildcard tests/*.t)))
PROVE ?= prove
# Two at a time: all that tests run is built before them, so that no make of theirs
# builds it again. Each works in a folder of its own.
PROVEFLAGS ?= -j2

# A test that runs make starts from a clean environment (here and tests/tap.sh).
test: kc-filters kc-tail $(KC_TEST_NEEDS)
	$(Q)unset $${!KC_@} 2>/dev/null || :; LC_ALL=C TZ=UTC $(PROVE) $(PROVEFLAGS) $(TESTS)

# All that there is to build, the tests' programs too.
.PHONY: kc-everything
kc-everything: kc-filters kc-tail $(KC_TEST_NEEDS)

# What is checked, here and in tests/style.t: every shell script, by its first
# line, every C file and every man page.
kc_shell = $(filter-out %.mk,$(shell grep -rlE '^\#!.*bash|shellcheck shell=bash' .ci mk tests 2>/dev/null | grep -v '/target/'))
kc_c     = $(shell find filters tests -name '*.[ch]' -not -path '*/target/*')
kc_man   = $(wildcard filters/*.[1-9] filters/*/*.[1-9] filters/*/*/*.[1-9])

.PHONY: kc-lint-shell kc-lint-c kc-lint-man
lint: kc-lint-shell kc-lint-c kc-lint-man

kc-lint-shell:
	$(Q)shellcheck $(kc_shell)
kc-lint-c:
	$(Q)clang-format --dry-run -Werror $(kc_c)
kc-lint-man:
	$(Q)mandoc -T lint -W warning $(kc_man)
