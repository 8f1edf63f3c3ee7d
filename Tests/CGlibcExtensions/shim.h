// Functions of glibc that its headers show only with _GNU_SOURCE, which Swift's Glibc module does not define.
//
// It does not include <sys/socket.h>: the enumerators in there, such as SOCK_STREAM, would be of this module for the files of a compiler's
// batch, and not of Glibc.
#ifndef GLIBC_EXTENSIONS_SHIM_H
#define GLIBC_EXTENSIONS_SHIM_H

#include <spawn.h>

struct sockaddr;

int accept4(int socket, struct sockaddr *address, unsigned int *length, int flags);
int pipe2(int descriptors[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

#endif
