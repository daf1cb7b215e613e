/* Makes the n-th write or sync of the service's log fail with EIO, and all later ones work.
 *
 * LD_PRELOAD it, with FAIL_CALL (pwrite or sync) and FAIL_AT in the environment; FAIL_AT counts
 * from the moment that the file FAIL_FROM is there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int calls;

static int fails(const char *call, int fd) {
    const char *which = getenv("FAIL_CALL"), *from = getenv("FAIL_FROM");
    char link[64], path[4096];
    ssize_t size;
    if (!which || strcmp(which, call) || !from || access(from, F_OK)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    if (!strstr(path, "service.db")) return 0;
    if (atomic_fetch_add(&calls, 1) + 1 != atoi(getenv("FAIL_AT"))) return 0;
    fprintf(stderr, "failed: %s\n", call);
    errno = EIO;
    return 1;
}

int fsync(int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return fails("sync", fd) ? -1 : real(fd);
}

int fdatasync(int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return fails("sync", fd) ? -1 : real(fd);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    ssize_t (*real)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    return fails("pwrite", fd) ? -1 : real(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    ssize_t (*real)(int, const void *, size_t, off64_t) =
        (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    return fails("pwrite", fd) ? -1 : real(fd, data, size, at);
}
