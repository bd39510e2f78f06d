// Attaches to a process that runs already.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_memory.h"
#include "events.h"
#include "exec.h"
#include "plant.h"
#include "process_file.h"
#include "resume.h"
#include "start.h"
#include "tasks.h"

/// Stops that are handled once the breakpoints are written.
struct stops {
  struct stop {
    pid_t thread;
    int status;
    uint64_t seen;
  } *items;
  uint32_t count, capacity;
};

static bool add_stop(struct stops *stops, pid_t thread, int status) {
  if (stops->count == stops->capacity) {
    uint32_t capacity = stops->capacity == 0 ? 64 : 2 * stops->capacity;
    struct stop *items = realloc(stops->items, capacity * sizeof *items);
    if (items == NULL) return false;
    stops->items = items;
    stops->capacity = capacity;
  }
  stops->items[stops->count++] =
      (struct stop){.thread = thread, .status = status, .seen = fl_now(CLOCK_MONOTONIC)};
  return true;
}

/// Whether a thread need not be seized: a seized thread created it just now, or it has ended.
static bool is_ours_or_ended(pid_t thread) {
  char state = fl_thread_state(thread);
  return state == 0 || state == 'X' || state == 'Z' ||
         (pid_t)fl_status_number(thread, "TracerPid:", 10) == getpid();
}

/// Seizes the threads of a process that are not traced yet. Returns their number, or -1 with errno.
static int seize(struct fl_tracer *tracer, pid_t process, struct fl_space *space) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *folder = opendir(path);
  if (folder == NULL) return -1;
  int count = 0;
  int error = 0;
  struct dirent *entry;
  while (error == 0 && (entry = readdir(folder)) != NULL) {
    pid_t thread = atoi(entry->d_name);
    if (thread <= 0 || fl_task_find(tracer, thread) != NULL) continue;
    if (ptrace(PTRACE_SEIZE, thread, NULL, fl_ptrace_options(tracer, false)) != 0) {
      int refusal = errno;
      if (refusal != ESRCH && !is_ours_or_ended(thread)) error = refusal;
    } else if (fl_task_add(tracer, thread, process, space) == NULL) {
      error = ENOMEM;
    } else {
      count++;
    }
  }
  closedir(folder);
  errno = error;
  return error == 0 ? count : -1;
}

/// Lets the program run until no untraced process uses its memory: breakpoints would kill such a
/// process. Children of seized threads are traced. Returns the process that is left; 0: none.
static pid_t await_memory(struct fl_tracer *tracer, pid_t process) {
  enum { NOTICE_MS = 200, PATIENCE_MS = 10000 };
  const struct timespec shortly = {.tv_nsec = 500000};
  const struct timespec longer = {.tv_nsec = 10000000};
  uint64_t began = fl_now(CLOCK_MONOTONIC);
  bool is_reported = false;
  pid_t user;
  while ((user = fl_memory_user(process)) != 0) {
    uint64_t waited = (fl_now(CLOCK_MONOTONIC) - began) / 1000000;
    if (waited > PATIENCE_MS) return user;
    if (waited > NOTICE_MS && !is_reported)
      fl_report_problem(tracer, FL_TRACER_MEMORY_SHARED, "", user);
    is_reported = waited > NOTICE_MS;
    int status;
    for (pid_t thread; (thread = waitpid(-1, &status, __WALL | WNOHANG)) > 0;)
      fl_handle_now(tracer, thread, status);
    nanosleep(waited > NOTICE_MS ? &longer : &shortly, NULL);
  }
  return 0;
}

/// Stops the threads and keeps their first stops. Threads that wait within the kernel, as a parent
/// in vfork does, may stop later: the breakpoints are written while they wait.
static void stop_all(struct fl_tracer *tracer, const struct fl_space *space, struct stops *stops) {
  enum { PATIENCE_MS = 500 };
  uint32_t expected = 0;
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next)
      if (task->space == space && !task->is_interrupted) {
        task->is_interrupted = true;
        if (ptrace(PTRACE_INTERRUPT, task->thread, NULL, NULL) == 0) expected++;
      }
  const struct timespec pause = {.tv_nsec = 100000};
  uint64_t end = fl_now(CLOCK_MONOTONIC) + PATIENCE_MS * 1000000ull;
  while (expected > 0 && fl_now(CLOCK_MONOTONIC) < end) {
    int status;
    pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
    if (thread == 0) nanosleep(&pause, NULL);
    if (thread < 0 && errno != EINTR) return;
    if (thread <= 0) continue;
    const struct fl_task *task = fl_task_find(tracer, thread);
    if (task != NULL && task->space == space) expected--;
    if (!add_stop(stops, thread, status)) return;
  }
}

enum fl_tracer_start fl_tracer_attach(struct fl_tracer *tracer, pid_t process) {
  tracer->is_attached = true;
  fl_raise_descriptor_limit(tracer);
  struct fl_space *space = fl_space_make();
  if (space == NULL) return FL_TRACER_NO_PROCESS;
  space->tasks = 1;  // ours, until the threads have theirs
  struct stops stops = {0};
  // While threads start and end, the kernel's list of them may leave some out. So it is read again
  // until it has no new ones, and once more when the others have stopped.
  int count;
  do count = seize(tracer, process, space);
  while (count > 0);
  pid_t user = count < 0 ? 0 : await_memory(tracer, process);
  uint64_t stopped = fl_now(CLOCK_MONOTONIC);
  if (count == 0 && user == 0) {
    do {
      stop_all(tracer, space, &stops);
      count = seize(tracer, process, space);
    } while (count > 0);
  }
  struct fl_task *task = fl_task_find(tracer, process);
  if (count < 0 || user != 0 || task == NULL) {
    int error = count < 0 ? errno : user != 0 ? user : ESRCH;
    for (uint32_t i = 0; i < stops.count; i++)
      fl_handle_event(tracer, stops.items[i].thread, stops.items[i].status, stops.items[i].seen);
    free(stops.items);
    fl_space_leave(space);
    fl_tracer_detach(tracer);
    errno = error;
    if (user != 0) return FL_TRACER_SHARED;
    return error == ESRCH || error == ENOENT ? FL_TRACER_NOT_FOUND : FL_TRACER_NOT_ALLOWED;
  }
  // Otherwise the process has executed another program meanwhile, which is watched already.
  if (task->space == space) fl_space_begin(tracer, task, true);
  for (uint32_t i = 0; i < stops.count; i++)
    fl_handle_event(tracer, stops.items[i].thread, stops.items[i].status, stops.items[i].seen);
  fl_cost_add(tracer, fl_now(CLOCK_MONOTONIC) - stopped);
  free(stops.items);
  fl_space_leave(space);
  return FL_TRACER_STARTED;
}
