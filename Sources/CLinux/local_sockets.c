#define _GNU_SOURCE
#include "CLinux.h"
#include <stddef.h>

int accept_connection(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

uid_t peer_of_socket(int descriptor) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return (uid_t)-1;
  return credentials.uid;
}
