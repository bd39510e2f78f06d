// Letting go of processes that outlive the recording.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "process_file.h"
#include "tracer.h"

static void let_go(struct fl_tracer *tracer, pid_t thread, int signal) {
  ptrace(PTRACE_DETACH, thread, NULL, (void *)(long)signal);
  fl_task_remove(tracer, thread);
}

void fl_detach_stopped(struct fl_tracer *tracer, struct fl_task *task, int status) {
  pid_t thread = task->thread;
  int signal = WSTOPSIG(status);
  unsigned long created;
  // Its own doing, not to be delivered: a step over a breakpoint, or into a handler.
  if (status >> 16 == 0 && signal == SIGTRAP &&
      (task->is_entering || (task->stepped != 0 && fl_step_is_over(task)))) {
    fl_space_restore(task->space, thread);
    let_go(tracer, thread, 0);
    return;
  }
  task->stepped = 0;
  switch (status >> 16) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
      // It may have stopped before its creator, and been let go.
      if (ptrace(PTRACE_GETEVENTMSG, thread, NULL, &created) == 0 &&
          fl_status_number((pid_t)created, "TracerPid:", 10) != 0)
        fl_adopt(tracer, task, (pid_t)created, status >> 16);
      let_go(tracer, thread, 0);
      return;
    case PTRACE_EVENT_EXEC: let_go(tracer, thread, 0); return;
    case 0:
      if (signal == (SIGTRAP | 0x80)) signal = 0;
      if (signal == SIGTRAP && fl_handle_trap(tracer, task) == FL_TRAP_OURS) signal = 0;
      // Its memory may be a copy from before the others' was put right.
      fl_space_restore(task->space, thread);
      let_go(tracer, thread, signal);
      return;
    case PTRACE_EVENT_STOP:
      fl_space_restore(task->space, thread);
      // It has run into a breakpoint and not told yet: detached now, it would die of it.
      if (fl_trap_is_pending(thread)) ptrace(PTRACE_CONT, thread, NULL, NULL);
      else let_go(tracer, thread, 0);
      return;
    default: let_go(tracer, thread, 0);
  }
}

void fl_tracer_detach(struct fl_tracer *tracer) {
  tracer->is_detaching = true;
  // First the memory, so that no thread runs into a breakpoint from here on; then the threads.
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (struct fl_task *task = tracer->tasks[i], *next; task != NULL; task = next) {
      next = task->next;
      fl_space_restore(task->space, task->thread);
      fl_task_unpin(task);
      if (ptrace(PTRACE_INTERRUPT, task->thread, NULL, NULL) != 0 && errno == ESRCH)
        fl_task_remove(tracer, task->thread);  // gone
    }
  while (tracer->task_count > 0) {
    int status;
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread > 0) fl_handle_event(tracer, thread, status, fl_now(CLOCK_MONOTONIC));
    else if (errno != EINTR) break;  // nothing is left to wait for
  }
  // Whose creators are not known: they can have no breakpoint that we know of either.
  for (struct fl_orphan *orphan = tracer->orphans, *next; orphan != NULL; orphan = next) {
    next = orphan->next;
    ptrace(PTRACE_DETACH, orphan->thread, NULL, NULL);
    free(orphan);
  }
  tracer->orphans = NULL;
  if (tracer->is_pinned) fl_cpu_unpin(&tracer->affinity);
  tracer->is_pinned = false;
}
