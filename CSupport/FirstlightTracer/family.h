// New threads and processes. A new one stops by itself, and its creator stops with an event that
// announces it. The two stops arrive in either order, and the second only if the creator lives on.
#ifndef FL_TRACER_FAMILY_H
#define FL_TRACER_FAMILY_H

#include "tracer.h"

/// Adds a thread or process that `creator` has made, as `event` (PTRACE_EVENT_...) says. Returns
/// true if it has stopped already: that stop, in `stopped`, is then to be handled.
bool fl_adopt(struct fl_tracer *tracer, struct fl_task *creator, pid_t thread, int event,
              struct fl_orphan *stopped);

/// Holds a stop of a thread that has not been announced yet.
void fl_orphan_add(struct fl_tracer *tracer, pid_t thread, int status);

void fl_orphan_remove(struct fl_tracer *tracer, pid_t thread);

/// An orphan whose creator is in this process, according to /proc; 0: none.
pid_t fl_orphan_of(const struct fl_tracer *tracer, pid_t process);

#endif
