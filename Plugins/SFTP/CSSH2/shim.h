#pragma once

#include <libssh2.h>
#include <sys/eventfd.h>

// glibc shows it only with _GNU_SOURCE, which Swift's module does not define: the peer sends nothing more.
static const int cssh2_poll_peer_closed = 0x2000;
