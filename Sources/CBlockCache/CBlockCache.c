#include "CBlockCache.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BLOCK_CACHE_IS_OFF 1
#endif
#endif

#ifdef BLOCK_CACHE_IS_OFF

// The sanitizers must see each block, and its end.
void *block_cache_malloc(size_t size) { return malloc(size); }
void block_cache_free(void *block) { free(block); }
void *block_cache_realloc(void *block, size_t size) { return realloc(block, size); }
void *block_cache_calloc(size_t count, size_t size) { return calloc(count, size); }
char *block_cache_strdup(const char *text) { return strdup(text); }
size_t block_cache_kept(void) { return 0; }

#else

/// Stands in front of each block; as large as the alignment that malloc promises.
typedef struct Header {
  /// Bytes behind the header.
  size_t capacity;
  union {
    /// Of a block in use: its place in `sizes`, or `not_kept`.
    uint32_t size_class;
    /// Of a kept one: the next of the same size.
    struct Header *next;
  } as;
} Header;

_Static_assert(sizeof(Header) == 16, "blocks must stay aligned");

/// Sizes of blocks with their headers. The odd ones are libcurl's buffers: 16, 64 or 512 KiB, and a byte.
static const uint32_t sizes[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16448, 32768, 65600, 524352};
/// How many of each a thread keeps: what a crowd of transfers frees at once, of the small ones several for each.
static const uint32_t limits[] = {1024, 1024, 1024, 1024, 512, 512, 256, 64, 64, 16, 128, 4};

enum { class_count = sizeof(sizes) / sizeof(sizes[0]), not_kept = class_count, buffer_classes = class_count - 2 };

typedef struct {
  Header *first[class_count];
  uint32_t count[class_count];
  /// The thread's end will free what is kept.
  int is_known;
} Cache;

static _Thread_local Cache cache;
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int has_key;

static void free_all(void *value) {
  Cache *kept = value;
  for (int index = 0; index < class_count; index++) {
    while (kept->first[index]) {
      Header *header = kept->first[index];
      kept->first[index] = header->as.next;
      free(header);
    }
    kept->count[index] = 0;
  }
  // Destructors of other libraries may free more afterwards, which then makes the C library call this again.
  kept->is_known = 0;
}

static void make_key(void) { has_key = pthread_key_create(&key, free_all) == 0; }

static uint32_t class_of(size_t size) {
  if (size > sizes[buffer_classes - 1] - sizeof(Header)) {
    // Blocks of other sizes would waste too much.
    for (uint32_t index = buffer_classes; index < class_count; index++) {
      if (size <= sizes[index] - sizeof(Header) && size + 1024 > sizes[index]) return index;
    }
    return not_kept;
  }
  size_t whole = size + sizeof(Header);
  if (whole <= 64) return 0;
  if (whole > 8192) return whole <= 16448 ? 8 : 9;
  // 65...128 is class 1, and so on.
  return 58 - (uint32_t)__builtin_clzl(whole - 1);
}

void *block_cache_malloc(size_t size) {
  uint32_t size_class = class_of(size);
  Header *header;
  if (size_class != not_kept && (header = cache.first[size_class])) {
    cache.first[size_class] = header->as.next;
    cache.count[size_class]--;
  } else {
    size_t capacity = size_class == not_kept ? size : sizes[size_class] - sizeof(Header);
    if (capacity > SIZE_MAX - sizeof(Header)) return NULL;
    header = malloc(capacity + sizeof(Header));
    if (!header) return NULL;
    header->capacity = capacity;
  }
  header->as.size_class = size_class;
  return header + 1;
}

static __attribute__((noinline)) void free_block(Header *header) {
  uint32_t size_class = header->as.size_class;
  if (size_class >= class_count || cache.count[size_class] >= limits[size_class]) {
    free(header);
    return;
  }
  if (!cache.is_known) {
    pthread_once(&key_once, make_key);
    if (!has_key || pthread_setspecific(key, &cache) != 0) {
      free(header);
      return;
    }
    cache.is_known = 1;
  }
  header->as.next = cache.first[size_class];
  cache.first[size_class] = header;
  cache.count[size_class]++;
}

void block_cache_free(void *block) {
  // Apart: libcurl frees a hundred null pointers for every transfer, which shall not pay for saving registers.
  if (block) free_block((Header *)block - 1);
}

void *block_cache_realloc(void *block, size_t size) {
  if (!block) return block_cache_malloc(size);
  Header *header = (Header *)block - 1;
  if (size <= header->capacity && (header->as.size_class != not_kept || size > header->capacity / 2)) return block;
  if (header->as.size_class == not_kept && class_of(size) == not_kept) {
    if (size > SIZE_MAX - sizeof(Header)) return NULL;
    Header *moved = realloc(header, size + sizeof(Header));
    if (!moved) return NULL;
    moved->capacity = size;
    return moved + 1;
  }
  void *moved = block_cache_malloc(size);
  if (!moved) return NULL;
  memcpy(moved, block, size < header->capacity ? size : header->capacity);
  block_cache_free(block);
  return moved;
}

void *block_cache_calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
  void *block = block_cache_malloc(bytes);
  if (block) memset(block, 0, bytes);
  return block;
}

char *block_cache_strdup(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = block_cache_malloc(size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

size_t block_cache_kept(void) {
  size_t sum = 0;
  for (int index = 0; index < class_count; index++) sum += cache.count[index];
  return sum;
}

#endif
