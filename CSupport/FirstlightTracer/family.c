#define _GNU_SOURCE
#include "family.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>

#include "child_memory.h"
#include "plant.h"
#include "process_file.h"
#include "program.h"
#include "tasks.h"

/// Removes an orphan from the list. False: the thread has none.
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

/// The space of a forked process, a copy of `from`. NULL if memory is exhausted.
static struct fl_space *child_space(const struct fl_space *from, pid_t child, pid_t parent) {
  struct fl_space *space = fl_space_copy(from);
  if (space == NULL) return NULL;
  space->origin = fl_origin_now(child, parent);
  // Without a record, a parent is represented by the process that it was forked from.
  space->origin.forked_from = from->record != NULL ? from->record : from->origin.forked_from;
  if (space->origin.forked_from != NULL)
    space->origin.forked_at = space->origin.forked_from->process.call_count;
  return space;
}

/// Kills a process whose memory has breakpoints that cannot be removed.
static void kill_child(struct fl_tracer *tracer, pid_t process, int error) {
  kill(process, SIGKILL);
  fl_report_unrecorded(tracer, NULL, error, false);
}

/// Adds a task in a space that may be new. If memory is exhausted, kills the task and returns NULL.
static struct fl_task *add_child(struct fl_tracer *tracer, pid_t thread, pid_t process,
                                 struct fl_space *space) {
  struct fl_task *task = space == NULL ? NULL : fl_task_add(tracer, thread, process, space);
  if (task != NULL) return task;
  if (space != NULL && space->tasks == 0) {
    space->tasks = 1;
    fl_space_leave(space);
  }
  kill_child(tracer, process, ENOMEM);
  return NULL;
}

static struct fl_task *adopt(struct fl_tracer *tracer, const struct fl_task *creator, pid_t thread,
                             pid_t process, struct fl_space *space, bool is_copy) {
  struct fl_task *task = add_child(tracer, thread, process, space);
  if (task == NULL) return NULL;
  task->is_unsettled = is_copy && fl_space_is_watched(space);
  if (is_copy && tracer->host.flags != 0) fl_space_record(space, &tracer->records);
  // A new task inherits these from its creator.
  if (creator != NULL) {
    task->shares_tracer_cpu = creator->shares_tracer_cpu;
    task->affinity = creator->affinity;
  }
  return task;
}

bool fl_adopt(struct fl_tracer *tracer, struct fl_task *creator, pid_t thread, int event,
              struct fl_orphan *stopped) {
  const struct fl_task *known = fl_task_find(tracer, thread);
  if (known != NULL && known->is_unannounced) return false;
  // A short-lived child may have stopped, ended and been waited for before its creator's event
  // comes.
  if (fl_status_number(thread, "TracerPid:", 10) == 0) return false;
  struct fl_space *space = creator->space;
  pid_t process = thread;
  if (event == PTRACE_EVENT_CLONE) process = (pid_t)fl_status_number(thread, "Tgid:", 10);
  if (process == 0) process = thread;  // the thread has ended already
  bool is_copy = process == thread && !fl_memory_is_shared(creator, thread, event);
  if (is_copy) space = child_space(space, thread, creator->process);
  return adopt(tracer, creator, thread, process, space, is_copy) != NULL &&
         take_orphan(tracer, thread, stopped);
}

uint64_t fl_lineage(pid_t process) {
  uint32_t size;
  char *bytes = fl_process_text(process, "auxv", &size);
  if (bytes == NULL) return 0;
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (uint32_t i = 0; i < size; i++) hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001b3u;
  free(bytes);
  return hash;
}

/// A space with this lineage.
static const struct fl_space *relative(const struct fl_tracer *tracer, uint64_t lineage) {
  if (lineage == 0) return NULL;
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (const struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      if (task->space->lineage == lineage) return task->space;
  for (const struct fl_space *space = tracer->departed; space != NULL; space = space->next)
    if (space->lineage == lineage) return space;
  return NULL;
}

/// Whether the host watches the program of a process.
static bool is_wanted(struct fl_tracer *tracer, pid_t process) {
  char path[PATH_MAX], link[32];
  if (!fl_program_path(process, path, sizeof path)) return true;
  struct fl_tracer_file file = {
      .path = path, .link = fl_program_link(process, path, link), .is_program = true};
  struct fl_tracer_sites sites = {0};
  return tracer->host.choose(tracer->host.context, &file, &sites) && sites.count > 0;
}

bool fl_adopt_unannounced(struct fl_tracer *tracer, pid_t process) {
  uint64_t lineage = fl_lineage(process);
  pid_t parent = (pid_t)fl_status_number(process, "PPid:", 10);
  const struct fl_task *creator = fl_task_find(tracer, parent);
  // The parent is the creator, unless the creator has ended and another process is the parent now.
  if (creator != NULL && lineage != 0 && creator->space->lineage != lineage) creator = NULL;
  const struct fl_space *from = creator != NULL ? creator->space : relative(tracer, lineage);
  struct fl_space *space;
  bool is_copy = true;
  if (creator != NULL && fl_memory_is_shared(creator, process, PTRACE_EVENT_FORK)) {
    space = creator->space;
    is_copy = false;
  } else if (from != NULL) {
    space = child_space(from, process, parent);
  } else if (!is_wanted(tracer, process)) {
    space = fl_space_make();
  } else {
    kill_child(tracer, process, ESRCH);
    return false;
  }
  struct fl_task *task = adopt(tracer, creator, process, process, space, is_copy);
  if (task != NULL) task->is_unannounced = true;
  return task != NULL;
}

void fl_orphan_add(struct fl_tracer *tracer, pid_t thread, int status) {
  struct fl_orphan *orphan = malloc(sizeof *orphan);
  if (orphan == NULL) {
    kill_child(tracer, thread, ENOMEM);
    return;
  }
  *orphan = (struct fl_orphan){
      .thread = thread, .status = status, .seen = tracer->seen, .next = tracer->orphans};
  tracer->orphans = orphan;
}

void fl_orphan_remove(struct fl_tracer *tracer, pid_t thread) {
  struct fl_orphan removed;
  take_orphan(tracer, thread, &removed);
}

void fl_space_depart(struct fl_tracer *tracer, struct fl_space *space) {
  enum { MOST_DEPARTED = 64 };
  fl_report_end(tracer, space);
  if (space->tasks > 1 || space->lineage == 0) {
    fl_space_leave(space);
    return;
  }
  fl_space_close(space);
  space->next = tracer->departed;
  tracer->departed = space;
  uint32_t kept = 0;
  for (struct fl_space **at = &space->next; *at != NULL;) {
    struct fl_space *other = *at;
    if (++kept < MOST_DEPARTED && other->lineage != space->lineage) {
      at = &other->next;
      continue;
    }
    *at = other->next;
    fl_space_leave(other);
  }
}
