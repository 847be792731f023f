/* Counts, fails, kills and records what a process does to the files below one folder.

   Preloaded (LD_PRELOAD), so that writers in Rust and C++ are seen like Python. Nothing happens before
   kbc_arm is called. An operation has a number, from 1; a failure is that of operation `at`, or with `stays`
   of every later one of its kind, too; a kill comes before it, and in the middle of a write. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, CREATE = 2, WRITE = 4, SYNC = 8, RENAME = 16, MKDIR = 32, UNLINK = 64, LINK = 128 };

static char root[PATH_MAX];
static size_t root_size;
static int armed, error_number, stays, kinds, log_fd = -1, trace_fd = -1;
static long at, count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* `fails` is an error number, -1 to kill, 0 to count; `of` are the kinds that count. */
void kbc_arm(const char *folder, int fails, long number, int of, int sticky, int log, int trace) {
    strncpy(root, folder, sizeof root - 1);
    root_size = strlen(root);
    error_number = fails, at = number, kinds = of, stays = sticky, count = 0;
    log_fd = log, trace_fd = trace;
    armed = 1;
}

long kbc_disarm(void) {
    armed = 0;
    return count;
}

static void say_to(int fd, const void *data, size_t size) {
    while (size > 0) {
        ssize_t done = syscall(SYS_write, fd, data, size);
        if (done <= 0) return;
        data = (const char *)data + done, size -= done;
    }
}

static void say(const void *data, size_t size) {
    say_to(log_fd, data, size);
}

static void say_text(const char *text) {
    uint32_t size = text ? strlen(text) : 0;
    say(&size, sizeof size);
    say(text, size);
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = syscall(SYS_readlink, link, path, PATH_MAX - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return 1;
}

static int absolute(int folder, const char *name, char *path) {
    if (name[0] == '/') return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    if (folder == AT_FDCWD ? syscall(SYS_getcwd, path, PATH_MAX) <= 0 : !path_of(folder, path)) return 0;
    size_t size = strlen(path);
    return snprintf(path + size, PATH_MAX - size, "/%s", name) < (int)(PATH_MAX - size);
}

static int is_below(const char *path) {
    return strncmp(path, root, root_size) == 0 && (path[root_size] == '/' || path[root_size] == 0);
}

/* Whether to go on; else errno is set. `part` is what to write before a kill. */
static int step(int kind, const char *path, const char *other, int64_t where, const void *data,
                size_t size, int fd) {
    if (!is_below(path) && !(other && is_below(other))) return 1;
    int saved = errno, fails = 0;
    pthread_mutex_lock(&lock);
    if (kind & kinds) {
        count++;
        fails = at > 0 && (stays ? count >= at : count == at);
        if (trace_fd >= 0) {
            char line[2 * PATH_MAX + 32];
            int length = snprintf(line, sizeof line, "%ld\t%d\t%s\t%s\n", syscall(SYS_gettid), kind,
                                  path, other ? other : "");
            say_to(trace_fd, line, length);
        }
    }
    if (log_fd >= 0 && kind != OPEN) {
        int32_t op = kind;
        uint64_t length = size;
        say(&op, sizeof op);
        say(&where, sizeof where);
        say_text(path);
        say_text(other);
        say(&length, sizeof length);
        say(data, size);
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    if (!fails || !error_number) return 1;
    if (error_number < 0) {
        if (kind == WRITE && size > 1) {
            if (where >= 0) syscall(SYS_pwrite64, fd, data, size / 2, where);
            else syscall(SYS_write, fd, data, size / 2);
        }
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    errno = error_number;
    return 0;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name);

static int opens(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    if (!armed || !absolute(folder, name, path)) return 1;
    int made = (flags & O_CREAT) && access(path, F_OK) != 0;
    int kind = made || (flags & O_TRUNC) ? CREATE : OPEN;
    return step(kind, path, 0, made, 0, 0, -1);
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *name, int flags, ...) { MODE
    return opens(AT_FDCWD, name, flags) ? (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode) : -1; }
int open64(const char *name, int flags, ...) { MODE
    return opens(AT_FDCWD, name, flags) ? (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode) : -1; }
int openat(int folder, const char *name, int flags, ...) { MODE
    return opens(folder, name, flags) ? (int)syscall(SYS_openat, folder, name, flags, mode) : -1; }
int openat64(int folder, const char *name, int flags, ...) { MODE
    return opens(folder, name, flags) ? (int)syscall(SYS_openat, folder, name, flags, mode) : -1; }

static int mode_flags(const char *mode) {
    return mode[0] == 'r' ? O_RDONLY : O_CREAT | (mode[0] == 'w' ? O_TRUNC : 0);
}
FILE *fopen(const char *name, const char *mode) { REAL(FILE *, "fopen", const char *, const char *)
    return opens(AT_FDCWD, name, mode_flags(mode)) ? real(name, mode) : 0; }
FILE *fopen64(const char *name, const char *mode) { REAL(FILE *, "fopen64", const char *, const char *)
    return opens(AT_FDCWD, name, mode_flags(mode)) ? real(name, mode) : 0; }

static int writes(int fd, const void *data, size_t size, int64_t where) {
    char path[PATH_MAX];
    if (!armed || !path_of(fd, path) || !is_below(path)) return 1;
    if (where < 0) {
        where = syscall(SYS_lseek, fd, 0, SEEK_CUR);
        if (syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND) where = syscall(SYS_lseek, fd, 0, SEEK_END);
    }
    return step(WRITE, path, 0, where, data, size, fd);
}

ssize_t write(int fd, const void *data, size_t size) {
    return writes(fd, data, size, -1) ? syscall(SYS_write, fd, data, size) : -1; }
ssize_t pwrite(int fd, const void *data, size_t size, off_t where) {
    return writes(fd, data, size, where) ? syscall(SYS_pwrite64, fd, data, size, where) : -1; }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t where) {
    return writes(fd, data, size, where) ? syscall(SYS_pwrite64, fd, data, size, where) : -1; }
ssize_t writev(int fd, const struct iovec *parts, int many) {
    ssize_t all = 0;
    char path[PATH_MAX];
    if (!armed || !path_of(fd, path) || !is_below(path)) return syscall(SYS_writev, fd, parts, many);
    for (int part = 0; part < many; part++) {
        if (!parts[part].iov_len) continue;
        ssize_t done = write(fd, parts[part].iov_base, parts[part].iov_len);
        if (done < 0) return all ? all : -1;
        all += done;
    }
    return all;
}

/* Copies inside the kernel become writes that are seen. */
ssize_t sendfile(int out, int in, off_t *where, size_t size) {
    (void)out, (void)in, (void)where, (void)size;
    if (armed) { errno = ENOSYS; return -1; }
    return syscall(SYS_sendfile, out, in, where, size);
}
ssize_t sendfile64(int out, int in, off64_t *where, size_t size) { return sendfile(out, in, where, size); }
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) {
    if (armed) { errno = ENOSYS; return -1; }
    return syscall(SYS_copy_file_range, in, from, out, to, size, flags);
}

static int on_descriptor(int kind, int fd, int64_t where) {
    char path[PATH_MAX];
    return !armed || !path_of(fd, path) || step(kind, path, 0, where, 0, 0, fd);
}
int fsync(int fd) { return on_descriptor(SYNC, fd, 0) ? (int)syscall(SYS_fsync, fd) : -1; }
int fdatasync(int fd) { return on_descriptor(SYNC, fd, 0) ? (int)syscall(SYS_fdatasync, fd) : -1; }

static int on_path(int kind, int folder, const char *name, int64_t where) {
    char path[PATH_MAX];
    return !armed || !absolute(folder, name, path) || step(kind, path, 0, where, 0, 0, -1);
}
static int on_two(int kind, int from, const char *old, int to, const char *new) {
    char path[PATH_MAX], other[PATH_MAX];
    return !armed || !absolute(from, old, path) || !absolute(to, new, other)
        || step(kind, path, other, 0, 0, 0, -1);
}
int rename(const char *old, const char *new) {
    return on_two(RENAME, AT_FDCWD, old, AT_FDCWD, new) ? (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0) : -1; }
int renameat(int from, const char *old, int to, const char *new) {
    return on_two(RENAME, from, old, to, new) ? (int)syscall(SYS_renameat2, from, old, to, new, 0) : -1; }
int link(const char *old, const char *new) {
    return on_two(LINK, AT_FDCWD, old, AT_FDCWD, new) ? (int)syscall(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0) : -1; }
int linkat(int from, const char *old, int to, const char *new, int flags) {
    return on_two(LINK, from, old, to, new) ? (int)syscall(SYS_linkat, from, old, to, new, flags) : -1; }
int mkdir(const char *name, mode_t mode) {
    return on_path(MKDIR, AT_FDCWD, name, 0) ? (int)syscall(SYS_mkdirat, AT_FDCWD, name, mode) : -1; }
int mkdirat(int folder, const char *name, mode_t mode) {
    return on_path(MKDIR, folder, name, 0) ? (int)syscall(SYS_mkdirat, folder, name, mode) : -1; }
int unlink(const char *name) {
    return on_path(UNLINK, AT_FDCWD, name, 0) ? (int)syscall(SYS_unlinkat, AT_FDCWD, name, 0) : -1; }
int unlinkat(int folder, const char *name, int flags) {
    return on_path(UNLINK, folder, name, flags) ? (int)syscall(SYS_unlinkat, folder, name, flags) : -1; }
int rmdir(const char *name) {
    return on_path(UNLINK, AT_FDCWD, name, AT_REMOVEDIR) ? (int)syscall(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR) : -1; }
int ftruncate(int fd, off_t size) {
    return on_descriptor(WRITE, fd, -1 - size) ? (int)syscall(SYS_ftruncate, fd, size) : -1; }
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
