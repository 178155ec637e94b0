/*
 * run-check: can the counter be loaded into this program? See run.h, LICENSE.
 *
 * The dynamic linker loads a preloaded library into programs that it links; a
 * statically linked program has none, and one that runs with another's rights
 * is given none (ld.so(8), "secure-execution mode").
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "kc.h"
#include "run.h"

/* A message that lasts. */
static const char *
say(const char *format, const char *text)
{
	char *message;

	if (asprintf(&message, format, text) < 0)
		kc_die("no memory");
	return message;
}

static bool
runs(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* As execvp(3) finds it: the first that can be executed in PATH. */
static char *
find(const char *name)
{
	const char *list = getenv("PATH"), *end;

	if (strchr(name, '/') != NULL)
		return kc_copy(name, strlen(name));
	if (list == NULL)
		list = "/bin:/usr/bin"; /* glibc's default */
	for (;; list = end + 1) {
		char *path;
		int len;

		end = strchrnul(list, ':');
		len = (int)(end - list);
		if (asprintf(&path, "%.*s%s%s", len, list, len > 0 ? "/" : "",
			     name) < 0)
			kc_die("no memory");
		if (runs(path))
			return path;
		free(path);
		if (*end == '\0')
			return NULL;
	}
}

/* Reads up to `size` bytes of a file from `at`. */
static size_t
read_at(int fd, void *data, size_t size, off_t at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, (char *)data + done, size - done,
				  at + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return done;
}

static const char *
check_loader(int fd, const Elf64_Phdr *ph)
{
	char loader[4096];
	size_t len = ph->p_filesz < sizeof loader ? (size_t)ph->p_filesz
						  : sizeof loader;
	const char *base;

	len = read_at(fd, loader, len, (off_t)ph->p_offset);
	if (len == 0 || memchr(loader, '\0', len) == NULL)
		return "is damaged: its loader's name cannot be read";
	base = strrchr(loader, '/');
	base = base != NULL ? base + 1 : loader;
	if (strncmp(base, "ld-musl", 7) == 0)
		return "is linked with musl: the counter works with glibc";
	if (access(loader, X_OK) != 0)
		return say("needs the loader '%s', which is not there", loader);
	return NULL;
}

static const char *
check_elf(int fd, const unsigned char *head, size_t len)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	size_t i;

	if (len < sizeof eh)
		return "is damaged: its ELF header is cut";
	memcpy(&eh, head, sizeof eh);
#if defined(__x86_64__)
	if (eh.e_machine != EM_X86_64)
#else
	if (eh.e_machine != EM_AARCH64)
#endif
		return "is for another architecture than the counter";
	if (eh.e_ident[EI_CLASS] != ELFCLASS64)
		return "is a 32-bit program: the counter is for 64 bits";
	for (i = 0; i < eh.e_phnum; i++) {
		if (read_at(fd, &ph, sizeof ph,
			    (off_t)(eh.e_phoff + i * eh.e_phentsize)) !=
		    sizeof ph)
			return "is damaged: its program headers are cut";
		if (ph.p_type == PT_INTERP)
			return check_loader(fd, &ph);
	}
	return "is statically linked: nothing can be loaded into it";
}

static const char *check_file(const char *path, int depth);

/* A script: its interpreter is what runs. */
static const char *
check_script(char *head, size_t len, int depth)
{
	char *at = head + 2, *end;

	head[len] = '\0';
	at += strspn(at, " \t");
	end = at + strcspn(at, " \t\n");
	*end = '\0';
	if (*at == '\0')
		return "is a script with no interpreter";
	if (depth > 4)
		return "is a script of a script of a script";
	if (access(at, X_OK) != 0)
		return say("needs the interpreter '%s', which is not there",
			   at);
	return check_file(at, depth + 1);
}

static const char *
check_file(const char *path, int depth)
{
	unsigned char head[4097];
	const char *why = NULL;
	struct stat st;
	char caps[64];
	size_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) /* executable but not readable: its secrets are its own */
		return errno == EACCES ? NULL : strerror(errno);
	len = read_at(fd, head, sizeof head - 1, 0);
	if (fstat(fd, &st) != 0)
		why = strerror(errno);
	else if ((st.st_mode & S_ISUID) != 0 && st.st_uid != getuid())
		why = "is set-user-ID: nothing may be loaded into it";
	else if ((st.st_mode & S_ISGID) != 0 && st.st_gid != getgid())
		why = "is set-group-ID: nothing may be loaded into it";
	else if (getuid() != 0 &&
		 fgetxattr(fd, "security.capability", caps, sizeof caps) > 0)
		why = "has capabilities: nothing may be loaded into it";
	else if (len >= 4 && memcmp(head, ELFMAG, SELFMAG) == 0)
		why = check_elf(fd, head, len);
	else if (len >= 2 && head[0] == '#' && head[1] == '!')
		why = check_script((char *)head, len, depth);
	/* What is neither is run by the shell, as execvp does. */
	close(fd);
	return why;
}

const char *
kc_check_program(const char *name, char **path)
{
	struct stat st;

	*path = find(name);
	if (*path == NULL)
		return "not found in PATH";
	if (stat(*path, &st) != 0)
		return errno == ENOENT ? "not found" : strerror(errno);
	if (S_ISDIR(st.st_mode))
		return "is a directory";
	if (access(*path, X_OK) != 0)
		return "cannot be executed: permission denied";
	return check_file(*path, 0);
}
