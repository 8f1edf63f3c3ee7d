#ifndef CFUTEXLOCK_H
#define CFUTEXLOCK_H

#include <stdbool.h>
#include <stdint.h>

/// A lock of one word, for the many short sections that a load passes: without contention it is one atomic instruction in the place
/// where it is used, a third of what a call of pthread_mutex_lock costs. Who has to wait sleeps in the kernel (futex(2)).
///
/// 0 is free, 1 is taken, 2 is taken and somebody may sleep. All zero is a lock to begin with, and nothing has to be done at its end.
typedef uint32_t futex_lock_word;

/// Under the thread sanitizer: it sees atomic instructions in C only, and so has to be given each.
extern const bool futex_lock_is_watched;

void futex_lock_contended(futex_lock_word *lock);
void futex_lock_release(futex_lock_word *lock);
void futex_lock_wake(futex_lock_word *lock);

/// Takes the lock; waits for it as long as it takes. Not recursive.
static inline void futex_lock_take(futex_lock_word *lock) {
  futex_lock_word expected = 0;
  if (__builtin_expect(futex_lock_is_watched, false) ||
      !__atomic_compare_exchange_n(lock, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    futex_lock_contended(lock);
  }
}

/// Gives the lock back, on any thread.
static inline void futex_lock_give(futex_lock_word *lock) {
  if (__builtin_expect(futex_lock_is_watched, false)) {
    futex_lock_release(lock);
  } else if (__builtin_expect(__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2, false)) {
    futex_lock_wake(lock);
  }
}

#endif
