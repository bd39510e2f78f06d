// HTTP requests through libcurl. The library is loaded for the first request: a tool without
// requests starts without it and the two dozen libraries that it needs.
#ifndef FIRSTLIGHT_HTTP_H
#define FIRSTLIGHT_HTTP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Makes one transfer at a time, and keeps connections of earlier ones open.
struct fl_http_handle;

struct fl_http_request {
  const char *method;
  const char *url;
  // "Name: value" each; ends with NULL.
  const char *const *headers;
  // NULL if there is none.
  const void *body;
  size_t body_size;
  // PEM files; NULL for the system's authorities, and for no certificate.
  const char *authorities;
  const char *certificate;
  const char *key;
  // Time limits in seconds: for the connection, for the answer's head, and without a byte.
  long connect_timeout;
  long head_timeout;
  long idle_timeout;
  // Whether to ignore the environment's proxies.
  bool is_direct;

  void *context;
  // Receives a part of the head: a status line, or a header with its line end.
  void (*take_head)(void *context, const char *bytes, size_t count);
  // Receives a part of the body; returns false to stop the transfer.
  bool (*take_body)(void *context, const void *bytes, size_t count);
  // Whether to give the transfer up; called about once a second.
  bool (*is_cancelled)(void *context);
};

enum fl_http_problem {
  FL_HTTP_FINE,
  FL_HTTP_REFUSED,
  FL_HTTP_NO_HOST,
  FL_HTTP_TIMED_OUT,
  FL_HTTP_NOT_TLS,
  FL_HTTP_UNTRUSTED,
  FL_HTTP_CLOSED_EARLY,
  FL_HTTP_GIVEN_UP,
  // Described by `words`.
  FL_HTTP_OTHER,
};

struct fl_http_result {
  enum fl_http_problem problem;
  long status;
  // libcurl's message, ended by NUL.
  char words[256];
};

// Loads libcurl. NULL if that fails; `why` (256 bytes) then contains the reason.
struct fl_http_handle *fl_http_open(char *why);

// Sends a request, and returns when the answer is complete or the transfer has failed.
void fl_http_send(struct fl_http_handle *handle, const struct fl_http_request *request,
                  struct fl_http_result *result);

void fl_http_close(struct fl_http_handle *handle);
#endif
