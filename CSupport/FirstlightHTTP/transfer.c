#define _GNU_SOURCE
#define CURL_DISABLE_TYPECHECK
#include "firstlight_http.h"
#include "libcurl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

struct fl_http_handle {
  const struct fl_curl *curl;
  CURL *easy;
};

// The state shared by the callbacks of one transfer.
struct transfer {
  const struct fl_http_request *request;
  bool has_head;
  // When the answer's head must be there, on the monotonic clock, milliseconds.
  int64_t deadline;
  // The reason why a callback ended the transfer.
  enum fl_http_problem problem;
};

struct fl_http_handle *fl_http_open(char *why) {
  const struct fl_curl *curl = fl_curl_load(why);
  if (curl == NULL) return NULL;
  struct fl_http_handle *handle = calloc(1, sizeof *handle);
  if (handle == NULL) return NULL;
  handle->curl = curl;
  handle->easy = curl->curl_easy_init();
  if (handle->easy == NULL) {
    strcpy(why, "libcurl is out of memory");
    fl_http_close(handle);
    return NULL;
  }
  return handle;
}

void fl_http_close(struct fl_http_handle *handle) {
  if (handle->easy != NULL) handle->curl->curl_easy_cleanup(handle->easy);
  free(handle);
}

static size_t take_head(char *bytes, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  (void)size;
  transfer->request->take_head(transfer->request->context, bytes, count);
  // The empty line that ends a head. After 100 Continue, another head follows.
  if (count <= 2 && (bytes[0] == '\r' || bytes[0] == '\n')) transfer->has_head = true;
  return count;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  (void)size;
  if (transfer->request->take_body(transfer->request->context, bytes, count)) return count;
  transfer->problem = FL_HTTP_GIVEN_UP;
  return 0;
}

static int64_t milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// libcurl calls this about once a second, and whenever something arrives.
static int look_up(void *context, curl_off_t total, curl_off_t now, curl_off_t up,
                   curl_off_t sent) {
  struct transfer *transfer = context;
  (void)total, (void)now, (void)up, (void)sent;
  if (transfer->request->is_cancelled(transfer->request->context))
    transfer->problem = FL_HTTP_GIVEN_UP;
  else if (!transfer->has_head && milliseconds_now() >= transfer->deadline)
    transfer->problem = FL_HTTP_TIMED_OUT;
  return transfer->problem != FL_HTTP_FINE;
}

static struct curl_slist *headers_of(const struct fl_curl *curl,
                                     const struct fl_http_request *request) {
  // Does not wait for "100 Continue", and sends no content type unless the caller sets one.
  struct curl_slist *list = curl->curl_slist_append(NULL, "Expect:");
  bool has_type = false;
  for (const char *const *header = request->headers; *header != NULL; header++) {
    if (strncasecmp(*header, "Content-Type:", 13) == 0) has_type = true;
    struct curl_slist *longer = curl->curl_slist_append(list, *header);
    if (longer != NULL) list = longer;
  }
  if (!has_type) {
    struct curl_slist *longer = curl->curl_slist_append(list, "Content-Type:");
    if (longer != NULL) list = longer;
  }
  return list;
}

static void set_up(struct fl_http_handle *handle, struct transfer *transfer,
                   struct curl_slist *headers, char *words) {
  const struct fl_curl *curl = handle->curl;
  const struct fl_http_request *request = transfer->request;
  CURL *easy = handle->easy;
  curl->curl_easy_reset(easy);
#define SET(option, value) curl->curl_easy_setopt(easy, option, value)
  SET(CURLOPT_URL, request->url);
  SET(CURLOPT_NOSIGNAL, 1L);
  SET(CURLOPT_ERRORBUFFER, words);
  SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  SET(CURLOPT_HTTPHEADER, headers);
  SET(CURLOPT_CONNECTTIMEOUT, request->connect_timeout);
  SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
  SET(CURLOPT_LOW_SPEED_TIME, request->idle_timeout);
  SET(CURLOPT_HEADERFUNCTION, take_head);
  SET(CURLOPT_HEADERDATA, transfer);
  SET(CURLOPT_WRITEFUNCTION, take_body);
  SET(CURLOPT_WRITEDATA, transfer);
  SET(CURLOPT_NOPROGRESS, 0L);
  SET(CURLOPT_XFERINFOFUNCTION, look_up);
  SET(CURLOPT_XFERINFODATA, transfer);
  if (request->is_direct) SET(CURLOPT_NOPROXY, "*");
  if (request->authorities != NULL) {
    SET(CURLOPT_CAINFO, request->authorities);
    // Trusts only these authorities, not the system's.
    SET(CURLOPT_CAPATH, NULL);
  }
  if (request->certificate != NULL) SET(CURLOPT_SSLCERT, request->certificate);
  if (request->key != NULL) SET(CURLOPT_SSLKEY, request->key);
  if (strcmp(request->method, "HEAD") == 0) {
    SET(CURLOPT_NOBODY, 1L);
  } else if (request->body != NULL) {
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
    SET(CURLOPT_POSTFIELDS, request->body);
  }
  if (strcmp(request->method, "GET") != 0 || request->body != NULL) {
    SET(CURLOPT_CUSTOMREQUEST, request->method);
    // libcurl silently repeats a request if the connection of an earlier one turns out to be
    // closed. A request with effects must not be repeated, so it gets its own connection.
    SET(CURLOPT_FRESH_CONNECT, 1L);
    SET(CURLOPT_FORBID_REUSE, 1L);
  }
#undef SET
}

static enum fl_http_problem problem_of(struct fl_http_handle *handle, CURLcode code,
                                       const char *words) {
  long number = 0;
  switch (code) {
    case CURLE_OK: return FL_HTTP_FINE;
    case CURLE_COULDNT_RESOLVE_HOST: return FL_HTTP_NO_HOST;
    case CURLE_OPERATION_TIMEDOUT: return FL_HTTP_TIMED_OUT;
    case CURLE_PEER_FAILED_VERIFICATION: return FL_HTTP_UNTRUSTED;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR: return FL_HTTP_CLOSED_EARLY;
    case CURLE_COULDNT_CONNECT:
      handle->curl->curl_easy_getinfo(handle->easy, CURLINFO_OS_ERRNO, &number);
      return number == ECONNREFUSED ? FL_HTTP_REFUSED : FL_HTTP_OTHER;
    case CURLE_SSL_CONNECT_ERROR:
      // The messages of OpenSSL and of GnuTLS.
      return strcasestr(words, "wrong version number") != NULL ||
                     strcasestr(words, "unexpected tls packet") != NULL ||
                     strcasestr(words, "packet length too long") != NULL
                 ? FL_HTTP_NOT_TLS
                 : FL_HTTP_OTHER;
    default: return FL_HTTP_OTHER;
  }
}

void fl_http_send(struct fl_http_handle *handle, const struct fl_http_request *request,
                  struct fl_http_result *result) {
  const struct fl_curl *curl = handle->curl;
  struct transfer transfer = {.request = request};
  transfer.deadline = milliseconds_now() + request->head_timeout * 1000;
  char words[CURL_ERROR_SIZE] = "";
  memset(result, 0, sizeof *result);
  struct curl_slist *headers = headers_of(curl, request);
  set_up(handle, &transfer, headers, words);
  const CURLcode code = curl->curl_easy_perform(handle->easy);
  result->problem =
      transfer.problem != FL_HTTP_FINE ? transfer.problem : problem_of(handle, code, words);
  curl->curl_easy_getinfo(handle->easy, CURLINFO_RESPONSE_CODE, &result->status);
  const char *told = words[0] != '\0' ? words : curl->curl_easy_strerror(code);
  strncpy(result->words, told, sizeof result->words - 1);
  // Resets all options, which point to data of this request.
  curl->curl_easy_reset(handle->easy);
  curl->curl_slist_free_all(headers);
}
