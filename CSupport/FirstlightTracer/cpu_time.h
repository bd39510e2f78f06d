// CPU time of threads from the scheduler's counters. It does not depend on how soon the tracer and
// the thread get a CPU, unlike the times at which stops are seen and threads resume.
#ifndef FL_TRACER_CPU_TIME_H
#define FL_TRACER_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/firstlight_tracer.h"

/// Opens a thread's /proc/PID/task/TID/schedstat; -1 with errno.
int fl_cpu_time_open(pid_t process, pid_t thread);

/// Reads the file. Exact for a thread that is not on a CPU. `timeslices` is 0 if the kernel keeps
/// no counters.
struct fl_tracer_cpu_time fl_cpu_time_read(int file);

/// The CPU time between two readings.
struct fl_tracer_cpu_time fl_cpu_time_between(struct fl_tracer_cpu_time from,
                                              struct fl_tracer_cpu_time to);

#endif
