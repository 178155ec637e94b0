# mk/tail.mk: the library that is preloaded into a bench, so that the process
# does not end before its logger has written all (filters/tail/tail.c). Its own
# rule: position-independent, and GNU's interfaces beside POSIX's.

KC_TAIL := $(KC_BUILD)/kc-tail.so
kc_tail_src := $(sort $(wildcard $(KC)/filters/tail/*.c)) $(KC)/filters/lib/scan.c

$(KC_TAIL): $(kc_tail_src) $(KC)/filters/lib/scan.h $(KC_BUILD)/obj/flags
	$(call kc_say,LD,kc-tail.so)
	$(Q)$(CC) $(KC_CFLAGS) -D_GNU_SOURCE -I$(KC)/filters/lib $(CPPFLAGS) $(kc_so_cflags) \
		-fPIC -shared $(kc_so_ldflags) -o $@.tmp $(kc_tail_src) -ldl && mv -f $@.tmp $@

.PHONY: kc-tail
kc-tail: $(KC_TAIL)
