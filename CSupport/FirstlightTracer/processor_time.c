#define _GNU_SOURCE
#include "processor_time.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int fl_processor_time_open(pid_t process, pid_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", process, thread);
  return open(path, O_RDONLY | O_CLOEXEC);
}

struct fl_processor_time fl_processor_time_read(int file) {
  struct fl_processor_time time = {0};
  char text[128];
  ssize_t size = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  if (size <= 0) return time;
  text[size] = '\0';
  // Time on a processor, time of waiting for one, how often it was given one (proc/<pid>/schedstat in
  // the kernel's Documentation/scheduler/sched-stats.rst).
  if (sscanf(text, "%" SCNu64 " %*u %" SCNu64, &time.ran, &time.turns) != 2) time.turns = 0;
  return time;
}

uint64_t fl_processor_time_between(struct fl_processor_time from, struct fl_processor_time to) {
  bool is_known = from.turns != 0 && to.turns == from.turns + 1 && to.ran >= from.ran;
  return is_known ? to.ran - from.ran : FL_RAN_UNKNOWN;
}
