#include "gssapi.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The types of RFC 2744 as MIT's library has them.
typedef uint32_t status_t;
typedef struct {
  size_t length;
  void *value;
} buffer_t;
typedef struct {
  uint32_t length;
  void *elements;
} oid_t;

enum { completed = 0, continue_needed = 1, mutual_flag = 2, gss_code = 1, mechanism_code = 2 };

static struct {
  status_t (*import_name)(status_t *, buffer_t *, oid_t *, void **);
  status_t (*release_name)(status_t *, void **);
  status_t (*init_context)(
    status_t *, void *, void **, void *, oid_t *, uint32_t, uint32_t, void *, buffer_t *, oid_t **, buffer_t *,
    uint32_t *, uint32_t *);
  status_t (*delete_context)(status_t *, void **, buffer_t *);
  status_t (*release_buffer)(status_t *, buffer_t *);
  status_t (*display_status)(status_t *, status_t, int, oid_t *, status_t *, buffer_t *);
} gss;
static int is_available;

// SPNEGO (RFC 4178), 1.3.6.1.5.5.2, and the name type of services, 1.2.840.113554.1.2.1.4.
static oid_t spnego = {6, "\x2b\x06\x01\x05\x05\x02"};
static oid_t service_name = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"};

int url_loading_gss_use(void *library) {
  gss.import_name = dlsym(library, "gss_import_name");
  gss.release_name = dlsym(library, "gss_release_name");
  gss.init_context = dlsym(library, "gss_init_sec_context");
  gss.delete_context = dlsym(library, "gss_delete_sec_context");
  gss.release_buffer = dlsym(library, "gss_release_buffer");
  gss.display_status = dlsym(library, "gss_display_status");
  is_available = gss.import_name && gss.release_name && gss.init_context && gss.delete_context && gss.release_buffer &&
                 gss.display_status;
  return is_available;
}

struct url_loading_gss_login {
  void *name;
  void *context;
};

url_loading_gss_login *url_loading_gss_begin(const char *service) {
  if (!is_available) return NULL;
  url_loading_gss_login *login = calloc(1, sizeof *login);
  if (login == NULL) return NULL;
  buffer_t text = {strlen(service), (void *)service};
  status_t minor = 0;
  if (gss.import_name(&minor, &text, &service_name, &login->name) != completed) {
    free(login);
    return NULL;
  }
  return login;
}

static char *describe(status_t major, status_t minor) {
  char *words = calloc(1, 1024);
  if (words == NULL) return NULL;
  size_t used = 0;
  for (int kind = gss_code; kind <= mechanism_code; kind++) {
    status_t rest = 0, ignored = 0;
    // Each status may have several messages.
    for (int count = 0; count < 4; count++) {
      buffer_t text = {0, NULL};
      status_t code = kind == gss_code ? major : minor;
      if (gss.display_status(&ignored, code, kind, &spnego, &rest, &text) != completed) break;
      int written = snprintf(
        words + used, 1024 - used, "%s%.*s", used ? ": " : "", (int)text.length, (const char *)text.value);
      gss.release_buffer(&ignored, &text);
      if (written > 0) used += (size_t)written < 1024 - used ? (size_t)written : 1023 - used;
      if (rest == 0) break;
    }
  }
  return words;
}

int url_loading_gss_step(
  url_loading_gss_login *login, const void *received, size_t received_length, unsigned char **token, size_t *length,
  char **words) {
  buffer_t input = {received_length, (void *)received}, output = {0, NULL};
  status_t minor = 0, ignored = 0;
  status_t major = gss.init_context(
    &minor, NULL, &login->context, login->name, &spnego, mutual_flag, 0, NULL, received ? &input : NULL, NULL, &output,
    NULL, NULL);
  if (major != completed && major != continue_needed) {
    *words = describe(major, minor);
    gss.release_buffer(&ignored, &output);
    return -1;
  }
  if (output.length == 0) return 0;
  *token = malloc(output.length);
  if (*token != NULL) memcpy(*token, output.value, output.length);
  *length = output.length;
  gss.release_buffer(&ignored, &output);
  return *token != NULL ? 1 : -1;
}

void url_loading_gss_end(url_loading_gss_login *login) {
  status_t ignored = 0;
  if (login == NULL) return;
  if (login->context != NULL) gss.delete_context(&ignored, &login->context, NULL);
  if (login->name != NULL) gss.release_name(&ignored, &login->name);
  free(login);
}
