#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int rename_to_new(const char *from, const char *to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  // Also of a directory that would be moved into itself, which has no second name.
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (link(from, to) != 0) {
    if (errno == EPERM) errno = EINVAL;
    return -1;
  }
  return unlink(from);
}
