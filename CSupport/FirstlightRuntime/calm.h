// Stretches of the runtime's work that nothing may leave half done.
#ifndef FL_CALM_H
#define FL_CALM_H

#include <signal.h>

#include "attributes.h"

struct fl_calm {
  sigset_t signals;
  int cancellation;
};

/// Holds back what could make this thread leave the work: signals, whose handlers may jump away or
/// wait for other threads, and cancellation, to which the program's own code need not expect to be
/// open here. May be nested. Makes one system call, rt_sigprocmask.
FL_HIDDEN void fl_calm_begin(struct fl_calm *calm);

/// Lets through what was held back.
FL_HIDDEN void fl_calm_end(const struct fl_calm *calm);

/// Every signal but those that the thread's own instructions and system calls cause: the kernel
/// ends a process that blocks one of these when it comes.
FL_HIDDEN void fl_calm_signals(sigset_t *signals);

#endif
