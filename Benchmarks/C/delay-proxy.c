// Passes connections on with a fixed delay in each direction, and no limit to what is under way.
//
//   delay-proxy PORT TARGET-PORT MILLISECONDS
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

enum { PIECE = 256 << 10, MOST_QUEUED = 256 << 20 };

struct piece {
  struct piece *next;
  double due;
  ssize_t length;
  char data[];
};

// Closed by whichever direction ends last.
struct connection {
  int client, server;
  atomic_int open_directions;
};

struct direction {
  struct connection *connection;
  int from, to;
  struct piece *first, *last;
  size_t queued;
  int is_at_end;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

static double delay;

static void *receive(void *context) {
  struct direction *direction = context;
  char *buffer = malloc(PIECE);
  for (;;) {
    ssize_t length = read(direction->from, buffer, PIECE);
    struct piece *piece = length > 0 ? malloc(sizeof *piece + (size_t)length) : NULL;
    pthread_mutex_lock(&direction->lock);
    if (piece == NULL) {
      direction->is_at_end = 1;
    } else {
      memcpy(piece->data, buffer, (size_t)length);
      *piece = (struct piece){.due = seconds_now() + delay, .length = length};
      if (direction->last != NULL) direction->last->next = piece;
      else direction->first = piece;
      direction->last = piece;
      direction->queued += (size_t)length;
    }
    pthread_cond_broadcast(&direction->changed);
    while (direction->queued > MOST_QUEUED) pthread_cond_wait(&direction->changed, &direction->lock);
    pthread_mutex_unlock(&direction->lock);
    if (piece == NULL) break;
  }
  free(buffer);
  return NULL;
}

static void *send_on(void *context) {
  struct direction *direction = context;
  for (;;) {
    pthread_mutex_lock(&direction->lock);
    while (direction->first == NULL && !direction->is_at_end)
      pthread_cond_wait(&direction->changed, &direction->lock);
    struct piece *piece = direction->first;
    if (piece != NULL) {
      direction->first = piece->next;
      if (direction->first == NULL) direction->last = NULL;
      direction->queued -= (size_t)piece->length;
      pthread_cond_broadcast(&direction->changed);
    }
    pthread_mutex_unlock(&direction->lock);
    if (piece == NULL) break;
    double left = piece->due - seconds_now();
    if (left > 0) {
      struct timespec time = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
      nanosleep(&time, NULL);
    }
    for (ssize_t done = 0; done < piece->length;) {
      ssize_t written = write(direction->to, piece->data + done, (size_t)(piece->length - done));
      if (written <= 0) break;
      done += written;
    }
    free(piece);
  }
  shutdown(direction->to, SHUT_WR);
  struct connection *connection = direction->connection;
  if (atomic_fetch_sub(&connection->open_directions, 1) == 1) {
    close(connection->client), close(connection->server);
    free(connection);
  }
  return NULL;
}

static void pass(struct connection *connection, int from, int to) {
  struct direction *direction = calloc(1, sizeof *direction);
  pthread_t thread;
  if (direction == NULL) fail("delay-proxy", "no memory");
  direction->connection = connection, direction->from = from, direction->to = to;
  pthread_mutex_init(&direction->lock, NULL);
  pthread_cond_init(&direction->changed, NULL);
  if (pthread_create(&thread, NULL, receive, direction) == 0) pthread_detach(thread);
  if (pthread_create(&thread, NULL, send_on, direction) == 0) pthread_detach(thread);
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  signal(SIGPIPE, SIG_IGN);
  delay = atof(arguments[3]) / 1000;
  int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0)
    fail(arguments[1], "cannot listen");
  address.sin_port = htons((unsigned short)atoi(arguments[2]));
  for (;;) {
    int client = accept(listener, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0);
    if (client < 0 || connect(server, (struct sockaddr *)&address, sizeof address) != 0) {
      close(client), close(server);
      continue;
    }
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct connection *connection = malloc(sizeof *connection);
    if (connection == NULL) fail("delay-proxy", "no memory");
    connection->client = client, connection->server = server;
    atomic_init(&connection->open_directions, 2);
    pass(connection, client, server);
    pass(connection, server, client);
  }
}
