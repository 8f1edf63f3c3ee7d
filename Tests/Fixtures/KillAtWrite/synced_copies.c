// What a crash of the machine leaves: a copy of each file as it was when it was last written through to the disk.
//
// The copies are in the folder that SYNCED_COPIES names, by the numbers of the files' inodes: whatever name a file has by then. They are taken
// before the call that writes through begins, since what comes meanwhile is not known to be there, and count when it has returned. Names are
// taken to be durable at once: this is about contents alone.
//
// BOOT_ID names the file that has the identifier of the machine's run, in place of the kernel's.
#include "steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *folder;
static const char *boot;

__attribute__((constructor)) static void begin(void) {
  folder = take_variable("SYNCED_COPIES");
  boot = take_variable("BOOT_ID");
}

const char *other_file(const char *path) {
  return boot && path && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? boot : NULL;
}

static bool is_kept(int file, struct stat *status) {
  return folder && fstat(file, status) == 0 && S_ISREG(status->st_mode) && status->st_nlink > 0;
}

static void name_copy(char *name, const struct stat *status) {
  snprintf(name, PATH_MAX, "%s/%llu", folder, (unsigned long long)status->st_ino);
}

// By the kernel itself: the functions of this library would count what is written here.
static bool copy_to(const char *name, int file) {
  // A descriptor of a database file may not be closed, which ends the locks of the process (sqlite.org/howtocorrupt.html, section 2.2).
  // Files that are open for writing alone are no databases.
  int source = file;
  if ((fcntl(file, F_GETFL) & O_ACCMODE) == O_WRONLY) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    source = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (source < 0) return false;
  }
  int target = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  static char buffer[1 << 16];
  bool is_whole = target >= 0;
  for (off_t offset = 0; is_whole;) {
    ssize_t count = pread(source, buffer, sizeof buffer, offset);
    if (count == 0) break;
    is_whole = count > 0 && syscall(SYS_write, target, buffer, count) == count;
    offset += count;
  }
  if (target >= 0) close(target);
  if (source != file) close(source);
  return is_whole;
}

int sync_with_copy(int file, int (*sync)(int)) {
  struct stat status;
  if (!is_kept(file, &status)) return sync(file);
  // An older copy must not take the place of a newer one; it guards the buffer as well.
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  char name[PATH_MAX], next[PATH_MAX];
  name_copy(name, &status);
  snprintf(next, sizeof next, "%s/next-%d", folder, getpid());
  pthread_mutex_lock(&lock);
  bool is_whole = copy_to(next, file);
  int result = sync(file);
  int reason = errno;
  // A copy that could not be made is an error of the test, which finds none: an older one would pass for what the disk has.
  if (result == 0 && !(is_whole && syscall(SYS_renameat2, AT_FDCWD, next, AT_FDCWD, name, 0) == 0)) {
    syscall(SYS_unlinkat, AT_FDCWD, name, 0);
  }
  pthread_mutex_unlock(&lock);
  errno = reason;
  return result;
}

void forget_copy(int file) {
  struct stat status;
  if (!is_kept(file, &status)) return;
  char name[PATH_MAX];
  name_copy(name, &status);
  syscall(SYS_unlinkat, AT_FDCWD, name, 0);
}
