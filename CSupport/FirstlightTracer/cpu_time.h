// How long a thread has been on a processor, as the scheduler counts it.
//
// The time at which a stop is seen, and that at which a thread runs again after it, depend on how
// soon a processor is there for the tracer and for the thread. What a thread did on its processor
// does not.
#ifndef FL_TRACER_CPU_TIME_H
#define FL_TRACER_CPU_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/firstlight_tracer.h"

/// Opens the file that tells it of a thread (/proc/PID/task/TID/schedstat); -1 with errno.
int fl_cpu_time_open(pid_t process, pid_t thread);

/// Reads it. Exact for a thread that is off its processor. `timeslices` is 0 if the kernel does not
/// count.
struct fl_tracer_cpu_time fl_cpu_time_read(int file);

/// What a thread had from one moment to the other.
struct fl_tracer_cpu_time fl_cpu_time_between(struct fl_tracer_cpu_time from,
                                              struct fl_tracer_cpu_time to);

#endif
