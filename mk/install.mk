# mk/install.mk: the programs, their man pages, and what make needs of this tree,
# for use outside of it (mk/packaging.md).
# One list serves install and uninstall.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/kernel-count

kc_pages := $(sort $(wildcard $(KC)/filters/*.[1-9]))
kc_page_of = $(MANDIR)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))

# A file of that name is replaced as a whole, so that a running program keeps its
# own.
kc_put = install -m $(1) $(call kc_sq,$(2)) $(call kc_sq,$(DESTDIR)$(3).new) && \
	mv -f $(call kc_sq,$(DESTDIR)$(3).new) $(call kc_sq,$(DESTDIR)$(3))

# The graph itself, for mk/use.mk, with the programs where it looks for them.
LIBDIR ?= $(PREFIX)/lib
kc_tree := $(LIBDIR)/kernel-count
kc_tree_files := Makefile $(filter-out %.md mk/dist% mk/manifest,$(wildcard mk/*)) $(wildcard configs/*)
kc_tree_links  = $(KC_PROGRAMS) $(KC_CUDA_PROGRAMS)

kc_docs := $(wildcard README.md LICENSE mk/changes.md)

# kc-run looks for its library from where it is itself.
ifneq ($(filter install,$(KC_GOALS)),)
ifneq ($(abspath $(BINDIR)/../lib),$(abspath $(LIBDIR)))
$(error LIBDIR=$(LIBDIR): expected $(abspath $(BINDIR)/../lib), where kc-run in BINDIR looks for its library)
endif
ifeq ($(wildcard filters/lib),)
$(error $(CURDIR): an installation, which cannot be installed again: use a clone or a release)
endif
endif

install: kc-filters kc-tail
	$(Q)mkdir -p $(foreach d,mk configs,$(call kc_sq,$(DESTDIR)$(kc_tree)/$d))
	$(Q)$(foreach f,$(kc_tree_files),$(call kc_put,$(if $(shell test -x $f && echo x),755,644),$f,$(kc_tree)/$f) &&) :
	$(Q)$(call kc_put,644,$(KC_TAIL),$(kc_tree)/kc-tail.so)
	$(Q)$(foreach p,$(kc_tree_links),ln -sfr $(call kc_sq,$(DESTDIR)$(BINDIR)/$p) $(call kc_sq,$(DESTDIR)$(kc_tree)/$p) &&) :
	$(Q)mkdir -p $(call kc_sq,$(DESTDIR)$(BINDIR)) $(foreach s,$(sort $(suffix $(kc_pages))),$(call kc_sq,$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$s)))
	$(Q)$(foreach p,$(KC_PROGRAMS),$(call kc_put,755,$(KC_BUILD)/$p,$(BINDIR)/$p) &&) :
	$(Q)$(foreach m,$(kc_pages),$(call kc_put,644,$m,$(call kc_page_of,$m)) &&) :
	$(Q)mkdir -p $(call kc_sq,$(DESTDIR)$(DOCDIR))
	$(Q)$(foreach d,$(kc_docs),$(call kc_put,644,$d,$(DOCDIR)/$(notdir $d)) &&) :

uninstall:
	$(Q)rm -f $(foreach f,$(kc_tree_files) kc-tail.so $(kc_tree_links),$(call kc_sq,$(DESTDIR)$(kc_tree)/$f))
	$(Q)rmdir $(foreach d,mk configs,$(call kc_sq,$(DESTDIR)$(kc_tree)/$d)) $(call kc_sq,$(DESTDIR)$(kc_tree)) 2>/dev/null || :
	$(Q)rm -f $(foreach p,$(KC_PROGRAMS),$(call kc_sq,$(DESTDIR)$(BINDIR)/$p)) \
		$(foreach m,$(kc_pages),$(call kc_sq,$(DESTDIR)$(call kc_page_of,$m))) \
		$(foreach d,$(kc_docs),$(call kc_sq,$(DESTDIR)$(DOCDIR)/$(notdir $d)))
	$(Q)rmdir $(call kc_sq,$(DESTDIR)$(DOCDIR)) 2>/dev/null || :
