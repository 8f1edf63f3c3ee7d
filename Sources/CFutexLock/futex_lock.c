#include "CFutexLock.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FUTEX_LOCK_IS_WATCHED true
#endif
#endif
#ifndef FUTEX_LOCK_IS_WATCHED
#define FUTEX_LOCK_IS_WATCHED false
#endif

const bool futex_lock_is_watched = FUTEX_LOCK_IS_WATCHED;

/// Sections are short: who has the lock is mostly done before a sleep would have begun.
enum { attempts_before_sleep = 50 };

static void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void futex_lock_contended(futex_lock_word *lock) {
  for (int attempt = 0; attempt < attempts_before_sleep; attempt++) {
    futex_lock_word expected = 0;
    if (__atomic_load_n(lock, __ATOMIC_RELAXED) == 0 &&
        __atomic_compare_exchange_n(lock, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return;
    }
    pause_briefly();
  }
  // From now on the one who gives it back wakes somebody; once too often where nobody else sleeps.
  while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0) {
    int saved = errno;
    // Returns at once if the word is not 2 any more; a signal's return does no harm.
    syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    errno = saved;
  }
}

void futex_lock_release(futex_lock_word *lock) {
  if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2) futex_lock_wake(lock);
}

void futex_lock_wake(futex_lock_word *lock) {
  int saved = errno;
  // The memory may be another's by now; then somebody is woken for nothing, or nobody.
  syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  errno = saved;
}
