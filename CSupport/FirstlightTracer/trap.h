// SIGTRAP: the tracer's or the program's.
#ifndef FL_TRACER_TRAP_H
#define FL_TRACER_TRAP_H

#include "tracer.h"

/// What to do with a SIGTRAP that a thread has stopped with.
enum fl_trap {
  FL_TRAP_OURS,  // a breakpoint: handled, and not to be delivered
  FL_TRAP_FOREIGN,  // the program's own: deliver it
  FL_TRAP_BLOCKED,  // both in one: the program's own stays pending, since it is blocked
};
enum fl_trap fl_handle_trap(struct fl_tracer *tracer, struct fl_task *task);

/// Reads the signal mask of a stopped thread for later comparison.
void fl_mask_note(struct fl_task *task);

/// Delivers a signal to the program. If that enters a handler in which SIGTRAP is blocked, although
/// the program handles SIGTRAP too, `fl_handler_entered` unblocks it there.
void fl_deliver_signal(struct fl_task *task, int signal);
void fl_handler_entered(struct fl_task *task);

/// Whether a breakpoint's SIGTRAP is pending in a thread that has not stopped with it yet.
bool fl_trap_is_pending(pid_t thread);

/// Whether a thread has stopped with SIGTRAP because its single step is over.
bool fl_step_is_over(struct fl_task *task);

#endif
