// Preloaded into a program: sets the wall's clock of that program alone. The clocks that nobody sets (CLOCK_MONOTONIC, CLOCK_BOOTTIME) stay
// as they are.
//
// The file that SET_CLOCK names has the number of seconds by which the clock is ahead, 8 bytes in the machine's order. What the test writes
// there counts from the next call on, also for who waits until a time by the clock, as it does where the machine's clock is set.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { NANOSECONDS = 1000000000 };

// Nanoseconds: who waits until a time by the clock looks as often whether it has been set.
static const int64_t slice = NANOSECONDS / 20;

static const volatile int64_t *ahead;

__attribute__((constructor)) static void open_file(void) {
  const char *path = getenv("SET_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) ahead = memory;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  // Past the vDSO, and past the function that this one is in front of.
  if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
  if ((clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && ahead) time->tv_sec += *ahead;
  return 0;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// How many nanoseconds the clock needs to come to a time: none or fewer where it has.
static int64_t until(const struct timespec *time) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)(time->tv_sec - now.tv_sec) * NANOSECONDS + time->tv_nsec - now.tv_nsec;
}

// By a clock that nobody sets, when to look again.
static struct timespec next_look(int64_t rest) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_nsec += rest < slice ? rest : slice;
  time.tv_sec += time.tv_nsec / NANOSECONDS;
  time.tv_nsec %= NANOSECONDS;
  return time;
}

int sem_timedwait(sem_t *semaphore, const struct timespec *time) {
  while (sem_trywait(semaphore) != 0) {
    if (errno != EAGAIN) return -1;
    int64_t rest = until(time);
    if (rest <= 0) {
      errno = ETIMEDOUT;
      return -1;
    }
    struct timespec look = next_look(rest);
    if (sem_clockwait(semaphore, CLOCK_MONOTONIC, &look) == 0) return 0;
    if (errno != ETIMEDOUT) return -1;
  }
  return 0;
}

// Of conditions with the usual clock. Who waits is woken for nothing now and then, as anybody has to expect (pthread_cond_timedwait(3)).
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
  int64_t rest = until(time);
  if (rest <= 0) return ETIMEDOUT;
  struct timespec look = next_look(rest);
  int error = pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &look);
  return error == ETIMEDOUT ? 0 : error;
}
