#define _GNU_SOURCE
#include "gate.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "calm.h"
#include "confine.h"
#include "thread.h"

// How long a thread waits for another one's files. They take a millisecond; but a handler of the
// program for SIGBUS or SIGSYS may jump out of the work, and a debugger may keep its thread.
static const struct timespec patience = {.tv_sec = 2};

FL_HIDDEN void *fl_gate_map(void) {
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return NULL;
  if (madvise(page, size, MADV_WIPEONFORK) == 0) return page;
  int error = errno;
  munmap(page, size);
  errno = error;
  return NULL;
}

/// Replaces the state if it is `seen`, else updates `seen`. Acquire pairs with the release in
/// create(): a thread that sees FL_OPEN sees the files.
FL_LOCAL bool change(int *state, int *seen, int new) {
  return __atomic_compare_exchange_n(state, seen, new, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
}

/// Returns the new state.
FL_LOCAL int create(int *state, const struct fl_gate *gate) {
  int result = gate->create();
  int last = __atomic_exchange_n(state, result, __ATOMIC_RELEASE);
  if (last > 0 && (last & FL_AWAITED) != 0)
    syscall(SYS_futex, state, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
  return result;
}

/// Waits while another thread than `self` creates the files. Returns the state.
FL_LOCAL int wait_for_other(int *state, int seen, int self, const struct fl_gate *gate) {
  while (seen > 0 && (seen & ~FL_AWAITED) != self) {
    if ((seen & FL_AWAITED) == 0 && !change(state, &seen, seen | FL_AWAITED)) continue;
    bool is_late =
        syscall(SYS_futex, state, FUTEX_WAIT_PRIVATE, seen | FL_AWAITED, &patience, NULL, 0) != 0 &&
        errno == ETIMEDOUT;
    seen = __atomic_load_n(state, __ATOMIC_ACQUIRE);
    if (!is_late || seen <= 0 || !change(state, &seen, FL_ABANDONED)) continue;
    gate->count_loss(ETIMEDOUT);
    return FL_ABANDONED;
  }
  return seen;
}

FL_HIDDEN int fl_gate_pass(int *state, const struct fl_gate *gate) {
  int seen = __atomic_load_n(state, __ATOMIC_ACQUIRE);
  if (seen < 0) return seen;
  int saved = errno;
  // Asked before any other system call, which could kill a confined process.
  if (seen == FL_WIPED && fl_confine_forbids()) {
    if (change(state, &seen, FL_CLOSED)) gate->count_loss(0);
    seen = __atomic_load_n(state, __ATOMIC_ACQUIRE);
  }
  if (seen >= 0) {
    struct fl_calm calm;
    fl_calm_begin(&calm);
    int self = (int)fl_thread_tag();
    seen = FL_WIPED;
    seen =
        change(state, &seen, self) ? create(state, gate) : wait_for_other(state, seen, self, gate);
    fl_calm_end(&calm);
  }
  errno = saved;
  return seen;
}
