#define _GNU_SOURCE
#include "tasks.h"

#include <stdlib.h>

#include "calls.h"
#include "family.h"

static struct fl_task **bucket(struct fl_tracer *tracer, pid_t thread) {
  return &tracer->tasks[(uint32_t)thread % FL_TASK_BUCKETS];
}

struct fl_task *fl_task_find(struct fl_tracer *tracer, pid_t thread) {
  struct fl_task *task = *bucket(tracer, thread);
  while (task != NULL && task->thread != thread) task = task->next;
  return task;
}

struct fl_task *fl_task_add(struct fl_tracer *tracer, pid_t thread, pid_t process,
                            struct fl_space *space) {
  fl_task_remove(tracer, thread);  // the number is reused; the old thread's end was not reported
  struct fl_task *task = calloc(1, sizeof *task);
  if (task == NULL) return NULL;
  struct fl_task **first = bucket(tracer, thread);
  *task = (struct fl_task){.thread = thread, .process = process, .space = space, .next = *first};
  space->tasks++;
  *first = task;
  tracer->task_count++;
  return task;
}

void fl_task_remove(struct fl_tracer *tracer, pid_t thread) {
  for (struct fl_task **at = bucket(tracer, thread); *at != NULL; at = &(*at)->next) {
    struct fl_task *task = *at;
    if (task->thread != thread) continue;
    *at = task->next;
    fl_calls_end(task, task->space->memory >= 0);
    if (task->is_ending) task->space->ending--;
    fl_space_depart(tracer, task->space);
    free(task);
    tracer->task_count--;
    return;
  }
}

void fl_task_remove_others(struct fl_tracer *tracer, pid_t process) {
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (struct fl_task *task = tracer->tasks[i], *next; task != NULL; task = next) {
      next = task->next;
      if (task->process == process && task->thread != process) fl_task_remove(tracer, task->thread);
    }
}
