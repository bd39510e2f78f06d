// Knows the filters of the start, and acts on forks while a child is still free.
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "here.h"
#include "image.h"
#include "marks.h"
#include "proc.h"
#include "scratch.h"

// Weak, so that the runtime is no reason to link or bind it.
extern int prctl(int, ...) __attribute__((weak));

static bool is_watching;
static bool is_possible;
static bool is_free;

/// As the kernel tells it; 0 where it does not, as it did not count filters before Linux 5.9.
struct seccomp {
  uint64_t mode, filters;
};
static struct seccomp at_start;

FL_LOCAL uint64_t field_of(const char *status, const char *name) {
  const char *at = strstr(status, name);
  return at == NULL ? 0 : strtoull(at + strlen(name), NULL, 10);
}

/// From a file and not from prctl: to open files is what the runtime has to do anyway.
FL_LOCAL struct seccomp read_seccomp(void) {
  struct fl_scratch *scratch = fl_scratch_take();
  if (scratch == NULL) return (struct seccomp){0, 0};
  char *text = scratch->text;
  size_t size = fl_proc_read("/proc/self/status", text, sizeof scratch->text - 1);
  text[size] = '\0';
  struct seccomp told = {field_of(text, "\nSeccomp:"), field_of(text, "\nSeccomp_filters:")};
  fl_scratch_give(scratch);
  return told;
}

FL_HIDDEN bool fl_confine_is_possible(void) { return is_possible; }

FL_HIDDEN bool fl_confine_forbids(void) {
  if (is_possible && !is_free) return true;
  // Asked first where nothing was confined at start: a filter since then rather denies files.
  if (at_start.mode == 0) return syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0) > 0;
  struct seccomp now = read_seccomp();
  return now.mode != at_start.mode || now.filters != at_start.filters;
}

FL_HIDDEN void fl_confine_while_free(void (*work)(void)) {
  is_free = true;
  work();
  is_free = false;
}

FL_LOCAL void look_for_prctl(void) {
  if (is_possible || prctl == NULL) return;
  // In the executable: linked statically, or a sanitizer's.
  is_possible = fl_image_is_executable((const void *)prctl) || fl_image_any_binds("prctl");
}

FL_LOCAL void make_files(void) {
  if (fl_here.gate != NULL) (void)fl_pass_gate();
  if (fl_marks != NULL) fl_marks->fork();
}

/// In the parent: a library that was loaded meanwhile may be the one that confines.
FL_LOCAL void before_fork(void) {
  if (!is_watching) return;
  int saved = errno;
  look_for_prctl();
  errno = saved;
}

FL_LOCAL void in_forked_child(void) {
  if (!is_possible) return;
  int saved = errno;
  fl_confine_while_free(make_files);
  errno = saved;
}

FL_HIDDEN void fl_confine_watch(void) {
  if (is_watching) return;
  is_watching = true;
  at_start = read_seccomp();
  look_for_prctl();
}

#ifdef __GLIBC__
// What glibc's pthread_atfork calls, which is a function in each image that uses it: it would stand
// in orders of the program as the first one called.
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *image);
extern void *__dso_handle __attribute__((visibility("hidden")));
#endif

/// Not when recording starts: that may be under the loader's lock, which before_fork asks for while
/// libc holds its own lock of handlers. libc forgets them when the image is unloaded.
__attribute__((constructor(3))) FL_LOCAL void handle_forks(void) {
  int saved = errno;
#ifdef __GLIBC__
  __register_atfork(before_fork, NULL, in_forked_child, __dso_handle);
#else
  pthread_atfork(before_fork, NULL, in_forked_child);
#endif
  errno = saved;
}
