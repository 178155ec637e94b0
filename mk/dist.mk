# mk/dist.mk: a release, from a clone or from a release (mk/dist).
#
# The version is in one place, KC_VERSION in filters/lib/kc.h, and what it brings
# in another, mk/changes.md, whose date the files in the tarball get.

.PHONY: dist
dist:
	$(Q)mk/dist
