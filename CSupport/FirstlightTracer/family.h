// New threads and processes. A new one stops by itself, and its creator stops with an event that
// announces the new one. The two stops arrive in either order, and the creator's only if it lives.
#ifndef FL_TRACER_FAMILY_H
#define FL_TRACER_FAMILY_H

#include "tracer.h"

/// Adds a thread or process that `creator` has created by `event` (PTRACE_EVENT_...). Returns true
/// if it has stopped already: the caller must then handle that stop, which is in `stopped`.
bool fl_adopt(struct fl_tracer *tracer, struct fl_task *creator, pid_t thread, int event,
              struct fl_orphan *stopped);

/// Adds a process that has stopped before its creator's announcement, which may never come: a
/// signal may kill the creator first. False: the process was killed, because memory is exhausted or
/// the breakpoints in its memory are unknown.
bool fl_adopt_unannounced(struct fl_tracer *tracer, pid_t process);

/// Holds a stop of an unannounced thread. If its creator is killed, so is the thread.
void fl_orphan_add(struct fl_tracer *tracer, pid_t thread, int status);

void fl_orphan_remove(struct fl_tracer *tracer, pid_t thread);

/// Removes a task from a space. After the last task, the space is kept for a while, for children
/// that are never announced.
void fl_space_depart(struct fl_tracer *tracer, struct fl_space *space);

/// The lineage of a process: a hash of its auxiliary vector, which contains addresses that are
/// random at each exec. 0: unknown.
uint64_t fl_lineage(pid_t process);

#endif
