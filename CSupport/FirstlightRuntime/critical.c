#define _GNU_SOURCE
#include "critical.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libc.h"

#define SIGNAL(number) ((fl_signals)1 << ((number) - 1))

FL_HIDDEN fl_signals fl_signals_block(void) {
  // libc's internal signal for changing the user of all threads: the sender waits for each thread.
  int change_user = fl_is_glibc() ? 33 : 34;
  fl_signals blocked = ~(SIGNAL(SIGSEGV) | SIGNAL(SIGBUS) | SIGNAL(SIGFPE) | SIGNAL(SIGILL) |
                         SIGNAL(SIGTRAP) | SIGNAL(SIGSYS) | SIGNAL(change_user));
  fl_signals before = 0;
  // libc's functions leave out its cancellation signal, so this uses the system call.
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &blocked, &before, sizeof before);
  return before;
}

FL_HIDDEN void fl_signals_unblock(fl_signals signals) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, NULL, sizeof signals);
}

// Signals are blocked first and unblocked last: a handler that jumps away between the two steps
// would leave cancellation disabled in this thread for ever.

FL_HIDDEN void fl_critical_begin(struct fl_critical *section) {
  section->signals = fl_signals_block();
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &section->cancellation);
}

FL_HIDDEN void fl_critical_end(const struct fl_critical *section) {
  pthread_setcancelstate(section->cancellation, NULL);
  fl_signals_unblock(section->signals);
}
