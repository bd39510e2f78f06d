#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "firstlight_index_store.h"

const struct fl_index_library *fl_index_open(const char *path, char *why) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *words = dlerror();
    snprintf(why, FL_INDEX_WHY, "%s", words ? words : path);
    return NULL;
  }
  struct fl_index_library *library = calloc(1, sizeof *library);
  if (library == NULL) {
    snprintf(why, FL_INDEX_WHY, "%s: out of memory", path);
    return NULL;
  }
#define IX_FIND(result, name, parameters)                                             \
  library->name = (result(*) parameters)dlsym(handle, "indexstore_" #name);           \
  if (library->name == NULL) {                                                        \
    snprintf(why, FL_INDEX_WHY, "%s: lacks the function indexstore_%s", path, #name); \
    free(library);                                                                    \
    return NULL;                                                                      \
  }
  IX_FUNCTIONS(IX_FIND)
#undef IX_FIND
  // 10,000 times the major version, which changes with incompatible changes, plus the minor one.
  unsigned version = library->version();
  if (version / 10000 != 0) {
    snprintf(why, FL_INDEX_WHY, "%s: version %u.%u of its interface is not known here", path,
             version / 10000, version % 10000);
    free(library);
    return NULL;
  }
  return library;
}
