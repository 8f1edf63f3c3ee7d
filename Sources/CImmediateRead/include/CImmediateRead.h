#ifndef C_IMMEDIATE_READ_H
#define C_IMMEDIATE_READ_H

#include <sys/types.h>

/// Reads of files that return what is in memory, and wait for no disk. In C: Swift's Glibc lacks the functions.

/// How such reads of a file are done; -1 where they cannot be, errno says why.
int immediate_read_flags(int descriptor);

/// Reads at the file's position, and moves that.
///
/// Returns the bytes that were read, 0 at the end of the file, or -1: errno is EAGAIN where a disk would have to be waited for, and
/// EOPNOTSUPP where the file system knows no such reads.
ssize_t immediate_read(int descriptor, void *buffer, size_t size, int flags);

#endif
