// Detaches from processes that outlive the recording.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "cpu.h"
#include "events.h"
#include "plant.h"
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

/// Whether the kernel detaches a thread when this process ends, and no sooner: one that waits
/// within the kernel, as a parent in vfork does, and is not killed then.
static bool is_left_to_kernel(const struct fl_tracer *tracer, const struct fl_task *task) {
  return task->is_within_vfork || (tracer->is_attached && fl_thread_state(task->thread) == 'D');
}

/// Leaves the threads to the kernel if it can detach all that are left.
static bool leave_to_kernel(const struct fl_tracer *tracer) {
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (const struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      if (!is_left_to_kernel(tracer, task)) return false;
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (const struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      fl_count_running(tracer, task);
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
  // Threads that wait within the kernel have no breakpoints any more.
  const struct timespec pause = {.tv_nsec = 100000};
  uint64_t end = fl_now(CLOCK_MONOTONIC) + PATIENCE_MS * 1000000ull;
  while (tracer->task_count > 0) {
    int status;
    pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
    if (thread > 0) fl_handle_now(tracer, thread, status);
    else if (thread == 0 && fl_now(CLOCK_MONOTONIC) > end && leave_to_kernel(tracer)) break;
    else if (thread == 0) nanosleep(&pause, NULL);
    else if (errno != EINTR) break;  // no thread is left
  }
  if (tracer->is_pinned) fl_cpu_unpin(&tracer->affinity);
  tracer->is_pinned = false;
}
