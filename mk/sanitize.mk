# mk/sanitize.mk: the filters' tests under what watches a program's memory, and
# readers of its source.
#
#   test-asan      gcc's or clang's address and undefined behaviour sanitizers
#   test-valgrind  valgrind's memcheck
#   check-static   clang-tidy, cppcheck and gcc's -fanalyzer; all must be silent
#
# The tests of the graph and of libcuda run programs that these cannot be put
# into; the filters' own tests are all here. KC_CHECKER tells a test that times
# and memory are not the program's own.

kc_watched ?= $(filter-out tests/never-faults.t tests/never-bench.t tests/never-kill.t tests/never-why.t,\
	$(wildcard tests/kc-*.t tests/never-*.t tests/diff*.t tests/law*.t tests/perf-scan.t))
KC_ASAN_FLAGS ?= -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: test-asan test-valgrind check-static

test-asan:
	$(Q)+KC_CHECKER=asan ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(MAKE) --no-print-directory KC_BUILD=$(KC_BUILD)/asan CFLAGS='$(KC_ASAN_FLAGS)' \
		KC_TEST_GOALS= TESTS='$(kc_watched)' kc-test-watched

# Status 99 is none that a test expects. PCRE2 without its JIT: what that writes
# is no function that valgrind could name, and looks at whole blocks, past a
# subject's end.
test-valgrind: kc-filters $(KC_SANDBOX)/exhaustive $(kc_targets:%=$(KC_SANDBOX)/%)
	$(Q)rm -rf $(KC_BUILD)/valgrind && mkdir -p $(KC_BUILD)/valgrind/sandbox
	$(Q)for program in $(KC_PROGRAMS) $(kc_targets:%=sandbox/%); do \
		printf '#!/bin/sh\nKC_NOJIT=1 exec valgrind -q --error-exitcode=99 %s "$$@"\n' \
			'$(abspath $(KC_BUILD))'/$$program \
			>$(KC_BUILD)/valgrind/$$program; \
		chmod +x $(KC_BUILD)/valgrind/$$program; \
	done
	$(Q)KC_CHECKER=valgrind KC_BUILD='$(abspath $(KC_BUILD))/valgrind' LC_ALL=C TZ=UTC \
		$(PROVE) $(PROVEFLAGS) $(filter-out tests/never-exhaustive.t tests/never-second.t tests/perf-scan.t,$(kc_watched))

.PHONY: kc-test-watched
kc-test-watched: kc-filters $(KC_SANDBOX)/exhaustive $(kc_targets:%=$(KC_SANDBOX)/%)
	$(Q)KC_BUILD='$(abspath $(KC_BUILD))' LC_ALL=C TZ=UTC $(PROVE) $(PROVEFLAGS) $(TESTS)

kc_sources := $(sort $(wildcard $(KC)/filters/*.c $(KC)/filters/lib/*.c))
check-static:
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability \
		--inline-suppr --error-exitcode=1 '-Dnoreturn=_Noreturn' -I$(KC)/filters/lib $(kc_sources)
	$(Q)for source in $(kc_sources); do \
		gcc $(KC_CFLAGS) -I$(KC)/filters/lib -O2 -fanalyzer -c -o /dev/null $$source || exit 1; \
	done
	$(Q)clang-tidy --quiet --config-file=$(KC)/.clang-tidy $(kc_sources) -- $(KC_CFLAGS) \
		-I$(KC)/filters/lib 2>/dev/null
