# mk/filters.mk: the filters, from their sources.
#
# filters/kc-NAME.c     ->  build/kc-NAME      a program a file, no list to keep
# filters/lib/NAME.c    ->  build/libkc.a      what they share
#
# CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS are the user's and come last; KC_CFLAGS
# is ours. A program that gains from it asks for more than -O2 in a line here:
#     $(KC_BUILD)/obj/kc-totals.o: KC_OPT := -O3

KC_OPT    = -O2
CFLAGS   ?= $(KC_OPT)
KC_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror \
	-Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
PKG_CONFIG ?= pkg-config

KC_PROGRAMS := $(patsubst $(KC)/filters/%.c,%,$(sort $(wildcard $(KC)/filters/kc-*.c)))
kc_lib_objs := $(patsubst $(KC)/filters/lib/%.c,$(KC_BUILD)/obj/lib/%.o,$(sort $(wildcard $(KC)/filters/lib/*.c)))

# Asked only when something is compiled, and once: pkg-config's answer for the
# one library, or one line that says what to install.
kc_pcre2 = $(eval kc_pcre2 := $$(shell $$(PKG_CONFIG) --cflags --libs libpcre2-8 2>/dev/null))$(or \
	$(kc_pcre2),$(error libpcre2-8 not found by '$(PKG_CONFIG)': run 'make setup', or install libpcre2-dev and pkg-config))
kc_pcre2_cflags = $(filter-out -l% -L%,$(kc_pcre2))
kc_pcre2_libs   = $(filter -l% -L%,$(kc_pcre2))

kc_compile = $(CC) $(KC_CFLAGS) $(kc_pcre2_cflags) -I$(KC)/filters/lib $(CPPFLAGS) $(CFLAGS)
kc_link    = $(CC) $(CFLAGS) $(LDFLAGS)

# For the libraries: what hardens a program asks for one, and a library is none.
kc_so_cflags  = $(filter-out -fPIE -fpie,$(CFLAGS))
kc_so_ldflags = $(filter-out -pie -static-pie,$(LDFLAGS))

# Every object depends on the flags that made it. The stamp is compared here,
# without a process, and rewritten only when it differs.
kc_flags := $(CC) | $(KC_CFLAGS) | $(CPPFLAGS) | $(CFLAGS) | $(LDFLAGS) | $(LDLIBS)
ifneq ($(strip $(file <$(KC_BUILD)/obj/flags)),$(strip $(kc_flags)))
$(KC_BUILD)/obj/flags: kc-force
endif
$(KC_BUILD)/obj/flags:
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' $(call kc_sq,$(kc_flags)) >$@.tmp && mv -f $@.tmp $@

$(KC_BUILD)/obj/%.o: $(KC)/filters/%.c $(KC_BUILD)/obj/flags
	$(Q)mkdir -p $(@D)
	$(call kc_say,CC,$*)
	$(Q)$(kc_compile) -MMD -MP -MQ $@ -c -o $@ $<

# Made anew each time, so that no object of a deleted source stays behind; the
# list of members is a prerequisite for the same reason.
# By their names alone: the folder may be named in more than one way.
ifneq ($(strip $(file <$(KC_BUILD)/obj/lib.list)),$(notdir $(kc_lib_objs)))
$(KC_BUILD)/obj/lib.list: kc-force
endif
$(KC_BUILD)/obj/lib.list:
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' $(call kc_sq,$(notdir $(kc_lib_objs))) >$@.tmp && mv -f $@.tmp $@

$(KC_BUILD)/libkc.a: $(kc_lib_objs) $(KC_BUILD)/obj/lib.list
	$(call kc_say,AR,libkc.a)
	$(Q)rm -f $@.tmp && $(AR) rcs $@.tmp $(kc_lib_objs) && mv -f $@.tmp $@

$(KC_PROGRAMS:%=$(KC_BUILD)/%): $(KC_BUILD)/%: $(KC_BUILD)/obj/%.o $(KC_BUILD)/libkc.a
	$(call kc_say,LD,$*)
	$(Q)$(kc_link) -o $@ $^ $(kc_pcre2_libs) $(LDLIBS)

.SECONDARY: $(KC_PROGRAMS:%=$(KC_BUILD)/obj/%.o)
-include $(wildcard $(KC_BUILD)/obj/*.d $(KC_BUILD)/obj/lib/*.d)

.PHONY: kc-filters
kc-filters: $(KC_PROGRAMS:%=$(KC_BUILD)/%)
