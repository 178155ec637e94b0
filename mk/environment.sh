# shellcheck shell=bash
# mk/environment.sh: variables that a bench may read although nothing here says
# so.
#
# The environment goes to the bench whole, since a driver may need any of it. So
# a count depends on all of it: on BENCH_* and the drivers' own variables by name
# (mk/plan), on the others by a checksum, which tells no secret. When one of them
# changes, counts are made anew: too often rather than not.

# environment_sum: that checksum, in $environment. Left out is what differs from
# one terminal or login to another, what tools tell each other, and what the
# scripts here or the plan take care of themselves.
environment_sum() {
	local name all=''
	while IFS= read -r name; do
		case $name in
		_ | PWD | OLDPWD | SHLVL | PATH | MANPATH | HOME | USER | LOGNAME | HOSTNAME | HOSTTYPE | MACHTYPE | OSTYPE) ;;
		TERM | TERM_* | COLORTERM | COLUMNS | LINES | TTY | STY | TMUX | TMUX_* | VTE_* | WINDOWID | DISPLAY | WAYLAND_DISPLAY | XAUTHORITY | KRB5CCNAME) ;;
		SSH_* | SUDO_* | XDG_* | DBUS_* | GPG_* | GNOME_* | KDE_* | DESKTOP_* | SESSION_* | INVOCATION_ID | JOURNAL_STREAM | SYSTEMD_*) ;;
		PS[0-4] | PROMPT_* | HIST* | LS_COLORS | LESS* | PAGER | EDITOR | VISUAL | MAIL | LANG | LANGUAGE | LC_* | TZ | TMPDIR) ;;
		BASH* | SHELL | SHELLOPTS | IFS | OPTIND | OPTERR | FUNCNAME | PIPESTATUS) ;;
		GIT_* | CI | CI_* | GITHUB_* | RUNNER_* | ACTIONS_* | GITLAB_* | BUILD_* | SLURM_* | SLURMD_* | SBATCH_* | SRUN_* | SQUEUE_* | SALLOC_* | PBS_* | LSB_* | HARNESS_* | TEST_* | PERL5LIB) ;;
		MAKE* | MFLAGS | GNUMAKEFLAGS | KC_* | KERNELS_* | CARGO | CARGO_* | RUSTUP_* | RUSTC* | RUSTFLAGS | RUSTDOCFLAGS) ;;
		CC | CXX | AR | CFLAGS | CPPFLAGS | CXXFLAGS | LDFLAGS | LDLIBS | PKG_CONFIG* | PROVE* | DESTDIR | PREFIX | SOURCE_DATE_EPOCH) ;;
		# The user's variables of the Makefile.
		CRATE | PACKAGE | BENCH | CONFIGS | SKIP | FILTER | CASE | BASELINE | RULES | SWEEP | LAWS | OUT | LOG_DIR | TARGET_ROOT | BIN_DIR) ;;
		CUDA_VISIBLE_DEVICES | NVIDIA_VISIBLE_DEVICES | HIP_VISIBLE_DEVICES | ROCR_VISIBLE_DEVICES | GPU_DEVICE_ORDINAL) ;;
		SUBMIT | BATCH | STRIP | CARGOFLAGS | DRIVER | PROFILE | NVRTC | RUN | JOBS | RUNS | FRESH | KERNEL_CACHE | V | Q | TESTS) ;;
		# The plan writes these down, where they reach the bench.
		BENCH_* | CUBECL_* | BURN_* | LD_LIBRARY_PATH | LD_PRELOAD) ;;
		*) all+="$name=${!name}"$'\n' ;;
		esac
	done < <(compgen -e)
	environment=$(printf '%s' "$all" | sha256sum)
	environment=${environment%% *}
}
