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

/// dlclose fails for an image that is being unloaded. At exit it succeeds, since the loader then
/// holds all images open.
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

/// At exit, libc calls note_exit before all destructors, so `state` is EXITING here. At unloading,
/// it calls note_exit after destructors without a priority, so `state` is still LOADED. It is also
/// LOADED at exit in libraries that the program started with: their constructors run before the
/// loader registers its exit handler, so libc calls note_exit last. These libraries are never
/// unloaded, so is_closed() is false for them.
__attribute__((destructor)) FL_LOCAL void note_unloading(void) {
  if (state == LOADED && is_closed()) state = UNLOADING;
}

FL_HIDDEN bool fl_unloading_has_begun(void) { return state == UNLOADING; }
