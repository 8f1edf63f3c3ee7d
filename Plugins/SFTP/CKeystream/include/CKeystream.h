#ifndef CKEYSTREAM_H
#define CKEYSTREAM_H

#include <stdbool.h>

/// AES in counter mode for callers that hand over one block at a time, as libssh2's transport does.
///
/// OpenSSL's own is at its best with many blocks a call; with one it costs four times as much a byte. In this mode the cipher's
/// output does not depend on the message (NIST SP 800-38A, 6.5): a provider (provider(7)) has OpenSSL make 4 KiB of it ahead, and
/// what is left for each block is an exclusive or.
///
/// What the calling thread asks OpenSSL for by default comes from a library context of our own from now on, which has OpenSSL's
/// default provider and this one. No other thread's work changes.
///
/// Without effect where the process is set up in any other way: false if it takes its algorithms from elsewhere, is bound to FIPS's,
/// or has a configuration file (config(5)) that says more than how TLS is spoken. Also if there is no memory, and with an OpenSSL
/// before 3.0.
bool keystream_use_on_this_thread(void);

/// What the provider is called in OpenSSL.
#define KEYSTREAM_PROVIDER_NAME "urlloading-keystream"

#endif
