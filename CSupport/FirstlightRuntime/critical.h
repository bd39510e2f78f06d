// Critical sections: runtime work that signals and cancellation must not interrupt.
#ifndef FL_CRITICAL_H
#define FL_CRITICAL_H

#include <stdint.h>

#include "attributes.h"

/// Signals in the kernel's format.
typedef uint64_t fl_signals;

struct fl_critical {
  fl_signals signals;
  int cancellation;
};

/// Blocks signals, whose handlers may jump away or wait for other threads, and disables
/// cancellation, which the program does not expect in its own functions. Sections may be nested.
/// Makes one system call, rt_sigprocmask.
FL_HIDDEN void fl_critical_begin(struct fl_critical *section);

/// Restores the thread's cancellation state and signal mask.
FL_HIDDEN void fl_critical_end(const struct fl_critical *section);

/// Blocks all signals except those that the thread's own instructions and system calls cause, since
/// the kernel ends a process that gets one of these while it is blocked. Also delays asynchronous
/// cancellation. Calls no function that the program could replace by one with guards.
FL_HIDDEN fl_signals fl_signals_block(void);

/// Restores the mask that fl_signals_block has returned.
FL_HIDDEN void fl_signals_unblock(fl_signals signals);

#endif
