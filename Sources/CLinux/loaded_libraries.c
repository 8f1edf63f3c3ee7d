#define _GNU_SOURCE
#include "CLinux.h"
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

const char *library_with_symbol(const char *symbol) {
  void *address = dlsym(RTLD_DEFAULT, symbol);
  Dl_info place;
  struct link_map *library = NULL;
  if (address == NULL || dladdr1(address, &place, (void **)&library, RTLD_DL_LINKMAP) == 0 || library == NULL) return NULL;
  // The executable's name is empty.
  return library->l_name[0] == '\0' ? NULL : library->l_name;
}
