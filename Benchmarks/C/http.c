// Loads URLs with libcurl alone: what an engine on libcurl can at best reach.
//
//   http URL|@LIST COUNT CONCURRENCY get|sink|file|put|idle [PATH]
//
// LIST is a file with a URL a line; they are loaded in turn, and each request has a field X-Request-ID of its own.
// get copies each body into a buffer of its request; sink counts bytes; file writes PATH; put sends PATH; idle begins loads that
// nobody answers, and tells how much memory they take.
//   ENGINE=socket  curl_multi_socket_action on epoll (as it is by default)
//   ENGINE=poll    curl_multi_poll
//   BUFFER=BYTES   libcurl's buffer, for bodies that come and go
//   CONNECTIONS=N  the most connections to a host (default: no limit)
//   POST=FILE      each request sends this file, as JSON by POST
//   HTTP=1.1       over TLS, too
//   SSL_CERT_FILE  whom to trust
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"

enum mode { GET, SINK, FILE_MODE, PUT, IDLE };

struct load {
  CURL *easy;
  const char *url;
  struct curl_slist *fields;
  char *body;
  size_t length, capacity;
  int file;
};

static char **urls, *json;
static const char *path, *authority;
static enum mode mode;
static long url_count, count, started, finished, buffer_size;
static curl_off_t upload_size, json_size;
static int is_http1, is_http3;
static unsigned long long bytes;
static CURLM *multi;
static int events;
static double timer = -1;

static size_t take(char *data, size_t size, size_t number, void *context) {
  struct load *load = context;
  size_t length = size * number;
  bytes += length;
  if (mode == GET) {
    if (load->length + length > load->capacity) {
      load->capacity = (load->length + length) * 2;
      load->body = realloc(load->body, load->capacity);
      if (load->body == NULL) return 0;
    }
    memcpy(load->body + load->length, data, length);
    load->length += length;
  } else if (mode == FILE_MODE) {
    for (size_t done = 0; done < length;) {
      ssize_t written = write(load->file, data + done, length - done);
      if (written < 0) return 0;
      done += (size_t)written;
    }
  }
  return length;
}

static size_t drop(char *data, size_t size, size_t number, void *context) {
  (void)data, (void)context;
  return size * number;
}

static size_t give(char *data, size_t size, size_t number, void *context) {
  struct load *load = context;
  ssize_t length = read(load->file, data, size * number);
  if (length < 0) return CURL_READFUNC_ABORT;
  bytes += (unsigned long long)length;
  return (size_t)length;
}

// libcurl sets SSL_OP_NO_TICKET, and leaves it to programs to take that back.
static CURLcode take_tickets(CURL *easy, void *context, void *data) {
  (void)easy, (void)data;
  SSL_CTX_clear_options(context, SSL_OP_NO_TICKET);
  return CURLE_OK;
}

static void set_up(struct load *load) {
  CURL *easy = load->easy = curl_easy_init();
  if (easy == NULL) fail("curl_easy_init", "no memory");
  curl_easy_setopt(easy, CURLOPT_PRIVATE, load);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
  // Keeps HTTP/2 on one connection. With HTTP/1.1 all transfers would wait for the first.
  if (strncmp(load->url, "https:", 6) == 0 && !is_http1) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  if (is_http1) curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  if (is_http3) curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_3ONLY);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, take_tickets);
  if (authority != NULL) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, authority);
    // Else the system's certificates are parsed for every connection.
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
  }
  if (buffer_size > 0) {
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer_size);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, buffer_size);
  }
  if (json != NULL) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, json);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, json_size);
  }
  if (mode == PUT) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, give);
    curl_easy_setopt(easy, CURLOPT_READDATA, load);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, upload_size);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
  } else {
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, load);
  }
}

static void set_fields(struct load *load, long number) {
  char field[64];
  snprintf(field, sizeof field, "X-Request-ID: %ld", number);
  struct curl_slist *fields = curl_slist_append(NULL, field);
  if (json != NULL) fields = curl_slist_append(fields, "Content-Type: application/json");
  curl_easy_setopt(load->easy, CURLOPT_HTTPHEADER, fields);
  curl_slist_free_all(load->fields);
  load->fields = fields;
}

static void start(struct load *load) {
  long number = started++;
  load->url = urls[number % url_count];
  load->length = 0;
  if (mode == FILE_MODE) load->file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (mode == PUT) load->file = open(path, O_RDONLY | O_CLOEXEC);
  if ((mode == FILE_MODE || mode == PUT) && load->file < 0) fail(path, strerror(errno));
  if (load->easy == NULL) set_up(load);
  curl_easy_setopt(load->easy, CURLOPT_URL, load->url);
  if (url_count > 1) set_fields(load, number);
  curl_multi_add_handle(multi, load->easy);
}

static void finish_loads(void) {
  CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL *easy = message->easy_handle;
    CURLcode result = message->data.result;
    struct load *load = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&load);
    if (result != CURLE_OK) fail(load->url, curl_easy_strerror(result));
    finished++;
    curl_multi_remove_handle(multi, easy);
    if (mode == FILE_MODE || mode == PUT) close(load->file);
    if (started < count) start(load);
  }
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
  (void)easy, (void)context;
  struct epoll_event event = {.data.fd = socket};
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(events, EPOLL_CTL_DEL, socket, NULL);
    curl_multi_assign(multi, socket, NULL);
    return 0;
  }
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  epoll_ctl(events, known != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
  if (known == NULL) curl_multi_assign(multi, socket, &events);
  return 0;
}

static int set_timer(CURLM *handle, long milliseconds, void *context) {
  (void)handle, (void)context;
  timer = milliseconds < 0 ? -1 : seconds_now() + (double)milliseconds / 1000;
  return 0;
}

// One turn of the loop; false when nothing happened for as long as it was to wait.
static int turn(int engine_polls, int longest) {
  int running;
  if (engine_polls) {
    int ready = 0;
    curl_multi_perform(multi, &running);
    finish_loads();
    if (finished < count) curl_multi_poll(multi, NULL, 0, longest, &ready);
    return ready > 0 || finished == count;
  }
  struct epoll_event ready[256];
  int wait = longest;
  if (timer >= 0) {
    double left = (timer - seconds_now()) * 1000;
    int whole = left <= 0 ? 0 : (int)left + 1;
    if (whole < wait) wait = whole;
  }
  int number = epoll_wait(events, ready, 256, wait);
  for (int i = 0; i < number; i++) {
    int flags = 0;
    if (ready[i].events & (EPOLLIN | EPOLLHUP)) flags |= CURL_CSELECT_IN;
    if (ready[i].events & EPOLLOUT) flags |= CURL_CSELECT_OUT;
    if (ready[i].events & EPOLLERR) flags |= CURL_CSELECT_ERR;
    curl_multi_socket_action(multi, ready[i].data.fd, flags, &running);
  }
  int is_due = timer >= 0 && seconds_now() >= timer;
  if (is_due) {
    timer = -1;
    curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
  }
  finish_loads();
  return number > 0 || is_due;
}

static char *read_file(const char *name, curl_off_t *size) {
  struct stat status;
  FILE *file = fopen(name, "r");
  if (file == NULL || fstat(fileno(file), &status) != 0) fail(name, strerror(errno));
  char *text = calloc(1, (size_t)status.st_size + 1);
  if (text == NULL || fread(text, 1, (size_t)status.st_size, file) != (size_t)status.st_size) fail(name, "cannot be read");
  fclose(file);
  *size = status.st_size;
  return text;
}

static void read_urls(char *argument) {
  curl_off_t size;
  char *text = argument[0] == '@' ? read_file(argument + 1, &size) : argument;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    urls = realloc(urls, (size_t)(url_count + 1) * sizeof *urls);
    if (urls == NULL) fail(argument, "no memory");
    urls[url_count++] = line;
  }
  if (url_count == 0) fail(argument, "no URL");
}

int main(int argument_count, char **arguments) {
  static const char *names[] = {"get", "sink", "file", "put", "idle"};
  if (argument_count < 5) return 2;
  read_urls(arguments[1]);
  count = atol(arguments[2]);
  int concurrency = atoi(arguments[3]);
  while (mode <= IDLE && strcmp(arguments[4], names[mode]) != 0) mode++;
  if (mode > IDLE) return 2;
  path = argument_count > 5 ? arguments[5] : NULL;
  authority = getenv("SSL_CERT_FILE");
  if (getenv("BUFFER") != NULL) buffer_size = atol(getenv("BUFFER"));
  if (getenv("POST") != NULL) json = read_file(getenv("POST"), &json_size);
  const char *engine = getenv("ENGINE"), *version = getenv("HTTP");
  int polls = engine != NULL && strcmp(engine, "poll") == 0;
  is_http1 = version != NULL && strcmp(version, "1.1") == 0;
  is_http3 = version != NULL && strcmp(version, "3") == 0;
  if (mode == PUT) {
    struct stat status;
    if (stat(path, &status) != 0) fail(path, strerror(errno));
    upload_size = status.st_size;
  }

  curl_global_init(CURL_GLOBAL_ALL);
  // It would take the option, and use HTTP/2.
  if (is_http3 && (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP3) == 0)
    fail("HTTP/3", "this libcurl has none");
  multi = curl_multi_init();
  events = epoll_create1(EPOLL_CLOEXEC);
  // Of 16 hosts any may have all loads at a time: nobody has to close what the next load needs.
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 16L * concurrency + 8);
  if (getenv("CONNECTIONS") != NULL)
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, atol(getenv("CONNECTIONS")));
  if (!polls) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
  }
  struct load *loads = calloc((size_t)concurrency, sizeof *loads);
  if (loads == NULL) return 1;

  long resident = resident_kilobytes("VmRSS: %ld");
  double cpu = cpu_seconds(), begin = seconds_now();
  for (int i = 0; i < concurrency && started < count; i++) start(&loads[i]);
  if (mode == IDLE) {
    while (turn(polls, 500)) {}
    long now = resident_kilobytes("VmRSS: %ld");
    printf("{\"client\":\"C\",\"mode\":\"idle\",\"n\":%ld,\"c\":%d,\"bytes\":0,\"wall\":%.6f,\"cpu\":%.6f,\"rss_kb\":%ld,\"grown_kb\":%ld}\n",
           count, concurrency, seconds_now() - begin, cpu_seconds() - cpu, now, now - resident);
    return 0;
  }
  while (finished < count) turn(polls, 1000);
  report("C", arguments[4], count, concurrency, bytes, seconds_now() - begin, cpu_seconds() - cpu);
  return 0;
}
