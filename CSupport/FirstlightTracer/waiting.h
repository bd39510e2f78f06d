// Which threads wait for which: how threads of a program affect each other by system calls.
#ifndef FL_TRACER_WAITING_H
#define FL_TRACER_WAITING_H

#include <sys/ptrace.h>

#include "tracer.h"

/// Whether threads are to stop at their system calls because they may wait for each other.
bool fl_watches_waits(const struct fl_tracer *tracer);

/// Notes what a thread's system call means to threads that wait.
void fl_action_note(struct fl_tracer *tracer, struct fl_task *task,
                    const struct __ptrace_syscall_info *call);

#endif
