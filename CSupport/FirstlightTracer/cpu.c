#define _GNU_SOURCE
#include "cpu.h"

#include <sys/ptrace.h>
#include <unistd.h>

#include "cpu_time.h"
#include "memory.h"

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

void fl_tracer_note_queueing(struct fl_tracer *tracer) {
  if (tracer->cpu_time_file < 0) tracer->cpu_time_file = fl_cpu_time_open(getpid(), gettid());
  tracer->queued = fl_cpu_time_read(tracer->cpu_time_file).queued;
}

void fl_cpu_avoid(const cpu_set_t *allowed) {
  int here = sched_getcpu();
  cpu_set_t others = *allowed;
  if (here < 0 || here >= CPU_SETSIZE) return;
  CPU_CLR(here, &others);
  if (CPU_COUNT(&others) > 0) sched_setaffinity(0, sizeof others, &others);
}

bool fl_task_is_on_tracer_cpu(struct fl_task *task) {
  if (task->shares_tracer_cpu) return true;
  struct __ptrace_rseq_configuration found;
  if (task->rseq == 0 &&
      ptrace(PTRACE_GET_RSEQ_CONFIGURATION, task->thread, sizeof found, &found) == sizeof found)
    task->rseq = found.rseq_abi_pointer;
  enum { CPU_OFFSET = 4 };  // of cpu_id in struct rseq, <linux/rseq.h>
  int32_t cpu;
  return task->rseq != 0 && task->space->memory >= 0 &&
         fl_memory_read(task->space->memory, task->rseq + CPU_OFFSET, &cpu, sizeof cpu) &&
         cpu == sched_getcpu();
}

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

uint32_t fl_tracer_cpu_count(void) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (uint32_t)CPU_COUNT(&allowed) : 1;
}
