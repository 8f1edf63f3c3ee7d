#ifndef URL_LOADING_C_LINUX_H
#define URL_LOADING_C_LINUX_H

// What Swift's Glibc module lacks of Linux.

#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/types.h>

/// The flags for reads of a file that wait for no disk; -1 where it has no such reads, errno says why.
int immediate_read_flags(int descriptor);

/// Reads without waiting for a disk, at a position, or at the file's own where that is -1, which moves.
///
/// Returns the bytes that were read, 0 at the end of the file, or -1: errno is EAGAIN where a disk would have to be waited for, and
/// EOPNOTSUPP where the file system knows no such reads.
ssize_t immediate_read(int descriptor, void *buffer, size_t size, off_t position, int flags);

/// A socket from which the kernel's messages about changes of links, addresses and routes can be read without waiting (rtnetlink(7));
/// exec closes it. -1 where none can be had, errno says why.
int open_network_changes(void);

/// Has two files of one file system exchange their names in one step (renameat2(2)). -1 where that failed; errno is EINVAL where the file
/// system cannot do it.
int exchange_names(const char *first, const char *second);

/// Gives a file or a directory another name, where nothing has that (renameat2(2)). Where the file system cannot do it in one step, a file has
/// both names for a moment, and an empty directory the new one. -1 where that failed; errno is EEXIST where there is something, EINVAL where a
/// directory would be moved into itself.
int rename_to_new(const char *from, const char *to);

/// Whether a descriptor is of a file below `/sys`.
static inline bool is_of_sysfs(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 && status.f_type == SYSFS_MAGIC;
}

/// Whether a descriptor is a local socket that children inherit.
static inline int is_inherited_local_socket(int descriptor) {
  int domain = 0;
  socklen_t size = sizeof domain;
  return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX &&
         (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0;
}

/// Whether something is on its way through a local socket, from it or to it.
static inline int has_bytes_on_their_way(int descriptor) {
  int unread = 0, untaken = 0;
  ioctl(descriptor, FIONREAD, &unread);
  ioctl(descriptor, TIOCOUTQ, &untaken);
  return unread > 0 || untaken > 0;
}

/// Starts a program without arguments, in a process group of its own, with default signals and no descriptors but one, which is its
/// standard input and output. Returns 0, or the error's number.
int start_helper(const char *path, int descriptor, char *const environment[], pid_t *process);

/// Starts a program that outlives this process: in a session of its own and as nobody's child, with default signals and no descriptors but
/// `/dev/null`. The first argument is its name. `standard_error` is what it has as that, /dev/null where it is negative; `descriptor_limit` is
/// its soft limit of descriptors, 0 for this process's. `process` becomes a descriptor that is readable when it has ended, which the caller
/// closes, or -1. Returns 0, or the error's number.
int start_service(
  const char *path, char *const arguments[], char *const environment[], int standard_error, uint64_t descriptor_limit,
  int *process);

/// Copies a file into an empty one, shared with the original where the file system can do that, and with its holes, and leaves so many bytes
/// of the copy's disk free. Returns 0, or -1 with errno: ENOSPC also where fewer would be free.
int copy_contents_leaving(int from, int to, int64_t reserve);

/// Copies the next piece of a file from where both stand, in the kernel where that can. Returns how many bytes, 0 at the file's end, or -1
/// with errno.
ssize_t copy_piece(int from, int to, size_t count);

/// The next connection of a listening socket, which exec closes and whose calls do not wait. -1 where there is none, errno says why.
int accept_connection(int listener);

/// The user at the other end of a local socket; -1 where nobody knows.
uid_t peer_of_socket(int descriptor);

/// The path of the shared library from which the process has a symbol; NULL where its executable has it, or nobody. The text lasts as long
/// as the library is loaded.
const char *library_with_symbol(const char *symbol);

/// The folders that the dynamic linker looks for a library in, in their order, but for those that its cache knows alone. Each text is to be
/// freed. Returns how many there are, `limit` at most.
size_t library_folders(char **folders, size_t limit);

/// The name of the calling thread, for debuggers.
static inline void name_thread(const char *name) { prctl(PR_SET_NAME, name); }

#endif
