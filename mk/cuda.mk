# mk/cuda.mk: what touches libcuda. Nothing here needs a driver or a toolkit.
#
# filters/cuda/count*.c          ->  build/libkc-count.so  preloaded by kc-run
# filters/cuda/kc-run.c, run-*.c ->  build/kc-run
# filters/cuda/kc-device.c       ->  build/kc-device
# filters/cuda/kc-witness.c      ->  build/kc-witness

KC_CUDA_PROGRAMS := kc-run kc-device kc-witness
kc_cuda   := $(KC)/filters/cuda
kc_count  := $(patsubst $(kc_cuda)/%.c,$(KC_BUILD)/obj/cuda/%.o,$(sort $(wildcard $(kc_cuda)/count*.c)))
kc_run    := $(patsubst $(kc_cuda)/%.c,$(KC_BUILD)/obj/cuda/%.o,$(kc_cuda)/kc-run.c $(sort $(wildcard $(kc_cuda)/run-*.c)))
kc_cuda_obj := $(KC_BUILD)/obj/cuda/kc-device.o $(KC_BUILD)/obj/cuda/kc-witness.o

# The library shows only what it hooks, and is complete when it is loaded: the
# dynamic linker must not call back into it to find its own functions.
kc_count_cflags := -fPIC -fvisibility=hidden -fno-plt
kc_count_ldflags = -shared -Wl,--version-script=$(kc_cuda)/count.map -Wl,-z,defs -Wl,-z,now \
	-Wl,-soname,libkc-count.so

$(kc_count): kc_compile += $(kc_count_cflags)
# A sanitizer's runtime calls dlsym before it is ready for code that it watches, or
# for calls of what it replaces.
$(KC_BUILD)/obj/cuda/count-dl.o: kc_compile += -fno-sanitize=all -fno-builtin
$(kc_count) $(kc_run) $(kc_cuda_obj): $(KC_BUILD)/obj/cuda/%.o: $(kc_cuda)/%.c $(KC_BUILD)/obj/flags
	$(Q)mkdir -p $(@D)
	$(call kc_say,CC,cuda/$*)
	$(Q)$(kc_compile) -MMD -MP -MQ $@ -c -o $@ $<

$(KC_BUILD)/libkc-count.so: $(kc_count) $(kc_cuda)/count.map
	$(call kc_say,LD,libkc-count.so)
	$(Q)$(CC) $(kc_so_cflags) $(kc_so_ldflags) $(kc_count_ldflags) -o $@ $(kc_count) -lpthread -ldl $(LDLIBS)

$(KC_BUILD)/kc-run: $(kc_run) $(KC_BUILD)/libkc.a | $(KC_BUILD)/libkc-count.so
	$(call kc_say,LD,kc-run)
	$(Q)$(kc_link) -o $@ $^ -ldl $(LDLIBS)

$(KC_BUILD)/kc-device $(KC_BUILD)/kc-witness: $(KC_BUILD)/%: $(KC_BUILD)/obj/cuda/%.o $(KC_BUILD)/libkc.a
	$(call kc_say,LD,$*)
	$(Q)$(kc_link) -o $@ $^ -ldl $(LDLIBS)

.SECONDARY: $(kc_count) $(kc_run) $(kc_cuda_obj)
-include $(wildcard $(KC_BUILD)/obj/cuda/*.d)

.PHONY: kc-cuda
kc-cuda: $(KC_CUDA_PROGRAMS:%=$(KC_BUILD)/%) $(KC_BUILD)/libkc-count.so
filters: kc-cuda
KC_TEST_NEEDS += kc-cuda

# The programs that the tests run find the driver at run time; one is linked to
# it instead.
kc_cuda_tests := $(patsubst %,$(KC_BUILD)/tests/cuda/%,paths ranges cost bench)
$(kc_cuda_tests): $(KC_BUILD)/tests/cuda/%: tests/cuda/%.c tests/cuda/cu.c tests/cuda/cu.h $(KC_BUILD)/obj/flags
	$(Q)mkdir -p $(@D)
	$(call kc_say,CC,tests/cuda/$*)
	$(Q)$(CC) $(KC_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ tests/cuda/$*.c tests/cuda/cu.c -lpthread -ldl
$(KC_BUILD)/tests/cuda/paths-linked: tests/cuda/paths.c tests/cuda/cu.c tests/cuda/cu.h $(KC_BUILD)/null/libcuda.so $(KC_BUILD)/obj/flags
	$(Q)mkdir -p $(@D)
	$(call kc_say,CC,tests/cuda/paths-linked)
	$(Q)$(CC) $(KC_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -DLINKED -o $@ tests/cuda/paths.c tests/cuda/cu.c \
		-L$(KC_BUILD)/null -lcuda -lpthread -ldl
KC_TEST_NEEDS += $(kc_cuda_tests) $(KC_BUILD)/tests/cuda/paths-linked

# Installed with the filters: the library where kc-run looks for it.
LIBDIR ?= $(PREFIX)/lib
kc_cuda_pages := $(wildcard $(kc_cuda)/*.[1-9])
.PHONY: kc-install-cuda kc-uninstall-cuda
install: kc-install-cuda
kc-install-cuda: kc-cuda
	$(Q)mkdir -p $(call kc_sq,$(DESTDIR)$(BINDIR)) $(call kc_sq,$(DESTDIR)$(LIBDIR)/kernel-count) \
		$(foreach s,$(sort $(suffix $(kc_cuda_pages))),$(call kc_sq,$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$s)))
	$(Q)$(foreach p,$(KC_CUDA_PROGRAMS),$(call kc_put,755,$(KC_BUILD)/$p,$(BINDIR)/$p) &&) :
	$(Q)$(call kc_put,644,$(KC_BUILD)/libkc-count.so,$(LIBDIR)/kernel-count/libkc-count.so)
	$(Q)$(foreach m,$(kc_cuda_pages),$(call kc_put,644,$m,$(call kc_page_of,$m)) &&) :
uninstall: kc-uninstall-cuda
kc-uninstall-cuda:
	$(Q)rm -f $(foreach p,$(KC_CUDA_PROGRAMS),$(call kc_sq,$(DESTDIR)$(BINDIR)/$p)) \
		$(call kc_sq,$(DESTDIR)$(LIBDIR)/kernel-count/libkc-count.so) \
		$(foreach m,$(kc_cuda_pages),$(call kc_sq,$(DESTDIR)$(call kc_page_of,$m)))
	$(Q)rmdir $(call kc_sq,$(DESTDIR)$(LIBDIR)/kernel-count) 2>/dev/null || :

# What counting costs, here.
.PHONY: bench-counter
bench-counter: kc-cuda kc-null $(KC_BUILD)/tests/cuda/cost
	$(Q)KC_BUILT=$(abspath $(KC_BUILD)) mk/bench-counter

# The counts, and those of libcuda beside them (mk/verify.mk).
.PHONY: verify
verify: kc-cuda
	+$(Q)$(MAKE) report KC_VERIFY=1

# The counter's tests with its code watched by ASan and UBSan. The runtime is not
# the first library in programs that are not, and what lives until exit is no
# leak.
.PHONY: test-cuda-asan
test-cuda-asan:
	+$(Q)$(MAKE) KC_BUILD=$(KC_BUILD)/asan CFLAGS='-O1 -g -fsanitize=address,undefined \
		-fno-sanitize-recover=undefined -fno-omit-frame-pointer' kc-filters $(KC_TEST_NEEDS:$(KC_BUILD)/%=$(KC_BUILD)/asan/%)
	$(Q)KC_BUILD=$(abspath $(KC_BUILD))/asan ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
		$(PROVE) $(PROVEFLAGS) tests/cuda-run.t tests/cuda-paths.t tests/cuda-ranges.t
