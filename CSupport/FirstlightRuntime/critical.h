// Critical sections: work of the runtime that a signal or a cancellation must not leave half done.
#ifndef FL_CRITICAL_H
#define FL_CRITICAL_H

#include <stdint.h>

#include "attributes.h"

/// Signals as the kernel has them.
typedef uint64_t fl_signals;

struct fl_critical {
  fl_signals signals;
  int cancellation;
};

/// Blocks signals, whose handlers may jump away or wait for other threads, and disables
/// cancellation, which the program does not expect in a function of its own. Sections may be
/// nested. Makes one system call, rt_sigprocmask.
FL_HIDDEN void fl_critical_begin(struct fl_critical *section);

/// Restores the thread's cancellation state and signal mask.
FL_HIDDEN void fl_critical_end(const struct fl_critical *section);

/// Blocks all signals but those that the thread's own instructions and system calls cause, since
/// the kernel ends a process that blocks one of these when it comes. Also holds back asynchronous
/// cancellation. Calls no function that the program could replace by one with guards.
FL_HIDDEN fl_signals fl_signals_block(void);

/// Blocks the signals that fl_signals_block has returned, and no others.
FL_HIDDEN void fl_signals_unblock(fl_signals signals);

#endif
