#ifndef CKEYSTREAM_H
#define CKEYSTREAM_H

#include <stdbool.h>

/// AES in counter mode for callers that hand over one block at a time, as libssh2's transport does.
///
/// OpenSSL's own is at its best with many blocks a call; with one it costs four times as much a byte. In this mode the cipher's
/// output does not depend on the message (NIST SP 800-38A, 6.5): a provider (provider(7)) has OpenSSL make 4 KiB of it ahead, and
/// what is left for each block is an exclusive or.
///
/// What the calling thread asks OpenSSL for by default comes from a library context of our own from now on. It has what the
/// process's has, by the same configuration file, and this provider. No other thread's work changes.
///
/// Without effect where it must not or cannot be: false if the process is bound to FIPS's algorithms or has replaced OpenSSL's
/// default provider, if there is no memory, and with an OpenSSL before 3.0.
bool keystream_use_on_this_thread(void);

/// What the provider is called in OpenSSL.
#define KEYSTREAM_PROVIDER_NAME "urlloading-keystream"

#endif
