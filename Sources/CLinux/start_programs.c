#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <signal.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// What a program is started with. It is prepared before a fork: a child of a process with threads may not allocate.
struct preparation {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

static void discard(struct preparation *preparation) {
  posix_spawnattr_destroy(&preparation->attributes);
  posix_spawn_file_actions_destroy(&preparation->actions);
}

/// Default signals, no descriptors but the first three, and / as its directory. `descriptor` is standard input and output, /dev/null
/// where it is negative; so is `standard_error`. `group` is one of the flags that part it from the program's terminal.
static int prepare(struct preparation *preparation, int descriptor, int standard_error, short group) {
  posix_spawn_file_actions_t *actions = &preparation->actions;
  posix_spawnattr_t *attributes = &preparation->attributes;
  int error = posix_spawn_file_actions_init(actions);
  if (error != 0) return error;
  error = posix_spawnattr_init(attributes);
  if (error != 0) {
    posix_spawn_file_actions_destroy(actions);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  // First: a program may have it in the place of one of the others.
  if (standard_error >= 0) posix_spawn_file_actions_adddup2(actions, standard_error, 2);
  for (int standard = 0; standard < 2; standard++) {
    if (descriptor >= 0) posix_spawn_file_actions_adddup2(actions, descriptor, standard);
    else posix_spawn_file_actions_addopen(actions, standard, "/dev/null", O_RDWR, 0);
  }
  if (standard_error < 0) posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(actions, 3);
  posix_spawn_file_actions_addchdir_np(actions, "/");
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setpgroup(attributes, 0);
  posix_spawnattr_setflags(attributes, group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  return 0;
}

int start_helper(const char *path, int descriptor, char *const environment[], pid_t *process) {
  struct preparation preparation;
  // Signals of the program's terminal are not for it: it ends with its socket.
  int error = prepare(&preparation, descriptor, -1, POSIX_SPAWN_SETPGROUP);
  if (error != 0) return error;
  char *const arguments[] = {(char *)path, NULL};
  error = posix_spawn(process, path, &preparation.actions, &preparation.attributes, arguments, environment);
  discard(&preparation);
  return error;
}

int start_service(
  const char *path, char *const arguments[], char *const environment[], int standard_error, uint64_t descriptor_limit,
  int *process) {
  struct preparation preparation;
  *process = -1;
  int error = prepare(&preparation, -1, standard_error, POSIX_SPAWN_SETSID);
  if (error != 0) return error;
  // Says which process it is: nobody waits for the child of a child.
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  // A child that ends at once makes the service nobody's child: whoever starts it need not wait for its end.
  pid_t child = fork();
  if (child == 0) {
    pid_t service;
    struct rlimit limit;
    if (descriptor_limit > 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
      limit.rlim_cur = descriptor_limit;
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    int failure = posix_spawn(&service, path, &preparation.actions, &preparation.attributes, arguments, environment);
    if (failure == 0 && ends[1] >= 0 && write(ends[1], &service, sizeof service) < 0) _exit(0);
    _exit(failure);
  }
  if (child < 0) {
    error = errno;
  } else {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    error = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
  }
  if (ends[0] >= 0) {
    pid_t service;
    close(ends[1]);
    if (error == 0 && read(ends[0], &service, sizeof service) == sizeof service) {
      *process = (int)syscall(SYS_pidfd_open, service, 0);
    }
    close(ends[0]);
  }
  discard(&preparation);
  return error;
}
