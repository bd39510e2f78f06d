#define _GNU_SOURCE
#include "resume.h"

#include <sys/ptrace.h>

#include "record.h"

long fl_ptrace_options(const struct fl_tracer *tracer, bool kill) {
  // PTRACE_O_TRACESYSGOOD distinguishes a stop at a system call from a breakpoint's.
  long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACESYSGOOD;
  if (kill && !tracer->is_attached) options |= PTRACE_O_EXITKILL;
  // The end of a vfork restores PTRACE_O_EXITKILL.
  if (!tracer->is_attached) options |= PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACESECCOMP;
  if (tracer->host.flags != 0 || tracer->host.unwatched != NULL) options |= PTRACE_O_TRACEEXIT;
  return options;
}

void fl_resume(struct fl_task *task, int signal) {
  if (task->is_leaving) return;
  enum __ptrace_request how = task->stepped != 0 ? PTRACE_SINGLESTEP
                              : task->is_loading ? PTRACE_SYSCALL
                                                 : PTRACE_CONT;
  // Noted before the call, because the thread may then run instead of the tracer, on the same CPU.
  task->resumed = fl_now(CLOCK_MONOTONIC);
  // A failure means that the thread has been killed meanwhile: its end will be reported.
  ptrace(how, task->thread, NULL, (void *)(long)signal);
}
