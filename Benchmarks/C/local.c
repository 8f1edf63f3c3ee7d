// What the machine does without a library: reading a file, decoding base64.
//
//   local read PATH      the whole file, through a buffer of 256 KiB
//   local whole PATH     the whole file, into one fresh buffer of its size
//   local copy FROM TO   the whole file into another
//   local base64 MIB     decodes so many MiB
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"

enum { BUFFER = 256 << 10 };

static unsigned long long read_file(const char *path, int is_whole, const char *target) {
  int file = open(path, O_RDONLY), out = -1;
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) fail(path, strerror(errno));
  if (target != NULL && (out = open(target, O_CREAT | O_TRUNC | O_WRONLY, 0644)) < 0) fail(target, strerror(errno));
  size_t size = is_whole ? (size_t)status.st_size + 1 : BUFFER;
  char *buffer = malloc(size);
  if (buffer == NULL) fail(path, "no memory");
  unsigned long long total = 0;
  ssize_t length;
  while ((length = read(file, is_whole ? buffer + total : buffer, is_whole ? size - total : size)) > 0) {
    total += (unsigned long long)length;
    if (out >= 0 && write(out, buffer, (size_t)length) != length) fail(target, strerror(errno));
  }
  if (length < 0) fail(path, strerror(errno));
  return total;
}

int main(int count, char **arguments) {
  if (count < 3) return 2;
  const char *mode = arguments[1];
  unsigned long long bytes;
  double begin, cpu;
  if (strcmp(mode, "base64") == 0) {
    int size = atoi(arguments[2]) << 20;
    unsigned char *raw = malloc((size_t)size), *text = malloc((size_t)size / 3 * 4 + 64), *out = malloc((size_t)size + 64);
    if (raw == NULL || text == NULL || out == NULL) fail(mode, "no memory");
    for (int i = 0; i < size; i++) raw[i] = (unsigned char)((unsigned)i * 2654435761u >> 24);
    int length = EVP_EncodeBlock(text, raw, size);
    begin = seconds_now(), cpu = cpu_seconds();
    if (EVP_DecodeBlock(out, text, length) < size) fail(mode, "not decoded");
    bytes = (unsigned long long)size;
  } else {
    begin = seconds_now(), cpu = cpu_seconds();
    bytes = read_file(arguments[2], strcmp(mode, "whole") == 0, strcmp(mode, "copy") == 0 ? arguments[3] : NULL);
  }
  report("C", mode, 1, 1, bytes, seconds_now() - begin, cpu_seconds() - cpu);
  return 0;
}
