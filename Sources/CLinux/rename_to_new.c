#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/// Renames over a name that this process has claimed, which is given back where that fails.
static int rename_over(const char *from, const char *claimed, int (*give_back)(const char *)) {
  if (rename(from, claimed) == 0) return 0;
  int reason = errno;
  give_back(claimed);
  errno = reason;
  return -1;
}

/// Where the file system has no such step.
static int claim_and_rename(const char *from, const char *to) {
  struct stat status;
  if (lstat(from, &status) != 0) return -1;
  if (S_ISDIR(status.st_mode)) return mkdir(to, 0700) != 0 ? -1 : rename_over(from, to, rmdir);
  if (link(from, to) == 0) {
    if (unlink(from) == 0) return 0;
    int reason = errno;
    unlink(to);
    errno = reason;
    return -1;
  }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return -1;
  // It has no second names either.
  int claim = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (claim < 0) return -1;
  close(claim);
  return rename_over(from, to, unlink);
}

int rename_to_new(const char *from, const char *to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  // Also of a directory that would be moved into itself.
  return errno == EINVAL || errno == ENOSYS ? claim_and_rename(from, to) : -1;
}
