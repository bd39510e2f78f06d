#define _GNU_SOURCE
#include "family.h"

#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process_file.h"
#include "tasks.h"

/// Whether two threads use one memory (vfork, or clone with CLONE_VM).
static bool share_memory(pid_t a, pid_t b, int event) {
  long order = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);
  if (order >= 0) return order == 0;
  return event != PTRACE_EVENT_FORK;  // a kernel without kcmp: as libc uses them
}

/// Takes an orphan off the list. False: there is none of this thread.
static bool take_orphan(struct fl_tracer *tracer, pid_t thread, struct fl_orphan *taken) {
  for (struct fl_orphan **at = &tracer->orphans; *at != NULL; at = &(*at)->next) {
    struct fl_orphan *orphan = *at;
    if (orphan->thread != thread) continue;
    *at = orphan->next;
    *taken = *orphan;
    free(orphan);
    return true;
  }
  return false;
}

bool fl_adopt(struct fl_tracer *tracer, struct fl_task *creator, pid_t thread, int event,
              struct fl_orphan *stopped) {
  struct fl_space *space = creator->space;
  pid_t process = thread;
  if (event == PTRACE_EVENT_CLONE) process = (pid_t)fl_status_number(thread, "Tgid:", 10);
  if (process == 0) process = thread;  // it has ended already
  if (process == thread && !share_memory(creator->thread, thread, event)) {
    struct fl_space *copy = fl_space_copy(space, thread);
    if (copy == NULL) return false;
    copy->origin = fl_origin_now(thread, creator->process);
    // A parent without a record stands for the process it was forked from.
    copy->origin.forked_from = space->record != NULL ? space->record : space->origin.forked_from;
    if (copy->origin.forked_from != NULL)
      copy->origin.forked_at = copy->origin.forked_from->process.call_count;
    space = copy;
    if (tracer->host.flags != 0) fl_space_record(space, &tracer->records);
  }
  struct fl_task *task = fl_task_add(tracer, thread, process, space);
  if (task == NULL) {
    if (space->tasks == 0) {
      space->tasks = 1;
      fl_space_leave(space);
    }
    return false;
  }
  // Inherited from its creator.
  task->shares_tracer_cpu = creator->shares_tracer_cpu;
  task->affinity = creator->affinity;
  return take_orphan(tracer, thread, stopped);
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

void fl_orphan_remove(struct fl_tracer *tracer, pid_t thread) {
  struct fl_orphan removed;
  take_orphan(tracer, thread, &removed);
}

pid_t fl_orphan_of(const struct fl_tracer *tracer, pid_t process) {
  for (const struct fl_orphan *orphan = tracer->orphans; orphan != NULL; orphan = orphan->next)
    if (orphan->parent == process) return orphan->thread;
  return 0;
}
