#define _GNU_SOURCE
#include "calm.h"

#include <pthread.h>
#include <stddef.h>

FL_HIDDEN void fl_calm_signals(sigset_t *signals) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  sigfillset(signals);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(signals, own[i]);
}

// Signals are blocked first and unblocked last: a handler that jumps away between the two steps
// would leave the thread deaf to cancellation for ever.

FL_HIDDEN void fl_calm_begin(struct fl_calm *calm) {
  sigset_t signals;
  fl_calm_signals(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, &calm->signals);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &calm->cancellation);
}

FL_HIDDEN void fl_calm_end(const struct fl_calm *calm) {
  pthread_setcancelstate(calm->cancellation, NULL);
  pthread_sigmask(SIG_SETMASK, &calm->signals, NULL);
}
