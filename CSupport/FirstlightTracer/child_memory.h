// The memory of a new process, a copy of its creator's: opened to go on watching there, or cleared
// of breakpoints before the process runs.
#ifndef FL_TRACER_CHILD_MEMORY_H
#define FL_TRACER_CHILD_MEMORY_H

#include "tracer.h"

/// Clears CLONE_UNTRACED in the flags of a system call that is about to begin: an untraced child
/// would die at its first breakpoint.
void fl_take_untraced_off(const struct fl_task *task, long number);

/// To be called when a process is notified of a child's end. Counts a child that a breakpoint has
/// killed: it was created untraced by flags that were not foreseen.
void fl_child_end_note(struct fl_tracer *tracer, const struct fl_task *parent);

/// Whether the memory of a new thread or process, which `creator` has made, is the creator's own.
bool fl_memory_is_shared(const struct fl_task *creator, pid_t thread, int event);

/// To be called at the first stop of a process whose memory could not be opened when it was
/// announced. Tries again, with what a stopped process allows; else removes its breakpoints, and
/// what it does is not recorded. If they cannot be removed either, it is killed: it would die of
/// SIGTRAP, or hang. Returns whether it is to go on.
bool fl_child_memory_settle(struct fl_tracer *tracer, struct fl_task *task);

#endif
