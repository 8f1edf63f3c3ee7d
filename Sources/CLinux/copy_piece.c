#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <unistd.h>

#define BUFFER_SIZE (1 << 16)

/// By way of this process.
static ssize_t copy_through(int from, int to, size_t count) {
  char buffer[BUFFER_SIZE];
  ssize_t got;
  do got = read(from, buffer, count < BUFFER_SIZE ? count : BUFFER_SIZE);
  while (got < 0 && errno == EINTR);
  for (ssize_t done = 0; done < got;) {
    ssize_t written = write(to, buffer + done, got - done);
    if (written >= 0) done += written;
    else if (errno != EINTR) return -1;
  }
  return got;
}

ssize_t copy_piece(int from, int to, size_t count) {
  ssize_t copied;
  do copied = copy_file_range(from, NULL, to, NULL, count, 0);
  while (copied < 0 && errno == EINTR);
  if (copied > 0) return copied;
  // Some kernels say 0 of files that are no end of them, as below /proc.
  if (copied == 0 || errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) return copy_through(from, to, count);
  return -1;
}
