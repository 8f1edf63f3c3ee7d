#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/uio.h>

int immediate_read_flags(int descriptor) {
  struct statfs system;
  if (fstatfs(descriptor, &system) != 0) return -1;
  // These have no disk, and refuse RWF_NOWAIT.
  if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC) return 0;
  return RWF_NOWAIT;
}

ssize_t immediate_read(int descriptor, void *buffer, size_t size, off_t position, int flags) {
  struct iovec piece = {.iov_base = buffer, .iov_len = size};
  ssize_t result;
  do result = preadv2(descriptor, &piece, 1, position, flags);
  while (result < 0 && errno == EINTR);
  return result;
}
