#ifndef CKEYSTREAM_H
#define CKEYSTREAM_H

#include <stdbool.h>

/// AES in counter mode for callers that hand over one block at a time, as the transport of libssh2 1.10 does.

/// Whether the provider can be used: makes its library context on the first call, which changes no thread's default.
///
/// False where the process takes its algorithms from elsewhere than OpenSSL's default provider, is bound to FIPS's, or has a
/// configuration file (config(5)) that says more than how TLS is spoken; also without memory.
bool keystream_is_available(void);

/// Makes the library context the default of the calling thread, and of no other; false where it is not available.
bool keystream_use_on_this_thread(void);

/// The provider's name in OpenSSL.
#define KEYSTREAM_PROVIDER_NAME "urlloading-keystream"

#endif
