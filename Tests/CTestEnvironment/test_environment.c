#define _GNU_SOURCE
#include "test_environment.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const marker = "URL_LOADING_TEST_DIRECTORY";
static char directory[PATH_MAX];
static pid_t owner;

const char *url_loading_test_directory(void) { return directory; }

static void set(const char *variable, const char *name) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  mkdir(path, 0700);
  setenv(variable, path, 1);
}

// What a developer may have set, and what changes roots, routes or words. Processes that a test starts get what that test sets.
static void forget_settings(void) {
  static const char *const names[] = {
    "SSL_CERT_DIR", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "SSLKEYLOGFILE", "http_proxy", "HTTP_PROXY", "https_proxy",
    "HTTPS_PROXY", "ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "LANGUAGE", "LC_ALL",
    "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
  };
  for (size_t index = 0; index < sizeof names / sizeof *names; index += 1) unsetenv(names[index]);
  setenv("LANG", "C.UTF-8", 1);
}

__attribute__((constructor)) static void prepare(void) {
  const char *inherited = getenv(marker);
  if (inherited != NULL && inherited[0] == '/') {
    snprintf(directory, sizeof directory, "%s", inherited);
    return;
  }
  const char *temporary = getenv("TMPDIR");
  if (temporary == NULL || temporary[0] != '/') temporary = "/tmp";
  snprintf(directory, sizeof directory, "%s/url-loading-home-XXXXXX", temporary);
  // Where nothing can be made, nothing can be stored either: never in the user's directories.
  if (mkdtemp(directory) == NULL) snprintf(directory, sizeof directory, "/dev/null");
  owner = getpid();
  forget_settings();
  set("XDG_DATA_HOME", "data");
  set("XDG_CACHE_HOME", "cache");
  set("XDG_STATE_HOME", "state");
  setenv(marker, directory, 1);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position) {
  (void)status, (void)kind, (void)position;
  return remove(path);
}

// By the lowest priority, which runs last: what is written at exit has been written.
__attribute__((destructor(101))) static void remove_directories(void) {
  if (owner == getpid() && strcmp(directory, "/dev/null") != 0) nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
