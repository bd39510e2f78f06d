// The CPUs of the tracer and its threads.
//
// While a program is loaded, it runs on the tracer's CPU. A stop is then a context switch and
// leaves caches warm; with two CPUs, each stop would wake the other one. The program's threads get
// their affinity back before its own first function runs, so that it sees as many CPUs as if
// untraced.
#ifndef FL_TRACER_CPU_H
#define FL_TRACER_CPU_H

#include <sched.h>

#include "tracer.h"

/// Pins the calling thread to its current CPU. False if that is impossible; otherwise `before` is
/// the argument for `fl_cpu_unpin`.
bool fl_cpu_pin(cpu_set_t *before);
void fl_cpu_unpin(const cpu_set_t *before);

/// Pins a stopped thread to the tracer's CPU; restores its affinity.
void fl_task_pin_to_tracer_cpu(struct fl_tracer *tracer, struct fl_task *task);
void fl_task_unpin(struct fl_task *task);

#endif
