#include "CBlockCache.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A block is what malloc gave, with nothing in front of it: what is small has to stay small, or the blocks of 64 transfers
// leave a processor's cache. How large a block is, malloc knows.

/// A kept block.
typedef struct Block {
  /// The next of the same size.
  struct Block *next;
} Block;

/// Up to `largest_small`, there is a class for each 16 bytes, as large as glibc makes its blocks: 24, 40, 56 and so on.
enum { smallest = 24, step = 16, small_count = 64, largest_small = smallest + (small_count - 1) * step };

/// The other classes. The odd ones are libcurl's buffers: 16, 64 or 512 KiB, and a byte.
static const size_t large_sizes[] = {1288, 1544, 2056, 2568, 3080, 4104, 5128, 6152, 8200, 16392, 32776, 65544, 524296};
/// How many of each a thread keeps: what 256 transfers free at once.
static const uint32_t large_limits[] = {512, 512, 512, 512, 256, 256, 256, 128, 64, 64, 16, 128, 4};
static const uint32_t small_limit = 1024;
/// From this small class on, of 536 bytes, half as many.
enum { half_as_many = 32 };
/// How many bytes it keeps of all sizes together but those of libcurl's large buffers, which have their limits only: many small
/// blocks shall not leave them without room.
static const size_t bytes_limit = 4 << 20;

enum {
  large_count = sizeof(large_sizes) / sizeof(large_sizes[0]),
  class_count = small_count + large_count,
  /// From here on, other sizes would waste too much of a block.
  buffer_classes = large_count - 2,
  not_kept = class_count
};

/// The blocks of a class.
typedef struct {
  Block *first;
  uint32_t count;
} Class;

typedef struct {
  Class classes[class_count];
  /// How many bytes more may be kept.
  size_t room;
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
    Class *class = &kept->classes[index];
    while (class->first) {
      Block *block = class->first;
      class->first = block->next;
      free(block);
    }
    class->count = 0;
  }
  // Destructors of other libraries may free more afterwards, which then makes the C library call this again.
  kept->is_known = 0;
}

static void make_key(void) { has_key = pthread_key_create(&key, free_all) == 0; }

static size_t size_of(uint32_t class) {
  return class < small_count ? smallest + (size_t)class * step : large_sizes[class - small_count];
}

/// What a block counts for in `room`.
static size_t charge_of(uint32_t class) { return class < small_count + buffer_classes ? size_of(class) : 0; }

static uint32_t limit_of(uint32_t class) {
  if (class < half_as_many) return small_limit;
  return class < small_count ? small_limit / 2 : large_limits[class - small_count];
}

/// The class whose blocks hold `size` bytes, which are more than a small one has.
static uint32_t large_class_for(size_t size) {
  for (uint32_t index = 0; index < large_count; index++) {
    if (size > large_sizes[index]) continue;
    return index < buffer_classes || size + 1024 > large_sizes[index] ? small_count + index : not_kept;
  }
  return not_kept;
}

/// The class whose blocks hold `size` bytes.
static inline uint32_t class_for(size_t size) {
  if (size > largest_small) return large_class_for(size);
  return size <= smallest ? 0 : (uint32_t)((size - smallest + step - 1) / step);
}

/// The class that a block of `size` bytes can be kept for, which is none of the small ones' own sizes.
static uint32_t large_class_of(size_t size) {
  if (size < smallest) return not_kept;
  if (size < large_sizes[0]) return small_count - 1;
  uint32_t index = large_count - 1;
  while (size < large_sizes[index]) index--;
  // The C library makes large blocks of whole pages.
  return size - large_sizes[index] < (index < buffer_classes ? large_sizes[index] : 8192) ? small_count + index : not_kept;
}

/// The class that a block of `size` bytes can be kept for.
static inline uint32_t class_of(size_t size) {
  return size >= smallest && size <= largest_small ? (uint32_t)((size - smallest) / step) : large_class_of(size);
}

void *block_cache_malloc(size_t size) {
  uint32_t index = class_for(size);
  if (index == not_kept) return malloc(size);
  Class *class = &cache.classes[index];
  Block *block = class->first;
  if (!block) return malloc(size_of(index));
  class->first = block->next;
  class->count--;
  cache.room += charge_of(index);
  return block;
}

/// Whether the thread's end will free what is kept.
static __attribute__((noinline, cold)) int prepare(void) {
  pthread_once(&key_once, make_key);
  if (!has_key || pthread_setspecific(key, &cache) != 0) return 0;
  cache.is_known = 1;
  cache.room = bytes_limit;
  return 1;
}

static __attribute__((noinline)) void free_block(Block *block) {
  uint32_t index = class_of(malloc_usable_size(block));
  if (index != not_kept && cache.classes[index].count < limit_of(index)) {
    size_t charge = charge_of(index);
    if ((cache.is_known || prepare()) && cache.room >= charge) {
      Class *class = &cache.classes[index];
      block->next = class->first;
      class->first = block;
      class->count++;
      cache.room -= charge;
      return;
    }
  }
  free(block);
}

void block_cache_free(void *block) {
  // Apart: libcurl frees a hundred null pointers for every transfer, which shall not pay for saving registers.
  if (block) free_block(block);
}

void *block_cache_realloc(void *block, size_t size) {
  if (!block) return block_cache_malloc(size);
  size_t present = malloc_usable_size(block);
  uint32_t class = class_of(present);
  if (size <= present && (class != not_kept || size > present / 2)) return block;
  if (class == not_kept && class_for(size) == not_kept) return realloc(block, size);
  void *moved = block_cache_malloc(size);
  if (!moved) return NULL;
  memcpy(moved, block, size < present ? size : present);
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
  for (int index = 0; index < class_count; index++) sum += cache.classes[index].count;
  return sum;
}
