#define _GNU_SOURCE
#include "gate.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "critical.h"
#include "confine.h"
#include "libc.h"
#include "thread.h"

// Maximum wait for another thread's files. They take a millisecond; but a SIGBUS or SIGSYS handler
// of the program may jump out of the work, and a debugger may stop the thread.
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

FL_HIDDEN void fl_gate_unmap(int *gate) { munmap(gate, (size_t)sysconf(_SC_PAGESIZE)); }

/// Replaces the state if it is `seen`, else updates `seen`. Acquire pairs with the release in
/// create(): a thread that sees FL_OPEN sees the files.
FL_LOCAL bool change(int *state, int *seen, int new) {
  return __atomic_compare_exchange_n(state, seen, new, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
}

/// Replaces the state of a gate that this thread has claimed, and returns the new one.
FL_LOCAL int release(int *state, int new) {
  int last = __atomic_exchange_n(state, new, __ATOMIC_RELEASE);
  if (last > 0 && (last & FL_AWAITED) != 0)
    syscall(SYS_futex, state, FL_FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
  return new;
}

/// Waits while a thread other than `self` has claimed the gate. Returns the state, and sets
/// `is_late` after a timeout: the state is then FL_ABANDONED.
FL_LOCAL int wait_for_other(int *state, int seen, int self, bool *is_late) {
  *is_late = false;
  while (seen > 0 && (seen & ~FL_AWAITED) != self) {
    if ((seen & FL_AWAITED) == 0 && !change(state, &seen, seen | FL_AWAITED)) continue;
    bool timed_out =
        syscall(SYS_futex, state, FL_FUTEX_WAIT, seen | FL_AWAITED, &patience, NULL, 0) != 0 &&
        errno == ETIMEDOUT;
    seen = __atomic_load_n(state, __ATOMIC_ACQUIRE);
    if (!timed_out || seen <= 0 || !change(state, &seen, FL_ABANDONED)) continue;
    *is_late = true;
    seen = FL_ABANDONED;
  }
  return seen;
}

/// Returns the new state. To be called by the thread that has claimed the gate: the program's
/// functions may replace libc's here, and their guards then find the claim.
FL_LOCAL int create(int *state, const struct fl_gate *gate) {
  int cancellation, new = FL_CLOSED;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
  if (fl_confine_has_changed()) gate->count_loss(0);
  else new = gate->create();
  new = release(state, new);
  pthread_setcancelstate(cancellation, NULL);
  return new;
}

FL_LOCAL int create_or_wait(int *state, const struct fl_gate *gate) {
  int self = (int)fl_thread_tag(), seen = FL_WIPED;
  if (change(state, &seen, self)) return create(state, gate);
  bool is_late;
  seen = wait_for_other(state, seen, self, &is_late);
  if (is_late) gate->count_loss(ETIMEDOUT);
  return seen;
}

FL_HIDDEN int fl_gate_pass(int *state, const struct fl_gate *gate) {
  int seen = __atomic_load_n(state, __ATOMIC_ACQUIRE);
  if (seen < 0) return seen;
  int saved = errno;
  // Checked before any other system call, which could kill a confined process.
  if (seen == FL_WIPED && fl_confine_forbids()) {
    if (change(state, &seen, FL_CLOSED)) gate->count_loss(0);
    seen = __atomic_load_n(state, __ATOMIC_ACQUIRE);
  }
  if (seen >= 0) {
    fl_signals signals = fl_signals_block();
    seen = create_or_wait(state, gate);
    fl_signals_unblock(signals);
  }
  errno = saved;
  return seen;
}

FL_HIDDEN bool fl_gate_claim(int *state) {
  // Needs no system call, unlike a thread id in a process that is not recorded. Two threads with
  // the same number, far from each other in memory, would not wait for each other.
  int self = (int)((uintptr_t)pthread_self() >> 6 & (FL_AWAITED - 1)) | 1;
  for (;;) {
    int seen = FL_WIPED;
    bool is_late;
    if (change(state, &seen, self)) return true;
    if (wait_for_other(state, seen, self, &is_late) != FL_WIPED) return false;
  }
}

FL_HIDDEN void fl_gate_give_back(int *state) { (void)release(state, FL_WIPED); }

FL_HIDDEN void fl_gate_abandon(int *state) { (void)release(state, FL_ABANDONED); }
