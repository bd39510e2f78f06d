#define _GNU_SOURCE
#include "cpu_time.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int fl_cpu_time_open(pid_t process, pid_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", process, thread);
  return open(path, O_RDONLY | O_CLOEXEC);
}

struct fl_tracer_cpu_time fl_cpu_time_read(int file) {
  struct fl_tracer_cpu_time time = {0};
  char text[128];
  ssize_t size = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  if (size <= 0) return time;
  text[size] = '\0';
  // Run time, time waiting on a run queue, timeslices (proc/<pid>/schedstat in the kernel's
  // Documentation/scheduler/sched-stats.rst).
  if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &time.ran, &time.queued, &time.timeslices) !=
      3)
    time.timeslices = 0;
  return time;
}

uint64_t fl_tracer_process_cpu_time(pid_t process) {
  clockid_t clock;
  struct timespec time;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

struct fl_tracer_cpu_time fl_cpu_time_between(struct fl_tracer_cpu_time from,
                                              struct fl_tracer_cpu_time to) {
  if (from.timeslices == 0 || to.timeslices <= from.timeslices || to.ran < from.ran ||
      to.queued < from.queued)
    return (struct fl_tracer_cpu_time){0};
  return (struct fl_tracer_cpu_time){.ran = to.ran - from.ran,
                                     .queued = to.queued - from.queued,
                                     .timeslices = to.timeslices - from.timeslices};
}
