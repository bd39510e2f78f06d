// The CPUs that the tracer and its threads run on.
//
// While a program is loaded, it runs on the tracer's CPU. A stop is then a context switch and
// leaves caches warm; on two CPUs each stop would wake the other one. Before the first function of
// the program itself runs, its threads get their affinity back, so that it counts as many CPUs as
// if untraced.
#ifndef FL_TRACER_CPU_H
#define FL_TRACER_CPU_H

#include <sched.h>

#include "tracer.h"

/// Pins the calling thread to its current CPU. False if that is not possible; else `before` is for
/// `fl_cpu_unpin`.
bool fl_cpu_pin(cpu_set_t *before);
void fl_cpu_unpin(const cpu_set_t *before);

/// Pins a stopped thread to the tracer's CPU, and gives it its affinity back.
void fl_task_pin_to_tracer_cpu(struct fl_tracer *tracer, struct fl_task *task);
void fl_task_unpin(struct fl_task *task);

#endif
