// Stretches of the runtime's work that nothing may leave half done.
#ifndef FL_CALM_H
#define FL_CALM_H

#include <stdint.h>

#include "attributes.h"

/// Signals as the kernel has them.
typedef uint64_t fl_signals;

struct fl_calm {
  fl_signals signals;
  int cancellation;
};

/// Holds back what could make this thread leave the work: signals, whose handlers may jump away or
/// wait for other threads, and cancellation, to which the program's own code need not expect to be
/// open here. May be nested. Makes one system call, rt_sigprocmask.
FL_HIDDEN void fl_calm_begin(struct fl_calm *calm);

/// Lets through what was held back.
FL_HIDDEN void fl_calm_end(const struct fl_calm *calm);

/// Blocks all signals but those that the thread's own instructions and system calls cause, since
/// the kernel ends a process that blocks one of these when it comes. Also holds back asynchronous
/// cancellation. Calls no function that the program could replace by one with guards.
FL_HIDDEN fl_signals fl_calm_block(void);

/// Blocks the signals that fl_calm_block has returned, and no others.
FL_HIDDEN void fl_calm_unblock(fl_signals signals);

#endif
