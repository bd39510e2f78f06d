// Distinguishes the tracer's SIGTRAPs from the program's.
#ifndef FL_TRACER_TRAP_H
#define FL_TRACER_TRAP_H

#include "tracer.h"

/// The caller's action for a thread's SIGTRAP.
enum fl_trap {
  FL_TRAP_OURS,  // a breakpoint's, already handled: do not deliver it
  FL_TRAP_FOREIGN,  // the program's own: deliver it
  FL_TRAP_BLOCKED,  // merged with a breakpoint's: the program's own stays blocked and pending
};
enum fl_trap fl_handle_trap(struct fl_tracer *tracer, struct fl_task *task);

/// Delivers a signal to the program. If its handler blocks SIGTRAP although the program also
/// handles SIGTRAP, `fl_handler_entered` unblocks it there.
void fl_deliver_signal(struct fl_task *task, int signal);
void fl_handler_entered(struct fl_task *task);

/// Whether a breakpoint's SIGTRAP is pending in a thread that has not yet stopped for it.
bool fl_trap_is_pending(pid_t thread);

/// Whether a thread has stopped with SIGTRAP at the end of a single step.
bool fl_step_is_over(const struct fl_task *task);

#endif
