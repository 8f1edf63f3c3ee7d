// SFTP version 3 on a channel of libssh2, many requests in flight: what a client on libssh2 can at best reach.
//
//   sftp PORT USER KEY file REMOTE LOCAL
//   sftp PORT USER KEY get  REMOTE COUNT      REMOTE has {}, which stands for 0 to COUNT - 1; into memory
//   sftp PORT USER KEY put  REMOTE LOCAL
//
//   DEPTH=N   requests in flight (default 16)
// The cipher is libssh2's choice, as in `SFTPProtocol`. The server's key is not checked: it is one on the loopback address.
#include <errno.h>
#include <fcntl.h>
#include <libssh2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"

enum {
  INIT = 1, OPEN = 3, CLOSE = 4, READ = 5, WRITE = 6, STATUS = 101, HANDLE = 102, DATA = 103,
  FOR_READING = 1, FOR_WRITING = 0x1a,
  PIECE = 128 << 10, WINDOW = 32 << 20, MOST_BUFFERED = 4 << 20, LONGEST_HANDLE = 256,
};

struct handle {
  uint32_t length;
  uint8_t bytes[LONGEST_HANDLE];
};

struct buffer {
  uint8_t *bytes;
  size_t start, end, capacity;
};

static int descriptor;
static LIBSSH2_SESSION *session;
static LIBSSH2_CHANNEL *channel;
static struct buffer out, in;
static long depth = 16;

static void refuse(const char *what) {
  char *message = NULL;
  if (session != NULL) libssh2_session_last_error(session, &message, NULL, 0);
  fail(what, message != NULL ? message : "");
}

// Packets

static uint32_t word_at(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint8_t *room(struct buffer *buffer, size_t size) {
  if (buffer->start == buffer->end) buffer->start = buffer->end = 0;
  if (buffer->end + size > buffer->capacity) {
    memmove(buffer->bytes, buffer->bytes + buffer->start, buffer->end - buffer->start);
    buffer->end -= buffer->start, buffer->start = 0;
    if (buffer->end + size > buffer->capacity) {
      buffer->capacity = (buffer->end + size) * 2;
      buffer->bytes = realloc(buffer->bytes, buffer->capacity);
      if (buffer->bytes == NULL) fail("sftp", "no memory");
    }
  }
  return buffer->bytes + buffer->end;
}

static void put_word(uint32_t value) {
  uint8_t *bytes = room(&out, 4);
  for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)(value >> (24 - 8 * i));
  out.end += 4;
}

static void put_bytes(const void *bytes, size_t length) {
  memcpy(room(&out, length), bytes, length);
  out.end += length;
}

static void put_string(const void *bytes, size_t length) {
  put_word((uint32_t)length);
  put_bytes(bytes, length);
}

static void put_header(uint8_t type, size_t rest, uint32_t identifier) {
  put_word((uint32_t)(5 + rest));
  put_bytes(&type, 1);
  put_word(identifier);
}

static void put_offset(uint64_t offset) {
  put_word((uint32_t)(offset >> 32));
  put_word((uint32_t)offset);
}

static void ask_open(uint32_t identifier, const char *path, uint32_t flags) {
  put_header(OPEN, 4 + strlen(path) + 8, identifier);
  put_string(path, strlen(path));
  put_word(flags);
  put_word(0);
}

static void ask_close(uint32_t identifier, const struct handle *handle) {
  put_header(CLOSE, 4 + handle->length, identifier);
  put_string(handle->bytes, handle->length);
}

static void ask_read(uint32_t identifier, const struct handle *handle, uint64_t offset, uint32_t length) {
  put_header(READ, 4 + handle->length + 12, identifier);
  put_string(handle->bytes, handle->length);
  put_offset(offset);
  put_word(length);
}

// Sending and receiving

static void send_waiting(void) {
  while (out.start < out.end) {
    ssize_t sent = libssh2_channel_write(channel, (char *)out.bytes + out.start, out.end - out.start);
    if (sent == LIBSSH2_ERROR_EAGAIN) return;
    if (sent < 0) refuse("write");
    out.start += (size_t)sent;
  }
}

static int receive_waiting(void) {
  int has_any = 0;
  while (in.end - in.start < MOST_BUFFERED) {
    uint8_t *place = room(&in, PIECE * 2);
    ssize_t received = libssh2_channel_read(channel, (char *)place, PIECE * 2);
    if (received == LIBSSH2_ERROR_EAGAIN) break;
    if (received < 0) refuse("read");
    if (received == 0) {
      if (libssh2_channel_eof(channel)) fail("sftp", "the server left");
      break;
    }
    in.end += (size_t)received;
    has_any = 1;
  }
  return has_any;
}

// The next answer: its type, identifier, and what follows.
static uint8_t answer(uint32_t *identifier, uint8_t **rest, uint32_t *length) {
  for (;;) {
    send_waiting();
    size_t there = in.end - in.start;
    uint8_t *packet = in.bytes + in.start;
    if (there >= 4 && there >= 4 + (size_t)word_at(packet)) {
      uint32_t size = word_at(packet);
      if (size < 5) fail("sftp", "a packet that is too short");
      in.start += 4 + (size_t)size;
      *identifier = word_at(packet + 5), *rest = packet + 9, *length = size - 5;
      return packet[4];
    }
    if (receive_waiting()) continue;
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    if (libssh2_session_block_directions(session) & LIBSSH2_SESSION_BLOCK_OUTBOUND) wait.events |= POLLOUT;
    if (poll(&wait, 1, 30000) == 0) fail("sftp", "no answer in 30 seconds");
  }
}

static void keep_handle(struct handle *handle, uint8_t type, const uint8_t *rest, uint32_t length) {
  if (type != HANDLE || length < 4 || word_at(rest) > LONGEST_HANDLE) fail("sftp", "not opened");
  handle->length = word_at(rest);
  memcpy(handle->bytes, rest + 4, handle->length);
}

static void open_file(struct handle *handle, const char *path, uint32_t flags) {
  uint32_t identifier, length;
  uint8_t *rest;
  ask_open(1, path, flags);
  uint8_t type = answer(&identifier, &rest, &length);
  keep_handle(handle, type, rest, length);
}

static void expect_success(uint8_t type, const uint8_t *rest, uint32_t length) {
  if (type != STATUS || length < 4 || word_at(rest) != 0) fail("sftp", "refused");
}

static void close_file(const struct handle *handle) {
  uint32_t identifier, length;
  uint8_t *rest;
  ask_close(2, handle);
  uint8_t type = answer(&identifier, &rest, &length);
  expect_success(type, rest, length);
}

static void connect_to(int port, const char *user, const char *key) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int yes = 1;
  descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail("connect", strerror(errno));
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  libssh2_init(0);
  session = libssh2_session_init();
  if (libssh2_session_handshake(session, descriptor) != 0) refuse("key exchange");
  if (libssh2_userauth_publickey_fromfile(session, user, NULL, key, "") != 0) refuse("login");
  channel = libssh2_channel_open_ex(session, "session", 7, WINDOW, 32768, NULL, 0);
  if (channel == NULL || libssh2_channel_subsystem(channel, "sftp") != 0) refuse("channel");
  libssh2_session_set_blocking(session, 0);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  put_header(INIT, 0, 3);
  uint32_t identifier, length;
  uint8_t *rest;
  answer(&identifier, &rest, &length);
}

// Work

// One file, read ahead; an answer that is shorter than asked for is asked for again. Its identifier is the piece's number.
static unsigned long long download(const char *remote, const char *local) {
  struct handle handle;
  struct piece { uint64_t offset; uint32_t length; } *pieces = calloc((size_t)depth, sizeof *pieces);
  int file = open(local, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (file < 0 || pieces == NULL) fail(local, strerror(errno));
  open_file(&handle, remote, FOR_READING);
  unsigned long long total = 0;
  uint64_t next = 0;
  long in_flight = 0;
  int is_at_end = 0;
  for (long i = 0; i < depth; i++, next += PIECE, in_flight++) {
    pieces[i] = (struct piece){next, PIECE};
    ask_read((uint32_t)i, &handle, next, PIECE);
  }
  while (in_flight > 0) {
    uint32_t identifier, length;
    uint8_t *rest, type = answer(&identifier, &rest, &length);
    if (identifier >= (uint32_t)depth) fail("sftp", "an answer to nothing");
    struct piece *piece = &pieces[identifier];
    in_flight--;
    if (type == STATUS && word_at(rest) == 1) {
      is_at_end = 1;
      continue;
    }
    if (type != DATA || length < 4 || word_at(rest) > length - 4) fail("sftp", "not read");
    uint32_t got = word_at(rest);
    if (pwrite(file, rest + 4, got, (off_t)piece->offset) != (ssize_t)got) fail(local, strerror(errno));
    total += got;
    if (got < piece->length) {
      *piece = (struct piece){piece->offset + got, piece->length - got};
    } else if (is_at_end) {
      continue;
    } else {
      *piece = (struct piece){next, PIECE};
      next += PIECE;
    }
    ask_read(identifier, &handle, piece->offset, piece->length);
    in_flight++;
  }
  close_file(&handle);
  close(file);
  return total;
}

// Small files: each is opened, read once and closed.
static unsigned long long download_many(const char *pattern, long count) {
  enum step { OPENING, READING, CLOSING };
  struct file { enum step step; struct handle handle; } *files = calloc((size_t)count, sizeof *files);
  const char *place = strstr(pattern, "{}");
  if (files == NULL || place == NULL) fail(pattern, "needs {}");
  unsigned long long total = 0;
  long next = 0, done = 0;
  while (done < count) {
    for (; next < count && next - done < depth; next++) {
      char path[4096];
      snprintf(path, sizeof path, "%.*s%ld%s", (int)(place - pattern), pattern, next, place + 2);
      ask_open((uint32_t)next, path, FOR_READING);
    }
    uint32_t identifier, length;
    uint8_t *rest, type = answer(&identifier, &rest, &length);
    if (identifier >= (uint32_t)count) fail("sftp", "an answer to nothing");
    struct file *file = &files[identifier];
    switch (file->step) {
      case OPENING:
        keep_handle(&file->handle, type, rest, length);
        ask_read(identifier, &file->handle, 0, 32768);
        break;
      case READING:
        if (type != DATA || length < 4) fail("sftp", "not read");
        total += word_at(rest);
        ask_close(identifier, &file->handle);
        break;
      case CLOSING:
        expect_success(type, rest, length);
        done++;
    }
    file->step++;
  }
  return total;
}

static unsigned long long upload(const char *remote, const char *local) {
  static uint8_t piece[PIECE];
  struct handle handle;
  int file = open(local, O_RDONLY);
  if (file < 0) fail(local, strerror(errno));
  open_file(&handle, remote, FOR_WRITING);
  uint64_t offset = 0;
  long in_flight = 0;
  int is_at_end = 0;
  while (!is_at_end || in_flight > 0) {
    while (!is_at_end && in_flight < depth && out.end - out.start < MOST_BUFFERED) {
      ssize_t length = read(file, piece, PIECE);
      if (length < 0) fail(local, strerror(errno));
      if (length == 0) {
        is_at_end = 1;
        break;
      }
      put_header(WRITE, 4 + handle.length + 12 + (size_t)length, 7);
      put_string(handle.bytes, handle.length);
      put_offset(offset);
      put_string(piece, (size_t)length);
      offset += (uint64_t)length;
      in_flight++;
    }
    if (in_flight == 0) break;
    uint32_t identifier, length;
    uint8_t *rest, type = answer(&identifier, &rest, &length);
    expect_success(type, rest, length);
    in_flight--;
  }
  close_file(&handle);
  return offset;
}

int main(int count, char **arguments) {
  if (count != 7) return 2;
  const char *mode = arguments[4], *remote = arguments[5], *last = arguments[6];
  if (getenv("DEPTH") != NULL) depth = atol(getenv("DEPTH"));
  connect_to(atoi(arguments[1]), arguments[2], arguments[3]);
  double begin = seconds_now(), cpu = cpu_seconds();
  unsigned long long bytes = strcmp(mode, "file") == 0  ? download(remote, last)
                             : strcmp(mode, "put") == 0 ? upload(remote, last)
                                                        : download_many(remote, atol(last));
  report("C", mode, strcmp(mode, "get") == 0 ? atol(last) : 1, (int)depth, bytes, seconds_now() - begin, cpu_seconds() - cpu);
  return 0;
}
