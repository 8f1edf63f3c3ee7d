#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <unistd.h>

/// Copies by way of the buffer. Returns 0, or -1 with errno.
static int copy_through(char *buffer, size_t length, int from, int to) {
  for (;;) {
    ssize_t count = read(from, buffer, length);
    if (count == 0) return 0;
    if (count < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    for (ssize_t done = 0; done < count;) {
      ssize_t written = write(to, buffer + done, count - done);
      if (written >= 0) done += written;
      else if (errno != EINTR) return -1;
    }
  }
}

int copy_contents(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return 0;
  for (;;) {
    ssize_t count = copy_file_range(from, NULL, to, NULL, 1 << 30, 0);
    if (count == 0) return 0;
    if (count < 0 && errno != EINTR) break;
  }
  if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return -1;
  // Both descriptors stand where the calls above have left them.
  size_t length = 1 << 16;
  char *buffer = malloc(length);
  if (buffer == NULL) return -1;
  int result = copy_through(buffer, length, from, to);
  int reason = errno;
  free(buffer);
  errno = reason;
  return result;
}
