#define _GNU_SOURCE
#include "tasks.h"

#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "calls.h"
#include "cpu_time.h"
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
  *task = (struct fl_task){
      .thread = thread, .process = process, .space = space, .cpu_time_file = -1, .next = *first};
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
    fl_space_depart(tracer, task->space);
    if (task->cpu_time_file >= 0) close(task->cpu_time_file);
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

void fl_task_note_cpu_time(struct fl_task *task) {
  if (task->cpu_time_file < 0) task->cpu_time_file = fl_cpu_time_open(task->process, task->thread);
  // A stop is reported shortly before the thread has left its CPU. A ptrace request waits for that.
  unsigned long ignored;
  ptrace(PTRACE_GETEVENTMSG, task->thread, NULL, &ignored);
  struct fl_tracer_cpu_time now = fl_cpu_time_read(task->cpu_time_file);
  task->cpu_time = fl_cpu_time_between(task->last_cpu_time, now);
  task->last_cpu_time = now;
}
