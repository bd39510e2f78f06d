#define _GNU_SOURCE
#include "resume.h"

#include <sys/ptrace.h>

#include "waiting.h"

long fl_ptrace_options(const struct fl_tracer *tracer, bool kill) {
  long options = kill ? PTRACE_O_EXITKILL : 0;
  if ((tracer->host.flags & FL_TRACER_ALONE) == 0)
    options |= PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
  if (tracer->host.flags != 0) options |= PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD;
  return options;
}

void fl_resume(const struct fl_tracer *tracer, struct fl_task *task, int signal) {
  enum __ptrace_request how = task->stepped != 0                             ? PTRACE_SINGLESTEP
                              : task->is_loading || fl_watches_waits(tracer) ? PTRACE_SYSCALL
                                                                             : PTRACE_CONT;
  // A failure means that the thread has been killed meanwhile: its end will be reported.
  ptrace(how, task->thread, NULL, (void *)(long)signal);
}
