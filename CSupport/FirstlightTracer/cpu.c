#define _GNU_SOURCE
#include "cpu.h"

bool fl_cpu_pin(cpu_set_t *before) {
  int here = sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof *before, before) != 0)
    return false;
  CPU_SET(here, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

void fl_cpu_unpin(const cpu_set_t *before) { sched_setaffinity(0, sizeof *before, before); }

void fl_task_pin_to_tracer_cpu(struct fl_tracer *tracer, struct fl_task *task) {
  cpu_set_t ours;
  if (!tracer->is_pinned || task->shares_tracer_cpu ||
      sched_getaffinity(task->thread, sizeof task->affinity, &task->affinity) != 0 ||
      sched_getaffinity(0, sizeof ours, &ours) != 0)
    return;
  task->shares_tracer_cpu = sched_setaffinity(task->thread, sizeof ours, &ours) == 0;
}

void fl_task_unpin(struct fl_task *task) {
  if (task->shares_tracer_cpu)
    sched_setaffinity(task->thread, sizeof task->affinity, &task->affinity);
  task->shares_tracer_cpu = false;
}
