// Kills a process in front of the call, counted from 1, that KILL_AT names, of those that change the disk. Loaded by LD_PRELOAD.
//
// It happens once: the file that KILL_MARK names is made before, and where it exists nothing happens. What is written to sockets and pipes
// does not count, and neither does what files without a name are given, such as temporary ones in memory, nor what is done by programs that
// the process starts or becomes, which do not have the library.
#include "steps.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;
static long limit;
static const char *mark;

const char *take_variable(const char *name) {
  // The string stays where the kernel has put it: its entry alone is removed.
  const char *value = getenv(name);
  unsetenv(name);
  return value;
}

__attribute__((constructor)) static void begin(void) {
  const char *text = take_variable("KILL_AT");
  mark = take_variable("KILL_MARK");
  take_variable("LD_PRELOAD");
  if (text && mark && access(mark, F_OK) != 0) limit = atol(text);
}

void step(void) {
  if (limit == 0 || atomic_fetch_add(&calls, 1) + 1 != limit) return;
  // By the kernel itself: the functions of this library would count it.
  syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600);
  kill(getpid(), SIGKILL);
  pause();
}

void step_at(int file) {
  struct stat status;
  if (limit != 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0) step();
}

void step_opening(int folder, const char *path, int flags) {
  if (limit == 0) return;
  struct stat status;
  bool is_there = fstatat(folder, path, &status, 0) == 0;
  if (is_there ? (flags & O_TRUNC) && S_ISREG(status.st_mode) && status.st_size > 0 : (flags & O_CREAT) != 0) step();
}

void step_making(int folder, const char *path) {
  struct stat status;
  if (limit != 0 && fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0) step();
}
