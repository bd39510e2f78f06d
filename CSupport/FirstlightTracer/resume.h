// How threads go on after a stop.
#ifndef FL_TRACER_RESUME_H
#define FL_TRACER_RESUME_H

#include "tracer.h"

/// ptrace options of every tracee. With `kill` it is killed if the tracer dies: the breakpoints in
/// its memory would kill it later anyway, and that would look like a fault of its own.
long fl_ptrace_options(const struct fl_tracer *tracer, bool kill);

/// Resumes a thread, with a signal or 0; not one that is about to be let go.
void fl_resume(struct fl_task *task, int signal);

#endif
