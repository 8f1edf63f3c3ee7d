#define _GNU_SOURCE
#include "CLinux.h"
#include <stdio.h>

int exchange_names(const char *first, const char *second) {
  return renameat2(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE);
}
