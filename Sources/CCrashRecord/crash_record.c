#include "CCrashRecord.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>

struct list {
  int64_t count;
  int64_t numbers[CRASH_RECORD_CAPACITY];
};

// One is read by a crash, whenever it comes, while the other is written.
static struct list lists[2];
static _Atomic int current;
static int record = -1;
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
static struct sigaction earlier[sizeof faults / sizeof *faults];

// In a signal handler: calls that POSIX lists as safe there, and no other.
static void note(int signal, siginfo_t *information, void *context) {
  static atomic_flag is_noted = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&is_noted)) {
    struct list *list = &lists[atomic_load(&current)];
    int64_t head[2] = {signal, list->count};
    struct iovec parts[2] = {{head, sizeof head}, {list->numbers, (size_t)list->count * sizeof *list->numbers}};
    (void)!writev(record, parts, 2);
  }
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) {
    // Swift's runtime prints a backtrace, and counts on a fault that comes again, which one that was sent does not.
    if (faults[index] != signal) continue;
    if (earlier[index].sa_flags & SA_SIGINFO) earlier[index].sa_sigaction(signal, information, context);
  }
  struct sigaction end;
  memset(&end, 0, sizeof end);
  end.sa_handler = SIG_DFL;
  sigaction(signal, &end, NULL);
  // It is blocked, and so ends the process with the return from here.
  raise(signal);
}

int crash_record_begin(int descriptor) {
  record = descriptor;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) {
    if (sigaction(faults[index], &action, &earlier[index]) != 0) return errno;
  }
  return 0;
}

void crash_record_set(const int64_t *numbers, int count) {
  int next = 1 - atomic_load(&current);
  if (count > CRASH_RECORD_CAPACITY) count = CRASH_RECORD_CAPACITY;
  lists[next].count = count;
  if (count > 0) memcpy(lists[next].numbers, numbers, (size_t)count * sizeof *numbers);
  atomic_store(&current, next);
}
