// What every program here says of itself.
#ifndef MEASURE_H
#define MEASURE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static inline double seconds_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

// A number of /proc/self/status, in kilobytes. ru_maxrss is none of it: it begins with the parent's.
static inline long resident_kilobytes(const char *format) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long value = 0;
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, format, &value) == 1) break;
  fclose(file);
  return value;
}

static inline void report(const char *client, const char *mode, long count, int concurrency, unsigned long long bytes,
                          double wall, double cpu) {
  printf("{\"client\":\"%s\",\"mode\":\"%s\",\"n\":%ld,\"c\":%d,\"bytes\":%llu,\"wall\":%.6f,\"cpu\":%.6f,\"rss_kb\":%ld}\n",
         client, mode, count, concurrency, bytes, wall, cpu, resident_kilobytes("VmHWM: %ld"));
}

static inline void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

#endif
