// Says which libraries programs have that are started as this one is, a name and a version a line.
#include <curl/curl.h>
#include <libssh2.h>
#include <stdio.h>

int main(void) {
  const char *version = libssh2_version(0);
  printf("libcurl\t%s\nlibssh2\t%s\n", curl_version(), version != NULL ? version : "");
  return 0;
}
