#pragma once

#include <libssh2.h>
#include <sys/eventfd.h>

// glibc shows it only with _GNU_SOURCE, which Swift's module does not define: the peer sends nothing more.
static const int cssh2_poll_peer_closed = 0x2000;

// Deprecated since 1.11.1 in favour of a function that older versions lack.
static inline void cssh2_set_callback(LIBSSH2_SESSION *session, int kind, void *function) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  libssh2_session_callback_set(session, kind, function);
#pragma clang diagnostic pop
}
