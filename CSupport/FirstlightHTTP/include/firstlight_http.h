// HTTP requests through libcurl. The library is loaded when the first request is made: a tool that
// makes none starts without it and the two dozen libraries it brings along.
#ifndef FIRSTLIGHT_HTTP_H
#define FIRSTLIGHT_HTTP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One transfer at a time, and the connections left open by earlier ones.
struct fl_http_handle;

struct fl_http_request {
  const char *method;
  const char *url;
  // "Name: value"; ended by NULL.
  const char *const *headers;
  // NULL: none.
  const void *body;
  size_t body_size;
  // PEM files; NULL: the system's authorities, no certificate.
  const char *authorities;
  const char *certificate;
  const char *key;
  // Seconds: until a connection stands, until the head of the answer is there, without a byte.
  long connect_timeout;
  long head_timeout;
  long idle_timeout;
  // No proxy, whatever the environment names.
  bool is_direct;

  void *context;
  // A part of the head: a status line, or a header with its line's end.
  void (*take_head)(void *context, const char *bytes, size_t count);
  // A part of the body; false: no more of it is wanted.
  bool (*take_body)(void *context, const void *bytes, size_t count);
  // Whether the transfer is to be given up.
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
  // libcurl's own, ended by NUL.
  char words[256];
};

// Loads libcurl. NULL if that is not possible; the reason is then in `why` (256 bytes).
struct fl_http_handle *fl_http_open(char *why);

// Sends a request, and returns when its answer is there, or cannot come.
void fl_http_send(struct fl_http_handle *handle, const struct fl_http_request *request,
                  struct fl_http_result *result);

// Has the transfer ask `is_cancelled` now. From any thread.
void fl_http_wake(struct fl_http_handle *handle);

void fl_http_close(struct fl_http_handle *handle);
#endif
