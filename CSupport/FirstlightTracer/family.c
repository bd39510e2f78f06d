// Threads and processes come and go. A new one stops by itself, and its creator stops with an event
// that names it; the two reach us in either order, and the second only if the creator lives on.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process_file.h"
#include "tracer.h"

/// Whether two threads use one memory (vfork, or clone with CLONE_VM).
static bool share_memory(pid_t a, pid_t b, int event) {
  long order = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);
  if (order >= 0) return order == 0;
  return event != PTRACE_EVENT_FORK;  // a kernel without kcmp: as libc uses them
}

void fl_adopt(struct fl_tracer *tracer, struct fl_task *creator, pid_t thread, int event) {
  struct fl_space *space = creator->space;
  pid_t process = thread;
  if (event == PTRACE_EVENT_CLONE) process = (pid_t)fl_status_number(thread, "Tgid:", 10);
  if (process == 0) process = thread;  // it is gone already
  if (process == thread && !share_memory(creator->thread, thread, event)) {
    struct fl_space *copy = fl_space_copy(space, thread);
    if (copy == NULL) return;
    copy->origin = fl_origin_now(thread, creator->process);
    // A parent that has recorded nothing of its own stands for the one it was forked from.
    copy->origin.forked_from = space->record != NULL ? space->record : space->origin.forked_from;
    if (copy->origin.forked_from != NULL)
      copy->origin.forked_at = copy->origin.forked_from->process.call_count;
    space = copy;
    if (tracer->host.flags != 0) fl_space_record(tracer, space);
  }
  struct fl_task *task = fl_task_add(tracer, thread, process, space);
  if (task != NULL) {
    // It has inherited that.
    task->shares_tracer_cpu = creator->shares_tracer_cpu;
    task->affinity = creator->affinity;
  } else {
    if (space->tasks == 0) {
      space->tasks = 1;
      fl_space_leave(space);
    }
    return;
  }
  for (struct fl_orphan **at = &tracer->orphans; *at != NULL; at = &(*at)->next) {
    struct fl_orphan *orphan = *at;
    if (orphan->thread != thread) continue;
    int status = orphan->status;
    uint64_t seen = orphan->seen;
    *at = orphan->next;
    free(orphan);
    uint64_t creators = tracer->seen;
    fl_handle_event(tracer, thread, status, seen);
    tracer->seen = creators;
    return;
  }
}

void fl_orphan_add(struct fl_tracer *tracer, pid_t thread, int status) {
  struct fl_orphan *orphan = malloc(sizeof *orphan);
  if (orphan == NULL) return;
  pid_t process = (pid_t)fl_status_number(thread, "Tgid:", 10);
  if (process == thread) process = (pid_t)fl_status_number(thread, "PPid:", 10);
  *orphan = (struct fl_orphan){.thread = thread,
                               .parent = process,
                               .status = status,
                               .seen = tracer->seen,
                               .next = tracer->orphans};
  tracer->orphans = orphan;
}

static void orphan_remove(struct fl_tracer *tracer, pid_t thread) {
  for (struct fl_orphan **at = &tracer->orphans; *at != NULL; at = &(*at)->next) {
    struct fl_orphan *orphan = *at;
    if (orphan->thread != thread) continue;
    *at = orphan->next;
    free(orphan);
    return;
  }
}

void fl_task_ended(struct fl_tracer *tracer, pid_t thread) {
  orphan_remove(tracer, thread);
  struct fl_task *task = fl_task_find(tracer, thread);
  if (task == NULL) return;
  // Killed before it could tell of a child: the child must not wait for ever.
  for (struct fl_orphan *orphan = tracer->orphans; orphan != NULL; orphan = orphan->next)
    if (orphan->parent == task->process) {
      fl_adopt(tracer, task, orphan->thread, PTRACE_EVENT_FORK);
      break;
    }
  fl_task_remove(tracer, thread);
}
