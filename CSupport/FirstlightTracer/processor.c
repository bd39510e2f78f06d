// While a program is loaded, it has the tracer's processor: a stop is then a switch and leaves
// caches warm, where two processors would have to wake each other. Before the first function of its
// own runs, it is given back what it had, so that it counts as many processors as ever.
#define _GNU_SOURCE
#include <sched.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "memory.h"
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

void fl_tracer_note_time(struct fl_tracer *tracer) {
  if (tracer->schedule < 0) tracer->schedule = fl_processor_time_open(getpid(), gettid());
  tracer->queued = fl_processor_time_read(tracer->schedule).queued;
}

void fl_processor_avoid(const cpu_set_t *allowed) {
  int here = sched_getcpu();
  cpu_set_t others = *allowed;
  if (here < 0 || here >= CPU_SETSIZE) return;
  CPU_CLR(here, &others);
  if (CPU_COUNT(&others) > 0) sched_setaffinity(0, sizeof others, &others);
}

bool fl_task_is_near(struct fl_task *task) {
  if (task->is_beside) return true;
  struct __ptrace_rseq_configuration found;
  if (task->restartable == 0 &&
      ptrace(PTRACE_GET_RSEQ_CONFIGURATION, task->thread, sizeof found, &found) == sizeof found)
    task->restartable = found.rseq_abi_pointer;
  enum { PROCESSOR_OFFSET = 4 };  // of cpu_id in struct rseq, <linux/rseq.h>
  int32_t processor;
  return task->restartable != 0 && task->space->memory >= 0 &&
         fl_memory_read(task->space->memory, task->restartable + PROCESSOR_OFFSET, &processor,
                        sizeof processor) &&
         processor == sched_getcpu();
}

void fl_task_sit_beside(struct fl_tracer *tracer, struct fl_task *task) {
  cpu_set_t ours;
  if (!tracer->is_held || task->is_beside ||
      sched_getaffinity(task->thread, sizeof task->processors, &task->processors) != 0 ||
      sched_getaffinity(0, sizeof ours, &ours) != 0)
    return;
  task->is_beside = sched_setaffinity(task->thread, sizeof ours, &ours) == 0;
}

void fl_task_leave(struct fl_task *task) {
  if (task->is_beside) sched_setaffinity(task->thread, sizeof task->processors, &task->processors);
  task->is_beside = false;
}

uint32_t fl_tracer_processors(void) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (uint32_t)CPU_COUNT(&allowed) : 1;
}
