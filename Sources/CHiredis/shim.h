#pragma once

#include <hiredis/async.h>
#include <hiredis/hiredis.h>

#if HIREDIS_MAJOR >= 1
typedef size_t url_loading_redis_count;
#else
typedef int url_loading_redis_count;
#endif

/// What hiredis makes replies with.
static inline redisReplyObjectFunctions *url_loading_redis_functions(void) {
  static redisReplyObjectFunctions functions;
  return &functions;
}

static inline void *url_loading_redis_make_array(const redisReadTask *task, url_loading_redis_count count) {
  return count > 1 << 16 ? NULL : url_loading_redis_functions()->createArray(task, count);
}

/// Refuses lists of more elements than any answer here has: hiredis takes memory for as many as a server announces. On one thread.
static inline void url_loading_redis_limit(redisAsyncContext *context) {
  static redisReplyObjectFunctions limited;
  redisReader *reader = context->c.reader;
  if (reader->fn == &limited) return;
  *url_loading_redis_functions() = *reader->fn;
  limited = *reader->fn;
  limited.createArray = url_loading_redis_make_array;
  reader->fn = &limited;
}
