#include "CBlockCache.h"

int block_cache_malloc(void) { return 42; }
int immediate_read(void) { return 43; }
