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

# The graph itself, for mk/use.mk, with the programs where it looks for them.
LIBDIR ?= $(PREFIX)/lib
kc_tree := $(LIBDIR)/kernel-count
kc_tree_files := Makefile $(wildcard mk/*) $(wildcard configs/*)
kc_tree_links  = $(KC_PROGRAMS) $(KC_CUDA_PROGRAMS)

install: kc-filters kc-tail
	$(Q)mkdir -p $(foreach d,mk configs,$(call kc_sq,$(DESTDIR)$(kc_tree)/$d))
	$(Q)$(foreach f,$(kc_tree_files),$(call kc_put,$(if $(shell test -x $f && echo x),755,644),$f,$(kc_tree)/$f) &&) :
	$(Q)$(call kc_put,644,$(KC_TAIL),$(kc_tree)/kc-tail.so)
	$(Q)$(foreach p,$(kc_tree_links),ln -sfr $(call kc_sq,$(DESTDIR)$(BINDIR)/$p) $(call kc_sq,$(DESTDIR)$(kc_tree)/$p) &&) :
	$(Q)mkdir -p $(call kc_sq,$(DESTDIR)$(BINDIR)) $(foreach s,$(sort $(suffix $(kc_pages))),$(call kc_sq,$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$s)))
	$(Q)$(foreach p,$(KC_PROGRAMS),$(call kc_put,755,$(KC_BUILD)/$p,$(BINDIR)/$p) &&) :
	$(Q)$(foreach m,$(kc_pages),$(call kc_put,644,$m,$(call kc_page_of,$m)) &&) :

uninstall:
	$(Q)rm -f $(foreach f,$(kc_tree_files) kc-tail.so $(kc_tree_links),$(call kc_sq,$(DESTDIR)$(kc_tree)/$f))
	$(Q)rmdir $(foreach d,mk configs,$(call kc_sq,$(DESTDIR)$(kc_tree)/$d)) $(call kc_sq,$(DESTDIR)$(kc_tree)) 2>/dev/null || :
	$(Q)rm -f $(foreach p,$(KC_PROGRAMS),$(call kc_sq,$(DESTDIR)$(BINDIR)/$p)) \
		$(foreach m,$(kc_pages),$(call kc_sq,$(DESTDIR)$(call kc_page_of,$m)))
