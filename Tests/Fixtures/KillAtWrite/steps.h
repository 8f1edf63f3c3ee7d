// What the calls of `calls.c` say before and after they change the disk.
#ifndef STEPS_H
#define STEPS_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>

/// The value of a variable of the environment, which loses it: programs that this one starts do not have it. NULL for none.
const char *take_variable(const char *name);

/// A call changes the disk now.
void step(void);

/// A call changes an open file now, if it is one with a name.
void step_at(int file);

/// A file is opened now, and made or emptied if it is to be.
void step_opening(int folder, const char *path, int flags);

/// A folder, or another name, is made now, if there is none.
void step_making(int folder, const char *path);

/// Writes a file through to the disk by `sync`, and keeps a copy of what it has then.
/// - Returns: what `sync` returns.
int sync_with_copy(int file, int (*sync)(int));

/// A file was made: a copy with its number is that of another one, which is gone.
void forget_copy(int file);

/// The file that is read in the place of this one; NULL for itself.
const char *other_file(const char *path);

#endif
