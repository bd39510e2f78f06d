#define _GNU_SOURCE
#include "unloading.h"

#include <dlfcn.h>
#include <link.h>

#include "image.h"
#include "libc.h"

// Weak, since they are in a library of their own in older versions of glibc, and musl lacks one.
extern int dladdr1(const void *, Dl_info *, void **, int) __attribute__((weak));
extern int dlclose(void *) __attribute__((weak));
extern char *dlerror(void) __attribute__((weak));

extern int __cxa_atexit(void (*)(void *), void *, void *);
extern void *__dso_handle __attribute__((visibility("hidden")));

static enum { UNWATCHED, LOADED, EXITING, UNLOADING } state;

FL_LOCAL void note_exit(void *context) {
  (void)context;
  if (state == LOADED) state = EXITING;
}

FL_HIDDEN void fl_unloading_watch(void) {
  // musl unloads no images, and the executable always stays.
  if (state != UNWATCHED || !fl_is_glibc() || fl_image_is_executable(&state)) return;
  if (__cxa_atexit(note_exit, NULL, __dso_handle) == 0) state = LOADED;
}

/// Asks the loader, which closes only what is open: at exit it holds all images open.
FL_LOCAL bool is_closed(void) {
  Dl_info information;
  struct link_map *image = NULL;
  if (dladdr1 == NULL || dlclose == NULL || dlerror == NULL) return false;
  if (dladdr1(&state, &information, (void **)&image, RTLD_DL_LINKMAP) == 0) return false;
  if (dlclose(image) == 0) return false;
  // The program must not find this error.
  (void)dlerror();
  return true;
}

/// At exit, libc calls note_exit before all destructors; of an image that it unloads, after those
/// without a priority, like this one. Libraries that the program started with are an exception:
/// their constructors run before the loader's own exit handler is registered, and note_exit comes
/// last. But these are never unloaded.
__attribute__((destructor)) FL_LOCAL void note_unloading(void) {
  if (state == LOADED && is_closed()) state = UNLOADING;
}

FL_HIDDEN bool fl_unloading_has_begun(void) { return state == UNLOADING; }
