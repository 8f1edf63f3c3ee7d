#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFER_SIZE (1 << 16)
/// Bytes between two looks at the disk.
#define PIECE_SIZE (8 << 20)

/// What a copy goes by.
struct copying {
  char *buffer;
  int from, to;
  /// Bytes of the target's disk that stay free; 0 for none.
  int64_t reserve;
};

/// Returns 0 where so many bytes leave the disk what is to stay free, and -1 with ENOSPC where they do not.
static int look_for_room(const struct copying *copying, off_t count) {
  struct statvfs status;
  // Where nobody knows what is free, the writes say so. Some file systems do not say how large their blocks are.
  if (copying->reserve <= 0 || fstatvfs(copying->to, &status) != 0 || status.f_frsize == 0) return 0;
  uint64_t needed = (uint64_t)count + (uint64_t)copying->reserve;
  // Some file systems say that they have more than any number of bytes.
  if (status.f_bavail > UINT64_MAX / status.f_frsize || status.f_bavail * status.f_frsize >= needed) return 0;
  errno = ENOSPC;
  return -1;
}

static ssize_t write_all(int to, const char *buffer, ssize_t count) {
  for (ssize_t done = 0; done < count;) {
    ssize_t written = write(to, buffer + done, count - done);
    if (written >= 0) done += written;
    else if (errno != EINTR) return -1;
  }
  return count;
}

/// Copies by way of the buffer, from where both stand, up to a position or the end. Returns how far it came, or -1 with errno.
static off_t copy_through(const struct copying *copying, off_t position, off_t end) {
  while (position < end) {
    off_t rest = end - position;
    ssize_t count = read(copying->from, copying->buffer, rest < BUFFER_SIZE ? rest : BUFFER_SIZE);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 || look_for_room(copying, count) != 0 || write_all(copying->to, copying->buffer, count) < 0) return -1;
    position += count;
  }
  return position;
}

/// Has both descriptors stand at a position. Returns 0, or -1 with errno.
static int stand_at(off_t position, int from, int to) {
  return lseek(from, position, SEEK_SET) < 0 || lseek(to, position, SEEK_SET) < 0 ? -1 : 0;
}

/// Copies a stretch that is no hole, in the kernel where that can. Returns how far it came, or -1 with errno.
static off_t copy_stretch(const struct copying *copying, off_t position, off_t end) {
  if (stand_at(position, copying->from, copying->to) != 0) return -1;
  while (position < end) {
    off_t rest = end - position;
    off_t piece = rest < PIECE_SIZE ? rest : PIECE_SIZE;
    if (look_for_room(copying, piece) != 0) return -1;
    ssize_t count = copy_file_range(copying->from, NULL, copying->to, NULL, piece, 0);
    if (count == 0) return position;
    if (count > 0) position += count;
    else if (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
      return copy_through(copying, position, end);
    else if (errno != EINTR) return -1;
  }
  return position;
}

/// Copies what is no hole. Returns how far it came, holes included, or -1 with errno.
static off_t copy_stretches(const struct copying *copying) {
  int from = copying->from;
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
    position = copy_stretch(copying, start, end);
    if (position < end) return position;
  }
  return position;
}

static int copy_by(const struct copying *copying) {
  int from = copying->from, to = copying->to;
  off_t position = copy_stretches(copying);
  // A hole at the end is no bytes that were written.
  if (position < 0 || ftruncate(to, position) != 0 || stand_at(position, from, to) != 0) return -1;
  // The size of some files says nothing, as below /proc.
  return copy_through(copying, position, INT64_MAX) < 0 ? -1 : 0;
}

int copy_contents_leaving(int from, int to, int64_t reserve) {
  // A clone takes no room.
  if (ioctl(to, FICLONE, from) == 0) return 0;
  struct copying copying = {malloc(BUFFER_SIZE), from, to, reserve};
  if (copying.buffer == NULL) return -1;
  int result = copy_by(&copying);
  int reason = errno;
  free(copying.buffer);
  errno = reason;
  return result;
}
