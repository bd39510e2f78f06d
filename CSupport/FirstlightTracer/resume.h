// Continues threads after a stop.
#ifndef FL_TRACER_RESUME_H
#define FL_TRACER_RESUME_H

#include "tracer.h"

/// ptrace options of every tracee. With `kill`, the tracee is killed if the tracer dies. The
/// breakpoints in its memory would kill it later anyway, which would look like its own fault.
long fl_ptrace_options(const struct fl_tracer *tracer, bool kill);

/// Resumes a thread, with a signal or 0. Skips a thread that is about to be detached.
void fl_resume(struct fl_task *task, int signal);

#endif
