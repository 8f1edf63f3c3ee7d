// Prints the nanoseconds of the monotonic clock when the first byte of a URL is there. libcurl alone.
//
//   first-byte URL
#include <curl/curl.h>
#include <stdio.h>
#include <time.h>

static size_t take(char *data, size_t size, size_t number, void *context) {
  (void)data;
  struct timespec *time = context;
  if (time->tv_sec == 0) clock_gettime(CLOCK_MONOTONIC, time);
  return size * number;
}

int main(int count, char **arguments) {
  struct timespec time = {0};
  if (count != 2) return 2;
  curl_global_init(CURL_GLOBAL_ALL);
  CURL *easy = curl_easy_init();
  if (easy == NULL) return 1;
  curl_easy_setopt(easy, CURLOPT_URL, arguments[1]);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &time);
  if (curl_easy_perform(easy) != CURLE_OK || time.tv_sec == 0) return 1;
  printf("%lld\n", (long long)time.tv_sec * 1000000000 + time.tv_nsec);
  return 0;
}
