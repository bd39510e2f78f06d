// Otherwise the headers' type-checking macros would refer to the functions themselves.
#define CURL_DISABLE_TYPECHECK
#include "libcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo

static struct fl_curl curl;
static char problem[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  // The OpenSSL build first, then the GnuTLS build, which has another name in Debian.
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    snprintf(problem, sizeof problem, "HTTP needs libcurl.so.4 (Debian's package libcurl4)");
    return;
  }
#define FL_CURL_FIND(name)                                                                       \
  if ((curl.name = (__typeof__(curl.name))dlsym(library, #name)) == NULL) {                      \
    snprintf(problem, sizeof problem, "libcurl.so.4 has no %s; 7.68 or newer is needed", #name); \
    return;                                                                                      \
  }
  FL_CURL_FUNCTIONS(FL_CURL_FIND)
#undef FL_CURL_FIND
  if (curl.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    snprintf(problem, sizeof problem, "libcurl.so.4 cannot be set up");
}

const struct fl_curl *fl_curl_load(char *why) {
  pthread_once(&once, load);
  if (problem[0] == '\0') return &curl;
  snprintf(why, sizeof problem, "%s", problem);
  return NULL;
}
