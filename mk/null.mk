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
	-fvisibility=hidden -pthread $(CPPFLAGS) $(CFLAGS)
kc_null_ld = $(CC) $(CFLAGS) -shared -pthread -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs \
	$(LDFLAGS)

$(KC_BUILD)/obj/null/%.o: $(kc_null_dir)/%.c $(KC_BUILD)/obj/flags
	$(Q)mkdir -p $(@D)
	$(call kc_say,CC,null/$*)
	$(Q)$(CC) $(kc_null_cflags) -MMD -MP -MQ $@ -c -o $@ $<

# The list of objects is a prerequisite, so that one that is gone leaves.
ifneq ($(strip $(file <$(KC_BUILD)/obj/null.list)),$(strip $(kc_null_obj)))
$(KC_BUILD)/obj/null.list: kc-force
endif
$(KC_BUILD)/obj/null.list:
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' $(call kc_sq,$(kc_null_obj)) >$@.tmp && mv -f $@.tmp $@

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

.PHONY: kc-null
kc-null: $(KC_NULL_DIR)/libcuda.so $(KC_NULL_DIR)/nvrtc/libnvrtc.so $(KC_NULL_DIR)/nvrtc/libnvrtc.so.12 $(kc_null_profiles)

filters: kc-null
KC_TEST_NEEDS += kc-null
