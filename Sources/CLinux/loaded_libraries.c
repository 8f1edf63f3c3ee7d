#define _GNU_SOURCE
#include "CLinux.h"
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *library_with_symbol(const char *symbol) {
  void *address = dlsym(RTLD_DEFAULT, symbol);
  Dl_info place;
  struct link_map *library = NULL;
  if (address == NULL || dladdr1(address, &place, (void **)&library, RTLD_DL_LINKMAP) == 0 || library == NULL) return NULL;
  // The executable's name is empty.
  return library->l_name[0] == '\0' ? NULL : library->l_name;
}

size_t library_folders(char **folders, size_t limit) {
  Dl_info place;
  struct link_map *self = NULL;
  // What the linker looks through for a call from here.
  if (dladdr1((void *)library_folders, &place, (void **)&self, RTLD_DL_LINKMAP) == 0 || self == NULL) return 0;
  Dl_serinfo size;
  if (dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0) return 0;
  Dl_serinfo *all = calloc(1, size.dls_size);
  if (all == NULL) return 0;
  size_t count = 0;
  if (dlinfo(self, RTLD_DI_SERINFOSIZE, all) == 0 && dlinfo(self, RTLD_DI_SERINFO, all) == 0)
    for (; count < all->dls_cnt && count < limit; count++)
      if ((folders[count] = strdup(all->dls_serpath[count].dls_name)) == NULL) break;
  free(all);
  return count;
}
