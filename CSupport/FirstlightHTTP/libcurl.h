// libcurl's functions, looked up at first use.
#ifndef FIRSTLIGHT_LIBCURL_H
#define FIRSTLIGHT_LIBCURL_H
#include <curl/curl.h>
#include <stdbool.h>

// clang-format off
#define FL_CURL_FUNCTIONS(X) \
  X(curl_global_init) X(curl_easy_init) X(curl_easy_setopt) X(curl_easy_getinfo) \
  X(curl_easy_reset) X(curl_easy_perform) X(curl_easy_cleanup) X(curl_easy_strerror) \
  X(curl_slist_append) X(curl_slist_free_all)
// clang-format on

struct fl_curl {
#define FL_CURL_FIELD(name) __typeof__(name) *name;
  FL_CURL_FUNCTIONS(FL_CURL_FIELD)
#undef FL_CURL_FIELD
};

// NULL if there is no libcurl; `why` (256 bytes) then contains the reason. Safe from any thread.
const struct fl_curl *fl_curl_load(char *why);
#endif
