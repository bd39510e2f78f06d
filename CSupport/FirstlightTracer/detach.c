// Detaches from processes that outlive the recording.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "cpu.h"
#include "events.h"
#include "process_file.h"
#include "tasks.h"

// Detaches threads that stopped without being announced. A held thread would keep a process whose
// first thread has ended from ending, and the tracer waits for that end.
static void detach_unannounced(struct fl_tracer *tracer) {
  for (struct fl_orphan *orphan = tracer->orphans, *next; orphan != NULL; orphan = next) {
    next = orphan->next;
    ptrace(PTRACE_DETACH, orphan->thread, NULL, NULL);
    free(orphan);
  }
  tracer->orphans = NULL;
}

/// Whether all threads that are left wait within the kernel, as a parent in vfork does.
static bool is_waiting_within_kernel(const struct fl_tracer *tracer) {
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (const struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      if (fl_thread_state(task->thread) != 'D') return false;
  return true;
}

void fl_tracer_detach(struct fl_tracer *tracer) {
  enum { PATIENCE_MS = 200 };
  tracer->is_detaching = true;
  // The memory comes first, so that no thread hits a breakpoint any more; then the threads.
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (struct fl_task *task = tracer->tasks[i], *next; task != NULL; task = next) {
      next = task->next;
      if (!task->is_unsettled) {
        fl_check(tracer, task->space);
        fl_space_restore(task->space, task->thread);
      }
      fl_task_unpin(task);
      if (ptrace(PTRACE_INTERRUPT, task->thread, NULL, NULL) != 0 && errno == ESRCH)
        fl_task_remove(tracer, task->thread);  // it has ended
    }
  detach_unannounced(tracer);
  // Threads that wait within the kernel have no breakpoints any more. If this tracer attached to
  // them, the kernel may detach them when this process ends.
  const struct timespec pause = {.tv_nsec = 100000};
  uint64_t end = fl_now(CLOCK_MONOTONIC) + PATIENCE_MS * 1000000ull;
  while (tracer->task_count > 0) {
    int status;
    pid_t thread = waitpid(-1, &status, __WALL | (tracer->is_attached ? WNOHANG : 0));
    if (thread > 0) fl_handle_now(tracer, thread, status);
    else if (thread == 0 && fl_now(CLOCK_MONOTONIC) > end && is_waiting_within_kernel(tracer))
      break;
    else if (thread == 0) nanosleep(&pause, NULL);
    else if (errno != EINTR) break;  // no thread is left
  }
  if (tracer->is_pinned) fl_cpu_unpin(&tracer->affinity);
  tracer->is_pinned = false;
}
