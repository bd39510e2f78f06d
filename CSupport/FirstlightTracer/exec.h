// Programs executed by traced processes.
#ifndef FL_TRACER_EXEC_H
#define FL_TRACER_EXEC_H

#include "tracer.h"

/// Called when a process has executed a program. Gives it a new space and plants breakpoints.
void fl_executed(struct fl_tracer *tracer, pid_t thread);

/// Begins to watch the program of a task that is stopped: plants breakpoints.
void fl_space_begin(struct fl_tracer *tracer, struct fl_task *task, bool is_command);

#endif
