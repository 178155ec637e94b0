# mk/verify.mk: a second witness for each count, taken at libcuda. Part of
# mk/count.mk when KC_VERIFY is set (make verify).
#
# For each case of a CUDA configuration four processes run under kc-run: with one
# and with two warm-up iterations, with cubecl's profiling on and off. What two
# totals differ by is one iteration, whatever the log says. The files lie beside
# the logs, in the folder that is named after all that they depend on:
#     FOLDER/NAME.witness.on.1.tsv, on.2, off.1, off.2

kc_witness = $(foreach n,$($(1).cases),$(foreach m,on.1 on.2 off.1 off.2,$($(1).dir)/$n.witness.$m.tsv))
kc_on_cuda = $(filter cuda,$(KC_NEEDS_$(subst -,_,$(1))))

define kc_verify_rules
$$(call kc_witness,$(1)): | $$($(1).logs)
	$$(Q)$$(KC_ROOT)/mk/verify $(1) $$($(1).dir) $$($(1).pick) $$@

$$($(1).rows): $$(call kc_witness,$(1))
endef
$(foreach c,$(KC_CONFIGS),$(if $(call kc_on_cuda,$c),$(eval $(call kc_verify_rules,$c))))
