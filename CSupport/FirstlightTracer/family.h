// New threads and processes. A new one stops by itself, and its creator stops with an event that
// announces it. The two stops arrive in either order, and the second only if the creator lives on.
#ifndef FL_TRACER_FAMILY_H
#define FL_TRACER_FAMILY_H

#include "tracer.h"

/// Adds a thread or process that `creator` has made, as `event` (PTRACE_EVENT_...) says. Returns
/// true if it has stopped already: that stop, in `stopped`, is then to be handled.
bool fl_adopt(struct fl_tracer *tracer, struct fl_task *creator, pid_t thread, int event,
              struct fl_orphan *stopped);

/// Adds a process that has stopped before its creator has announced it, which the creator may never
/// do: a signal may kill it first. False: it was killed, for want of memory, or because it is not
/// known which breakpoints its memory has.
bool fl_adopt_unannounced(struct fl_tracer *tracer, pid_t process);

/// Holds a stop of a thread that has not been announced yet. If its creator is killed, so is it.
void fl_orphan_add(struct fl_tracer *tracer, pid_t thread, int status);

void fl_orphan_remove(struct fl_tracer *tracer, pid_t thread);

/// Leaves a space. If it was the last task there, the space is kept for a while, for children that
/// are never announced.
void fl_space_depart(struct fl_tracer *tracer, struct fl_space *space);

/// The lineage of a process: a hash of its auxiliary vector, with addresses that are random at each
/// exec. 0: not known.
uint64_t fl_lineage(pid_t process);

#endif
