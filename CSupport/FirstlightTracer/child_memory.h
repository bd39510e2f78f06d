// The memory of a new process, a copy of its creator's. It is opened to continue watching, or
// cleared of breakpoints before the process runs.
#ifndef FL_TRACER_CHILD_MEMORY_H
#define FL_TRACER_CHILD_MEMORY_H

#include "tracer.h"

/// To be called when a process is notified of a child's end. Counts a child that a breakpoint has
/// killed, because CLONE_UNTRACED created it untraced: by a program that the tracer attached to.
void fl_child_end_note(struct fl_tracer *tracer, const struct fl_task *parent);

/// Whether a new thread or process of `creator` shares the creator's memory.
bool fl_memory_is_shared(const struct fl_task *creator, pid_t thread, int event);

/// A process outside of `process` that uses its memory without being traced, such as its child from
/// vfork(2) or posix_spawn(3); 0: none.
pid_t fl_memory_user(pid_t process);

/// To be called at the first stop of a process whose memory could not be opened when the process
/// was announced. Tries again with the means for a stopped process. If that fails, removes the
/// breakpoints, and the process runs unrecorded. If that fails too, kills the process, because it
/// would die of SIGTRAP or hang. Returns whether to resume the process.
bool fl_child_memory_settle(struct fl_tracer *tracer, struct fl_task *task);

#endif
