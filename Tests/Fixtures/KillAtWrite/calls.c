// The calls that change the disk, in front of those of the C library.
#include "steps.h"

// Macros that rename the calls for large files would define some of them twice.
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(type, name, ...) type (*next)(__VA_ARGS__) = dlsym(RTLD_NEXT, #name)

// MARK: Opening

static int opened(int file, bool is_new) {
  if (file >= 0 && is_new) forget_copy(file);
  return file;
}

static bool is_new(int folder, const char *path, int flags) {
  struct stat status;
  return (flags & O_CREAT) && fstatat(folder, path, &status, 0) != 0;
}

static bool has_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

#define MODE(flags)                      \
  mode_t mode = 0;                       \
  if (has_mode(flags)) {                 \
    va_list arguments;                   \
    va_start(arguments, flags);          \
    mode = va_arg(arguments, mode_t);    \
    va_end(arguments);                   \
  }

#define OPEN(name)                                       \
  int name(const char *path, int flags, ...) {           \
    NEXT(int, name, const char *, int, ...);             \
    MODE(flags)                                          \
    if (other_file(path)) path = other_file(path);       \
    step_opening(AT_FDCWD, path, flags);                 \
    bool makes = is_new(AT_FDCWD, path, flags);          \
    return opened(next(path, flags, mode), makes);       \
  }

#define OPENAT(name)                                     \
  int name(int folder, const char *path, int flags, ...) { \
    NEXT(int, name, int, const char *, int, ...);        \
    MODE(flags)                                          \
    if (other_file(path)) path = other_file(path);       \
    step_opening(folder, path, flags);                   \
    bool makes = is_new(folder, path, flags);            \
    return opened(next(folder, path, flags, mode), makes); \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

// MARK: Contents

ssize_t write(int file, const void *bytes, size_t count) {
  NEXT(ssize_t, write, int, const void *, size_t);
  step_at(file);
  return next(file, bytes, count);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  NEXT(ssize_t, writev, int, const struct iovec *, int);
  step_at(file);
  return next(file, parts, count);
}

#define PWRITE(name, offset_type)                                        \
  ssize_t name(int file, const void *bytes, size_t count, offset_type offset) { \
    NEXT(ssize_t, name, int, const void *, size_t, offset_type);         \
    step_at(file);                                                       \
    return next(file, bytes, count, offset);                             \
  }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_type)                                       \
  ssize_t name(int file, const struct iovec *parts, int count, offset_type offset) { \
    NEXT(ssize_t, name, int, const struct iovec *, int, offset_type);    \
    step_at(file);                                                       \
    return next(file, parts, count, offset);                             \
  }

PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define SENDFILE(name, offset_type)                                           \
  ssize_t name(int target, int source, offset_type *offset, size_t count) {   \
    NEXT(ssize_t, name, int, int, offset_type *, size_t);                     \
    step_at(target);                                                          \
    return next(target, source, offset, count);                               \
  }

SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

ssize_t copy_file_range(
  int source, off64_t *from, int target, off64_t *to, size_t count, unsigned int flags
) {
  NEXT(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned int);
  step_at(target);
  return next(source, from, target, to, count, flags);
}

#define FTRUNCATE(name, offset_type)          \
  int name(int file, offset_type length) {    \
    NEXT(int, name, int, offset_type);        \
    step_at(file);                            \
    return next(file, length);                \
  }

FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

#define TRUNCATE(name, offset_type)                \
  int name(const char *path, offset_type length) { \
    NEXT(int, name, const char *, offset_type);    \
    step();                                        \
    return next(path, length);                     \
  }

TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

#define FALLOCATE(name, offset_type)                                         \
  int name(int file, int mode, offset_type offset, offset_type length) {     \
    NEXT(int, name, int, int, offset_type, offset_type);                     \
    step_at(file);                                                           \
    return next(file, mode, offset, length);                                 \
  }

FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

#define POSIX_FALLOCATE(name, offset_type)                          \
  int name(int file, offset_type offset, offset_type length) {      \
    NEXT(int, name, int, offset_type, offset_type);                 \
    step_at(file);                                                  \
    return next(file, offset, length);                              \
  }

POSIX_FALLOCATE(posix_fallocate, off_t)
POSIX_FALLOCATE(posix_fallocate64, off64_t)

int fsync(int file) {
  NEXT(int, fsync, int);
  step_at(file);
  return sync_with_copy(file, next);
}

int fdatasync(int file) {
  NEXT(int, fdatasync, int);
  step_at(file);
  return sync_with_copy(file, next);
}

// MARK: Names

int unlink(const char *path) {
  NEXT(int, unlink, const char *);
  step();
  return next(path);
}

int unlinkat(int folder, const char *path, int flags) {
  NEXT(int, unlinkat, int, const char *, int);
  step();
  return next(folder, path, flags);
}

int rmdir(const char *path) {
  NEXT(int, rmdir, const char *);
  step();
  return next(path);
}

int rename(const char *from, const char *to) {
  NEXT(int, rename, const char *, const char *);
  step();
  return next(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  NEXT(int, renameat, int, const char *, int, const char *);
  step();
  return next(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags) {
  NEXT(int, renameat2, int, const char *, int, const char *, unsigned int);
  step();
  return next(from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) {
  NEXT(int, link, const char *, const char *);
  step();
  return next(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  NEXT(int, linkat, int, const char *, int, const char *, int);
  step();
  return next(from_folder, from, to_folder, to, flags);
}

int symlink(const char *target, const char *path) {
  NEXT(int, symlink, const char *, const char *);
  step_making(AT_FDCWD, path);
  return next(target, path);
}

int symlinkat(const char *target, int folder, const char *path) {
  NEXT(int, symlinkat, const char *, int, const char *);
  step_making(folder, path);
  return next(target, folder, path);
}

int mkdir(const char *path, mode_t mode) {
  NEXT(int, mkdir, const char *, mode_t);
  step_making(AT_FDCWD, path);
  return next(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  NEXT(int, mkdirat, int, const char *, mode_t);
  step_making(folder, path);
  return next(folder, path, mode);
}
