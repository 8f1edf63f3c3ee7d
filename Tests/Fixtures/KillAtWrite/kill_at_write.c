// Kills a process in front of the call, counted from 1, that KILL_AT names, of those that change the disk. Loaded by LD_PRELOAD.
//
// It happens once: the file that KILL_MARK names is made before, and where it exists nothing happens. What is written to sockets and pipes
// does not count, and neither does what temporary files in memory are given.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long limit;
static const char *mark;

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("KILL_AT");
  mark = getenv("KILL_MARK");
  if (text && mark && access(mark, F_OK) != 0) limit = atol(text);
}

static void step(void) {
  if (limit == 0 || atomic_fetch_add(&calls, 1) + 1 != limit) return;
  int (*plain_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  plain_open(mark, O_CREAT | O_WRONLY, 0600);
  kill(getpid(), SIGKILL);
  pause();
}

static void step_at(int file) {
  struct stat status;
  if (limit != 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) step();
}

#define NEXT(type, name, ...) type (*next)(__VA_ARGS__) = dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t count) {
  NEXT(ssize_t, write, int, const void *, size_t);
  step_at(file);
  return next(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  NEXT(ssize_t, pwrite, int, const void *, size_t, off_t);
  step_at(file);
  return next(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  NEXT(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  step_at(file);
  return next(file, bytes, count, offset);
}

int ftruncate64(int file, off64_t length) {
  NEXT(int, ftruncate64, int, off64_t);
  step_at(file);
  return next(file, length);
}

int fsync(int file) {
  NEXT(int, fsync, int);
  step_at(file);
  return next(file);
}

int fdatasync(int file) {
  NEXT(int, fdatasync, int);
  step_at(file);
  return next(file);
}

int unlink(const char *path) {
  NEXT(int, unlink, const char *);
  step();
  return next(path);
}

int rename(const char *from, const char *to) {
  NEXT(int, rename, const char *, const char *);
  step();
  return next(from, to);
}

int link(const char *from, const char *to) {
  NEXT(int, link, const char *, const char *);
  step();
  return next(from, to);
}
