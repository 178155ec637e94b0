# mk/submit.mk: counting on a cluster, by Slurm.
#
#   make submit             builds and lists the cases here, hands what is missing
#                           to Slurm, an array a configuration, and returns
#   make report             collects what is there, and names what is not
#   make report RUN='srun -n1'   no array: a step or job a run, and make waits
#
# A configuration is counted elsewhere, and this machine's devices say nothing of
# it, with RUN, once it was submitted (LOG_DIR/submitted names it), or when its
# file says so by its key run or slurm (mk/configs.mk). Its device is then what
# each run found where it ran (mk/there).
#
#   mk/submit   a configuration's missing cases to an array
#   mk/task     a task of it, on its node: mk/run for each run that is missing
#   mk/jobs.sh  what was submitted, and what Slurm says of it
#   mk/late.sh  files that are late

# A matrix of 100 cases on a Slurm of the tests' own, some minutes long; then the
# cost of a case (tests/slurm/bench).
.PHONY: test-slurm bench-slurm
test-slurm: kc-filters kc-tail kc-null
	$(Q)unset $${!KC_@} 2>/dev/null || :; LC_ALL=C TZ=UTC $(PROVE) tests/slurm/matrix.t

bench-slurm: kc-filters kc-tail kc-null
	$(Q)unset $${!KC_@} 2>/dev/null || :; LC_ALL=C TZ=UTC tests/slurm/bench $(CASES)

submit:
	$(Q). mk/check $(KC_CONFIGS)
	+$(Q)mk/locked $(MAKE) kc-submit

.PHONY: kc-submit
kc-submit: $(KC_CONFIGS:%=kc-plan.%)
	$(kc_jobs)$(Q)printf '%s ' $(sort $(kc_submitted) $(KC_CONFIGS)) >"$$KC_LOG_DIR/submitted"
	$(kc_jobs)$(Q)$(kc_below) -C "$$KC_LOG_DIR" -f "$$KC_ROOT/mk/count.mk" kc-submit
