# mk/null.mk: the null driver (filters/cuda/null), in a folder of its own, which
# is all that finds it: build/null is on no system's library path.
#
#   build/null/libcuda.so.1, libcuda.so   the driver, by the names programs open
#   build/null/profiles                   the devices it stands for
#   build/null/nvrtc/libnvrtc.so[.12|13]  the compiler that compiles nothing
#
# The driver's functions have no prototypes here: nothing but other programs
# calls them, and tests/null-abi.t compares them with a real cuda.h.

KC_NULL_DIR := $(KC_BUILD)/null
kc_null_dir := $(KC)/filters/cuda/null
kc_null_obj := $(patsubst $(kc_null_dir)/%.c,$(KC_BUILD)/obj/null/%.o,$(filter-out \
	%/nvrtc.c $(kc_null_dir)/kc-%,$(sort $(wildcard $(kc_null_dir)/*.c))))
kc_null_cflags = $(filter-out -Wmissing-prototypes,$(KC_CFLAGS)) -D_DEFAULT_SOURCE -fPIC \
	-fvisibility=hidden -pthread $(CPPFLAGS) $(kc_so_cflags)
kc_null_ld = $(CC) $(kc_so_cflags) -shared -pthread -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs \
	$(kc_so_ldflags)

$(KC_BUILD)/obj/null/%.o: $(kc_null_dir)/%.c $(KC_BUILD)/obj/flags
	$(Q)mkdir -p $(@D)
	$(call kc_say,CC,null/$*)
	$(Q)$(CC) $(kc_null_cflags) -MMD -MP -MQ $@ -c -o $@ $<

# The list of objects is a prerequisite, so that one that is gone leaves.
ifneq ($(strip $(file <$(KC_BUILD)/obj/null.list)),$(notdir $(kc_null_obj)))
$(KC_BUILD)/obj/null.list: kc-force
endif
$(KC_BUILD)/obj/null.list:
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' $(call kc_sq,$(notdir $(kc_null_obj))) >$@.tmp && mv -f $@.tmp $@

$(KC_NULL_DIR)/libcuda.so.1: $(kc_null_obj) $(KC_BUILD)/obj/null.list
	$(Q)mkdir -p $(@D)
	$(call kc_say,LD,null/libcuda.so.1)
	$(Q)$(kc_null_ld) -Wl,-soname,libcuda.so.1 -o $@.tmp $(kc_null_obj) $(LDLIBS) && mv -f $@.tmp $@

$(KC_NULL_DIR)/nvrtc/libnvrtc.so.13: $(KC_BUILD)/obj/null/nvrtc.o
	$(Q)mkdir -p $(@D)
	$(call kc_say,LD,null/nvrtc/libnvrtc.so.13)
	$(Q)$(kc_null_ld) -Wl,-soname,libnvrtc.so.13 -o $@.tmp $< $(LDLIBS) && mv -f $@.tmp $@

$(KC_NULL_DIR)/libcuda.so: $(KC_NULL_DIR)/libcuda.so.1
	$(Q)ln -sf $(<F) $@
$(KC_NULL_DIR)/nvrtc/libnvrtc.so $(KC_NULL_DIR)/nvrtc/libnvrtc.so.12: $(KC_NULL_DIR)/nvrtc/libnvrtc.so.13
	$(Q)ln -sf $(<F) $@

kc_null_profiles := $(patsubst $(kc_null_dir)/%,$(KC_NULL_DIR)/%,$(wildcard $(kc_null_dir)/profiles/*))
$(kc_null_profiles): $(KC_NULL_DIR)/%: $(kc_null_dir)/%
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@.tmp && mv -f $@.tmp $@

-include $(wildcard $(KC_BUILD)/obj/null/*.d)

# What an earlier version left here would still be found, as a libnvrtc beside
# libcuda was: before a real one.
kc_null_have := $(addprefix $(KC_NULL_DIR)/,libcuda.so libcuda.so.1 nvrtc/libnvrtc.so nvrtc/libnvrtc.so.12 \
	nvrtc/libnvrtc.so.13) $(kc_null_profiles)
kc_null_stale = $(filter-out $(kc_null_have) %.tmp,$(wildcard $(addprefix $(KC_NULL_DIR)/,*.so* nvrtc/* profiles/*)))

.PHONY: kc-null
kc-null: $(kc_null_have)
	$(if $(kc_null_stale),$(Q)rm -f $(kc_null_stale))

filters: kc-null
KC_TEST_NEEDS += kc-null

# Installed beside the counter's library, where no system looks for libraries.
kc_null_files := libcuda.so.1 nvrtc/libnvrtc.so.13 $(patsubst $(kc_null_dir)/%,%,$(wildcard $(kc_null_dir)/profiles/*))
kc_null_links := libcuda.so=libcuda.so.1 nvrtc/libnvrtc.so=libnvrtc.so.13 nvrtc/libnvrtc.so.12=libnvrtc.so.13
kc_null_pages := $(wildcard $(kc_null_dir)/*.[1-9])
kc_null_lib    = $(LIBDIR)/kernel-count/null
kc_null_word   = $(word $(1),$(subst =, ,$(2)))

.PHONY: kc-install-null kc-uninstall-null
install: kc-install-null
kc-install-null: kc-null
	$(Q)mkdir -p $(call kc_sq,$(DESTDIR)$(kc_null_lib)/nvrtc) $(call kc_sq,$(DESTDIR)$(kc_null_lib)/profiles) \
		$(foreach s,$(sort $(suffix $(kc_null_pages))),$(call kc_sq,$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$s)))
	$(Q)$(foreach f,$(kc_null_files),$(call kc_put,644,$(KC_NULL_DIR)/$f,$(kc_null_lib)/$f) &&) :
	$(Q)$(foreach l,$(kc_null_links),ln -sf $(call kc_null_word,2,$l) \
		$(call kc_sq,$(DESTDIR)$(kc_null_lib)/$(call kc_null_word,1,$l)) &&) :
	$(Q)$(foreach m,$(kc_null_pages),$(call kc_put,644,$m,$(call kc_page_of,$m)) &&) :
uninstall: kc-uninstall-null
kc-uninstall-cuda: kc-uninstall-null
kc-uninstall-null:
	$(Q)rm -f $(foreach f,$(kc_null_files) $(foreach l,$(kc_null_links),$(call kc_null_word,1,$l)),$(call kc_sq,$(DESTDIR)$(kc_null_lib)/$f)) \
		$(foreach m,$(kc_null_pages),$(call kc_sq,$(DESTDIR)$(call kc_page_of,$m)))
	$(Q)rmdir $(call kc_sq,$(DESTDIR)$(kc_null_lib)/nvrtc) $(call kc_sq,$(DESTDIR)$(kc_null_lib)/profiles) \
		$(call kc_sq,$(DESTDIR)$(kc_null_lib)) 2>/dev/null || :
