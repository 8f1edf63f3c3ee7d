// Runs a command and writes what it took to a file. A process's peak memory begins with that of whoever started it: this program
// is small.
//
//   run RESULT CORE COMMAND...     CORE: the core that the command is pinned to; - for none
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

int main(int count, char **arguments) {
  if (count < 4) return 2;
  if (strcmp(arguments[2], "-") != 0) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(atoi(arguments[2]), &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) != 0) fail(arguments[2], "no such core");
  }
  double begin = seconds_now();
  pid_t child = vfork();
  if (child == 0) {
    execvp(arguments[3], arguments + 3);
    _exit(127);
  }
  if (child < 0) fail(arguments[3], "cannot be started");
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) fail(arguments[3], "cannot be waited for");
  double wall = seconds_now() - begin;
  FILE *result = fopen(arguments[1], "w");
  if (result == NULL) fail(arguments[1], "cannot be written");
  double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  fprintf(result, "{\"begin\":%.9f,\"wall\":%.6f,\"cpu\":%.6f,\"rss_kb\":%ld}\n", begin, wall, cpu, usage.ru_maxrss);
  fclose(result);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
