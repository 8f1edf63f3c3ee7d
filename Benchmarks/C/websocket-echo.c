// A WebSocket server (RFC 6455) that sends each frame back, on one thread; faster than the clients that are measured with it.
//
//   websocket-echo PORT
//
// It offers no extension. `/flood` in the request makes it send 64 KiB messages for as long as the client takes them.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure.h"

enum { INPUT = 256 << 10, FLOOD = 64 << 10 };

struct connection {
  int socket, is_open, floods, is_waiting;
  // The request's head, and heads of frames that have come in part.
  size_t length;
  unsigned char start[4096];
  // The payload that is coming.
  uint64_t missing, position;
  unsigned char mask[4];
  // What is to be sent.
  unsigned char *out;
  size_t out_start, out_end, out_size;
};

static int poller;
static unsigned char input[INPUT];

static void put(struct connection *it, const unsigned char *bytes, size_t count) {
  if (it->out_start == it->out_end) it->out_start = it->out_end = 0;
  if (it->out_end + count > it->out_size) {
    memmove(it->out, it->out + it->out_start, it->out_end - it->out_start);
    it->out_end -= it->out_start, it->out_start = 0;
    if (it->out_end + count > it->out_size) {
      it->out_size = (it->out_end + count) * 2;
      it->out = realloc(it->out, it->out_size);
      if (it->out == NULL) fail("websocket-echo", "no memory");
    }
  }
  memcpy(it->out + it->out_end, bytes, count);
  it->out_end += count;
}

static void put_head(struct connection *it, unsigned char first, uint64_t length) {
  unsigned char head[10] = {first};
  size_t size = 2;
  if (length < 126) {
    head[1] = (unsigned char)length;
  } else {
    int width = length < 65536 ? 2 : 8;
    head[1] = width == 2 ? 126 : 127;
    for (int i = 0; i < width; i++) head[2 + i] = (unsigned char)(length >> (8 * (width - 1 - i)));
    size += (size_t)width;
  }
  put(it, head, size);
}

// Section 4.2.2.
static void shake_hands(struct connection *it) {
  static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  char *key = strcasestr((char *)it->start, "sec-websocket-key:"), text[128], accept[64];
  unsigned char digest[20];
  if (key == NULL) fail("websocket-echo", "no key");
  key += strlen("sec-websocket-key:");
  while (*key == ' ') key++;
  int length = snprintf(text, sizeof text, "%.24s%s", key, guid);
  EVP_Digest(text, (size_t)length, digest, NULL, EVP_sha1(), NULL);
  EVP_EncodeBlock((unsigned char *)accept, digest, sizeof digest);
  char answer[256];
  length = snprintf(answer, sizeof answer,
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Accept: %s\r\n\r\n", accept);
  put(it, (unsigned char *)answer, (size_t)length);
  it->is_open = 1;
  it->floods = strncmp((char *)it->start, "GET /flood", 10) == 0;
}

// Takes what is in `start` of a frame's head; returns how many bytes that were, or 0 for more.
static size_t take_head(struct connection *it) {
  if (it->length < 2) return 0;
  uint64_t length = it->start[1] & 0x7f;
  size_t width = length == 126 ? 2 : length == 127 ? 8 : 0, size = 2 + width + 4;
  if (it->length < size) return 0;
  if (width > 0) {
    length = 0;
    for (size_t i = 0; i < width; i++) length = length << 8 | it->start[2 + i];
  }
  memcpy(it->mask, it->start + 2 + width, 4);
  // A ping is answered; all else comes back as it is.
  unsigned char first = it->start[0];
  put_head(it, (first & 0x0f) == 9 ? (unsigned char)(first ^ 3) : first, length);
  it->missing = length, it->position = 0;
  return size;
}

static void take(struct connection *it, unsigned char *bytes, size_t count) {
  while (count > 0) {
    if (it->is_open && it->missing > 0) {
      size_t piece = count < it->missing ? count : it->missing, i = 0;
      uint64_t wide;
      unsigned char turned[8];
      for (int k = 0; k < 8; k++) turned[k] = it->mask[(it->position + (uint64_t)k) & 3];
      memcpy(&wide, turned, 8);
      for (; i + 8 <= piece; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        word ^= wide;
        memcpy(bytes + i, &word, 8);
      }
      for (; i < piece; i++) bytes[i] ^= turned[i & 7];
      put(it, bytes, piece);
      it->position += piece, it->missing -= piece;
      bytes += piece, count -= piece;
      continue;
    }
    // Byte by byte, for heads are short.
    if (it->length + 1 >= sizeof it->start) fail("websocket-echo", "a head that is too long");
    it->start[it->length++] = *bytes++, count--;
    if (!it->is_open) {
      if (it->length >= 4 && memcmp(it->start + it->length - 4, "\r\n\r\n", 4) == 0) {
        it->start[it->length] = 0;
        shake_hands(it);
        it->length = 0;
      }
    } else if (take_head(it) > 0) {
      it->length = 0;
    }
  }
}

static void end(struct connection *it) {
  close(it->socket);
  free(it->out);
  free(it);
}

// Returns 0 where the connection has ended.
static int flush(struct connection *it) {
  static unsigned char message[FLOOD];
  for (;;) {
    if (it->out_start == it->out_end) {
      if (!it->floods) break;
      put_head(it, 0x82, FLOOD);
      put(it, message, FLOOD);
    }
    ssize_t count = send(it->socket, it->out + it->out_start, it->out_end - it->out_start, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN) return 0;
    if (count < 0) break;
    it->out_start += (size_t)count;
  }
  int waits = it->out_start < it->out_end;
  if (waits != it->is_waiting) {
    struct epoll_event event = {.events = EPOLLIN | (waits ? EPOLLOUT : 0), .data.ptr = it};
    epoll_ctl(poller, EPOLL_CTL_MOD, it->socket, &event);
    it->is_waiting = waits;
  }
  return 1;
}

int main(int count, char **arguments) {
  if (count < 2) return 2;
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1024) != 0)
    fail("websocket-echo", strerror(errno));
  poller = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int ready = epoll_wait(poller, events, 256, -1);
    for (int i = 0; i < ready; i++) {
      struct connection *it = events[i].data.ptr;
      if (it == NULL) {
        int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (accepted < 0) continue;
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        it = calloc(1, sizeof *it);
        it->socket = accepted;
        event = (struct epoll_event){.events = EPOLLIN, .data.ptr = it};
        epoll_ctl(poller, EPOLL_CTL_ADD, accepted, &event);
        continue;
      }
      int lives = 1;
      if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
        ssize_t length = recv(it->socket, input, sizeof input, 0);
        lives = length > 0 || (length < 0 && errno == EAGAIN);
        if (length > 0) take(it, input, (size_t)length);
      }
      if (lives) lives = flush(it);
      if (!lives) end(it);
    }
  }
}
