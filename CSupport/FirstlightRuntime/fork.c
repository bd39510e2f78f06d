// Creates a forked child's files before the child's own code can confine it.
#define _GNU_SOURCE
#include "fork.h"

#include <errno.h>
#include <pthread.h>

#include "confine.h"
#include "image_state.h"
#include "marks.h"
#include "recording.h"

FL_LOCAL void create_files(void) {
  if (fl_image_state.gate != NULL) (void)fl_gate_pass();
  if (fl_image_state.marks != NULL) fl_image_state.marks->fork();
}

FL_LOCAL void before_fork(void) {
  int saved = errno;
  fl_confine_look_again();
  errno = saved;
}

FL_LOCAL void in_forked_child(void) {
  if (!fl_confine_is_possible()) return;
  int saved = errno;
  fl_confine_while_free(create_files);
  errno = saved;
}

#ifdef __GLIBC__
// What glibc's pthread_atfork calls. pthread_atfork itself is a function in each image that uses
// it, and would be the first one called in orders of the program.
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *image);
extern void *__dso_handle __attribute__((visibility("hidden")));
#endif

FL_HIDDEN void fl_fork_handle(void) {
  // libc drops the handlers when the image is unloaded.
#ifdef __GLIBC__
  __register_atfork(before_fork, NULL, in_forked_child, __dso_handle);
#else
  pthread_atfork(before_fork, NULL, in_forked_child);
#endif
}
