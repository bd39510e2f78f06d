// Children that their creator hides from tracers (CLONE_UNTRACED): they would die of the
// breakpoints in their memory.
#ifndef FL_TRACER_UNTRACED_H
#define FL_TRACER_UNTRACED_H

#include <sys/types.h>

/// To be called in the process that is about to execute the program. From then on, system calls
/// that may create such children stop with PTRACE_EVENT_SECCOMP, in its children, too. Does nothing
/// if the kernel refuses.
void fl_untraced_report(void);

/// Takes the flag out of a system call that has stopped so.
void fl_untraced_take_off(pid_t thread);

#endif
