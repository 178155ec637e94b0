/*
 * replay.c: a main for the fuzz targets where there is no libFuzzer: runs each
 * file named, and each file of a folder named, once. See LICENSE.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t inputs;

static void
one(const char *path)
{
	struct stat st;
	uint8_t *data;
	FILE *f;

	if (stat(path, &st) != 0 || (f = fopen(path, "rb")) == NULL) {
		perror(path);
		exit(2);
	}
	/* Exactly as large as the input, so that a checker sees an overrun. */
	data = malloc(st.st_size > 0 ? (size_t)st.st_size : 1);
	if (data == NULL ||
	    fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
		perror(path);
		exit(2);
	}
	(void)fclose(f);
	/* Said first, so that the last line names an input that crashes. */
	fprintf(stderr, "%s\n", path);
	(void)LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	free(data);
	inputs++;
}

int
main(int argc, char **argv)
{
	struct dirent *entry;
	struct stat st;
	char path[4096];
	DIR *dir;
	int i;

	for (i = 1; i < argc; i++) {
		if (stat(argv[i], &st) != 0) {
			perror(argv[i]);
			return 2;
		}
		if (!S_ISDIR(st.st_mode)) {
			one(argv[i]);
			continue;
		}
		dir = opendir(argv[i]);
		if (dir == NULL) {
			perror(argv[i]);
			return 2;
		}
		while ((entry = readdir(dir)) != NULL) {
			if (entry->d_name[0] == '.')
				continue;
			if (snprintf(path, sizeof(path), "%s/%s", argv[i],
				     entry->d_name) >= (int)sizeof(path))
				return 2;
			one(path);
		}
		(void)closedir(dir);
	}
	printf("%zu inputs\n", inputs);
	return inputs > 0 ? 0 : 2;
}
