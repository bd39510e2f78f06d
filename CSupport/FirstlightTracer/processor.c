// While a program is loaded, it has the tracer's processor: a stop is then a switch and leaves caches
// warm, where two processors would have to wake each other. Before the first function of its own runs,
// it is given back what it had, so that it counts as many processors as ever.
#define _GNU_SOURCE
#include <sched.h>

#include "tracer.h"

bool fl_processor_hold(cpu_set_t *before) {
  int here = sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof *before, before) != 0)
    return false;
  CPU_SET(here, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

void fl_processor_release(const cpu_set_t *before) { sched_setaffinity(0, sizeof *before, before); }

void fl_task_sit_beside(struct fl_tracer *tracer, struct fl_task *task) {
  cpu_set_t ours;
  if (!tracer->is_held || task->is_beside ||
      sched_getaffinity(task->thread, sizeof task->processors, &task->processors) != 0 ||
      sched_getaffinity(0, sizeof ours, &ours) != 0)
    return;
  task->is_beside = sched_setaffinity(task->thread, sizeof ours, &ours) == 0;
}

void fl_task_leave(struct fl_task *task) {
  if (task->is_beside)
    sched_setaffinity(task->thread, sizeof task->processors, &task->processors);
  task->is_beside = false;
}
