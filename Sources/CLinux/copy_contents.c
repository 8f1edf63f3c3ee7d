#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFER_SIZE (1 << 16)

static ssize_t write_all(int to, const char *buffer, ssize_t count) {
  for (ssize_t done = 0; done < count;) {
    ssize_t written = write(to, buffer + done, count - done);
    if (written >= 0) done += written;
    else if (errno != EINTR) return -1;
  }
  return count;
}

/// Copies by way of the buffer, from where both stand, up to a position or the end. Returns how far it came, or -1 with errno.
static off_t copy_through(char *buffer, int from, int to, off_t position, off_t end) {
  while (position < end) {
    off_t rest = end - position;
    ssize_t count = read(from, buffer, rest < BUFFER_SIZE ? rest : BUFFER_SIZE);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 || write_all(to, buffer, count) < 0) return -1;
    position += count;
  }
  return position;
}

/// Has both descriptors stand at a position. Returns 0, or -1 with errno.
static int stand_at(off_t position, int from, int to) {
  return lseek(from, position, SEEK_SET) < 0 || lseek(to, position, SEEK_SET) < 0 ? -1 : 0;
}

/// Copies a stretch that is no hole, in the kernel where that can. Returns how far it came, or -1 with errno.
static off_t copy_stretch(char *buffer, int from, int to, off_t position, off_t end) {
  if (stand_at(position, from, to) != 0) return -1;
  while (position < end) {
    off_t rest = end - position;
    ssize_t count = copy_file_range(from, NULL, to, NULL, rest < 1 << 30 ? rest : 1 << 30, 0);
    if (count == 0) return position;
    if (count > 0) position += count;
    else if (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
      return copy_through(buffer, from, to, position, end);
    else if (errno != EINTR) return -1;
  }
  return position;
}

/// Copies what is no hole. Returns how far it came, holes included, or -1 with errno.
static off_t copy_stretches(char *buffer, int from, int to) {
  struct stat status;
  if (fstat(from, &status) != 0) return -1;
  off_t position = 0;
  while (position < status.st_size) {
    off_t start = lseek(from, position, SEEK_DATA);
    // A hole up to the end.
    if (start < 0 && errno == ENXIO) return status.st_size;
    // The file system knows of no holes.
    if (start < 0) return position;
    off_t end = lseek(from, start, SEEK_HOLE);
    if (end < 0) return position;
    position = copy_stretch(buffer, from, to, start, end);
    if (position < end) return position;
  }
  return position;
}

static int copy_by(char *buffer, int from, int to) {
  off_t position = copy_stretches(buffer, from, to);
  // A hole at the end is no bytes that were written.
  if (position < 0 || ftruncate(to, position) != 0 || stand_at(position, from, to) != 0) return -1;
  // The size of some files says nothing, as below /proc.
  return copy_through(buffer, from, to, position, INT64_MAX) < 0 ? -1 : 0;
}

int copy_contents(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return 0;
  char *buffer = malloc(BUFFER_SIZE);
  if (buffer == NULL) return -1;
  int result = copy_by(buffer, from, to);
  int reason = errno;
  free(buffer);
  errno = reason;
  return result;
}
