// Creates a forked child's files before the child's own code can confine it, and clears memory that
// the kernel failed to clear.
#define _GNU_SOURCE
#include "fork.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "confine.h"
#include "gate.h"
#include "image_state.h"
#include "libc.h"
#include "marks.h"
#include "recording.h"

FL_LOCAL void create_files(void) {
  if (fl_image_state.gate != NULL) (void)fl_recording_pass();
  if (fl_image_state.marks != NULL) fl_image_state.marks->fork();
}

static uint32_t generation_before;

/// qemu's user-mode emulation accepts MADV_WIPEONFORK but ignores it (7.2, linux-user/mmap.c), so a
/// child would record into its parent's files. There, only libc's fork can be detected. If an
/// earlier handler made a first call, the child already has its own files.
FL_LOCAL void wipe_if_kernel_did_not(void) {
  if (fl_image_state.generation != generation_before) return;
  if (fl_image_state.gate != NULL) *fl_image_state.gate = FL_WIPED;
  if (fl_image_state.marks != NULL) fl_image_state.marks->wipe();
}

// Claimed by calls that hold the loader's lock, and by a fork until its end.
static int loader_gate;
static bool is_claimed_by_fork;

// Number of threads in a handler.
static int running;

FL_LOCAL void count_running(int change) { __atomic_fetch_add(&running, change, __ATOMIC_ACQ_REL); }

FL_HIDDEN void fl_fork_leave(void) {
  // A fork that has claimed the gate does not end the claim any more.
  fl_gate_abandon(&loader_gate);
  const struct timespec millisecond = {.tv_nsec = 1000000};
  int seen;
  for (int i = 0; i < 2000 && (seen = __atomic_load_n(&running, __ATOMIC_ACQUIRE)) != 0; i++)
    syscall(SYS_futex, &running, FL_FUTEX_WAIT, seen, &millisecond, NULL, 0);
}

FL_HIDDEN bool fl_fork_exclude(void) { return fl_gate_claim(&loader_gate); }

FL_HIDDEN void fl_fork_admit(bool was_excluded) {
  if (was_excluded) fl_gate_give_back(&loader_gate);
}

FL_LOCAL void before_fork(void) {
  count_running(1);
  int saved = errno;
  if (fl_fork_exclude()) is_claimed_by_fork = true;
  generation_before = fl_image_state.generation;
  fl_confine_look_again();
  errno = saved;
  count_running(-1);
}

FL_LOCAL void end_claim(void) {
  bool is_claimed = is_claimed_by_fork;
  is_claimed_by_fork = false;
  fl_fork_admit(is_claimed);
}

FL_LOCAL void after_fork(void) {
  count_running(1);
  int saved = errno;
  end_claim();
  errno = saved;
  count_running(-1);
}

FL_LOCAL void in_forked_child(void) {
  int saved = errno;
  // The child has no other threads.
  running = 0;
  end_claim();
  wipe_if_kernel_did_not();
  if (fl_confine_is_possible()) fl_confine_while_free(create_files);
  errno = saved;
}

extern void *__dso_handle __attribute__((visibility("hidden")));

FL_HIDDEN void fl_fork_handle(void) {
  // glibc's pthread_atfork is copied into each image that uses it, and would come first in orders
  // of the program. glibc removes the handlers when the image is unloaded; musl unloads no images.
  if (fl_is_glibc()) __register_atfork(before_fork, after_fork, in_forked_child, __dso_handle);
  else pthread_atfork(before_fork, after_fork, in_forked_child);
}
