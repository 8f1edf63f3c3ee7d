// The names are those of functions in the library's own C target.
int block_cache_malloc(void);
int immediate_read(void);
