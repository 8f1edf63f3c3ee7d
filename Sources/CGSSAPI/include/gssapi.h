#pragma once
#include <stddef.h>

// GSS-API (RFC 2744) of MIT Kerberos, opened at run time: programs that never negotiate need no such library.

// Takes the library's functions from a handle of `dlopen`, once, before anything else is called. Returns whether it has all of them.
int url_loading_gss_use(void *library);

// One login: the state between its tokens.
typedef struct url_loading_gss_login url_loading_gss_login;

// Begins a login to a service, such as "HTTP@host", from the tickets of the process. NULL without memory or library.
url_loading_gss_login *url_loading_gss_begin(const char *service);

// The next token, which answers the server's last; that is NULL at first. Blocks as long as the KDC takes. Returns 1 for a token that
// the caller frees, 0 where the login is complete without one, and -1 with words that the caller frees.
int url_loading_gss_step(
  url_loading_gss_login *login, const void *received, size_t received_length, unsigned char **token, size_t *length,
  char **words);

void url_loading_gss_end(url_loading_gss_login *login);
