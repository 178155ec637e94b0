# kernel-count: how many GPU kernels one iteration of each benchmark case launches.
#
# USE
#   make [GOAL] [VARIABLE=VALUE ...]
#
# GOALS
#   report      count each case in each configuration, write the report (default)
#   submit      hand what is to be counted to Slurm and return; report collects it
#   list        the configurations, and whether each can run here or why not
#   bin         store each configuration's bench, to count with it elsewhere
#   why         what was read of a case, which rule refused it, what to do:
#               make why CASE=forward/a CONFIGS=cuda; without CASE, each refusal
#   setup       install what is missing; goes before others: make setup report
#   demo        a report from recorded logs, in seconds, with no Rust and no GPU
#   kernels     the kernels of each case, or of CASE
#   diff        what changed since BASELINE, and in which kernels; fails if a count grew
#   accept      make today's counts the baseline
#   sweep       count at several sizes, find the law: SWEEP='BENCH_SEQ=64 128 256'
#   chart       pictures of the counts, of the sweep, of the baseline's history
#   install     programs, man pages and this Makefile, to PREFIX (/usr/local); DESTDIR,
#               BINDIR, LIBDIR, MANDIR, DOCDIR as usual
#   uninstall   and away again
#   clean       remove what was built here and the crate's logs; not its report
#   help        this text
#
# VARIABLES
#   CRATE       the crate to count (the one in tests/layer)
#   PACKAGE     its package, where a workspace has several
#   BENCH       its bench (layer)
#   CONFIGS     configurations, separated by spaces or commas
#               (cuda cuda-fusion with an NVIDIA GPU, else cuda cuda-fused on the
#               null driver; with DRIVER=real and no GPU, vulkan vulkan-fused)
#   SKIP        configurations to leave out
#   FILTER      only cases that match this, as the bench itself understands it
#   CASE        what kernels shows: a case, or a pattern as in 'forward/*'
#   BASELINE    the committed result (kernels.tsv in the crate)
#   RULES       what may grow, and how far (kernels.rules there, where it is)
#   SWEEP, LAWS a variable and its sizes; laws to keep to (kernels.laws there)
#   OUT         the report (kernels.md in the crate)
#   LOG_DIR     logs, and what is known of earlier runs (target/kernel-logs there)
#   TARGET_ROOT keep each configuration's build in TARGET_ROOT/CONFIG, not the crate
#   BIN_DIR     stored benches: where bin puts them (target/kernel-bins in the
#               crate); report counts with the ones that are there, without cargo
#   STRIP=1     bin strips its copies
#   CARGO, CARGOFLAGS   the cargo to run (cargo) and more flags for its build
#   DRIVER=null count CUDA configurations on a driver that executes nothing, which
#               is the default without a GPU; DRIVER=real never does
#   PROFILE     the device that the null driver answers as (h200; or a100, rtx4090,
#               orin, or a file)
#   NVRTC=real  the null driver with a real NVRTC, so that kernels are compiled
#   RUN         a command before each bench process: RUN='srun -n1 --gpus=1'
#   SUBMIT      options of sbatch for submit: SUBMIT='--partition=gpu --gpus=1'
#   BATCH       how many cases a task of a job array has (1)
#   JOBS        cases side by side (the number of processors), unless -j says it;
#               fewer where the device's memory is full
#   RUNS=1      count once instead of twice
#   FRESH=1     empty the configurations' caches, settle and count anew
#   KERNEL_CACHE=0   do not keep the kernels that cubecl has compiled
#   V=1         say why something runs, and show commands
#   BENCH_*     reach the bench: BENCH_SEQ=128, BENCH_WARMUP_ITERS=1, ...
#   KERNELS_OUT, KERNELS_LOG_DIR, KERNELS_SKIP   older names of OUT, LOG_DIR, SKIP
#
# EXAMPLES
#   make setup report
#   make FILTER=step CONFIGS=cuda
#   make -j4 CRATE=../my-crate BENCH=model
#
# FOR WORK ON KERNEL-COUNT ITSELF
#   filters     build the filters and the library that waits for loggers
#   dist        build/kernel-count-VERSION.tar.gz (mk/packaging.md, mk/changes.md)
#   test        run the tests (TESTS='tests/graph-*.t' for some of them)
#   test-asan, test-valgrind   the filters' tests under what watches memory
#   check-static      clang-tidy, cppcheck, gcc's analyzer
#   test-slurm  a matrix on a Slurm of the tests' own, a node and its controller killed
#   bench-slurm cost of a case by make, by srun, by job arrays (CASES='10 100 1000')
#   test-exhaustive   all damage of logs, every byte and line, not every seventh
#   fuzz        FUZZ_TIME (60) seconds of libFuzzer for each target in tests/fuzz
#   bench-matrix   the time of the whole matrix, the older way and ours (mk/matrix)
#   lint        shellcheck, clang-format, the man pages
#   bench       time the filters beside other tools (BYTES of log, ROUNDS)

ifeq ($(filter grouped-target,$(.FEATURES)),)
$(error GNU Make $(MAKE_VERSION) is too old: kernel-count needs 4.3 or newer)
endif

KC       := .
KC_GOALS := $(or $(MAKECMDGOALS),report)
# For another crate, what was not built here is built in its target folder, so that
# nothing is written to this one (nor need it be writable).
ifeq ($(origin KC_BUILD),undefined)
kc_theirs := $(filter-out $(CURDIR)/%,$(abspath $(dir $(wildcard $(if $(filter 1,$(words $(value CRATE))),$(value CRATE)/Cargo.toml)))))
KC_BUILD  := $(if $(wildcard build/kc-totals)$(filter filters install test,$(KC_GOALS)),build,$(or $(kc_theirs:%=%/target/kernel-count),build))
endif
goals    := report submit list bin setup demo install uninstall clean help filters test lint \
	test-exhaustive fuzz fuzz-build test-asan test-valgrind check-static bench-matrix bench why
goals    += test-slurm bench-slurm
goals    += kernels diff accept sweep chart dist

.PHONY: $(goals)
.DEFAULT_GOAL := report

include mk/base.mk
ifneq ($(filter setup,$(KC_GOALS)),)
include mk/setup.mk
else
kc_sources := $(if $(wildcard filters/lib),filters tail cuda null)
include $(if $(kc_sources),,mk/installed.mk) mk/user.mk $(kc_sources:%=mk/%.mk)
ifneq ($(filter report submit kc-submit test-slurm bench-slurm list bin bench-matrix clean kc-report kc-plans kc-bin,$(KC_GOALS)),)
include mk/configs.mk
include mk/report.mk
include mk/submit.mk
include mk/bin.mk
include mk/matrix.mk
endif
include mk/diff.mk
include mk/sweep.mk
include mk/chart.mk
include mk/install.mk
include $(wildcard mk/dist.mk)
include mk/exhaustive.mk
include mk/sanitize.mk
include mk/why.mk
include mk/test.mk
include mk/bench.mk

filters: kc-filters kc-tail

bench: kc-bench

demo: kc-filters
	$(Q)mk/demo

help:
	@sed -n '/^ifeq/q; s/^# \{0,1\}//p' Makefile
	@printf 'CONFIGURATIONS\n  %s\n' '$(sort $(notdir $(basename $(wildcard configs/*.mk))))' | fold -sw 78
endif
