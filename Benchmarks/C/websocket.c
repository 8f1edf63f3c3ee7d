// A WebSocket client on libwebsockets: sends messages, so many at once, and waits for each to come back.
//
//   websocket URL COUNT CONCURRENCY SIZE
#include <libwebsockets.h>
#include <string.h>

#include "measure.h"

static long count, sent, received;
static long concurrency;
static size_t size, pending;
static unsigned char *message;
static double begin, cpu;
static int is_done;

static int happens(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  (void)user, (void)in;
  switch (reason) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      fail("websocket", in ? (char *)in : "no connection");
      break;
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
      begin = seconds_now(), cpu = cpu_seconds();
      lws_callback_on_writable(wsi);
      break;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
      if (sent < count && sent - received < concurrency) {
        // The payload is masked in place.
        memset(message + LWS_PRE, (int)sent, size);
        if (lws_write(wsi, message + LWS_PRE, size, LWS_WRITE_BINARY) < (int)size) return -1;
        sent++;
        if (sent < count && sent - received < concurrency) lws_callback_on_writable(wsi);
      }
      break;
    case LWS_CALLBACK_CLIENT_RECEIVE:
      pending += length;
      if (lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0) {
        if (pending != size) fail("websocket", "a message of another length");
        pending = 0;
        if (++received == count) {
          is_done = 1;
          lws_cancel_service(lws_get_context(wsi));
        } else {
          lws_callback_on_writable(wsi);
        }
      }
      break;
    case LWS_CALLBACK_CLIENT_CLOSED:
      if (!is_done) fail("websocket", "the connection has ended");
      break;
    default: break;
  }
  return 0;
}

int main(int arguments, char **argument) {
  if (arguments < 5) return 2;
  const char *scheme, *host, *path;
  int port;
  char *url = strdup(argument[1]);
  if (lws_parse_uri(url, &scheme, &host, &port, &path) != 0) fail("websocket", "no URL");
  count = atol(argument[2]), concurrency = atol(argument[3]), size = (size_t)atol(argument[4]);
  message = malloc(LWS_PRE + size);
  char target[256];
  snprintf(target, sizeof target, "/%s", path);
  lws_set_log_level(LLL_ERR, NULL);
  static const struct lws_protocols protocols[] = {{"echo", happens, 0, 256 << 10, 0, NULL, 0}, {0}};
  struct lws_context_creation_info info = {
      .port = CONTEXT_PORT_NO_LISTEN, .protocols = protocols, .gid = -1, .uid = -1, .pt_serv_buf_size = 256 << 10};
  struct lws_context *context = lws_create_context(&info);
  if (context == NULL) fail("websocket", "no context");
  struct lws_client_connect_info connection = {
      .context = context, .address = host, .port = port, .path = target, .host = host, .origin = host,
      .local_protocol_name = "echo"};
  if (lws_client_connect_via_info(&connection) == NULL) fail("websocket", "no connection");
  while (!is_done && lws_service(context, 0) >= 0) continue;
  report("libwebsockets", "echo", count, (int)concurrency, (unsigned long long)count * size, seconds_now() - begin,
         cpu_seconds() - cpu);
  return 0;
}
