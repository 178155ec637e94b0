# mk/install.mk: the filters and their man pages, for use outside of this tree.
# One list serves install and uninstall.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man

kc_pages := $(sort $(wildcard $(KC)/filters/*.[1-9]))
kc_page_of = $(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))

# A file of that name is replaced as a whole, so that a running program keeps its
# own.
kc_put = install -m $(1) $(call kc_sq,$(2)) $(call kc_sq,$(DESTDIR)$(3).new) && \
	mv -f $(call kc_sq,$(DESTDIR)$(3).new) $(call kc_sq,$(DESTDIR)$(3))

install: kc-filters
	$(Q)mkdir -p $(call kc_sq,$(DESTDIR)$(BINDIR)) $(foreach s,$(sort $(suffix $(kc_pages))),$(call kc_sq,$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$s)))
	$(Q)$(foreach p,$(KC_PROGRAMS),$(call kc_put,755,$(KC_BUILD)/$p,$(BINDIR)/$p) &&) :
	$(Q)$(foreach m,$(kc_pages),$(call kc_put,644,$m,$(call kc_page_of,$m)) &&) :

uninstall:
	$(Q)rm -f $(foreach p,$(KC_PROGRAMS),$(call kc_sq,$(DESTDIR)$(BINDIR)/$p)) \
		$(foreach m,$(kc_pages),$(call kc_sq,$(DESTDIR)$(call kc_page_of,$m)))
