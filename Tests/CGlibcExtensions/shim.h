// Functions of glibc that its headers show only with _GNU_SOURCE, which Swift's Glibc module does not define.
#ifndef GLIBC_EXTENSIONS_SHIM_H
#define GLIBC_EXTENSIONS_SHIM_H

#include <spawn.h>
#include <sys/socket.h>

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
int pipe2(int descriptors[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

#endif
