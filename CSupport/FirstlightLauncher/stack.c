// Stacks of the usual size, where the user's limit (ulimit -s) is lower and may not be raised:
// libdw needs more than 128 KiB.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "firstlight_launcher.h"

enum { USUAL = 8 << 20, GUARD = 1 << 16 };

void fl_run_on_usual_stack(void (*body)(void)) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= USUAL) {
    body();
    return;
  }
  // Threads get as much as the first one, which is what libc gives them by default.
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) == 0) {
    if (pthread_attr_setstacksize(&attributes, USUAL) == 0) pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  char *stack = mmap(NULL, GUARD + USUAL, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  static ucontext_t before, large;
  if (stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE) != 0 || getcontext(&large) != 0) {
    body();
    return;
  }
  large.uc_stack.ss_sp = stack + GUARD;
  large.uc_stack.ss_size = USUAL;
  large.uc_link = &before;
  makecontext(&large, body, 0);
  swapcontext(&before, &large);
}
