#pragma once
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

// Swift cannot call variadic functions. Each shim below is one call of curl_easy_setopt, curl_easy_getinfo,
// curl_multi_setopt or curl_share_setopt with the type of its third argument fixed. The name in parentheses
// keeps curl's type checking macros out of the way.

#define CCURL_INLINE static inline __attribute__((always_inline))

CCURL_INLINE CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return (curl_easy_setopt)(handle, option, value);
}
CCURL_INLINE CURLcode ccurl_set_off(CURL *handle, CURLoption option, curl_off_t value) {
  return (curl_easy_setopt)(handle, option, value);
}
CCURL_INLINE CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return (curl_easy_setopt)(handle, option, value);
}
CCURL_INLINE CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return (curl_easy_setopt)(handle, option, value);
}
CCURL_INLINE CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return (curl_easy_setopt)(handle, option, value);
}
CCURL_INLINE CURLcode ccurl_set_write(CURL *handle, CURLoption option, curl_write_callback value) {
  return (curl_easy_setopt)(handle, option, value);
}
CCURL_INLINE CURLcode ccurl_set_read(CURL *handle, curl_read_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_READFUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_seek(CURL *handle, curl_seek_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_SEEKFUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_progress(CURL *handle, curl_xferinfo_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_XFERINFOFUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_debug(CURL *handle, curl_debug_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_DEBUGFUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_prerequest(CURL *handle, curl_prereq_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_PREREQFUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_resolver_start(CURL *handle, curl_resolver_start_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_RESOLVER_START_FUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_open_socket(CURL *handle, curl_opensocket_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_socket_options(CURL *handle, curl_sockopt_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_SOCKOPTFUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_ssl_context(CURL *handle, curl_ssl_ctx_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_SSL_CTX_FUNCTION, value);
}
CCURL_INLINE CURLcode ccurl_set_close_socket(CURL *handle, curl_closesocket_callback value) {
  return (curl_easy_setopt)(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}

CCURL_INLINE long ccurl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  (curl_easy_getinfo)(handle, info, &value);
  return value;
}
CCURL_INLINE curl_socket_t ccurl_get_active_socket(CURL *handle) {
  curl_socket_t value = CURL_SOCKET_BAD;
  (curl_easy_getinfo)(handle, CURLINFO_ACTIVESOCKET, &value);
  return value;
}
CCURL_INLINE curl_off_t ccurl_get_off(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  (curl_easy_getinfo)(handle, info, &value);
  return value;
}
CCURL_INLINE const char *ccurl_get_string(CURL *handle, CURLINFO info) {
  char *value = NULL;
  (curl_easy_getinfo)(handle, info, &value);
  return value;
}
CCURL_INLINE void *ccurl_get_private(CURL *handle) {
  char *value = NULL;
  (curl_easy_getinfo)(handle, CURLINFO_PRIVATE, &value);
  return value;
}
// The TLS library's own session object of the transfer's connection, and which library it is.
CCURL_INLINE void *ccurl_get_tls_session(CURL *handle, curl_sslbackend *backend) {
  struct curl_tlssessioninfo *session = NULL;
  if ((curl_easy_getinfo)(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return NULL;
  *backend = session->backend;
  return session->internals;
}

CCURL_INLINE CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}
CCURL_INLINE CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return (curl_multi_setopt)(multi, option, value);
}
CCURL_INLINE CURLMcode ccurl_multi_set_socket(CURLM *multi, curl_socket_callback value) {
  return (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, value);
}
CCURL_INLINE CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback value) {
  return (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, value);
}
// The handle and the result of the next finished transfer, or NULL.
CCURL_INLINE CURL *ccurl_multi_next_finished(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

CCURL_INLINE CURLSHcode ccurl_share_data(CURLSH *share, curl_lock_data data) {
  return (curl_share_setopt)(share, CURLSHOPT_SHARE, data);
}

CCURL_INLINE const curl_version_info_data *ccurl_version(void) { return curl_version_info(CURLVERSION_NOW); }

// The fields of a response's head, collected for one call: libcurl passes on each line alone, and Swift takes hundreds of instructions to look
// at one.
struct ccurl_head {
  // Takes lines. The first `fields` of them are fields that are nothing but that: each has a name, a colon, and its only carriage return
  // before the line feed. Behind these comes the empty line that ends the head, or nothing. With no fields it takes any lines.
  size_t (*take)(void *context, char *lines, size_t count, size_t fields);
  void *context;
  char *bytes;
  size_t count, fields;
  // A status line was taken, and the end of its head has not come.
  int collects;
};

enum { CCURL_HEAD_CAPACITY = 1024 };  // glibc's malloc has blocks of that size at hand, and most heads are shorter

static inline void ccurl_head_drop(struct ccurl_head *head) {
  free(head->bytes);
  head->bytes = NULL;
  head->count = head->fields = 0;
  head->collects = 0;
}

// Passes on what was collected. Whoever takes it may come back to the head.
static inline int ccurl_head_pass(struct ccurl_head *head) {
  char *bytes = head->bytes;
  size_t count = head->count, fields = head->fields;
  if (bytes == NULL) return 1;
  head->bytes = NULL;
  head->count = head->fields = 0;
  size_t taken = head->take(head->context, bytes, count, fields);
  free(bytes);
  return taken == count;
}

static inline int ccurl_is_field(const char *line, size_t count) {
  const char *end = line + count - 1, *feed = (const char *)memchr(line, '\n', count);
  if (feed != end || line[0] == ' ' || line[0] == '\t' || line[0] == ':') return 0;
  const char *carriage_return = (const char *)memchr(line, '\r', count);
  return (carriage_return == NULL || carriage_return == end - 1) && memchr(line, ':', count) != NULL;
}

// CURLOPT_HEADERFUNCTION, with a ccurl_head as CURLOPT_HEADERDATA.
static inline size_t ccurl_head_collect(char *line, size_t size, size_t number, void *context) {
  struct ccurl_head *head = (struct ccurl_head *)context;
  size_t count = size * number;
  if (head->collects && count > 0 && count <= CCURL_HEAD_CAPACITY) {
    int ends = line[0] == '\n' || (count == 2 && line[0] == '\r' && line[1] == '\n');
    if (ends ? head->bytes != NULL : ccurl_is_field(line, count)) {
      if (head->count + count > CCURL_HEAD_CAPACITY && !ccurl_head_pass(head)) return 0;
      if (head->bytes == NULL) head->bytes = (char *)malloc(CCURL_HEAD_CAPACITY);
      if (head->bytes == NULL) return head->take(head->context, line, count, 0);
      memcpy(head->bytes + head->count, line, count);
      head->count += count;
      if (!ends) {
        head->fields++;
        return count;
      }
      head->collects = 0;
      return ccurl_head_pass(head) ? count : 0;
    }
  }
  return ccurl_head_pass(head) ? head->take(head->context, line, count, 0) : 0;
}

#undef CCURL_INLINE
