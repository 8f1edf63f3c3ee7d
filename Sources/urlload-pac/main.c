// Runs proxy auto-config scripts for URLLoading, in a process of its own: scripts are untrusted code. The article Architecture
// ("Proxies by script") has the protocol of its standard input and output. libpacparser is opened at run time.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

enum {
  /// Seconds of processor time for one script, or one question.
  PROCESSOR_SECONDS = 5,
  /// Seconds of the wall's clock for the same: looking up names takes none of the processor. The program gives up earlier.
  SECONDS = 60,
  /// Bytes of a script that are taken.
  SCRIPT_LIMIT = 1 << 20,
  /// Bytes of an answer.
  ANSWER_LIMIT = 32 << 10,
};

/// Bytes of address space: libraries, the engine and what a script makes.
static const rlim_t memory_limit = (rlim_t)256 << 20;

static int (*initialize)(void);
static int (*parse_script)(const char *);
static char *(*find_proxy)(const char *, const char *);
static void (*clean_up)(void);
static void (*enable_extensions)(void);
static void (*set_error_printer)(int (*)(const char *, va_list));

static FILE *answers;
/// What the library has said of the script since the latest command.
static char complaint[1024];

static int note_complaint(const char *format, va_list arguments) {
  size_t used = strlen(complaint);
  return vsnprintf(complaint + used, sizeof complaint - used, format, arguments);
}

/// Writes a line: a word and a text, whose control characters become spaces.
static void answer(const char *word, const char *text) {
  fputs(word, answers);
  fputc(' ', answers);
  for (size_t index = 0; text[index] != 0 && index < ANSWER_LIMIT; index++)
    fputc((unsigned char)text[index] < ' ' ? ' ' : text[index], answers);
  fputc('\n', answers);
  fflush(answers);
}

static void limit(int resource, rlim_t value) {
  struct rlimit both;
  if (getrlimit(resource, &both) != 0) return;
  both.rlim_cur = both.rlim_max != RLIM_INFINITY && value > both.rlim_max ? both.rlim_max : value;
  setrlimit(resource, &both);
}

/// The program has ended, or closed its end: nobody waits for an answer. A parent's death alone says less: what counts for that is the
/// thread that has started this process (PR_SET_PDEATHSIG), and that may end before.
static void socket_changed(int signal) {
  (void)signal;
  struct pollfd end = {.fd = STDIN_FILENO, .events = POLLRDHUP};
  if (poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) _exit(0);
}

/// Has the end of the program end this process, whatever a script does.
static void watch_program(void) {
  // Whoever starts a process from a thread of Dispatch's hands down that thread's mask, which blocks nearly all.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGIO);
  sigaddset(&signals, SIGALRM);
  sigaddset(&signals, SIGXCPU);
  sigprocmask(SIG_UNBLOCK, &signals, NULL);
  struct sigaction action = {.sa_handler = socket_changed, .sa_flags = SA_RESTART};
  sigaction(SIGIO, &action, NULL);
  fcntl(STDIN_FILENO, F_SETOWN, getpid());
  fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_ASYNC);
}

/// Gives the next command its time; SIGXCPU and SIGALRM end a process that takes more.
static void renew_time(void) {
  alarm(SECONDS);
  // It may have ended while a command was read.
  socket_changed(SIGIO);
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return;
  limit(RLIMIT_CPU, (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1 + PROCESSOR_SECONDS));
}

static int open_library(void) {
  void *library = dlopen("libpacparser.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  initialize = (int (*)(void))dlsym(library, "pacparser_init");
  parse_script = (int (*)(const char *))dlsym(library, "pacparser_parse_pac_string");
  find_proxy = (char *(*)(const char *, const char *))dlsym(library, "pacparser_find_proxy");
  clean_up = (void (*)(void))dlsym(library, "pacparser_cleanup");
  enable_extensions = (void (*)(void))dlsym(library, "pacparser_enable_microsoft_extensions");
  set_error_printer = (void (*)(int (*)(const char *, va_list)))dlsym(library, "pacparser_set_error_printer");
  return initialize && parse_script && find_proxy && clean_up && set_error_printer;
}

/// `script LENGTH`, and the bytes of the script after the line.
static int take_script(const char *length_text) {
  char *end = NULL;
  unsigned long length = strtoul(length_text, &end, 10);
  if (end == length_text || *end != 0 || length > SCRIPT_LIMIT) return 0;
  char *script = malloc(length + 1);
  if (script == NULL || fread(script, 1, length, stdin) != length) return 0;
  script[length] = 0;
  clean_up();
  if (!initialize()) {
    answer("error", complaint);
  } else if (!parse_script(script)) {
    answer("error", complaint);
  } else {
    answer("ok", "");
  }
  free(script);
  return 1;
}

/// `find URL HOST`.
static int take_question(char *arguments) {
  char *host = strchr(arguments, ' ');
  if (host == NULL) return 0;
  *host++ = 0;
  // The string belongs to the engine of libpacparser 1.3, which frees it (JS_GetStringBytes).
  const char *proxies = find_proxy(arguments, host);
  if (proxies == NULL) {
    answer("error", complaint);
  } else if (strlen(proxies) > ANSWER_LIMIT) {
    answer("error", "its answer is longer than 32 KiB");
  } else {
    answer("result", proxies);
  }
  return 1;
}

int main(void) {
  if (isatty(STDIN_FILENO)) {
    fputs("urlload-pac runs proxy auto-config scripts for programs that use URLLoading, which start it.\n", stderr);
    return 64;
  }
  // What a script prints goes nowhere.
  int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  answers = output < 0 ? NULL : fdopen(output, "w");
  if (answers == NULL || nowhere < 0) return 71;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);

  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
#ifndef IS_SANITIZED
  limit(RLIMIT_AS, memory_limit);
#endif
  watch_program();
  if (!open_library()) {
    answer("missing", "libpacparser.so.1");
    return 69;
  }
  set_error_printer(note_complaint);
  if (enable_extensions != NULL) enable_extensions();
  renew_time();
  if (!initialize()) {
    answer("missing", "libpacparser.so.1 that works");
    return 69;
  }
  answer("urlload-pac", "1");

  char *line = NULL;
  size_t capacity = 0;
  int is_understood = 1;
  while (is_understood) {
    // Waiting for a question is not limited.
    alarm(0);
    ssize_t length = getline(&line, &capacity, stdin);
    if (length <= 0) break;
    if (line[length - 1] == '\n') line[length - 1] = 0;
    complaint[0] = 0;
    renew_time();
    if (strncmp(line, "script ", 7) == 0) {
      is_understood = take_script(line + 7);
    } else if (strncmp(line, "find ", 5) == 0) {
      is_understood = take_question(line + 5);
    } else {
      is_understood = 0;
    }
  }
  return is_understood ? 0 : 65;
}
